// Text built from printf formats.
#pragma once

#include <broadside/compiler.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <string>

namespace broadside::extras {

/// Appends formatted pieces of up to 511 characters, and plain text of any length.
class TextBuilder {
public:
    BROADSIDE_PRINTF_FORMAT(2, 3) void add(const char* format, ...) {
        char piece[512];
        std::va_list values;
        va_start(values, format);
        const int length = std::vsnprintf(piece, sizeof piece, format, values);
        va_end(values);
        if (length > 0) text_.append(piece, std::min(static_cast<std::size_t>(length), sizeof piece - 1));
    }
    void add_plain(const std::string& text) { text_ += text; }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

}  // namespace broadside::extras
