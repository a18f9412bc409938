// Reader of `bounds*.txt`.
#include <broadside/scene_io/bounds_text.hpp>

#include "file_bytes.hpp"
#include "messages.hpp"
#include "text_fields.hpp"

#include <array>

namespace broadside::scene_io {
namespace {

constexpr std::array<const char*, 6> kFieldNames = {"min x", "min y", "min z", "max x", "max y", "max z"};
constexpr const char* kLineForm = "expected 6 numbers (minx miny minz maxx maxy maxz), found ";

}  // namespace

Result<BoxList> read_bounds_text(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_bytes(path);
    if (!bytes) return bytes.error();
    return parse_bounds_text(*bytes, path.string());
}

Result<BoxList> parse_bounds_text(std::string_view bytes, std::string_view name) {
    BoxList list;
    LineReader lines(bytes);
    std::vector<std::string_view> fields;
    std::size_t empty_line = 0;
    while (const auto line = lines.next_line()) {
        const auto error_here = [&](const std::string& text) {
            return error_at_line(name, lines.line_number(), text);
        };
        split_fields(*line, fields);
        if (fields.empty()) {
            if (empty_line == 0) empty_line = lines.line_number();
            continue;
        }
        if (empty_line != 0) return error_at_line(name, empty_line, text_of(kLineForm, "an empty line"));
        if (fields.size() != 6) return error_here(text_of(kLineForm, fields.size()));
        std::array<float, 6> values{};
        for (std::size_t i = 0; i < 6; ++i) {
            const ParsedNumber<float> number = parse_float(fields[i]);
            if (number.expected != nullptr) {
                return error_here(text_of("expected ", number.expected, " as ", kFieldNames[i], ", found ",
                                          in_quotes(fields[i])));
            }
            values[i] = number.value;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (values[axis] > values[axis + 3]) {
                return error_here(text_of("expected ", kFieldNames[axis], " <= ", kFieldNames[axis + 3],
                                          ", found ", in_quotes(fields[axis]), " and ",
                                          in_quotes(fields[axis + 3])));
            }
        }
        list.boxes.push_back({{values[0], values[1], values[2]}, {values[3], values[4], values[5]}});
    }
    if (list.boxes.empty()) return error_at_line(name, 1, text_of(kLineForm, "no box in the whole file"));
    return list;
}

}  // namespace broadside::scene_io
