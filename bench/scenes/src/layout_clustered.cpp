// Bell-shaped heaps far apart.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>

namespace broadside::scenes {

std::vector<Aabb> clustered_boxes(std::size_t box_count, SceneRandom random) {
    constexpr std::size_t kHeapBoxCount = 200;
    // Deviation of a heap: 2.2 gives about 1.5 pairs a box, most of them in the middle.
    constexpr float kHeapDeviation = 2.2f;
    // One heap in a cube of this edge: about nine deviations from one to the next.
    constexpr double kHeapSpacing = 20.0;
    const std::size_t heap_count = std::max<std::size_t>(1, box_count / kHeapBoxCount);
    const auto half = static_cast<float>(cube_root(static_cast<double>(heap_count)) * kHeapSpacing * 0.5);
    const std::vector<Vec3> heap_centers = centers_in_cube(heap_count, half, random);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 heap_center = heap_centers[random.below(heap_count)];
        const Vec3 center = heap_center + bell_vector(random) * kHeapDeviation;
        const Vec3 half_extent = usual_half_extent(random);
        boxes.push_back(box_around(center, half_extent));
    }
    return boxes;
}

}  // namespace broadside::scenes
