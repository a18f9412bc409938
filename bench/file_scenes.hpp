// Scenes from files: the recordings, static worlds and meshes of BROADSIDE_DATA_DIR if it exists, and the
// user's own. Every suite that takes boxes by frames has rows for them.
#pragma once

#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace broadside::bench {

struct FileScene {
    /// Name in its rows: the name of the file without its endings.
    std::string name;
    /// Consecutive. A static world or a mesh has one.
    std::vector<std::vector<scene_io::BoxRecord>> frames;
    /// Without triangles if the file has none.
    scene_io::TriangleMesh mesh;

    /// Boxes of the last frame, which is the count in the row names of a growing recording.
    std::size_t box_count() const { return frames.back().size(); }
};

/// Reads the user's own scenes, `--scene FILE` any number of times and the environment variable
/// BROADSIDE_BENCH_SCENE, which names one more: files of any kind that scene_io reads. Call it before
/// file_scenes. Removes the option from the arguments. Returns false, with a message on stderr, if a file
/// cannot be read or has no box in its last frame.
bool take_scene_arguments(std::vector<char*>& state_arguments);

/// All scenes from files, the user's first. Read at the first call.
const std::vector<FileScene>& file_scenes();

}  // namespace broadside::bench
