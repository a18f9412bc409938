// Reader of `.obj` triangle meshes: positions and faces, nothing of materials, texture or normals.
#pragma once

#include <broadside/scene_io/result.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <filesystem>
#include <string_view>

namespace broadside::scene_io {

/// Reads `v x y z` (a weight or a colour after it is checked and ignored) and `f` with corners `v`, `v/vt`,
/// `v//vn` or `v/vt/vn`, one-based or negative (relative to the vertices so far); polygons become fans around
/// their first corner. A face may only use vertices above it. A backslash at the end of a line continues it.
/// Other statements are ignored; texture and normal indices must be integers and are otherwise ignored.
/// Errors name the line. A file without a face is an error, because any other text would pass for an empty
/// mesh. Linear in the size of the file.
Result<TriangleMesh> read_obj(const std::filesystem::path& path);

/// The same from memory; `name` replaces the file in error messages. `bytes` is not kept.
Result<TriangleMesh> parse_obj(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
