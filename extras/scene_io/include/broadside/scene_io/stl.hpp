// Reader of `.stl` triangle meshes, as text and as bytes.
#pragma once

#include <broadside/scene_io/result.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <filesystem>
#include <string_view>

namespace broadside::scene_io {

/// Reads both forms. Bytes: 80 of any header, a count of triangles in 32 bits, and 50 for each, all
/// little-endian. The form is bytes if the size of the file agrees with them, or if the file does not begin
/// with "solid". Text: `solid`, then facets with a normal and a loop of three vertices, then `endsolid`;
/// several solids make one mesh. Normals and attributes are ignored. Equal corners become one position, so
/// that neighbours share them. Numbers that are not finite, and missing or extra parts, are errors with their
/// line or byte; so is a file without a triangle. O(n log n).
Result<TriangleMesh> read_stl(const std::filesystem::path& path);

/// The same from memory; `name` replaces the file in error messages. `bytes` is not kept.
Result<TriangleMesh> parse_stl(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
