// Layouts without structure: uniform, and everything at one position.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

namespace broadside::scenes {

std::vector<Aabb> uniform_boxes(std::size_t box_count, SceneRandom random) {
    // Two boxes overlap if their centers are within a box of mean volume 2·2·2 around each other: n·8/2 /
    // (4·n) gives one pair a box away from the border.
    const auto half = static_cast<float>(cube_root(4.0 * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = random.in_cube(half);
        const Vec3 half_extent = usual_half_extent(random);
        boxes.push_back(box_around(center, half_extent));
    }
    return boxes;
}

std::vector<Aabb> one_place_boxes(std::size_t box_count) {
    return std::vector<Aabb>(box_count, Aabb{{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}});
}

}  // namespace broadside::scenes
