// Long thin boxes along the three axes.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

namespace broadside::scenes {

std::vector<Aabb> stick_boxes(std::size_t box_count, SceneRandom random) {
    // Length 20 and thickness 0.2 in the mean: two crossing sticks overlap if their centers are within
    // 20·20·0.4, two parallel ones within 40·0.4·0.4. With 55 of volume a box that is one pair a box.
    const auto half = static_cast<float>(cube_root(55.0 * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = random.in_cube(half);
        const std::uint32_t axis = random.below(3);
        const float half_length = random.between(5.0f, 15.0f);
        const float x = random.between(0.05f, 0.15f);
        const float y = random.between(0.05f, 0.15f);
        const float z = random.between(0.05f, 0.15f);
        const Vec3 half_extent = {axis == 0 ? half_length : x, axis == 1 ? half_length : y,
                                  axis == 2 ? half_length : z};
        boxes.push_back(box_around(center, half_extent));
    }
    return boxes;
}

}  // namespace broadside::scenes
