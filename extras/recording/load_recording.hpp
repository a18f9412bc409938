// Scene files of every kind as recordings.
#pragma once

#include <broadside/scene_io/boxrec.hpp>

#include <string>
#include <vector>

namespace broadside::recording {

/// The parts of a mesh that become boxes.
enum class MeshItems : std::uint8_t { faces, edges, vertices };

struct LoadSettings {
    /// Default faces. Ignored without a mesh.
    MeshItems mesh_items = MeshItems::faces;
};

/// One file: a recording unchanged, a static world or a mesh as one frame of static boxes. Two meshes of the
/// same topology: one frame of dynamic boxes, swept from the first to the second. Ids are the indices of the
/// boxes.
scene_io::Result<scene_io::Recording> load_recording(const std::vector<std::string>& paths,
                                                     const LoadSettings& settings = {});

}  // namespace broadside::recording
