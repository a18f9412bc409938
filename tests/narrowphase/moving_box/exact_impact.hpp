// Times of impact of boxes in exact arithmetic, by the definition of Touch; the reference for the scalar
// specification. Test code only.
#pragma once

#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/moving_aabb.hpp>

#include <gmpxx.h>

#include <cmath>

// Found by ExactImpact through its argument, whose type is global.
inline double quotient(const mpz_class& numerator, const mpz_class& denominator) {
    return mpq_class(numerator, denominator).get_d();
}

namespace broadside::test {

#ifdef __SIZEOF_INT128__
__extension__ using Int128 = __int128;
inline double quotient(Int128 numerator, Int128 denominator) {
    return static_cast<double>(numerator) / static_cast<double>(denominator);
}
#else
// For processors without such integers, longer ones do as well.
using Int128 = mpz_class;
#endif

// A gap is one rounded difference, a reciprocal one rounded division, a time their rounded product: three
// relative errors of half a unit in the last place.
inline constexpr double kTimeBound = 3.01 * 0x1p-24;

// An exact time of impact over any exact number type that has a `quotient`.
template <class Number>
struct ExactImpact {
    bool has_impact = false;
    bool is_touch_at_rest = false;
    Number enter_numerator = 0, enter_denominator = 1;
    Number leave_numerator = 1, leave_denominator = 1;
    Face face = Face::none;

    // As doubles, whose own error is 2^-29 of the bound that is checked with them.
    double enter() const { return quotient(enter_numerator, enter_denominator); }
    double leave() const { return quotient(leave_numerator, leave_denominator); }
};

// The rules of Touch in exact arithmetic, by their definition: the times at which the intervals of an axis
// meet, by the signed displacement, intersected over the axes. `fixed` turns a float into an integer.
template <class Number, class Fixed>
ExactImpact<Number> exact_impact(const Aabb& s, const Aabb& m, Vec3 d, Touch touch, Fixed&& fixed) {
    ExactImpact<Number> impact;
    const float numbers[3][5] = {{s.min.x, s.max.x, m.min.x, m.max.x, d.x},
                                 {s.min.y, s.max.y, m.min.y, m.max.y, d.y},
                                 {s.min.z, s.max.z, m.min.z, m.max.z, d.z}};
    bool is_parted = false;
    for (int axis = 0; axis < 3; ++axis) {
        const Number s_min = fixed(numbers[axis][0]);
        const Number s_max = fixed(numbers[axis][1]);
        const Number m_min = fixed(numbers[axis][2]);
        const Number m_max = fixed(numbers[axis][3]);
        const Number displacement =
            std::fabs(numbers[axis][4]) < FLT_MIN ? Number(0) : Number(fixed(numbers[axis][4]));
        if (displacement == 0) {
            if (m_max < s_min || s_max < m_min) is_parted = true;
            if (m_max == s_min || s_max == m_min) impact.is_touch_at_rest = true;
            continue;
        }
        const bool is_up = displacement > 0;
        const Number denominator = is_up ? displacement : Number(-displacement);
        const Number enter = is_up ? Number(s_min - m_max) : Number(m_min - s_max);
        const Number leave = is_up ? Number(s_max - m_min) : Number(m_max - s_min);
        const Number enter_now = impact.enter_numerator * denominator;
        const Number enter_axis = enter * impact.enter_denominator;
        if (enter_axis > enter_now || (enter_axis == enter_now && impact.face == Face::none)) {
            impact.enter_numerator = enter;
            impact.enter_denominator = denominator;
            impact.face = static_cast<Face>(2 * axis + (is_up ? 0 : 1));
        }
        if (leave * impact.leave_denominator < impact.leave_numerator * denominator) {
            impact.leave_numerator = leave;
            impact.leave_denominator = denominator;
        }
    }
    const Number a = impact.enter_numerator * impact.leave_denominator;
    const Number b = impact.leave_numerator * impact.enter_denominator;
    impact.has_impact = !is_parted && (touch == Touch::open ? a < b : a <= b) &&
                        (touch == Touch::closed || !impact.is_touch_at_rest);
    if (!impact.has_impact) impact.face = Face::none;
    return impact;
}

// Requires the exact result up to rounding: a wrong decision only if entering and leaving are closer than the
// errors of both. Returns true if the decision differs. `smallest_time` is the error that underflow may add.
template <class Number>
bool require_within_bound(const Impact& impact, const ExactImpact<Number>& exact, double bound,
                          double smallest_time) {
    const bool has_impact = impact.toi <= 1.0f;
    const double enter = exact.enter();
    const double leave = exact.leave();
    if (has_impact != exact.has_impact) {
        REQUIRE(std::fabs(enter - leave) <= bound * (std::fabs(enter) + std::fabs(leave)) + smallest_time);
        return true;
    }
    if (has_impact)
        REQUIRE(std::fabs(static_cast<double>(impact.toi) - enter) <= bound * enter + smallest_time);
    return false;
}

// 24 random bits at a random scale.
inline float wide_float(Random& random, int exponent_min, int exponent_max) {
    const int exponent =
        exponent_min +
        static_cast<int>(random.below(static_cast<std::uint32_t>(exponent_max - exponent_min + 1)));
    const float value = std::ldexp(1.0f + random.unit(), exponent);
    return random.chance(2) ? value : -value;
}

inline Aabb wide_box(Random& random, int exponent_min, int exponent_max) {
    const auto number = [&] {
        return random.chance(8) ? 0.0f : wide_float(random, exponent_min, exponent_max);
    };
    const Vec3 a = {number(), number(), number()};
    const Vec3 b = random.chance(8) ? a : Vec3{number(), number(), number()};
    return {min_keep(a, b), max_keep(a, b)};
}

}  // namespace broadside::test
