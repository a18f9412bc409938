// Reader of `.ply` triangle meshes, ascii and binary little-endian.
#pragma once

#include <broadside/scene_io/result.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <filesystem>
#include <string_view>

namespace broadside::scene_io {

/// Reads the elements `vertex` (x, y, z as float or double, rounded to float) and `face` (list vertex_indices
/// or vertex_index of any integer type; polygons become fans around their first corner). All other properties
/// and elements are skipped by their declared types. Errors name the line (header, ascii body) or the byte
/// (binary body): counts that contradict the file, indices out of range, non-finite positions, faces of fewer
/// than three corners, a mesh without a face, bytes after the last element. Memory is bounded by the size of
/// the file, whatever its counts claim. Linear in the size of the file, except for n names in its header,
/// which are compared in O(n log n).
Result<TriangleMesh> read_ply(const std::filesystem::path& path);

/// The same from memory; `name` replaces the file in error messages. `bytes` is not kept.
Result<TriangleMesh> parse_ply(std::string_view bytes, std::string_view name);

}  // namespace broadside::scene_io
