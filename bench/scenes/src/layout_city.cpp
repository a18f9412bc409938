// Flat ground with towers; y is up.
#include "layouts.hpp"

#include <cmath>

namespace broadside::scenes {

std::vector<Aabb> city_boxes(std::size_t box_count, SceneRandom random) {
    constexpr std::uint64_t kTowerEvery = 50;
    // 2.2 of ground a box: footprints of mean edge 1 overlap in 0.9 pairs a box.
    const auto half = static_cast<float>(std::sqrt(2.2 * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const float x = random.between(-half, half);
        const float z = random.between(-half, half);
        const Vec3 half_extent = usual_half_extent(random);
        const bool is_tower = random.below(kTowerEvery) == 0;
        const float tower_height = random.between(10.0f, 40.0f);
        const float height = is_tower ? tower_height : half_extent.y * 2.0f;
        boxes.push_back(
            {{x - half_extent.x, 0.0f, z - half_extent.z}, {x + half_extent.x, height, z + half_extent.z}});
    }
    return boxes;
}

}  // namespace broadside::scenes
