// The sphere and its static predicates. Moving spheres are in narrowphase/.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

/// A closed sphere. Valid if the center is finite and the radius is finite and not negative. An invalid
/// sphere overlaps and contains nothing.
struct Sphere {
    Vec3 center = {};
    float radius = 0.0f;
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Sphere& sphere) noexcept {
    return is_finite(sphere.center) && sphere.radius >= 0.0f && sphere.radius <= FLT_MAX;
}

/// |a - b|² in double precision. Neither overflows nor underflows for any floats, and is exact if the differences
/// have few digits.
BROADSIDE_FORCE_INLINE constexpr double distance_sq_double(Vec3 a, Vec3 b) noexcept {
    const double x = static_cast<double>(a.x) - static_cast<double>(b.x);
    const double y = static_cast<double>(a.y) - static_cast<double>(b.y);
    const double z = static_cast<double>(a.z) - static_cast<double>(b.z);
    return (x * x + y * y) + z * z;
}

/// True if the spheres share a point: a center distance equal to the sum of the radii overlaps
/// (source_rules.md B4, G14). Decided by squares in double precision, at every scale; wrong only if distance
/// and sum differ by less than 2^-51 of their size.
BROADSIDE_FORCE_INLINE constexpr bool overlap(const Sphere& a, const Sphere& b) noexcept {
    const double radius_sum = static_cast<double>(a.radius) + static_cast<double>(b.radius);
    return is_valid(a) && is_valid(b) && distance_sq_double(a.center, b.center) <= radius_sum * radius_sum;
}

/// True if the point is inside or on the surface; as precise as `overlap`.
BROADSIDE_FORCE_INLINE constexpr bool contains(const Sphere& sphere, Vec3 point) noexcept {
    const double radius = static_cast<double>(sphere.radius);
    return is_valid(sphere) && distance_sq_double(point, sphere.center) <= radius * radius;
}

/// The bounding box, rounded to nearest.
BROADSIDE_FORCE_INLINE constexpr Aabb bounds(const Sphere& sphere) noexcept {
    const Vec3 radius = {sphere.radius, sphere.radius, sphere.radius};
    return {sphere.center - radius, sphere.center + radius};
}

}  // namespace broadside
