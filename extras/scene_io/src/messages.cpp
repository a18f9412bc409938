// The one form of an error line: file, position, what was expected.
#include "messages.hpp"

#include <array>
#include <charconv>

namespace broadside::scene_io {
namespace {

std::string escaped(std::string_view text) {
    constexpr std::string_view kHexDigits = "0123456789abcdef";
    std::string line;
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte >= 0x20 && byte < 0x7f) {
            line += character;
        } else {
            line += "\\x";
            line += kHexDigits[byte >> 4];
            line += kHexDigits[byte & 15];
        }
    }
    return line;
}

// A path keeps its UTF-8; only bytes that would break the line are escaped.
std::string one_line_name(std::string_view name) {
    std::string line;
    for (const char character : name) {
        const auto byte = static_cast<unsigned char>(character);
        line += byte < 0x20 || byte == 0x7f ? escaped({&character, 1}) : std::string(1, character);
    }
    return line;
}

}  // namespace

std::string printable(std::string_view text) {
    constexpr std::size_t kMaxShown = 40;
    return text_of(escaped(text.substr(0, kMaxShown)), text.size() > kMaxShown ? "..." : "");
}

std::string in_quotes(std::string_view text) { return text_of("'", printable(text), "'"); }

Error error_in_file(std::string_view name, std::string_view text) {
    return {text_of(one_line_name(name), ": ", text)};
}

Error error_at_line(std::string_view name, std::size_t line, std::string_view text) {
    return error_in_file(name, text_of("line ", line, ": ", text));
}

Error error_at_byte(std::string_view name, std::uint64_t byte, std::string_view text) {
    return error_in_file(name, text_of("byte ", byte, ": ", text));
}

std::string number_text(double value) {
    std::array<char, 32> text;
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() ? std::string(text.data(), end) : std::string();
}

std::string counted(std::uint64_t count, std::string_view noun) {
    return text_of(count, " ", noun, (count == 1 ? "" : "s"));
}

}  // namespace broadside::scene_io
