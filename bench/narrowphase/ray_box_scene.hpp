// The boxes and rays of the ray suites.
#pragma once

#include "bench/sequence.hpp"
#include "bench/support.hpp"

#include <broadside/box_soa.hpp>
#include <broadside/ray_box4.hpp>

#include <memory>
#include <vector>

namespace broadside::bench {

inline constexpr std::size_t kRayCount = 64;

// Boxes of edge 1 to 4 in a cube of edge 13, and rays towards its middle, half of them from outside, every
// eighth parallel to an axis plane: one test in eleven is a hit.
struct RayBoxScene {
    BoxSoa boxes;
    LineVector<Box4> nodes;
    std::vector<Ray> rays;
};

inline std::shared_ptr<RayBoxScene> make_ray_box_scene(std::size_t box_count) {
    auto scene = std::make_shared<RayBoxScene>();
    if (scene->boxes.resize(box_count) != Status::ok) std::abort();
    scene->nodes.resize(box_count / 4);
    Sequence sequence;
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 min = sequence.vector(0, 10);
        const Aabb box = {min, min + sequence.vector(1, 4)};
        scene->boxes.set(i, box);
        if (i / 4 < scene->nodes.size()) scene->nodes[i / 4].set(static_cast<unsigned>(i % 4), box);
    }
    for (std::size_t i = 0; i < kRayCount; ++i) {
        Vec3 origin = sequence.vector(0, 13);
        if (i % 2 == 0) origin.x = -2;
        Ray ray = {origin, sequence.vector(3, 10) - origin};
        if (i % 8 == 0) ray.direction.y = 0;
        scene->rays.push_back(ray);
    }
    return scene;
}

}  // namespace broadside::bench
