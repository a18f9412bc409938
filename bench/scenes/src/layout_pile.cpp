// A settled heap: neighbours on a lattice just overlap.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <cmath>

namespace broadside::scenes {

std::vector<Aabb> pile_boxes(std::size_t box_count, SceneRandom random) {
    // Unit pitch. Half the pitch and at least the largest jitter: all 26 neighbours overlap, 13 pairs a box
    // inside.
    constexpr float kJitter = 0.02f;
    constexpr float kMinHalfExtent = 0.5f + kJitter;
    constexpr float kMaxHalfExtent = 0.5f + 3.0f * kJitter;
    // Not quite full: the last layer has the remaining boxes. The rounding of the root must not cost a layer.
    const auto side = static_cast<std::size_t>(std::ceil(cube_root(static_cast<double>(box_count)) - 1e-6));
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const std::size_t layer = i / (side * side);
        const std::size_t row = i / side % side;
        const Vec3 cell = {static_cast<float>(i % side), static_cast<float>(layer), static_cast<float>(row)};
        const Vec3 jitter = random.in_cube(kJitter);
        const float x = random.between(kMinHalfExtent, kMaxHalfExtent);
        const float y = random.between(kMinHalfExtent, kMaxHalfExtent);
        const float z = random.between(kMinHalfExtent, kMaxHalfExtent);
        boxes.push_back(box_around(cell + jitter, {x, y, z}));
    }
    shuffle(boxes, random);
    return boxes;
}

}  // namespace broadside::scenes
