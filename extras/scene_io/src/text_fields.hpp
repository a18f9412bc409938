// Lines, fields and numbers of the text formats, independent of the locale. Private to the scene library.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

/// Walks the lines of a text; "\n" and "\r\n" both end one.
class LineReader {
public:
    explicit LineReader(std::string_view bytes, std::size_t line_count_before = 0) noexcept
        : rest_(bytes), line_number_(line_count_before) {}

    /// The next line without its end, or nothing after the last one.
    std::optional<std::string_view> next_line() noexcept;
    /// Number of the line last returned, from 1.
    std::size_t line_number() const noexcept { return line_number_; }
    /// Bytes not yet returned.
    std::size_t rest_bytes() const noexcept { return rest_.size(); }

private:
    std::string_view rest_;
    std::size_t line_number_;
};

/// Replaces `out_fields` by the parts of the line between spaces and tabs.
void split_fields(std::string_view line, std::vector<std::string_view>& out_fields);

/// A number read from text, or what was expected instead ("a number", "a finite number", ...).
template <class T>
struct ParsedNumber {
    /// Meaningless when `expected` is not null.
    T value{};
    /// Null if the number is good. Static storage.
    const char* expected = nullptr;
};

/// Rounded to nearest; a value that is too small for a float becomes zero or denormal, one too large is
/// refused.
ParsedNumber<float> parse_float(std::string_view field) noexcept;
ParsedNumber<double> parse_double(std::string_view field) noexcept;
ParsedNumber<std::int64_t> parse_integer(std::string_view field) noexcept;

}  // namespace broadside::scene_io
