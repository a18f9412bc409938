// Scene files of every kind as recordings.
#include "extras/recording/load_recording.hpp"

#include <broadside/scene_io/scene.hpp>

namespace broadside::recording {
namespace {

using scene_io::BoxKind;
using scene_io::Recording;
using scene_io::Result;
using scene_io::TriangleMesh;

Recording one_frame(const std::vector<Aabb>& boxes, BoxKind kind) {
    Recording recording;
    std::vector<scene_io::BoxRecord>& frame = recording.frames.emplace_back();
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        frame.push_back({static_cast<std::uint32_t>(i), kind, boxes[i]});
    }
    return recording;
}

std::vector<Aabb> item_boxes(const TriangleMesh& mesh, const LoadSettings& settings) {
    switch (settings.mesh_items) {
        case MeshItems::edges:
            return scene_io::edge_boxes(mesh, scene_io::unique_edges(mesh));
        case MeshItems::vertices:
            return scene_io::vertex_boxes(mesh);
        case MeshItems::faces:
            break;
    }
    return scene_io::triangle_boxes(mesh);
}

Recording recording_of(scene_io::BoxList&& list, const LoadSettings&) {
    return one_frame(list.boxes, BoxKind::static_object);
}
Recording recording_of(Recording&& recording, const LoadSettings&) { return std::move(recording); }
Recording recording_of(TriangleMesh&& mesh, const LoadSettings& settings) {
    return one_frame(item_boxes(mesh, settings), BoxKind::static_object);
}

}  // namespace

Result<Recording> load_recording(const std::vector<std::string>& paths, const LoadSettings& settings) {
    if (paths.size() == 2) {
        const Result<scene_io::MeshPair> pair = scene_io::load_mesh_pair(paths[0], paths[1]);
        if (!pair) return pair.error();
        return one_frame(
            scene_io::swept_boxes(item_boxes(pair->at_start, settings), item_boxes(pair->at_end, settings)),
            BoxKind::dynamic_object);
    }
    if (paths.size() != 1) return scene_io::Error{"expected one file, or two meshes"};
    Result<scene_io::Scene> scene = scene_io::load_scene(paths[0]);
    if (!scene) return scene.error();
    return std::visit([&](auto&& held) { return recording_of(std::move(held), settings); },
                      std::move(scene).value());
}

}  // namespace broadside::recording
