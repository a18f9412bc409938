// One function a layout; box_scene.hpp describes them. Private to the scene generators.
#pragma once

#include <broadside/scenes/scene_random.hpp>

#include <broadside/aabb.hpp>

#include <cstddef>
#include <vector>

namespace broadside::scenes {

std::vector<Aabb> uniform_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> clustered_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> mixed_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> city_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> pile_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> wall_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> stick_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> line_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> one_place_boxes(std::size_t box_count);
std::vector<Aabb> clumps_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> sizes_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> giants_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> islands_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> strays_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> distances_boxes(std::size_t box_count, SceneRandom random);
std::vector<Aabb> mixture_boxes(std::size_t box_count, SceneRandom random);

/// The usual box of most layouts: each edge 0.5 to 1.5.
inline Vec3 usual_half_extent(SceneRandom& state_random) {
    const float x = state_random.between(0.25f, 0.75f);
    const float y = state_random.between(0.25f, 0.75f);
    const float z = state_random.between(0.25f, 0.75f);
    return {x, y, z};
}

inline Aabb box_around(Vec3 center, Vec3 half_extent) { return {center - half_extent, center + half_extent}; }

/// Each coordinate about normal, with deviation 1.
inline Vec3 bell_vector(SceneRandom& state_random) {
    const float x = state_random.bell();
    const float y = state_random.bell();
    const float z = state_random.bell();
    return {x, y, z};
}

inline std::vector<Vec3> centers_in_cube(std::size_t count, float half, SceneRandom& state_random) {
    std::vector<Vec3> centers;
    centers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) centers.push_back(state_random.in_cube(half));
    return centers;
}

/// A fixed shuffle, so that the order of the boxes does not depend on their positions.
inline void shuffle(std::vector<Aabb>& state_boxes, SceneRandom& state_random) {
    for (std::size_t i = state_boxes.size(); i > 1; --i) {
        const std::size_t other = state_random.below(i);
        const Aabb box = state_boxes[i - 1];
        state_boxes[i - 1] = state_boxes[other];
        state_boxes[other] = box;
    }
}

}  // namespace broadside::scenes
