// Sizes over a factor of 20, and a few giants.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>

namespace broadside::scenes {

std::vector<Aabb> mixed_boxes(std::size_t box_count, SceneRandom random) {
    // log2(20) / 2: sizes are 2^±this around 1; a bell of deviation 1 is cut there, at about two deviations.
    constexpr float kMaxOctaves = 2.16f;
    constexpr std::size_t kGiantEvery = 1000;
    constexpr float kGiantSize = 30.0f;
    // 14 of volume a box gives 0.7 pairs a box among the ordinary ones and two with giants.
    const auto half = static_cast<float>(cube_root(14.0 * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = random.in_cube(half);
        const float octaves = std::clamp(random.bell(), -kMaxOctaves, kMaxOctaves);
        const bool is_giant = i % kGiantEvery == kGiantEvery / 2;
        const float size =
            is_giant ? kGiantSize : static_cast<float>(power_of_two(static_cast<double>(octaves)));
        // Not cubes: each edge is within a quarter of the size.
        const float x = random.between(0.75f, 1.25f);
        const float y = random.between(0.75f, 1.25f);
        const float z = random.between(0.75f, 1.25f);
        boxes.push_back(box_around(center, Vec3{x, y, z} * (size * 0.5f)));
    }
    return boxes;
}

}  // namespace broadside::scenes
