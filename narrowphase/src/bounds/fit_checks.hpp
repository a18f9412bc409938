// Shared by both fits: the check of the points, and rounding to floats.
#pragma once

#include "core/src/argument.hpp"

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/box_view.hpp>

namespace broadside::narrowphase {

/// The first point that is not finite, or kNoIndex. O(points).
inline std::size_t find_point_not_finite(const Vec3SoaView& points) noexcept {
    for (std::size_t i = 0; i < points.count; ++i) {
        if (!is_finite(points[i])) return i;
    }
    return kNoIndex;
}

/// Each coordinate rounded to nearest. Not inlined on purpose: if GCC 12 sees the result widened again, its
/// vectoriser drops both conversions and keeps the digits that were rounded away.
BROADSIDE_NEVER_INLINE Vec3 rounded_to_float(const Vec3Double& a) noexcept;

/// The smallest float that is not below `a`, which is not negative.
inline float rounded_up(double a) noexcept {
    const auto nearest = static_cast<float>(a);
    if (static_cast<double>(nearest) >= a) return nearest;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, nearest) + 1u);
}

/// ok, or why the points of a fit are refused; `out_bad_index` is then the point at fault, if it is one.
inline Status check_points(const Vec3SoaView& points, std::size_t& out_bad_index) noexcept {
    out_bad_index = kNoIndex;
    if (!BROADSIDE_ARGUMENT(points.count != 0, "points: there are none") ||
        !BROADSIDE_ARGUMENT(points.is_readable(), "points: a column is null though the count is not 0")) {
        return Status::invalid_argument;
    }
    out_bad_index = find_point_not_finite(points);
    return BROADSIDE_ARGUMENT(out_bad_index == kNoIndex, "points: one is not finite")
               ? Status::ok
               : Status::invalid_argument;
}

/// Whether the fitted shape can be stored as floats.
inline bool check_fit(bool is_in_range) noexcept {
    return BROADSIDE_ARGUMENT(is_in_range, "points: they are further apart than a shape of floats reaches");
}

}  // namespace broadside::narrowphase
