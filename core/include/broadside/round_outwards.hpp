// Directed rounding of doubles to floats: a box of doubles becomes a box of floats that holds it.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/compiler.hpp>

#include <cstdint>

namespace broadside {

/// The largest float that is not above the number: -infinity below -FLT_MAX, and NaN for NaN. Right in every
/// rounding mode. If denormal numbers are flushed, it needs a FloatEnvironment around it.
BROADSIDE_FORCE_INLINE float round_down(double number) noexcept {
    const auto nearest = static_cast<float>(number);
    const auto bits = __builtin_bit_cast(std::int32_t, nearest);
    // The next float below has a lower pattern; for a negative number, a higher one.
    const std::int32_t step = (bits >> 31 | 1) & (static_cast<double>(nearest) > number ? -1 : 0);
    return __builtin_bit_cast(float, bits - step);
}
/// The smallest float that is not below the number: infinity above FLT_MAX.
BROADSIDE_FORCE_INLINE float round_up(double number) noexcept { return -round_down(-number); }

/// The smallest box of floats that holds the box with these corners. Empty if that box is invalid, so that
/// rounding makes none valid. Boxes that overlap still overlap. Boxes farther apart than a float's precision
/// still do not.
BROADSIDE_FORCE_INLINE Aabb round_outwards(const double (&min)[3], const double (&max)[3]) noexcept {
    const Aabb box = {{round_down(min[0]), round_down(min[1]), round_down(min[2])},
                      {round_up(max[0]), round_up(max[1]), round_up(max[2])}};
    const bool is_ordered = (min[0] <= max[0]) & (min[1] <= max[1]) & (min[2] <= max[2]);
    return is_ordered ? box : Aabb::empty();
}

}  // namespace broadside
