// The distance of a point or box to a box, in double precision. It decides sphere overlaps;
// exact_distance.hpp decides the close cases.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

inline double magnitude(double value) { return value < 0.0 ? -value : value; }

/// At least `value`, by more than float rounding: adds a share of `slack`, the size of the numbers that went
/// in. Finite.
inline float padded_max(double value, double slack) {
    const double limit = static_cast<double>(FLT_MAX);
    const double padded = value + (slack * 0x1p-22 + static_cast<double>(FLT_MIN));
    return static_cast<float>(padded > limit ? limit : padded < -limit ? -limit : padded);
}
/// At most `value`, likewise.
inline float padded_min(double value, double slack) { return -padded_max(-value, slack); }

/// The squared distance of two valid boxes, which may have infinite sides: 0 if and only if they overlap.
/// Differences of floats and their squares are nearly exact in double precision, so there is neither overflow
/// nor cancellation.
inline double distance_sq(const Aabb& a, const Aabb& b) {
    const auto gap = [](float min_a, float max_a, float min_b, float max_b) {
        const double below = static_cast<double>(min_a) - static_cast<double>(max_b);
        const double above = static_cast<double>(min_b) - static_cast<double>(max_a);
        const double outside = below > above ? below : above;
        return outside > 0.0 ? outside : 0.0;
    };
    const double x = gap(a.min.x, a.max.x, b.min.x, b.max.x);
    const double y = gap(a.min.y, a.max.y, b.min.y, b.max.y);
    const double z = gap(a.min.z, a.max.z, b.min.z, b.max.z);
    return (x * x + y * y) + z * z;
}
/// A finite point as a box.
inline Aabb box_of(Vec3 point) { return {point, point}; }
inline double distance_sq(const Aabb& box, Vec3 point) { return distance_sq(box, box_of(point)); }

/// The squared distance as reported: rounded, at most FLT_MAX.
inline float reported_distance_sq(double distance_sq) {
    return distance_sq < static_cast<double>(FLT_MAX) ? static_cast<float>(distance_sq) : FLT_MAX;
}

}  // namespace broadside
