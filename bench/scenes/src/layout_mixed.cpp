// Layouts of boxes of many sizes: mixed, sizes (no typical one at all), and giants (large boxes among small
// ones).
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>

namespace broadside::scenes {
namespace {

// 2 to the power of a bell of deviation `octaves`, cut at `max_octaves` either way.
float log_normal_size(float octaves, float max_octaves, SceneRandom& state_random) {
    const float exponent = std::clamp(octaves * state_random.bell(), -max_octaves, max_octaves);
    return static_cast<float>(power_of_two(static_cast<double>(exponent)));
}

// Not a cube: each edge is within a quarter of the size.
Aabb box_of_size(Vec3 center, float size, SceneRandom& state_random) {
    const float x = state_random.between(0.75f, 1.25f);
    const float y = state_random.between(0.75f, 1.25f);
    const float z = state_random.between(0.75f, 1.25f);
    return box_around(center, Vec3{x, y, z} * (size * 0.5f));
}

// Boxes all over a cube that has `volume_per_box` for each; `size_of(index, random)` is the size of each.
template <class SizeOf>
std::vector<Aabb> boxes_in_cube(std::size_t box_count, double volume_per_box, SceneRandom random,
                                SizeOf size_of) {
    const auto half = static_cast<float>(cube_root(volume_per_box * static_cast<double>(box_count)) * 0.5);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = random.in_cube(half);
        const float size = size_of(i, random);
        boxes.push_back(box_of_size(center, size, random));
    }
    return boxes;
}

}  // namespace

std::vector<Aabb> mixed_boxes(std::size_t box_count, SceneRandom random) {
    // log2(20) / 2: sizes are 2^±this around 1; a bell of deviation 1 is cut there, at about two deviations.
    constexpr float kMaxOctaves = 2.16f;
    constexpr std::size_t kGiantEvery = 1000;
    constexpr float kGiantSize = 30.0f;
    // 14 of volume a box gives 0.7 pairs a box among the ordinary ones and two with giants.
    return boxes_in_cube(box_count, 14.0, random, [](std::size_t index, SceneRandom& state_random) {
        const float size = log_normal_size(1.0f, kMaxOctaves, state_random);
        return index % kGiantEvery == kGiantEvery / 2 ? kGiantSize : size;
    });
}

std::vector<Aabb> sizes_boxes(std::size_t box_count, SceneRandom random) {
    // A deviation of 1.5 octaves, cut at 4: the largest box is 256 times the smallest.
    constexpr float kOctaves = 1.5f;
    constexpr float kMaxOctaves = 4.0f;
    return boxes_in_cube(box_count, 75.0, random, [](std::size_t, SceneRandom& state_random) {
        return log_normal_size(kOctaves, kMaxOctaves, state_random);
    });
}

std::vector<Aabb> giants_boxes(std::size_t box_count, SceneRandom random) {
    constexpr std::size_t kGiantEvery = 50;
    constexpr float kGiantSize = 20.0f;
    return boxes_in_cube(box_count, 60.0, random, [](std::size_t index, SceneRandom&) {
        return index % kGiantEvery == 0 ? kGiantSize : 1.0f;
    });
}

}  // namespace broadside::scenes
