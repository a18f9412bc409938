// Layouts without a dimension: wall (x separates nothing) and line (only x separates anything).
#include "layouts.hpp"

#include <cmath>

namespace broadside::scenes {

std::vector<Aabb> wall_boxes(std::size_t box_count, SceneRandom random) {
    // 2 of the y-z plane a box: one pair a box away from the border. Centers stay within the smallest half
    // extent of x = 0, so that all boxes hold it.
    const auto half = static_cast<float>(std::sqrt(2.0 * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const float x = random.between(-0.25f, 0.25f);
        const float y = random.between(-half, half);
        const float z = random.between(-half, half);
        const Vec3 half_extent = usual_half_extent(random);
        boxes.push_back(box_around({x, y, z}, half_extent));
    }
    return boxes;
}

std::vector<Aabb> line_boxes(std::size_t box_count, SceneRandom random) {
    // 1 of the line a box: one pair a box.
    const float half = static_cast<float>(box_count) * 0.5f;
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const float x = random.between(-half, half);
        const float half_extent_x = random.between(0.25f, 0.75f);
        boxes.push_back({{x - half_extent_x, -0.5f, -0.5f}, {x + half_extent_x, 0.5f, 0.5f}});
    }
    return boxes;
}

}  // namespace broadside::scenes
