// The header of a `.ply` file: the elements that follow, their types, and the position of the body. Private
// to the scene library.
#pragma once

#include <broadside/scene_io/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace broadside::scene_io {

enum class PlyScalar : std::uint8_t { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

/// Size of one value in a binary body.
std::size_t scalar_bytes(PlyScalar type) noexcept;
bool is_integer(PlyScalar type) noexcept;
/// "float", "uint8" ...
const char* scalar_name(PlyScalar type) noexcept;

struct PlyProperty {
    std::string name;
    bool is_list = false;
    /// Type of the length of a list; meaningless for a single value.
    PlyScalar count_type = PlyScalar::uint8;
    PlyScalar type = PlyScalar::float32;
};

struct PlyElement {
    std::string name;
    /// Items that the header claims; nothing is allocated by it.
    std::uint64_t count = 0;
    std::vector<PlyProperty> properties;
};

enum class PlyEncoding { ascii, binary_little_endian };

/// The guarantees of `parse_ply_header`: an element `vertex` with x, y, z as float or double; an element
/// `face` with a list of integers for the corners; both with at most 2^32 - 1 items and faces at least one;
/// every element with items has properties, so that a body walk ends with the bytes.
struct PlyHeader {
    PlyEncoding encoding = PlyEncoding::ascii;
    std::vector<PlyElement> elements;
    std::size_t vertex_element = 0;
    std::size_t face_element = 0;
    /// Properties of the vertex element.
    std::size_t x_property = 0, y_property = 0, z_property = 0;
    /// Property of the face element.
    std::size_t corners_property = 0;
    /// Offset of the body.
    std::size_t body_offset_bytes = 0;
    std::size_t line_count = 0;
};

Result<PlyHeader> parse_ply_header(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
