// The capsule: a segment with a radius.
#pragma once

#include <broadside/sphere.hpp>

namespace broadside {

/// A closed capsule: all points within `radius` of the segment from `a` to `b`, which may be one point. Valid
/// if both points are finite and the radius is finite and not negative. An invalid capsule overlaps nothing.
struct Capsule {
    Vec3 a = {};
    Vec3 b = {};
    float radius = 0.0f;
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Capsule& capsule) noexcept {
    return is_finite(capsule.a) && is_finite(capsule.b) && capsule.radius >= 0.0f &&
           capsule.radius <= FLT_MAX;
}

/// The box around it, rounded to nearest.
BROADSIDE_FORCE_INLINE constexpr Aabb bounds(const Capsule& capsule) noexcept {
    const Vec3 radius = {capsule.radius, capsule.radius, capsule.radius};
    return {min_keep(capsule.a, capsule.b) - radius, max_keep(capsule.a, capsule.b) + radius};
}

}  // namespace broadside
