// Small scenes that target the weak spots of broadphases.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/aabb.hpp>
#include <broadside/box_soa.hpp>

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace broadside::test {

using MakeBox = Aabb (*)(Random& random, std::size_t index, std::size_t count);

/// A scene makes its boxes one by one.
struct PairScene {
    std::string name;
    MakeBox make_box;
};

inline Aabb box_of_size(Vec3 min, Vec3 size) { return {min, min + size}; }
inline Vec3 random_vec3(Random& random, float min, float max) {
    const float x = random.uniform(min, max);
    const float y = random.uniform(min, max);
    const float z = random.uniform(min, max);
    return {x, y, z};
}
/// Edge of a cube in which `count` boxes of edge 1 overlap about once each.
inline float world_edge(std::size_t count) { return std::cbrt(4.0f * static_cast<float>(count) + 1.0f); }

inline Aabb uniform_box(Random& random, std::size_t, std::size_t count) {
    const Vec3 min = random_vec3(random, 0, world_edge(count));
    return box_of_size(min, random_vec3(random, 0.5f, 1.5f));
}
/// Cells of a lattice that share faces, edges and corners with 26 others; some have no extent; zeros have
/// both signs.
inline Aabb lattice_box(Random& random, std::size_t, std::size_t) {
    const auto zero_of_any_sign = [&](float value) { return value == 0 && random.chance(2) ? -0.0f : value; };
    Aabb box = grid_box(random, 5);
    for (float* number : {&box.min.x, &box.min.y, &box.min.z, &box.max.x, &box.max.y, &box.max.z}) {
        *number = zero_of_any_sign(*number);
    }
    return box;
}
inline Aabb stick_box(Random& random, std::size_t, std::size_t count) {
    const Vec3 min = random_vec3(random, 0, 2 * world_edge(count));
    const float length = world_edge(count);
    const std::uint32_t axis = random.below(3);
    return box_of_size(min,
                       {axis == 0 ? length : 0.1f, axis == 1 ? length : 0.1f, axis == 2 ? length : 0.1f});
}
inline Aabb cluster_box(Random& random, std::size_t index, std::size_t) {
    const float center = static_cast<float>(index % 7) * 1000.0f;
    return box_of_size(Vec3{center, -center, 0.5f * center} + random_vec3(random, 0, 6),
                       random_vec3(random, 0.1f, 2));
}
template <int kAxis>
Aabb wall_box(Random& random, std::size_t, std::size_t count) {
    const float edge = 2 * std::sqrt(static_cast<float>(count) + 1.0f);
    Vec3 min = random_vec3(random, 0, edge);
    (kAxis == 0 ? min.x : kAxis == 1 ? min.y : min.z) = random.uniform(0, 0.5f);
    return box_of_size(min, random_vec3(random, 0.5f, 1.5f));
}
inline Aabb line_box(Random& random, std::size_t, std::size_t count) {
    return box_of_size({0, 0, random.uniform(0, static_cast<float>(count))}, {1, 1, 1});
}
inline Aabb far_outlier_box(Random& random, std::size_t index, std::size_t count) {
    if (index == count / 2) return box_of_size({1e30f, -1e30f, 1e30f}, {1e29f, 1e29f, 0});
    return uniform_box(random, index, count);
}
inline Aabb identical_box(Random&, std::size_t, std::size_t) { return {{1, 2, 3}, {4, 5, 6}}; }
inline Aabb giant_box(Random& random, std::size_t index, std::size_t count) {
    if (!random.chance(9)) return uniform_box(random, index, count);
    const float edge = world_edge(count);
    return box_of_size(random_vec3(random, -edge, edge), random_vec3(random, 0, 3 * edge));
}
/// Small ones, and one in eight that is half as wide as the world.
inline Aabb big_or_small_box(Random& random, std::size_t index, std::size_t count) {
    const float edge = world_edge(count);
    if (index % 8 == 0) return box_of_size(random_vec3(random, 0, edge / 2), Vec3{edge, edge, edge} * 0.5f);
    return box_of_size(random_vec3(random, 0, edge), random_vec3(random, 0.1f, 0.5f));
}
/// Sizes whose logarithm is about normal: a sum of uniform numbers, over a factor of some 400.
inline Aabb log_normal_box(Random& random, std::size_t, std::size_t count) {
    const Vec3 min = random_vec3(random, 0, world_edge(count));
    float exponent = 0;
    for (int i = 0; i < 6; ++i) exponent += random.uniform(-0.5f, 0.5f);
    return box_of_size(min, random_vec3(random, 0.5f, 1.5f) * (0.5f * std::exp(exponent)));
}
inline Aabb infinite_box(Random& random, std::size_t index, std::size_t count) {
    Aabb box = uniform_box(random, index, count);
    for (float* number : {&box.min.x, &box.min.y, &box.min.z}) {
        if (random.chance(12)) *number = random.chance(2) ? -kInfinity : -FLT_MAX;
    }
    for (float* number : {&box.max.x, &box.max.y, &box.max.z}) {
        if (random.chance(12)) *number = random.chance(2) ? kInfinity : FLT_MAX;
    }
    return box;
}
/// Half spaces, slabs and all of space, and boxes that hold nothing.
inline Aabb unbounded_box(Random& random, std::size_t index, std::size_t count) {
    if (random.chance(9)) return Aabb::empty();
    Aabb box = uniform_box(random, index, count);
    if (!random.chance(5)) return box;
    const bool is_all = random.chance(2);
    for (float* number : {&box.min.x, &box.min.y, &box.min.z}) {
        if (is_all || random.chance(2)) *number = -kInfinity;
    }
    for (float* number : {&box.max.x, &box.max.y, &box.max.z}) {
        if (is_all || random.chance(2)) *number = kInfinity;
    }
    return box;
}
inline Aabb invalid_box_among_others(Random& random, std::size_t, std::size_t) {
    return adversarial_box(random);
}
inline Aabb denormal_box(Random& random, std::size_t, std::size_t) {
    const auto tiny = [&] { return random.grid(-9, 9) * std::numeric_limits<float>::denorm_min(); };
    const Vec3 a = {tiny(), tiny(), tiny()};
    const Vec3 b = {tiny(), tiny(), tiny()};
    return include(include(Aabb::empty(), a), b);
}
/// Boxes that touch at zero only, with zeros that differ in sign.
inline Aabb signed_zero_box(Random& random, std::size_t, std::size_t) {
    const auto interval = [&](float& out_min, float& out_max) {
        const float zero = random.chance(2) ? -0.0f : 0.0f;
        const std::uint32_t side = random.below(3);
        out_min = side == 0 ? -1.0f : zero;
        out_max = side == 1 ? 1.0f : random.chance(2) ? -0.0f : 0.0f;
    };
    Aabb box;
    interval(box.min.x, box.max.x);
    interval(box.min.y, box.max.y);
    interval(box.min.z, box.max.z);
    return box;
}
/// Neighbours one ulp apart, touching, or overlapping by as much.
inline Aabb one_ulp_box(Random& random, std::size_t, std::size_t) {
    const auto near = [&](float value) {
        const std::uint32_t side = random.below(3);
        return side == 0 ? value : std::nextafterf(value, side == 1 ? -kInfinity : kInfinity);
    };
    const Vec3 cell = {random.grid(0, 3), random.grid(0, 3), random.grid(0, 3)};
    return {{near(cell.x), near(cell.y), near(cell.z)},
            {near(cell.x + 1), near(cell.y + 1), near(cell.z + 1)}};
}

/// Some positions, the furthest near the end of the float range.
inline Aabb island_box(Random& random, std::size_t index, std::size_t count) {
    const Vec3 min = random_vec3(random, 0, world_edge(count / 4 + 1));
    const Vec3 size = random_vec3(random, 0.5f, 1.5f);
    constexpr Vec3 kIslands[] = {{0, 0, 0}, {9e4f, -7e4f, 1e5f}, {-5e4f, 1e5f, 2e3f}, {3e38f, 3e38f, -3e38f}};
    return box_of_size(min + kIslands[index % 4], size);
}
/// One box in ten is far away, each at another position.
inline Aabb stray_box(Random& random, std::size_t index, std::size_t count) {
    const Aabb box = uniform_box(random, index, count);
    const Vec3 way = index % 10 == 0 ? random_vec3(random, -1e6f, 1e6f) : Vec3{};
    return {box.min + way, box.max + way};
}
/// As many boxes from 1 to 2 from the centre as from 2^99 to 2^100.
inline Aabb distance_box(Random& random, std::size_t, std::size_t) {
    const float distance = std::ldexp(random.uniform(1, 2), static_cast<int>(random.below(100)));
    return box_of_size(random_vec3(random, -1, 1) * distance, {1, 1, 1});
}

inline std::span<const PairScene> pair_scenes() {
    static const PairScene kScenes[] = {
        {"uniform", &uniform_box},
        {"lattice", &lattice_box},
        {"sticks", &stick_box},
        {"clusters", &cluster_box},
        {"wall across x", &wall_box<0>},
        {"wall across y", &wall_box<1>},
        {"wall across z", &wall_box<2>},
        {"line", &line_box},
        {"far outlier", &far_outlier_box},
        {"all identical", &identical_box},
        {"giants", &giant_box},
        {"big and small", &big_or_small_box},
        {"log-normal", &log_normal_box},
        {"infinite", &infinite_box},
        {"invalid among others", &invalid_box_among_others},
        {"denormals", &denormal_box},
        {"signed zeros", &signed_zero_box},
        {"one ulp", &one_ulp_box},
        {"unbounded", &unbounded_box},
        {"islands", &island_box},
        {"strays", &stray_box},
        {"distances", &distance_box},
    };
    return kScenes;
}

inline std::vector<Aabb> make_scene(const PairScene& scene, std::size_t count, std::uint64_t seed = 1) {
    Random random(seed * 1000003 + count);
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t index = 0; index < count; ++index) {
        boxes.push_back(scene.make_box(random, index, count));
    }
    return boxes;
}

/// Six arrays of the boxes.
inline BoxSoa soa_of(const std::vector<Aabb>& boxes) {
    BoxSoa soa;
    const BoxAosView view = {.data = boxes.data(), .stride_bytes = sizeof(Aabb), .count = boxes.size()};
    REQUIRE(soa.assign(view) == Status::ok);
    return soa;
}

}  // namespace broadside::test
