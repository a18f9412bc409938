// Distances of points from a MeshScene, and containment: queries the meshes whose boxes are near, in their
// own space.
#include <broadside/float_environment.hpp>
#include <broadside/mesh_scene.hpp>

#include "stage/src/mesh_scene/queries.hpp"

#include <cmath>

namespace broadside {
namespace {

double scale_sq_of(const Transform& world_from_mesh) {
    const Vec3 row = world_from_mesh.row_x;
    const auto square = [](float a) { return static_cast<double>(a) * static_cast<double>(a); };
    return (square(row.x) + square(row.y)) + square(row.z);
}
// Rounds a number that is not negative.
float rounded_size(double size) { return static_cast<float>(min_keep(size, static_cast<double>(FLT_MAX))); }

// Calls `ask(instance)` for all instances with boxes no further than the best distance so far, `reach()`; near
// ones first, so that few are asked inside a large one.
template <class Ask, class Reach>
void ask_near(const BoxTree& tree, Vec3 point, Ask&& ask, Reach&& reach) {
    (void)tree.visit_close_boxes(point, {}, {}, [&](const ClosePair& near) {
        ask(near.target.second);
        // The factor covers the rounding.
        return rounded_size(reach() * (1.0 + 0x1p-20));
    });
}

SceneClosestPoint closest_point_of(const MeshScene& scene, const BoxTree& tree, Vec3 point) {
    SceneClosestPoint closest;
    const auto ask = [&](std::uint32_t instance) {
        const PlacedMesh& placed_mesh = scene.instance(instance);
        const MeshClosestPoint near =
            placed_mesh.mesh->closest_point(seen_from_mesh(placed_mesh.world_from_mesh, point));
        if (near.target == kNoTriangle) return;
        const double distance_sq =
            static_cast<double>(near.distance_sq) * scale_sq_of(placed_mesh.world_from_mesh);
        const float rounded = rounded_size(distance_sq);
        if (rounded > closest.distance_sq ||
            (rounded == closest.distance_sq && instance >= closest.target.instance_index))
            return;
        closest = {placed(placed_mesh.world_from_mesh, near.point), rounded, {instance, near.target}};
    };
    ask_near(tree, point, ask, [&] { return std::sqrt(static_cast<double>(closest.distance_sq)); });
    return closest;
}

bool is_held_by_any(const MeshScene& scene, const BoxTree& tree, Vec3 point) {
    bool is_held = false;
    (void)tree.visit_overlaps(Aabb{point, point}, {}, [&](const std::uint32_t& instance) {
        const PlacedMesh& placed_mesh = scene.instance(instance);
        is_held = placed_mesh.mesh->contains(seen_from_mesh(placed_mesh.world_from_mesh, point));
        return !is_held;
    });
    return is_held;
}

float signed_distance_of(const MeshScene& scene, const BoxTree& tree, Vec3 point) {
    float least = std::numeric_limits<float>::infinity();
    const auto ask = [&](std::uint32_t instance) {
        const PlacedMesh& placed_mesh = scene.instance(instance);
        const float distance =
            placed_mesh.mesh->signed_distance(seen_from_mesh(placed_mesh.world_from_mesh, point));
        const float size = rounded_size(static_cast<double>(absolute(distance)) *
                                        std::sqrt(scale_sq_of(placed_mesh.world_from_mesh)));
        least = min_keep(distance < 0.0f ? -size : size, least);
    };
    // A point that is deeper inside another instance is inside its box.
    ask_near(tree, point, ask, [&] { return static_cast<double>(max_keep(least, 0.0f)); });
    return least;
}

}  // namespace

BatchResult MeshScene::closest_points(std::span<const Vec3> points, const TaskRunner* runner,
                                      std::span<SceneClosestPoint> out_closest) const noexcept {
    const FloatEnvironment environment;
    return stage::ask_all(points, runner, out_closest,
                          [&](Vec3 point) { return closest_point_of(*this, tree_, point); });
}

SceneClosestPoint MeshScene::closest_point(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(closest_point_of(*this, tree_, point));
}

BatchResult MeshScene::contain(std::span<const Vec3> points, const TaskRunner* runner,
                               std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return stage::ask_bits(points, runner, out_bits,
                           [&](Vec3 point) { return is_held_by_any(*this, tree_, point); });
}
BatchResult MeshScene::signed_distances(std::span<const Vec3> points, const TaskRunner* runner,
                                        std::span<float> out_distances) const noexcept {
    const FloatEnvironment environment;
    return stage::ask_all(points, runner, out_distances,
                          [&](Vec3 point) { return signed_distance_of(*this, tree_, point); });
}

bool MeshScene::contains(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(is_held_by_any(*this, tree_, point));
}
float MeshScene::signed_distance(Vec3 point) const noexcept {
    const FloatEnvironment environment(point);
    return FloatEnvironment::result(signed_distance_of(*this, tree_, point));
}

}  // namespace broadside
