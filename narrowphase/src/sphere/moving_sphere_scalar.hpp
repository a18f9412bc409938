// The specification of the time of impact of two moving spheres.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/moving_sphere.hpp>

namespace broadside::narrowphase {

/// Sphere a is held still and b moves by d (source_rules.md B5). With e from b to a and r the sum of the
/// radii, they touch when |e - t·d| = r, a quadratic in t. The smaller root is needed (source_rules.md F1).
/// Two of its forms are replaced:
/// - the root as (e·e - r²) / (e·d + √disc), which does not subtract two near numbers close to contact;
/// - its discriminant (e·d)² - (d·d)(e·e - r²) as (d·d)r² - |e×d|², the same number by Lagrange's identity,
///   whose terms do not grow with the distance along the path.
/// Squares and products of four floats stay between 1e-180 and 1e157, all ordinary doubles.
BROADSIDE_FORCE_INLINE float sphere_impact_scalar(const Sphere& a, const Sphere& b, Vec3 displacement_a,
                                                  Vec3 displacement_b) {
    if (!(is_valid(a) && is_valid(b) && is_finite(displacement_a) && is_finite(displacement_b)))
        return kNoIntersection;
    const Vec3Double e = widened(a.center) - widened(b.center);
    const Vec3Double d = widened(displacement_b) - widened(displacement_a);
    const double radius_sum = static_cast<double>(a.radius) + static_cast<double>(b.radius);

    const double beyond_touch = dot(e, e) - radius_sum * radius_sum;
    if (beyond_touch <= 0.0) return 0.0f;
    const double approach = dot(e, d);
    if (approach <= 0.0) return kNoIntersection;  // Moving apart, or at rest relative to each other.
    const Vec3Double across = cross(e, d);
    const double discriminant = dot(d, d) * (radius_sum * radius_sum) - dot(across, across);
    if (discriminant < 0.0) return kNoIntersection;
    const double t = beyond_touch / (approach + __builtin_sqrt(discriminant));
    return t <= 1.0 ? static_cast<float>(t) : kNoIntersection;
}

}  // namespace broadside::narrowphase
