// Reader of `.stl` triangle meshes.
#include <broadside/scene_io/stl.hpp>

#include "file_bytes.hpp"
#include "little_endian.hpp"
#include "messages.hpp"
#include "text_fields.hpp"

#include <bit>
#include <limits>
#include <map>

namespace broadside::scene_io {
namespace {

constexpr std::size_t kHeaderBytes = 80;
constexpr std::size_t kFirstTriangleByte = kHeaderBytes + 4;
constexpr std::size_t kTriangleBytes = 50;

// Equal corners become one position; both zeros are equal.
class Corners {
public:
    std::uint32_t index_of(const std::array<float, 3>& corner) {
        const std::array<float, 3> place = {corner[0] + 0.0f, corner[1] + 0.0f, corner[2] + 0.0f};
        const auto [found, is_new] =
            indices_.try_emplace(place, static_cast<std::uint32_t>(positions_.size()));
        if (is_new) positions_.push_back({place[0], place[1], place[2]});
        return found->second;
    }
    std::vector<Vec3> take() { return std::move(positions_); }

private:
    std::map<std::array<float, 3>, std::uint32_t> indices_;
    std::vector<Vec3> positions_;
};

std::uint64_t size_of_bytes(std::uint64_t triangle_count) {
    return kFirstTriangleByte + kTriangleBytes * triangle_count;
}

Result<TriangleMesh> parse_bytes(std::string_view bytes, std::string_view name) {
    if (bytes.size() < kFirstTriangleByte) {
        return error_at_byte(
            name, bytes.size(),
            text_of("expected a header and a count of ", kFirstTriangleByte, " bytes, found ", bytes.size()));
    }
    const auto count = little_endian<std::uint32_t>(bytes.data() + kHeaderBytes);
    if (bytes.size() != size_of_bytes(count)) {
        return error_at_byte(name, kHeaderBytes,
                             text_of("expected ", counted(size_of_bytes(count), "byte"), " for ",
                                     counted(count, "triangle"), ", found ", bytes.size()));
    }
    if (count == 0) return error_at_byte(name, kHeaderBytes, "expected a triangle, found a count of 0");
    TriangleMesh mesh;
    Corners corners;
    for (std::uint32_t i = 0; i < count; ++i) {
        const std::size_t triangle_byte = kFirstTriangleByte + kTriangleBytes * i;
        std::array<std::uint32_t, 3> triangle{};
        for (std::size_t k = 0; k < 3; ++k) {
            std::array<float, 3> corner{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::size_t byte = triangle_byte + 12 * (k + 1) + 4 * axis;
                corner[axis] = std::bit_cast<float>(little_endian<std::uint32_t>(bytes.data() + byte));
                if (!is_finite(corner[axis]))
                    return error_at_byte(name, byte, "expected a finite coordinate");
            }
            triangle[k] = corners.index_of(corner);
        }
        mesh.triangles.push_back(triangle);
    }
    mesh.positions = corners.take();
    return mesh;
}

class TextParser {
public:
    TextParser(std::string_view bytes, std::string_view name) : lines_(bytes), name_(name) {}

    Result<TriangleMesh> parse() {
        bool is_in_solid = false;
        while (next_statement()) {
            std::optional<Error> error;
            if (!is_in_solid) {
                error = expect({"solid"});
                is_in_solid = true;
            } else if (fields_[0] == "endsolid") {
                is_in_solid = false;
            } else {
                error = take_facet();
            }
            if (error) return *std::move(error);
        }
        if (is_in_solid) return at_end("facet' or 'endsolid");
        if (mesh_.triangles.empty()) return at_end("facet");
        mesh_.positions = corners_.take();
        return std::move(mesh_);
    }

private:
    bool next_statement() {
        while (const auto line = lines_.next_line()) {
            split_fields(*line, fields_);
            if (!fields_.empty()) return true;
        }
        fields_.clear();
        return false;
    }
    Error at_end(std::string_view what) const {
        return error_at_line(name_, lines_.line_number() + 1,
                             text_of("expected '", what, "', found the end of the file"));
    }
    std::optional<Error> expect(std::initializer_list<std::string_view> words) {
        std::size_t i = 0;
        for (const std::string_view word : words) {
            if (fields_.empty()) return at_end(word);
            if (i >= fields_.size() || fields_[i] != word) {
                return error_at_line(
                    name_, lines_.line_number(),
                    text_of("expected '", word, "', found ",
                            i < fields_.size() ? in_quotes(fields_[i]) : "the end of the line"));
            }
            ++i;
        }
        return std::nullopt;
    }
    std::optional<Error> expect_next(std::initializer_list<std::string_view> words) {
        (void)next_statement();
        return expect(words);
    }

    std::optional<Error> take_facet() {
        if (auto error = expect({"facet", "normal"})) return error;
        if (auto error = expect_next({"outer", "loop"})) return error;
        std::array<std::uint32_t, 3> triangle{};
        for (std::uint32_t& corner : triangle) {
            if (auto error = expect_next({"vertex"})) return error;
            if (fields_.size() != 4) {
                return error_at_line(
                    name_, lines_.line_number(),
                    text_of("expected 3 coordinates after 'vertex', found ", fields_.size() - 1));
            }
            std::array<float, 3> place{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const ParsedNumber<float> number = parse_float(fields_[axis + 1]);
                if (number.expected != nullptr) {
                    return error_at_line(name_, lines_.line_number(),
                                         text_of("expected ", number.expected, " after 'vertex', found ",
                                                 in_quotes(fields_[axis + 1])));
                }
                place[axis] = number.value;
            }
            corner = corners_.index_of(place);
        }
        if (auto error = expect_next({"endloop"})) return error;
        if (auto error = expect_next({"endfacet"})) return error;
        mesh_.triangles.push_back(triangle);
        return std::nullopt;
    }

    LineReader lines_;
    std::string_view name_;
    std::vector<std::string_view> fields_;
    Corners corners_;
    TriangleMesh mesh_;
};

// Some writers begin the header of bytes with "solid", too.
bool is_text(std::string_view bytes) {
    if (!bytes.starts_with("solid")) return false;
    if (bytes.size() < kFirstTriangleByte) return true;
    return bytes.size() != size_of_bytes(little_endian<std::uint32_t>(bytes.data() + kHeaderBytes));
}

}  // namespace

Result<TriangleMesh> read_stl(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_bytes(path);
    if (!bytes) return bytes.error();
    return parse_stl(*bytes, path.string());
}

Result<TriangleMesh> parse_stl(std::string_view bytes, std::string_view name) {
    return is_text(bytes) ? TextParser(bytes, name).parse() : parse_bytes(bytes, name);
}

}  // namespace broadside::scene_io
