// Input of the demo: the street scene or a file, frame by frame, as input of a CollisionStage.
#pragma once

#include "extras/demo/walkers.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/collision_stage.hpp>
#include <broadside/mesh.hpp>
#include <broadside/scene_io/boxrec.hpp>
#include <broadside/scene_io/triangle_mesh.hpp>
#include <broadside/triangle_mesh.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace broadside::demo {

/// One frame's objects, owned; `input` views them.
struct Frame {
    BoxSoa boxes;
    /// Id of each box, the same in all frames; empty: its index.
    std::vector<std::uint32_t> ids;
    /// Empty: the film tells which boxes move.
    std::vector<scene_io::BoxKind> kinds;
    std::vector<float> displacement_x;
    std::vector<float> displacement_y;
    std::vector<float> displacement_z;
    std::vector<Ray> rays;
    std::vector<Obb> obbs;
    std::vector<Vec3> obb_displacements;
    std::vector<Mover> movers;
    MoverSettings mover_settings;
    /// Rays from this index on are those of the movers.
    std::size_t mover_ray_begin = 0;

    /// Replaces the bodies; `displacements` is empty if none moves.
    void set_bodies(const std::vector<Aabb>& new_boxes, const std::vector<Vec3>& displacements);
};

/// A sequence of frames over a mesh without motion.
class Scene {
public:
    virtual ~Scene() = default;

    /// The scene's name for the headline, without counts.
    virtual std::string title() const = 0;
    /// The number of frames; a still scene has one, which is repeated.
    virtual std::size_t frame_count() const = 0;
    /// Fills `out_frame` with frame `index`, below frame_count().
    virtual void fill(std::size_t index, Frame& out_frame) = 0;
    /// Passes the results of the frame's movers to the scene.
    void advance(std::span<const MoverResult> results) {
        if (walkers_ != nullptr) walkers_->advance(results);
    }

    /// Views of the frame and of the scene's mesh.
    StageInput input(const Frame& frame) const;

protected:
    /// Takes ownership of the mesh: for rays, oriented boxes and walkers.
    void set_mesh(const scene_io::TriangleMesh& mesh, float walker_height);
    /// The walkers and their rays, if there is a mesh.
    void add_walkers(Frame& state_frame) const;

private:
    TriangleSoa triangles_;
    BoxSoa triangle_bounds_;
    TriangleMesh mesh_;
    const TriangleMesh* mesh_pointer_ = &mesh_;
    std::unique_ptr<Walkers> walkers_;
};

/// A scene, or one line with the reason why there is none.
struct SceneOrError {
    std::unique_ptr<Scene> scene;
    std::string error;
};

/// 10,000 boxes of a street scene with traffic, 5,000 rays, 500 oriented boxes over a terrain with steps and walls, and
/// 100 movers that walk there.
std::unique_ptr<Scene> make_street_scene();

/// One file: a static world, a recording or a mesh; two meshes: the boxes swept from the first to the second.
SceneOrError open_scene(const std::vector<std::string>& paths);

}  // namespace broadside::demo
