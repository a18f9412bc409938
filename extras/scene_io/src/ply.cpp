// Reader of `.ply` triangle meshes: walks the body as the header prescribes.
#include <broadside/scene_io/ply.hpp>

#include "file_bytes.hpp"
#include "ply_body.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

namespace broadside::scene_io {
namespace {

// Shortest items in any encoding, "0 0 0\n" and "3 0 1 2\n": they bound the memory reserved for a header's
// counts.
constexpr std::size_t kMinVertexBytes = 6;
constexpr std::size_t kMinFaceBytes = 8;

std::size_t bounded_count(std::uint64_t claimed, std::size_t rest_bytes, std::size_t item_bytes) {
    return static_cast<std::size_t>(std::min<std::uint64_t>(claimed, rest_bytes / item_bytes));
}

template <class Body>
class PlyWalk {
public:
    PlyWalk(Body body, const PlyHeader& header) : body_(std::move(body)), header_(header) {}

    Result<TriangleMesh> walk() {
        for (std::size_t i = 0; i < header_.elements.size(); ++i) {
            const PlyElement& element = header_.elements[i];
            if (i == header_.vertex_element) {
                mesh_.positions.reserve(bounded_count(element.count, body_.rest_bytes(), kMinVertexBytes));
            }
            if (i == header_.face_element) {
                mesh_.triangles.reserve(bounded_count(element.count, body_.rest_bytes(), kMinFaceBytes));
            }
            for (std::uint64_t item = 0; item < element.count; ++item) {
                if (auto error = take_item(i)) return *std::move(error);
            }
        }
        if (auto error = body_.expect_end()) return *std::move(error);
        return std::move(mesh_);
    }

private:
    std::optional<Error> take_item(std::size_t element_index) {
        const PlyElement& element = header_.elements[element_index];
        if (auto error = body_.begin_item(element)) return error;
        std::array<float, 3> position{};
        for (std::size_t i = 0; i < element.properties.size(); ++i) {
            const PlyProperty& property = element.properties[i];
            std::optional<Error> error;
            if (element_index == header_.vertex_element && i == header_.x_property) {
                error = take_coordinate(property, position[0]);
            } else if (element_index == header_.vertex_element && i == header_.y_property) {
                error = take_coordinate(property, position[1]);
            } else if (element_index == header_.vertex_element && i == header_.z_property) {
                error = take_coordinate(property, position[2]);
            } else if (element_index == header_.face_element && i == header_.corners_property) {
                error = take_corners(property);
            } else {
                error = skip_property(property);
            }
            if (error) return error;
        }
        if (element_index == header_.vertex_element) {
            mesh_.positions.push_back({position[0], position[1], position[2]});
        }
        return body_.end_item();
    }

    std::optional<Error> take_coordinate(const PlyProperty& property, float& out_coordinate) {
        const Result<double> value = body_.read_real(property);
        if (!value) return value.error();
        // From half a step above FLT_MAX, rounding to float gives infinity.
        constexpr double kFloatEnd = 0x1.ffffffp127;
        if (!(std::fabs(*value) < kFloatEnd)) {
            const bool is_finite_double = std::isfinite(*value);
            return body_.error_at_value(text_of(
                "expected a ", (is_finite_double ? "number within the range of float" : "finite number"),
                " for ", in_quotes(property.name), ", found ", number_text(*value)));
        }
        out_coordinate = static_cast<float>(*value);
        return std::nullopt;
    }

    Result<std::uint64_t> take_list_length(const PlyProperty& property) {
        const Result<std::int64_t> count = body_.read_integer(property, property.count_type);
        if (!count) return count.error();
        if (*count < 0) {
            return body_.error_at_value(
                text_of("expected the length of ", in_quotes(property.name), ", found ", *count));
        }
        return static_cast<std::uint64_t>(*count);
    }

    std::optional<Error> take_corners(const PlyProperty& property) {
        const Result<std::uint64_t> count = take_list_length(property);
        if (!count) return count.error();
        if (*count < 3) {
            return body_.error_at_value(text_of("expected a face of at least 3 corners, found ", *count));
        }
        const std::uint64_t vertex_count = header_.elements[header_.vertex_element].count;
        std::uint32_t first = 0;
        std::uint32_t previous = 0;
        for (std::uint64_t i = 0; i < *count; ++i) {
            const Result<std::int64_t> corner = body_.read_integer(property, property.type);
            if (!corner) return corner.error();
            if (*corner < 0 || static_cast<std::uint64_t>(*corner) >= vertex_count) {
                return body_.error_at_value(
                    text_of("expected a vertex index below ", vertex_count, ", found ", *corner));
            }
            const auto index = static_cast<std::uint32_t>(*corner);
            if (i == 0) first = index;
            if (i > 1) mesh_.triangles.push_back({first, previous, index});
            previous = index;
        }
        return std::nullopt;
    }

    std::optional<Error> skip_property(const PlyProperty& property) {
        if (!property.is_list) return body_.skip(property, 1);
        const Result<std::uint64_t> count = take_list_length(property);
        if (!count) return count.error();
        return body_.skip(property, *count);
    }

    Body body_;
    const PlyHeader& header_;
    TriangleMesh mesh_;
};

}  // namespace

Result<TriangleMesh> read_ply(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_bytes(path);
    if (!bytes) return bytes.error();
    return parse_ply(*bytes, path.string());
}

Result<TriangleMesh> parse_ply(std::string_view bytes, std::string_view name) {
    const Result<PlyHeader> header = parse_ply_header(bytes, name);
    if (!header) return header.error();
    if (header->encoding == PlyEncoding::ascii) {
        return PlyWalk<PlyAsciiBody>({bytes, name, *header}, *header).walk();
    }
    return PlyWalk<PlyBinaryBody>({bytes, name, *header}, *header).walk();
}

}  // namespace broadside::scene_io
