// The questions that bench_box_tree and its peers put to the same worlds: 10,000 of each kind, at random places or side
// by side.
#pragma once

#include <broadside/box_tree.hpp>
#include <broadside/scenes/box_scene.hpp>
#include <broadside/scenes/scene_random.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace broadside::bench {

inline constexpr std::size_t kQueryCount = 10000;

struct TreeWorld {
    std::vector<Aabb> boxes;
    /// Boxes of edge 5.
    std::vector<Aabb> overlaps;
    /// Unit directions, as long as the world.
    std::vector<Ray> rays;
    /// Unit boxes swept by a tenth of the world.
    std::vector<BoxCast> casts;
    std::vector<Vec3> points;
    /// Of the overlaps' volume, but long and turned at random.
    std::vector<Obb> obbs;
    /// Balls of radius one half, swept like the boxes.
    std::vector<SphereCast> sphere_casts;
};

namespace tree_world {

inline Vec3 direction(scenes::SceneRandom& random) {
    for (;;) {
        const Vec3 vector = random.in_cube(1.0f);
        const float size_sq = length_sq(vector);
        if (size_sq <= 1.0f && size_sq > 0.01f) return vector * (1.0f / std::sqrt(size_sq));
    }
}

inline Vec3 place(const Aabb& world, scenes::SceneRandom& random) {
    const float x = random.between(world.min.x, world.max.x);
    const float y = random.between(world.min.y, world.max.y);
    const float z = random.between(world.min.z, world.max.z);
    return {x, y, z};
}

inline Aabb cube_at(Vec3 center, float edge) {
    const Vec3 half = {edge / 2, edge / 2, edge / 2};
    return {center - half, center + half};
}

inline Obb rod_at(Vec3 center, Vec3 direction) {
    const Vec3 side = std::abs(direction.x) < 0.8f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 across = cross(direction, side);
    Obb obb;
    obb.center = center;
    obb.axis_x = direction;
    obb.axis_y = across * (1.0f / std::sqrt(length_sq(across)));
    obb.axis_z = cross(obb.axis_x, obb.axis_y);
    obb.half_extent = {6.25f, 1.5625f, 1.6f};
    return obb;
}

}  // namespace tree_world

/// `is_coherent`: rays of a camera of 100 by 100, boxes that move along a line by half their edge; else at random.
inline TreeWorld make_tree_world(const std::string& scene_name, std::size_t box_count, bool is_coherent) {
    using namespace tree_world;
    TreeWorld world;
    world.boxes = scenes::make_boxes(scenes::find_scene(scene_name).value().layout, box_count);
    Aabb bounds = Aabb::empty();
    for (const Aabb& box : world.boxes) bounds = include(bounds, box);
    const Vec3 edges = size(bounds);
    const float length = std::max({edges.x, edges.y, edges.z});
    scenes::SceneRandom random(7);
    const Vec3 eye = bounds.min + edges * 0.25f;
    for (std::size_t i = 0; i < kQueryCount; ++i) {
        const Vec3 at = place(bounds, random);
        const Vec3 towards = direction(random);
        const float across = (static_cast<float>(i % 100) - 49.5f) / 100.0f;
        const float down = (static_cast<float>(i / 100) - 49.5f) / 100.0f;
        const Vec3 camera = Vec3{1.0f, across, down};
        const float along = static_cast<float>(i) / static_cast<float>(kQueryCount);
        const Vec3 path =
            bounds.min + Vec3{edges.x * across + edges.x * 0.5f, edges.y * along, edges.z * along};
        world.overlaps.push_back(cube_at(is_coherent ? path : at, 5.0f));
        world.rays.push_back({is_coherent ? eye : at, is_coherent ? camera : towards, length});
        world.casts.push_back({cube_at(is_coherent ? path : at, 1.0f),
                               (is_coherent ? Vec3{1.0f, 0.25f, 0.125f} : towards) * (0.1f * length)});
        world.points.push_back(is_coherent ? path : at);
        world.obbs.push_back(rod_at(is_coherent ? path : at, towards));
        const BoxCast& cast = world.casts.back();
        world.sphere_casts.push_back({{is_coherent ? path : at, 0.5f}, cast.displacement});
    }
    return world;
}

}  // namespace broadside::bench
