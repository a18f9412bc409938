// What both fits ask of their points before they begin.
#pragma once

#include <broadside/box_view.hpp>

namespace broadside::narrowphase {

/// The first point that is not finite, or kNoIndex. O(points).
inline std::size_t find_point_not_finite(const Vec3SoaView& points) noexcept {
    for (std::size_t i = 0; i < points.count; ++i) {
        if (!is_finite(points[i])) return i;
    }
    return kNoIndex;
}

/// The smallest float that is not below `a`, which is not negative.
inline float rounded_up(double a) noexcept {
    const auto nearest = static_cast<float>(a);
    if (static_cast<double>(nearest) >= a) return nearest;
    return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, nearest) + 1u);
}

}  // namespace broadside::narrowphase
