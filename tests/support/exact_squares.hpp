// Squared distances of floats without any rounding, and floats from the whole range as their input.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/aabb.hpp>

#include <gmpxx.h>

#include <bit>
#include <cmath>

namespace broadside::test {

/// A finite float as an integer multiple of the smallest one, 2^-149.
inline mpz_class in_units(float value) {
    const std::uint32_t pattern = bits_of(value);
    const std::uint32_t exponent = pattern >> 23 & 0xFF;
    mpz_class units = (pattern & 0x7FFFFF) | (exponent != 0 ? 0x800000u : 0u);
    if (exponent != 0) units <<= exponent - 1;
    return pattern >> 31 != 0 ? mpz_class(-units) : units;
}
/// In squares of that unit.
inline mpz_class exact_square(float value) {
    const mpz_class units = in_units(value);
    return units * units;
}
/// The squared distance of two valid boxes, which may have infinite sides.
inline mpz_class exact_distance_sq(const Aabb& a, const Aabb& b) {
    mpz_class sum = 0;
    const auto add = [&](float min_a, float max_a, float min_b, float max_b) {
        if (min_a <= max_b && min_b <= max_a) return;
        const mpz_class gap =
            max_b < min_a ? in_units(min_a) - in_units(max_b) : in_units(min_b) - in_units(max_a);
        sum += gap * gap;
    };
    add(a.min.x, a.max.x, b.min.x, b.max.x);
    add(a.min.y, a.max.y, b.min.y, b.max.y);
    add(a.min.z, a.max.z, b.min.z, b.max.z);
    return sum;
}
/// A finite point is a box.
inline mpz_class exact_distance_sq(const Aabb& box, Vec3 point) {
    return exact_distance_sq(box, Aabb{point, point});
}

/// Any finite float: each exponent is as likely.
inline float any_float(Random& random) {
    const std::uint32_t pattern = static_cast<std::uint32_t>(random.next()) & 0x807FFFFFu;
    return std::bit_cast<float>(pattern | random.below(255) << 23);
}
/// From the whole range of floats.
inline Vec3 vast_point(Random& random) { return {any_float(random), any_float(random), any_float(random)}; }
inline Aabb vast_box(Random& random) {
    return include(include(Aabb::empty(), vast_point(random)), vast_point(random));
}
/// A few floats further up or down.
inline float moved_by_ulps(Random& random, float value) {
    for (std::uint32_t step = random.below(3); step > 0; --step) {
        value = random.chance(2) ? next_up(value) : next_down(value);
    }
    return value;
}
/// A power of two from the smallest float to the largest with four bits of headroom.
inline float any_power_of_two(Random& random) {
    return __builtin_ldexpf(1.0f, static_cast<int>(random.below(272)) - 149);
}

/// Three integers that are the sides of a box with an integer diagonal, in any order and with any signs.
struct WholeDiagonal {
    Vec3 sides;
    float length;
};
inline WholeDiagonal any_whole_diagonal(Random& random) {
    static constexpr float kSides[][4] = {{0, 0, 1, 1}, {0, 3, 4, 5}, {1, 2, 2, 3},
                                          {2, 3, 6, 7}, {1, 4, 8, 9}, {3, 4, 12, 13}};
    const float(&sides)[4] = kSides[random.below(6)];
    const std::uint32_t first = random.below(3);
    const auto side = [&](std::uint32_t index) {
        return random.chance(2) ? sides[(first + index) % 3] : -sides[(first + index) % 3];
    };
    return {{side(0), side(1), side(2)}, sides[3]};
}

/// Three floats in any order and with any signs whose squares add up to `square` up to about 2^-55 of it: as
/// near as a double can tell.
inline Vec3 sides_of_square(Random& random, double square) {
    const auto square_of = [](float a) { return static_cast<double>(a) * static_cast<double>(a); };
    const auto root_below = [&](double a) {
        const auto root = static_cast<float>(std::sqrt(a));
        return square_of(root) > a ? next_down(root) : root;
    };
    const float x = root_below(square * static_cast<double>(random.uniform(0.99f, 0.9999f)));
    const float y = root_below(square - square_of(x));
    const float z = root_below((square - square_of(x)) - square_of(y));
    float sides[3] = {x, y, moved_by_ulps(random, z)};
    for (std::uint32_t k = 3; k > 1; --k) std::swap(sides[k - 1], sides[random.below(k)]);
    for (float& side : sides) side = random.chance(2) ? side : -side;
    return {sides[0], sides[1], sides[2]};
}

}  // namespace broadside::test
