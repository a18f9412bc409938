// The values of a `.ply` body, ascii or binary.
#include "ply_body.hpp"

#include "little_endian.hpp"

#include <bit>

namespace broadside::scene_io {

std::optional<Error> PlyAsciiBody::begin_item(const PlyElement& element) {
    field_index_ = 0;
    do {
        const auto line = lines_.next_line();
        if (!line) {
            return error_at_line(name_, lines_.line_number() + 1,
                                 text_of("expected an item of element ", in_quotes(element.name),
                                         ", found the end of the file"));
        }
        split_fields(*line, fields_);
    } while (fields_.empty());
    return std::nullopt;
}

Result<std::string_view> PlyAsciiBody::next_field(const PlyProperty& property) {
    if (field_index_ == fields_.size()) {
        return error_at_value(
            text_of("expected a value of ", in_quotes(property.name), ", found the end of the line"));
    }
    return fields_[field_index_++];
}

Result<double> PlyAsciiBody::read_real(const PlyProperty& property) {
    const Result<std::string_view> field = next_field(property);
    if (!field) return field.error();
    // A double property is read as one and rounded by the caller, as the binary form would be.
    const ParsedNumber<float> narrow = parse_float(*field);
    const ParsedNumber<double> number = property.type == PlyScalar::float64
                                            ? parse_double(*field)
                                            : ParsedNumber<double>{narrow.value, narrow.expected};
    if (number.expected != nullptr) {
        return error_at_value(text_of("expected ", number.expected, " for ", in_quotes(property.name),
                                      ", found ", in_quotes(*field)));
    }
    return number.value;
}

Result<std::int64_t> PlyAsciiBody::read_integer(const PlyProperty& property, PlyScalar type) {
    const Result<std::string_view> field = next_field(property);
    if (!field) return field.error();
    const ParsedNumber<std::int64_t> number = parse_integer(*field);
    const int bit_count = static_cast<int>(scalar_bytes(type)) * 8;
    const bool is_signed = type == PlyScalar::int8 || type == PlyScalar::int16 || type == PlyScalar::int32;
    const std::int64_t min = is_signed ? -(std::int64_t{1} << (bit_count - 1)) : 0;
    const std::int64_t max = (std::int64_t{1} << (is_signed ? bit_count - 1 : bit_count)) - 1;
    if (number.expected != nullptr || number.value < min || number.value > max) {
        return error_at_value(text_of("expected an integer of type ", scalar_name(type), " for ",
                                      in_quotes(property.name), ", found ", in_quotes(*field)));
    }
    return number.value;
}

std::optional<Error> PlyAsciiBody::skip(const PlyProperty& property, std::uint64_t count) {
    if (count > fields_.size() - field_index_) {
        return error_at_value(text_of("expected ", counted(count, "value"), " of ", in_quotes(property.name),
                                      ", found ", fields_.size() - field_index_));
    }
    field_index_ += static_cast<std::size_t>(count);
    return std::nullopt;
}

std::optional<Error> PlyAsciiBody::end_item() {
    if (field_index_ == fields_.size()) return std::nullopt;
    return error_at_value(text_of("expected the end of the line, found ", in_quotes(fields_[field_index_])));
}

std::optional<Error> PlyAsciiBody::expect_end() {
    while (const auto line = lines_.next_line()) {
        split_fields(*line, fields_);
        if (!fields_.empty())
            return error_at_value(text_of("expected the end of the file, found ", in_quotes(*line)));
    }
    return std::nullopt;
}

Result<const char*> PlyBinaryBody::take(const PlyProperty& property, std::uint64_t count) {
    value_offset_ = offset_;
    if (count > rest_bytes()) {
        return error_at_value(text_of("expected ", counted(count, "byte"), " of ", in_quotes(property.name),
                                      ", found the end of the file after ", rest_bytes()));
    }
    offset_ += static_cast<std::size_t>(count);
    return bytes_.data() + value_offset_;
}

Result<double> PlyBinaryBody::read_real(const PlyProperty& property) {
    const Result<const char*> place = take(property, scalar_bytes(property.type));
    if (!place) return place.error();
    if (property.type == PlyScalar::float64)
        return std::bit_cast<double>(little_endian<std::uint64_t>(*place));
    return static_cast<double>(std::bit_cast<float>(little_endian<std::uint32_t>(*place)));
}

Result<std::int64_t> PlyBinaryBody::read_integer(const PlyProperty& property, PlyScalar type) {
    const Result<const char*> place = take(property, scalar_bytes(type));
    if (!place) return place.error();
    switch (type) {
        case PlyScalar::int8:
            return static_cast<std::int8_t>(little_endian<std::uint8_t>(*place));
        case PlyScalar::uint8:
            return little_endian<std::uint8_t>(*place);
        case PlyScalar::int16:
            return static_cast<std::int16_t>(little_endian<std::uint16_t>(*place));
        case PlyScalar::uint16:
            return little_endian<std::uint16_t>(*place);
        case PlyScalar::int32:
            return static_cast<std::int32_t>(little_endian<std::uint32_t>(*place));
        // The header admits no other type here.
        default:
            return little_endian<std::uint32_t>(*place);
    }
}

std::optional<Error> PlyBinaryBody::skip(const PlyProperty& property, std::uint64_t count) {
    // count comes from a type of at most 32 bits or is 1, so the product cannot wrap.
    const Result<const char*> place = take(property, count * scalar_bytes(property.type));
    if (!place) return place.error();
    return std::nullopt;
}

std::optional<Error> PlyBinaryBody::expect_end() {
    value_offset_ = offset_;
    if (rest_bytes() == 0) return std::nullopt;
    return error_at_value(
        text_of("expected the end of the file, found ", counted(rest_bytes(), "more byte")));
}

}  // namespace broadside::scene_io
