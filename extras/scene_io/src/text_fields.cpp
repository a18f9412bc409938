// Lines, fields and numbers of the text formats, independent of the locale.
#include "text_fields.hpp"

#include <cfloat>
#include <charconv>
#include <cmath>
#include <system_error>

namespace broadside::scene_io {
namespace {

bool is_blank(char character) noexcept {
    return character == ' ' || character == '\t' || character == '\v' || character == '\f' ||
           character == '\r';
}

// std::from_chars takes no leading plus, which some exporters write.
std::string_view without_plus(std::string_view field) noexcept {
    const bool has_plus = field.size() > 1 && field[0] == '+' && field[1] != '-';
    return has_plus ? field.substr(1) : field;
}

constexpr const char* kNumber = "a number";
constexpr const char* kFiniteNumber = "a finite number";
constexpr const char* kFloatRange = "a number within the range of float";

}  // namespace

std::optional<std::string_view> LineReader::next_line() noexcept {
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++line_number_;
    return line;
}

void split_fields(std::string_view line, std::vector<std::string_view>& out_fields) {
    out_fields.clear();
    std::size_t begin = 0;
    while (begin < line.size()) {
        while (begin < line.size() && is_blank(line[begin])) ++begin;
        std::size_t end = begin;
        while (end < line.size() && !is_blank(line[end])) ++end;
        if (end > begin) out_fields.push_back(line.substr(begin, end - begin));
        begin = end;
    }
}

ParsedNumber<double> parse_double(std::string_view field) noexcept {
    const std::string_view digits = without_plus(field);
    double value = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return {0.0, kNumber};
    if (error == std::errc::result_out_of_range) return {0.0, kFloatRange};
    if (!std::isfinite(value)) return {0.0, kFiniteNumber};
    return {value, nullptr};
}

ParsedNumber<float> parse_float(std::string_view field) noexcept {
    const std::string_view digits = without_plus(field);
    float value = 0.0f;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size()) return {0.0f, kNumber};
    if (error == std::errc::result_out_of_range) {
        // A value that rounds to zero is also reported as out of range, and is accepted.
        const ParsedNumber<double> wide = parse_double(field);
        if (wide.expected != nullptr || std::fabs(wide.value) > 1.0) return {0.0f, kFloatRange};
        return {static_cast<float>(wide.value), nullptr};
    }
    if (!std::isfinite(value)) return {0.0f, kFiniteNumber};
    return {value, nullptr};
}

ParsedNumber<std::int64_t> parse_integer(std::string_view field) noexcept {
    const std::string_view digits = without_plus(field);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return {0, "an integer"};
    return {value, nullptr};
}

}  // namespace broadside::scene_io
