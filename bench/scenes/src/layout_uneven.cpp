// Scenes of clusters far from each other.
#include "layouts.hpp"

#include <broadside/scenes/exact_math.hpp>

#include <algorithm>

namespace broadside::scenes {
namespace {

// The largest coordinate; boxes of edge 1 still span a hundred steps of a float there.
constexpr float kFar = 1e5f;

// Half the edge of a cube in which usual boxes have about one pair each.
float even_half(std::size_t box_count) {
    return static_cast<float>(cube_root(4.0 * static_cast<double>(box_count)) * 0.5);
}

}  // namespace

std::vector<Aabb> islands_boxes(std::size_t box_count, SceneRandom random) {
    constexpr std::size_t kIslandBoxCount = 1000;
    const std::size_t island_count = std::max<std::size_t>(4, box_count / kIslandBoxCount);
    const std::vector<Vec3> centers = centers_in_cube(island_count, kFar, random);
    const float half = even_half(box_count / island_count + 1);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = centers[i % island_count] + random.in_cube(half);
        boxes.push_back(box_around(center, usual_half_extent(random)));
    }
    shuffle(boxes, random);
    return boxes;
}

std::vector<Aabb> strays_boxes(std::size_t box_count, SceneRandom random) {
    const float half = even_half(box_count);
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const Vec3 center = random.in_cube(i % 10 == 0 ? kFar : half);
        boxes.push_back(box_around(center, usual_half_extent(random)));
    }
    return boxes;
}

std::vector<Aabb> distances_boxes(std::size_t box_count, SceneRandom random) {
    // As many boxes from 4 to 8 from the centre as from 65,536 to 131,072.
    constexpr std::uint32_t kOctaveCount = 15;
    std::vector<Aabb> boxes;
    boxes.reserve(box_count);
    for (std::size_t i = 0; i < box_count; ++i) {
        const auto octave = static_cast<float>(std::uint32_t{4} << random.below(kOctaveCount));
        const float distance = octave * (1 + random.unit());
        const Vec3 half_extent = usual_half_extent(random);
        boxes.push_back(box_around(random.in_cube(1.0f) * distance, half_extent));
    }
    return boxes;
}

std::vector<Aabb> mixture_boxes(std::size_t box_count, SceneRandom random) {
    const std::size_t part = box_count / 7;
    std::vector<Aabb> boxes = islands_boxes(box_count - 5 * part, random);
    for (const auto make : {&city_boxes, &line_boxes, &sizes_boxes, &strays_boxes, &distances_boxes}) {
        const std::vector<Aabb> more = make(part, random);
        boxes.insert(boxes.end(), more.begin(), more.end());
    }
    shuffle(boxes, random);
    return boxes;
}

}  // namespace broadside::scenes
