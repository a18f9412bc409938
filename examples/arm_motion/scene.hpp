// Boxes around the arm, and a motion among them.
#pragma once

#include "examples/arm_motion/arm.hpp"

#include <broadside/box_tree.hpp>
#include <broadside/sphere_overlap.hpp>

#include <cstdint>
#include <random>

namespace arm_motion {

inline constexpr std::size_t kStateCount = 32;
inline constexpr std::size_t kBoxCount = 1000;

/// When the motion may collide first: never, from one of its last states on, or from one of its first.
enum class Collides : std::uint8_t { never, late, early };

struct Scene {
    Angles from;
    Angles to;
    std::vector<broadside::Aabb> boxes;
};

/// Boxes of 2 to 12 cm within a metre of the base, none of which the states before the collision overlap.
inline Scene make_scene(Collides collides, std::uint32_t seed) {
    std::mt19937 random(seed);
    // Not std::uniform_real_distribution, whose numbers differ from library to library.
    const auto between = [&random](float min, float max) {
        return min + (max - min) * (static_cast<float>(random() >> 8) * 0x1p-24f);
    };
    Scene scene;
    for (std::size_t joint = 0; joint < kJointCount; ++joint) {
        scene.from[joint] = between(-1.2f, 1.2f);
        scene.to[joint] = scene.from[joint] + between(-0.8f, 0.8f);
    }
    std::vector<broadside::Sphere> spheres;
    place_motion(scene.from, scene.to, kStateCount, spheres);
    const std::size_t free_states = collides == Collides::never  ? kStateCount
                                    : collides == Collides::late ? kStateCount - 3
                                                                 : 3;
    spheres.resize(free_states * kSphereCount);
    while (scene.boxes.size() < kBoxCount) {
        const float x = between(-1.0f, 1.0f);
        const float y = between(-1.0f, 1.0f);
        const float z = between(-0.2f, 1.3f);
        const float half_x = between(0.01f, 0.06f);
        const float half_y = between(0.01f, 0.06f);
        const float half_z = between(0.01f, 0.06f);
        const broadside::Aabb box = {{x - half_x, y - half_y, z - half_z},
                                     {x + half_x, y + half_y, z + half_z}};
        bool is_free = true;
        for (const broadside::Sphere& sphere : spheres) is_free = is_free && !overlap(sphere, box);
        if (is_free) scene.boxes.push_back(box);
    }
    return scene;
}

/// A tree over the boxes of a scene. No memory leaves it empty.
inline broadside::BoxTree tree_of(const Scene& scene) {
    broadside::BoxTree tree;
    broadside::BoxSoa boxes;
    const broadside::BoxAosView view = {
        .data = scene.boxes.data(), .stride_bytes = sizeof(broadside::Aabb), .count = scene.boxes.size()};
    if (boxes.assign(view) == broadside::Status::ok) (void)tree.build(boxes);
    return tree;
}

}  // namespace arm_motion
