// Rays for the tests of ray against box, and the outputs of a batch in guarded arrays.
#pragma once

#include "tests/support/generators.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <broadside/ray_box.hpp>

#include <doctest/doctest.h>

#include <array>
#include <vector>

namespace broadside::test {

inline constexpr std::array<Inside, 3> kInsidePolicies = {Inside::miss, Inside::negative_t, Inside::zero};

/// Any ray at all: parallel, through corners of whole-number boxes, special values, invalid ones.
inline Ray adversarial_ray(Random& random) {
    Ray ray;
    if (random.chance(2)) {
        ray.origin = {random.grid(-5, 5), random.grid(-5, 5), random.grid(-5, 5)};
        ray.direction = {random.grid(-2, 2), random.grid(-2, 2), random.grid(-2, 2)};
    } else {
        ray.origin = {random.uniform(-6, 6), random.uniform(-6, 6), random.uniform(-6, 6)};
        ray.direction = {random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    }
    if (random.chance(2)) ray.t_max = random.grid(0, 6);
    float* const numbers[7] = {&ray.origin.x,    &ray.origin.y,    &ray.origin.z, &ray.direction.x,
                               &ray.direction.y, &ray.direction.z, &ray.t_max};
    if (random.chance(3)) *numbers[random.below(7)] = special_float(random);
    if (random.chance(10)) *numbers[random.below(7)] = special_float(random);
    return ray;
}
/// A ray near the box: through a corner, edge, face or inner point of it, or from one, on some axes parallel.
inline Ray adversarial_ray(Random& random, const Aabb& box) {
    const auto within = [&](float min, float max) {
        const std::uint32_t kind = random.below(4);
        return kind == 0 ? min : kind == 1 ? max : min + (max - min) * random.unit();
    };
    const auto point = [&] {
        return Vec3{within(box.min.x, box.max.x), within(box.min.y, box.max.y), within(box.min.z, box.max.z)};
    };
    Ray ray = adversarial_ray(random);
    if (random.chance(5)) ray.origin = point();
    const Vec3 target = point();
    if (!random.chance(4)) ray.direction = target - ray.origin;
    float* const origin[3] = {&ray.origin.x, &ray.origin.y, &ray.origin.z};
    float* const direction[3] = {&ray.direction.x, &ray.direction.y, &ray.direction.z};
    const float at_target[3] = {target.x, target.y, target.z};
    for (int axis = 0; axis < 3; ++axis) {
        if (!random.chance(4)) continue;
        *origin[axis] = at_target[axis];
        *direction[axis] = random.chance(2) ? 0.0f : -0.0f;
    }
    return ray;
}
inline std::vector<Aabb> adversarial_boxes(Random& random, std::size_t count) {
    std::vector<Aabb> boxes(count);
    for (Aabb& box : boxes) box = adversarial_box(random);
    return boxes;
}
/// Half of them are near one of the boxes.
inline Ray adversarial_ray(Random& random, const std::vector<Aabb>& boxes) {
    if (boxes.empty() || random.chance(2)) return adversarial_ray(random);
    return adversarial_ray(random, boxes[random.below(static_cast<std::uint32_t>(boxes.size()))]);
}
inline std::vector<Ray> adversarial_rays(Random& random, std::size_t count, const std::vector<Aabb>& boxes) {
    std::vector<Ray> rays(count);
    for (Ray& ray : rays) ray = adversarial_ray(random, boxes);
    return rays;
}

/// All outputs of a batch, each ending at a guard page.
struct RayBoxResults {
    explicit RayBoxResults(std::size_t count)
        : t_enter(count), t_exit(count), face(count), hit_bits(bit_word_count(count)) {}

    RayOutputs outputs() { return {t_enter.span(), t_exit.span(), face.span(), hit_bits.span()}; }
    bool hit_bit(std::size_t item) { return (hit_bits[item / 64] >> (item % 64) & 1) != 0; }

    /// Requires that item `item` is `expected`, bit for bit.
    bool is(std::size_t item, const RaySolidHit& expected) {
        return same_bits(t_enter[item], expected.t_enter) && same_bits(t_exit[item], expected.t_exit) &&
               face[item] == expected.face && hit_bit(item) == expected.has_hit;
    }
    /// No hit bit is set past the last item.
    bool has_clean_tail() {
        for (std::size_t bit = t_enter.size(); bit < hit_bits.size() * 64; ++bit) {
            if (hit_bit(bit)) return false;
        }
        return true;
    }

    GuardedArray<float> t_enter;
    GuardedArray<float> t_exit;
    GuardedArray<Face> face;
    GuardedArray<std::uint64_t> hit_bits;
};

}  // namespace broadside::test
