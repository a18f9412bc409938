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
inline std::vector<Ray> adversarial_rays(Random& random, std::size_t count) {
    std::vector<Ray> rays(count);
    for (Ray& ray : rays) ray = adversarial_ray(random);
    return rays;
}
inline std::vector<Aabb> adversarial_boxes(Random& random, std::size_t count) {
    std::vector<Aabb> boxes(count);
    for (Aabb& box : boxes) box = adversarial_box(random);
    return boxes;
}

/// All outputs of a batch, each ending at a guard page.
struct RayBoxResults {
    explicit RayBoxResults(std::size_t count)
        : t_enter(count), t_exit(count), face(count), hit_bits(bit_word_count(count)) {}

    RayBoxOutputs outputs() { return {t_enter.span(), t_exit.span(), face.span(), hit_bits.span()}; }
    bool hit_bit(std::size_t item) { return (hit_bits[item / 64] >> (item % 64) & 1) != 0; }

    /// Item `item` is `expected`, bit for bit.
    bool is(std::size_t item, const RayBoxHit& expected) {
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
