// A body's position and size follow from its index alone.
#include "examples/engine_broadphase/pile.hpp"

#include <algorithm>

namespace engine_example {
namespace {

constexpr float kSpacing = 1.1f;

// Columns along a side of the bin: twice as wide as the pile is high.
std::uint32_t column_count(std::uint32_t body_count) {
    std::uint32_t count = 2;
    while (count * count * count < 2 * body_count) ++count;
    return count;
}

// From 0 to 1. The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
float random_of(std::uint64_t body, std::uint64_t which) {
    std::uint64_t x = body * 16 + which + 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return static_cast<float>((x ^ x >> 31) >> 40) / static_cast<float>(1 << 24);
}

}  // namespace

std::vector<BodySettings> make_bin(std::uint32_t body_count) {
    const float half = 0.5f * kSpacing * static_cast<float>(column_count(body_count)) + 0.2f;
    const auto scenery = [](Vec3 position, Vec3 half_extent) {
        BodySettings settings;
        settings.position = position;
        settings.half_extent = half_extent;
        settings.mass = 0;
        settings.layer = kScenery;
        return settings;
    };
    return {scenery({0, -1, 0}, {half + 2, 1, half + 2}), scenery({half + 1, half, 0}, {1, half, half + 2}),
            scenery({-half - 1, half, 0}, {1, half, half + 2}), scenery({0, half, half + 1}, {half, half, 1}),
            scenery({0, half, -half - 1}, {half, half, 1})};
}

std::vector<BodySettings> make_rain(std::uint32_t pile_count, std::uint32_t first, std::uint32_t count) {
    const std::uint32_t columns = column_count(pile_count);
    std::vector<BodySettings> bodies;
    for (std::uint32_t i = first; i < first + count; ++i) {
        BodySettings settings;
        settings.shape = i % 3 == 2 ? ShapeKind::sphere : ShapeKind::box;
        const float size = 0.3f + 0.15f * random_of(i, 0);
        settings.half_extent = {size, size, size};
        if (settings.shape == ShapeKind::box) {
            settings.half_extent.y = 0.3f + 0.15f * random_of(i, 1);
            settings.half_extent.z = 0.3f + 0.15f * random_of(i, 2);
        }
        const auto place = [&](std::uint32_t column) {
            return kSpacing * (static_cast<float>(column) - 0.5f * static_cast<float>(columns - 1));
        };
        const std::uint32_t layer = i / (columns * columns);
        settings.position = {place(i % columns) + 0.2f * (random_of(i, 3) - 0.5f),
                             1 + kSpacing * static_cast<float>(layer),
                             place(i / columns % columns) + 0.2f * (random_of(i, 4) - 0.5f)};
        settings.mass = 8 * settings.half_extent.x * settings.half_extent.y * settings.half_extent.z;
        bodies.push_back(settings);
    }
    return bodies;
}

}  // namespace engine_example
