// Any supported scene file by its path, of any kind.
#pragma once

#include <broadside/scene_io/bounds_text.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/result.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <filesystem>
#include <variant>

namespace broadside::scene_io {

/// The contents of a scene file: a static world, a recording, or a mesh.
using Scene = std::variant<BoxList, Recording, TriangleMesh>;

/// Reads a scene. First bytes that name their format (PLY, BOXREC01, gzip) decide; otherwise the extension
/// does, in any case: `.txt`, `.boxrec`, `.boxrec.gz`, `.ply`, `.obj`, `.stl`. Anything else is an error that lists
/// these.
Result<Scene> load_scene(const std::filesystem::path& path);

/// A mesh at the start and at the end of a step.
struct MeshPair {
    TriangleMesh at_start;
    TriangleMesh at_end;
};

/// Reads two meshes (`.ply`, `.obj` or `.stl`) of the same topology; otherwise reports where they differ.
Result<MeshPair> load_mesh_pair(const std::filesystem::path& path_at_start,
                                const std::filesystem::path& path_at_end);

}  // namespace broadside::scene_io
