// First zero of a gap that is convex in time. It decides when convex shapes that move straight meet.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

namespace broadside {

/// A gap and its closing speed. The gap of convex shapes that move straight is convex in time, so its tangent
/// is never above it.
struct ClosingGap {
    double gap;
    double closing_speed;
    /// Error bound of the speed. The gap has a relative error in the sizes of the shapes, so its direction is
    /// uncertain if the gap is tiny.
    double speed_doubt;
};

struct GapTime {
    double t;
    bool has_hit;
};

inline constexpr int kGapSteps = 64;
inline constexpr int kSearchSteps = 90;

/// Decides as first_time does, from `begin` on, where the gap is above the tolerance. Uses values of the gap
/// alone: finds the smallest, checks whether that is within the tolerance, and then finds the last time
/// before it is.
template <class GapAt>
GapTime search_time(double begin, double tolerance, GapAt&& gap_at) {
    double low = begin;
    double high = 1.0;
    bool has_hit = gap_at(1.0).gap <= tolerance;
    for (int step = 0; step < kSearchSteps && !has_hit; ++step) {
        const double third = (high - low) / 3.0;
        const double left = low + third;
        const double right = high - third;
        const double left_gap = gap_at(left).gap;
        const double right_gap = gap_at(right).gap;
        has_hit = left_gap <= tolerance || right_gap <= tolerance;
        if (has_hit) {
            high = left_gap <= tolerance ? left : right;
        } else {
            (left_gap <= right_gap ? high : low) = left_gap <= right_gap ? right : left;
        }
    }
    if (!has_hit) return {low, false};
    low = begin;
    for (int step = 0; step < kSearchSteps; ++step) {
        const double middle = low + (high - low) * 0.5;
        (gap_at(middle).gap <= tolerance ? high : low) = middle;
    }
    (void)gap_at(low);
    return {low, true};
}

/// The first t from 0 to 1 at which the gap is within `tolerance`, by Newton's method. Tangents are never
/// above the gap, so no step goes past its zero, and a gap that opens never becomes zero. Steps aim at half
/// the tolerance, which is above the rounding of a gap. A graze, whose slope is in doubt, is decided by
/// values. Never late, and early by the tolerance at most. The last call of `gap_at` is at the returned t.
template <class GapAt>
BROADSIDE_FORCE_INLINE GapTime first_time(double tolerance, GapAt&& gap_at) {
    double t = 0.0;
    for (int step = 0; step < kGapSteps; ++step) {
        const ClosingGap at = gap_at(t);
        if (at.gap <= tolerance) return {t, true};
        if (at.closing_speed < -at.speed_doubt) return {t, false};
        if (!(at.closing_speed > 4.0 * at.speed_doubt)) {
            // This includes the case without motion.
            if (at.closing_speed == 0.0 && at.speed_doubt == 0.0) return {t, false};
            break;
        }
        const double next = t + (at.gap - tolerance * 0.5) / (at.closing_speed + at.speed_doubt);
        if (!(next <= 1.0)) {
            // A touch at the very end is a touch.
            const bool has_hit = gap_at(1.0).gap <= tolerance;
            return {has_hit ? 1.0 : t, has_hit};
        }
        t = next;
    }
    return search_time(t, tolerance, gap_at);
}

/// The largest float that is not later.
BROADSIDE_FORCE_INLINE float time_rounded_down(double t) {
    const auto rounded = static_cast<float>(t);
    return static_cast<double>(rounded) > t ? next_down(rounded) : rounded;
}

}  // namespace broadside
