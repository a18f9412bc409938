// The one form of an error line: file, position, what was expected. Private to the scene library.
#pragma once

#include <broadside/scene_io/result.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace broadside::scene_io {

inline void append_part(std::string_view part, std::string& out_text) { out_text.append(part); }
template <std::integral Integer>
void append_part(Integer part, std::string& out_text) {
    out_text.append(std::to_string(part));
}

/// The parts, strings or integers, one after the other.
template <class... Parts>
std::string text_of(const Parts&... parts) {
    std::string text;
    (append_part(parts, text), ...);
    return text;
}

/// Text of a file made printable in one line of a terminal: control and non-ASCII bytes as \xHH, cut after 40
/// bytes.
std::string printable(std::string_view text);
/// The same within single quotes.
std::string in_quotes(std::string_view text);

/// "NAME: TEXT", for a fault of the file as a whole.
Error error_in_file(std::string_view name, std::string_view text);
/// "NAME: line LINE: TEXT"; lines count from 1.
Error error_at_line(std::string_view name, std::size_t line, std::string_view text);
/// "NAME: byte BYTE: TEXT"; bytes count from 0.
Error error_at_byte(std::string_view name, std::uint64_t byte, std::string_view text);

/// The shortest text that reads back as the same number.
std::string number_text(double value);
/// "1 byte", "2 bytes".
std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace broadside::scene_io
