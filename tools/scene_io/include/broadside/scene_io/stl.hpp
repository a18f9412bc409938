// Reader of `.stl` triangle meshes, as text and as bytes.
#pragma once

#include <broadside/scene_io/result.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <filesystem>
#include <string_view>

namespace broadside::scene_io {

/// Reads both forms. Bytes: 80 of any header, a count of triangles in 32 bits, and 50 for each, all little-endian, which
/// the size of the file must agree with; that it does decides the form, unless the file begins with "solid" and
/// disagrees. Text: `solid`, then facets with a normal and a loop of three vertices, then `endsolid`; several solids make
/// one mesh. Normals and attributes are not looked at. Corners of the same place become one position, so that neighbours
/// share them. Numbers that are not finite, what is missing and what is too much are errors with their line or byte; so
/// is a file without a triangle. O(n log n).
Result<TriangleMesh> read_stl(const std::filesystem::path& path);

/// As above from memory; `name` stands for the file in error messages. `bytes` is not kept.
Result<TriangleMesh> parse_stl(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
