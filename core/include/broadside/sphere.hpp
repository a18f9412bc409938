// The sphere: static questions only. Moving spheres are narrowphase/.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

/// A closed ball. Valid when the center is finite and the radius is finite and not negative; an invalid sphere
/// overlaps and contains nothing.
struct Sphere {
    Vec3 center;
    float radius = 0.0f;
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Sphere& sphere) noexcept {
    return is_finite(sphere.center) && sphere.radius >= 0.0f && sphere.radius <= FLT_MAX;
}

/// Closed: spheres whose center distance equals the sum of the radii overlap (rules.md B4, G14). Compares squares,
/// so the sum of the radii must stay below about 1.8e19.
BROADSIDE_FORCE_INLINE constexpr bool overlap(const Sphere& a, const Sphere& b) noexcept {
    const float radius_sum = a.radius + b.radius;
    return is_valid(a) && is_valid(b) && length_sq(a.center - b.center) <= radius_sum * radius_sum;
}

BROADSIDE_FORCE_INLINE constexpr bool contains(const Sphere& sphere, Vec3 point) noexcept {
    return is_valid(sphere) && length_sq(point - sphere.center) <= sphere.radius * sphere.radius;
}

BROADSIDE_FORCE_INLINE constexpr Aabb bounds(const Sphere& sphere) noexcept {
    const Vec3 radius = {sphere.radius, sphere.radius, sphere.radius};
    return {sphere.center - radius, sphere.center + radius};
}

}  // namespace broadside
