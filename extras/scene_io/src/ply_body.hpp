// The values of a `.ply` body, ascii or binary, behind one interface. Private to the scene library.
#pragma once

#include "messages.hpp"
#include "ply_header.hpp"
#include "text_fields.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

/// Both bodies have the same calls, in the order that the header prescribes: begin_item() ... read_real /
/// read_integer / skip ... end_item(), and expect_end() after the last item. A call that returns an Error
/// ends the walk. `error_at_value` describes the value last read.

/// One item a line.
class PlyAsciiBody {
public:
    PlyAsciiBody(std::string_view bytes, std::string_view name, const PlyHeader& header)
        : lines_(bytes.substr(header.body_offset_bytes), header.line_count), name_(name) {}

    std::optional<Error> begin_item(const PlyElement& element);
    Result<double> read_real(const PlyProperty& property);
    Result<std::int64_t> read_integer(const PlyProperty& property, PlyScalar type);
    std::optional<Error> skip(const PlyProperty& property, std::uint64_t count);
    std::optional<Error> end_item();
    std::optional<Error> expect_end();
    Error error_at_value(const std::string& text) const {
        return error_at_line(name_, lines_.line_number(), text);
    }
    std::size_t rest_bytes() const noexcept { return lines_.rest_bytes(); }

private:
    Result<std::string_view> next_field(const PlyProperty& property);

    LineReader lines_;
    std::string_view name_;
    std::vector<std::string_view> fields_;
    std::size_t field_index_ = 0;
};

/// Values packed without gaps, little-endian.
class PlyBinaryBody {
public:
    PlyBinaryBody(std::string_view bytes, std::string_view name, const PlyHeader& header)
        : bytes_(bytes), name_(name), offset_(header.body_offset_bytes), value_offset_(offset_) {}

    std::optional<Error> begin_item(const PlyElement&) { return std::nullopt; }
    Result<double> read_real(const PlyProperty& property);
    Result<std::int64_t> read_integer(const PlyProperty& property, PlyScalar type);
    std::optional<Error> skip(const PlyProperty& property, std::uint64_t count);
    std::optional<Error> end_item() { return std::nullopt; }
    std::optional<Error> expect_end();
    Error error_at_value(const std::string& text) const { return error_at_byte(name_, value_offset_, text); }
    std::size_t rest_bytes() const noexcept { return bytes_.size() - offset_; }

private:
    /// Takes `count` bytes and returns their address, or names the property that they should have held.
    Result<const char*> take(const PlyProperty& property, std::uint64_t count);

    std::string_view bytes_;
    std::string_view name_;
    std::size_t offset_;
    std::size_t value_offset_;
};

}  // namespace broadside::scene_io
