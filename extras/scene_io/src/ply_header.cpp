// The header of a `.ply` file.
#include "ply_header.hpp"

#include "messages.hpp"
#include "text_fields.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <set>

namespace broadside::scene_io {
namespace {

struct ScalarName {
    const char* name;
    PlyScalar type;
};

// The original names and the sized ones that later writers use.
constexpr std::array<ScalarName, 16> kScalarNames = {{{"char", PlyScalar::int8},
                                                      {"uchar", PlyScalar::uint8},
                                                      {"short", PlyScalar::int16},
                                                      {"ushort", PlyScalar::uint16},
                                                      {"int", PlyScalar::int32},
                                                      {"uint", PlyScalar::uint32},
                                                      {"float", PlyScalar::float32},
                                                      {"double", PlyScalar::float64},
                                                      {"int8", PlyScalar::int8},
                                                      {"uint8", PlyScalar::uint8},
                                                      {"int16", PlyScalar::int16},
                                                      {"uint16", PlyScalar::uint16},
                                                      {"int32", PlyScalar::int32},
                                                      {"uint32", PlyScalar::uint32},
                                                      {"float32", PlyScalar::float32},
                                                      {"float64", PlyScalar::float64}}};

std::optional<PlyScalar> scalar_of(std::string_view name) noexcept {
    for (const ScalarName& candidate : kScalarNames) {
        if (name == candidate.name) return candidate.type;
    }
    return std::nullopt;
}

template <class Named>
std::size_t find_named(const std::vector<Named>& items, std::string_view name) noexcept {
    const auto found =
        std::find_if(items.begin(), items.end(), [&](const Named& item) { return item.name == name; });
    return static_cast<std::size_t>(found - items.begin());
}

class HeaderParser {
public:
    HeaderParser(std::string_view bytes, std::string_view name) : bytes_(bytes), lines_(bytes), name_(name) {}

    Result<PlyHeader> parse() {
        if (auto error = take_magic_and_format()) return *std::move(error);
        for (;;) {
            if (auto error = next_line("an element, property or end_header")) return *std::move(error);
            if (fields_.empty() || fields_[0] == "comment" || fields_[0] == "obj_info") continue;
            std::optional<Error> error;
            if (fields_[0] == "end_header") {
                if ((error = finish())) return *std::move(error);
                return std::move(header_);
            } else if (fields_[0] == "element") {
                error = take_element();
            } else if (fields_[0] == "property") {
                error = take_property();
            } else {
                error = expected_here("element, property, comment or end_header");
            }
            if (error) return *std::move(error);
        }
    }

private:
    Error error_here(const std::string& text) const {
        return error_at_line(name_, lines_.line_number(), text);
    }
    Error expected_here(const std::string& what) const {
        return error_here(text_of("expected ", what, ", found ", in_quotes(line_)));
    }

    std::optional<Error> next_line(const char* expected) {
        const auto line = lines_.next_line();
        // A last line without its end has been cut.
        const bool is_cut = line && bytes_[bytes_.size() - lines_.rest_bytes() - 1] != '\n';
        if (!line || is_cut) {
            return error_at_line(name_, lines_.line_number() + (line ? 0 : 1),
                                 text_of("expected ", expected, ", found the end of the file"));
        }
        line_ = *line;
        split_fields(line_, fields_);
        return std::nullopt;
    }

    std::optional<Error> take_magic_and_format() {
        if (!bytes_.starts_with("ply\n") && !bytes_.starts_with("ply\r\n")) {
            return error_at_line(
                name_, 1, text_of("expected 'ply', found ", in_quotes(bytes_.substr(0, bytes_.find('\n')))));
        }
        if (auto error = next_line("'ply'")) return error;
        do {
            if (auto error = next_line("the format")) return error;
        } while (fields_.empty() || fields_[0] == "comment" || fields_[0] == "obj_info");
        const bool has_form = fields_.size() == 3 && fields_[0] == "format" && fields_[2] == "1.0";
        if (has_form && fields_[1] == "ascii") {
            header_.encoding = PlyEncoding::ascii;
        } else if (has_form && fields_[1] == "binary_little_endian") {
            header_.encoding = PlyEncoding::binary_little_endian;
        } else {
            return expected_here("'format ascii 1.0' or 'format binary_little_endian 1.0'");
        }
        return std::nullopt;
    }

    std::optional<Error> take_element() {
        if (fields_.size() != 3) return expected_here("'element NAME COUNT'");
        PlyElement element;
        element.name = fields_[1];
        const std::string_view digits = fields_[2];
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), element.count);
        if (error != std::errc() || end != digits.data() + digits.size())
            return expected_here("an element count");
        if (!element_names_.insert(fields_[1]).second) {
            return error_here(
                text_of("expected each element once, found a second ", in_quotes(element.name)));
        }
        property_names_.clear();
        const bool is_indexed = element.name == "vertex" || element.name == "face";
        if (is_indexed && element.count > std::numeric_limits<std::uint32_t>::max()) {
            return expected_here("at most 4294967295 items");
        }
        header_.elements.push_back(std::move(element));
        return std::nullopt;
    }

    std::optional<Error> take_property() {
        if (header_.elements.empty()) return expected_here("an element before its properties");
        PlyElement& element = header_.elements.back();
        PlyProperty property;
        property.is_list = fields_.size() == 5 && fields_[1] == "list";
        if (!property.is_list && fields_.size() != 3) {
            return expected_here("'property TYPE NAME' or 'property list TYPE TYPE NAME'");
        }
        const auto type = scalar_of(fields_[fields_.size() - 2]);
        const auto count_type = property.is_list ? scalar_of(fields_[2]) : PlyScalar::uint8;
        if (!type || !count_type) return expected_here("a type such as float, double, uchar or int");
        if (!is_integer(*count_type)) return expected_here("an integer type for the length of a list");
        property.type = *type;
        property.count_type = *count_type;
        property.name = fields_.back();
        if (!property_names_.insert(fields_.back()).second) {
            return error_here(
                text_of("expected each property once, found a second ", in_quotes(property.name)));
        }
        element.properties.push_back(std::move(property));
        return std::nullopt;
    }

    // At end_header: everything that the body walk relies on exists.
    std::optional<Error> finish() {
        header_.body_offset_bytes = bytes_.size() - lines_.rest_bytes();
        header_.line_count = lines_.line_number();
        for (const PlyElement& element : header_.elements) {
            if (element.count > 0 && element.properties.empty()) {
                return error_here(
                    text_of("expected properties in element ", in_quotes(element.name), ", found none"));
            }
        }
        header_.vertex_element = find_named(header_.elements, "vertex");
        header_.face_element = find_named(header_.elements, "face");
        if (header_.vertex_element == header_.elements.size())
            return error_here("expected an element vertex above");
        if (header_.face_element == header_.elements.size())
            return error_here("expected an element face above");
        if (header_.elements[header_.face_element].count == 0) {
            return error_here("expected at least one face, found 'element face 0'");
        }
        if (auto error = find_coordinate("x", header_.x_property)) return error;
        if (auto error = find_coordinate("y", header_.y_property)) return error;
        if (auto error = find_coordinate("z", header_.z_property)) return error;
        return find_corners();
    }

    std::optional<Error> find_coordinate(const char* coordinate, std::size_t& out_property) {
        const std::vector<PlyProperty>& properties = header_.elements[header_.vertex_element].properties;
        out_property = find_named(properties, coordinate);
        if (out_property < properties.size()) {
            const PlyProperty& property = properties[out_property];
            if (!property.is_list && !is_integer(property.type)) return std::nullopt;
        }
        return error_here(
            text_of("expected a property ", coordinate, " of type float or double in element vertex"));
    }

    std::optional<Error> find_corners() {
        const std::vector<PlyProperty>& properties = header_.elements[header_.face_element].properties;
        std::size_t property = find_named(properties, "vertex_indices");
        if (property == properties.size()) property = find_named(properties, "vertex_index");
        header_.corners_property = property;
        if (property < properties.size() && properties[property].is_list &&
            is_integer(properties[property].type)) {
            return std::nullopt;
        }
        return error_here("expected a property list of integers vertex_indices in element face");
    }

    std::string_view bytes_;
    LineReader lines_;
    std::string_view name_;
    std::string_view line_;
    std::vector<std::string_view> fields_;
    // Ordered and not hashed: a file may choose names with equal hashes.
    std::set<std::string_view> element_names_;
    // Those of the last element.
    std::set<std::string_view> property_names_;
    PlyHeader header_;
};

}  // namespace

std::size_t scalar_bytes(PlyScalar type) noexcept {
    constexpr std::array<std::size_t, 8> kBytes = {1, 1, 2, 2, 4, 4, 4, 8};
    return kBytes[static_cast<std::size_t>(type)];
}

bool is_integer(PlyScalar type) noexcept { return type != PlyScalar::float32 && type != PlyScalar::float64; }

const char* scalar_name(PlyScalar type) noexcept {
    for (const ScalarName& candidate : kScalarNames) {
        if (candidate.type == type) return candidate.name;
    }
    return "";
}

Result<PlyHeader> parse_ply_header(std::string_view bytes, std::string_view name) {
    return HeaderParser(bytes, name).parse();
}

}  // namespace broadside::scene_io
