// How far a point is from a box, in double precision: what decides sphere overlaps. Near boxes are told apart
// by exact_distance.hpp.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

inline double magnitude(double value) { return value < 0.0 ? -value : value; }

/// At least `value`, by more than a float rounds it: by a share of `slack`, the size of the numbers that went
/// in; finite.
inline float padded_max(double value, double slack) {
    const double limit = static_cast<double>(FLT_MAX);
    const double padded = value + (slack * 0x1p-22 + static_cast<double>(FLT_MIN));
    return static_cast<float>(padded > limit ? limit : padded < -limit ? -limit : padded);
}
/// At most.
inline float padded_min(double value, double slack) { return -padded_max(-value, slack); }

/// The squared distance of a finite point to a valid box, which may have infinite sides. Differences of
/// floats and their squares are all but exact in double precision, so there is neither overflow nor
/// cancellation.
inline double distance_sq(const Aabb& box, Vec3 point) {
    const auto gap = [](float min, float max, float coordinate) {
        const double below = static_cast<double>(min) - static_cast<double>(coordinate);
        const double above = static_cast<double>(coordinate) - static_cast<double>(max);
        const double outside = below > above ? below : above;
        return outside > 0.0 ? outside : 0.0;
    };
    const double x = gap(box.min.x, box.max.x, point.x);
    const double y = gap(box.min.y, box.max.y, point.y);
    const double z = gap(box.min.z, box.max.z, point.z);
    return (x * x + y * y) + z * z;
}

/// As it is reported: rounded, at most FLT_MAX.
inline float reported_distance_sq(double distance_sq) {
    return distance_sq < static_cast<double>(FLT_MAX) ? static_cast<float>(distance_sq) : FLT_MAX;
}

}  // namespace broadside
