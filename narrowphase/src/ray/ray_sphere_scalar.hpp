// The specification of ray against sphere.
#pragma once

#include "core/src/geometry/ray_box_scalar.hpp"
#include "core/src/geometry/vec3_double.hpp"

#include <broadside/ray_sphere.hpp>

namespace broadside::narrowphase {

/// Everything about a ray that does not depend on the sphere.
struct PreparedSphereRay {
    Vec3Double origin;
    Vec3Double direction;
    double direction_sq;
    /// At most FLT_MAX; -1 for an invalid ray, so that it hits no sphere.
    double t_max;
    double accept_floor;  // Unlike that of a box not finite: a line may have entered before -FLT_MAX.
    double report_floor;
};

BROADSIDE_FORCE_INLINE PreparedSphereRay prepared_sphere_ray(const Ray& ray, Inside inside) {
    const Vec3Double direction = {static_cast<double>(flush_denormal(ray.direction.x)),
                                  static_cast<double>(flush_denormal(ray.direction.y)),
                                  static_cast<double>(flush_denormal(ray.direction.z))};
    return {widened(ray.origin),
            direction,
            dot(direction, direction),
            static_cast<double>(is_valid(ray) ? min_keep(ray.t_max, FLT_MAX) : -1.0f),
            inside == Inside::miss ? 0.0 : -__builtin_inf(),
            static_cast<double>(report_floor(inside))};
}

/// One ray against one sphere. With o from the center to the origin of the ray, the line is within the sphere
/// between the roots of |o + t·d| = r. As in moving_sphere_scalar.hpp the discriminant is (d·d)r² - |o×d|²,
/// which does not cancel for a far start. One root is q/(d·d), the other (o·o - r²)/q, with q the sum of two
/// numbers of the same sign. So the sign of each t is exactly that of "starts outside" or "starts inside". A
/// ray of zero length has no roots: it is within the sphere for all t, or for none.
BROADSIDE_FORCE_INLINE RaySolidHit ray_sphere_scalar(const PreparedSphereRay& ray, const Sphere& sphere) {
    if (!is_valid(sphere)) return {};
    const Vec3Double o = ray.origin - widened(sphere.center);
    const double radius_sq = static_cast<double>(sphere.radius) * static_cast<double>(sphere.radius);
    const double beyond = dot(o, o) - radius_sq;
    const double approach = -dot(o, ray.direction);
    const Vec3Double across = cross(o, ray.direction);
    const double discriminant = ray.direction_sq * radius_sq - dot(across, across);
    const bool starts_inside = beyond <= 0.0;
    const bool is_approaching = approach > 0.0;
    // A start outside must approach and not pass by. Inside, rounding can make the discriminant negative.
    if (!(starts_inside || (is_approaching && discriminant >= 0.0))) return {};

    const double root = __builtin_sqrt(max_keep(discriminant, 0.0));
    const double q = is_approaching ? approach + root : approach - root;
    const bool has_roots = ray.direction_sq > 0.0;
    const double lowest = static_cast<double>(-FLT_MAX);
    const double t_enter =
        has_roots ? (is_approaching ? beyond : q) / (is_approaching ? q : ray.direction_sq) : lowest;
    if (!(t_enter <= ray.t_max && t_enter >= ray.accept_floor && ray.t_max >= 0.0)) return {};
    // q is zero only for a point sphere at the origin; the order of the operands turns that 0/0 into 0.
    const double t_exit = (is_approaching ? q : beyond) / (is_approaching ? ray.direction_sq : q);
    const double t_end = min_keep(has_roots ? max_keep(t_exit, 0.0) : ray.t_max, ray.t_max);
    // The two roots of a tangent can round to the wrong order. Adding +0 turns -0 into +0.
    const double reported = max_keep(t_enter, ray.report_floor);
    return {static_cast<float>(reported) + 0.0f, static_cast<float>(max_keep(t_end, reported)) + 0.0f, true,
            Face::none};
}

}  // namespace broadside::narrowphase
