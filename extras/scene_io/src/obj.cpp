// Reader of `.obj` triangle meshes.
#include <broadside/scene_io/obj.hpp>

#include "file_bytes.hpp"
#include "messages.hpp"
#include "text_fields.hpp"

#include <array>
#include <limits>

namespace broadside::scene_io {
namespace {

struct Field {
    std::string_view text;
    std::size_t line;
};

class ObjParser {
public:
    ObjParser(std::string_view bytes, std::string_view name) : lines_(bytes), name_(name) {}

    Result<TriangleMesh> parse() {
        while (next_statement()) {
            std::optional<Error> error;
            if (fields_[0].text == "v") error = take_vertex();
            if (fields_[0].text == "f") error = take_face();
            if (error) return *std::move(error);
        }
        if (mesh_.triangles.empty()) {
            return error_at_line(name_, lines_.line_number() + 1,
                                 "expected a face, found the end of the file");
        }
        return std::move(mesh_);
    }

private:
    // Gathers the fields of one statement and of the lines that a backslash joins to it, up to a comment.
    bool next_statement() {
        fields_.clear();
        while (auto line = lines_.next_line()) {
            const std::size_t comment = line->find('#');
            std::string_view text = line->substr(0, comment);
            while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
            // A comment may end in a backslash (a path, say) without joining the next line.
            const bool is_continued =
                comment == std::string_view::npos && !text.empty() && text.back() == '\\';
            if (is_continued) text.remove_suffix(1);
            split_fields(text, line_fields_);
            for (const std::string_view field : line_fields_)
                fields_.push_back({field, lines_.line_number()});
            if (!is_continued && !fields_.empty()) return true;
        }
        return !fields_.empty();
    }

    std::optional<Error> take_vertex() {
        // x y z, then nothing, a weight, a colour, or both.
        const std::size_t count = fields_.size() - 1;
        if (count < 3 || count == 5 || count > 7) {
            return error_at_line(
                name_, fields_[0].line,
                text_of("expected 3 coordinates after 'v', found ", counted(count, "number")));
        }
        std::array<float, 3> position{};
        for (std::size_t i = 0; i < count; ++i) {
            const Field& field = fields_[i + 1];
            const ParsedNumber<float> number = parse_float(field.text);
            if (number.expected != nullptr) {
                return error_at_line(
                    name_, field.line,
                    text_of("expected ", number.expected, " after 'v', found ", in_quotes(field.text)));
            }
            if (i < 3) position[i] = number.value;
        }
        if (mesh_.positions.size() == std::numeric_limits<std::uint32_t>::max()) {
            return error_at_line(name_, fields_[0].line, "expected at most 4294967295 vertices");
        }
        mesh_.positions.push_back({position[0], position[1], position[2]});
        return std::nullopt;
    }

    std::optional<Error> take_face() {
        if (fields_.size() < 4) {
            return error_at_line(
                name_, fields_[0].line,
                text_of("expected at least 3 corners after 'f', found ", fields_.size() - 1));
        }
        std::uint32_t first = 0;
        std::uint32_t previous = 0;
        for (std::size_t i = 1; i < fields_.size(); ++i) {
            const Result<std::uint32_t> corner = vertex_of_corner(fields_[i]);
            if (!corner) return corner.error();
            if (i == 1) first = *corner;
            if (i > 2) mesh_.triangles.push_back({first, previous, *corner});
            previous = *corner;
        }
        return std::nullopt;
    }

    // Zero-based vertex of `v`, `v/vt`, `v//vn` or `v/vt/vn`.
    Result<std::uint32_t> vertex_of_corner(const Field& field) const {
        const auto error_here = [&](const std::string& text) {
            return error_at_line(name_, field.line, text_of(text, ", found ", in_quotes(field.text)));
        };
        constexpr const char* kCornerForm = "expected a corner v, v/vt, v//vn or v/vt/vn of integers";
        std::array<std::string_view, 3> parts;
        std::size_t part_count = 0;
        std::string_view rest = field.text;
        for (;;) {
            if (part_count == 3) return error_here(kCornerForm);
            const std::size_t slash = rest.find('/');
            parts[part_count++] = rest.substr(0, slash);
            if (slash == std::string_view::npos) break;
            rest.remove_prefix(slash + 1);
        }
        for (std::size_t i = 0; i < part_count; ++i) {
            // Only the middle part may be left out; exporters write 0 for a missing texture or normal.
            const bool may_be_empty = i == 1 && part_count == 3;
            if (parts[i].empty() ? !may_be_empty : parse_integer(parts[i]).expected != nullptr) {
                return error_here(kCornerForm);
            }
        }
        const std::int64_t index = parse_integer(parts[0]).value;
        const auto vertex_count = static_cast<std::int64_t>(mesh_.positions.size());
        if (vertex_count == 0) return error_here("expected vertices above the first face");
        if (index == 0 || index > vertex_count || index < -vertex_count) {
            return error_here(text_of("expected a vertex from 1 to ", vertex_count,
                                      " (or from -1 down), as many as stand above"));
        }
        return static_cast<std::uint32_t>(index > 0 ? index - 1 : vertex_count + index);
    }

    LineReader lines_;
    std::string_view name_;
    std::vector<Field> fields_;
    std::vector<std::string_view> line_fields_;
    TriangleMesh mesh_;
};

}  // namespace

Result<TriangleMesh> read_obj(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_bytes(path);
    if (!bytes) return bytes.error();
    return parse_obj(*bytes, path.string());
}

Result<TriangleMesh> parse_obj(std::string_view bytes, std::string_view name) {
    return ObjParser(bytes, name).parse();
}

}  // namespace broadside::scene_io
