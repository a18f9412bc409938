// Half of all boxes in a few crowds, the rest far apart: defeats a grid that is made for the mean.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>

namespace broadside::scenes {

std::vector<Aabb> clumps_boxes(std::size_t box_count, SceneRandom random) {
    constexpr std::size_t kClumpBoxCount = 1000;
    // Deviation of a clump: a box of one overlaps a dozen of its others.
    constexpr float kClumpDeviation = 2.0f;
    // 200 of volume a box: those outside of the clumps hardly ever meet.
    const auto half = static_cast<float>(cube_root(200.0 * static_cast<double>(box_count)) * 0.5);
    const std::size_t clump_count = std::max<std::size_t>(1, box_count / (2 * kClumpBoxCount));
    const std::vector<Vec3> clump_centers = centers_in_cube(clump_count, half, random);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 alone = random.in_cube(half);
        const Vec3 clump_center = clump_centers[random.below(clump_count)];
        const Vec3 crowded = clump_center + bell_vector(random) * kClumpDeviation;
        const Vec3 half_extent = usual_half_extent(random);
        boxes.push_back(box_around(i % 2 == 0 ? crowded : alone, half_extent));
    }
    return boxes;
}

}  // namespace broadside::scenes
