// Bodies in motion: shapes that drift from state to state, and the first that is met.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/capsule.hpp>
#include <broadside/obb.hpp>

#include <doctest/doctest.h>

#include <span>
#include <vector>

namespace broadside::test {

inline Vec3 moved(Vec3 point, Vec3 way) { return point + way; }
inline Aabb moved(const Aabb& box, Vec3 way) { return {box.min + way, box.max + way}; }
inline Sphere moved(const Sphere& sphere, Vec3 way) { return {sphere.center + way, sphere.radius}; }
inline Capsule moved(const Capsule& capsule, Vec3 way) {
    return {capsule.a + way, capsule.b + way * 0.5f, capsule.radius};
}
inline Obb moved(const Obb& obb, Vec3 way) {
    return {obb.center + way, obb.axis_x, obb.axis_y, obb.axis_z, obb.half_extent};
}
/// A shape that stays.
template <class Shape>
Shape moved(const Shape& shape, Vec3) {
    return shape;
}

/// `state_count` states of a body of `shapes_per_state` shapes, each drawn from a list. From state to state a shape
/// drifts by up to `step`; one in `leap_one_in` becomes another of the list.
template <class Shape>
std::vector<Shape> motion(Random& random, std::span<const Shape> list, std::size_t shapes_per_state,
                          std::size_t state_count, float step, std::uint32_t leap_one_in) {
    std::vector<Shape> shapes;
    const auto any = [&] { return list[random.below(static_cast<std::uint32_t>(list.size()))]; };
    for (std::size_t i = 0; i < shapes_per_state * state_count; ++i) {
        if (i < shapes_per_state || random.chance(leap_one_in)) {
            shapes.push_back(any());
            continue;
        }
        const float x = random.uniform(-step, step);
        const float y = random.uniform(-step, step);
        const Shape last = shapes[i - shapes_per_state];
        shapes.push_back(moved(last, {x, y, random.uniform(-step, step)}));
    }
    return shapes;
}

/// The first set bit of each of `motion_count` equal parts of the bits of `count` shapes, from the part's begin; the
/// length of a part where none is set.
inline std::vector<std::uint32_t> first_bits(std::span<const std::uint64_t> bits, std::size_t count,
                                             std::size_t motion_count) {
    std::vector<std::uint32_t> first(motion_count);
    const std::size_t length = motion_count == 0 ? 0 : count / motion_count;
    for (std::size_t motion = 0; motion < motion_count; ++motion) {
        std::size_t i = 0;
        const auto is_set = [&](std::size_t bit) { return (bits[bit / 64] >> bit % 64 & 1) != 0; };
        while (i < length && !is_set(motion * length + i)) ++i;
        first[motion] = static_cast<std::uint32_t>(i);
    }
    return first;
}

/// Takes all shapes as one motion of one and of two shapes a state. The results are those of the shapes' bits.
template <class Queries, class Shape, class Settings>
void check_first_overlaps(const Queries& queries, std::span<const Shape> shapes, const Settings& settings,
                          std::span<const std::uint64_t> bits) {
    for (const std::uint32_t shapes_per_state : {1u, 2u}) {
        if (shapes.empty() || shapes.size() % shapes_per_state != 0) continue;
        std::uint32_t first = 0;
        REQUIRE(queries.first_overlaps(shapes, shapes_per_state, settings, {&first, 1}).status == Status::ok);
        REQUIRE(first == first_bits(bits, shapes.size(), 1)[0]);
    }
}

}  // namespace broadside::test
