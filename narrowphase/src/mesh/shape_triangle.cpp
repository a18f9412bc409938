// Boxes, spheres and capsules against one triangle: the checks around the specifications.
#include <broadside/float_environment.hpp>
#include <broadside/shape_triangle.hpp>

#include "narrowphase/src/mesh/box_triangle_exact.hpp"
#include "narrowphase/src/mesh/shape_triangle_scalar.hpp"

namespace broadside {

using narrowphase::is_finite_triangle;

bool overlap(const Aabb& box, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(is_valid(box) && is_finite_triangle(triangle) &&
                                    narrowphase::overlap_exact(box, triangle));
}

bool overlap(const Capsule& capsule, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(is_valid(capsule) && is_finite_triangle(triangle) &&
                                    narrowphase::overlap_scalar(capsule, triangle));
}

ShapeImpact first_impact(const Sphere& sphere, Vec3 displacement, const Triangle& triangle) noexcept {
    const FloatEnvironment environment(displacement);
    const Capsule capsule = {sphere.center, sphere.center, sphere.radius};
    if (!is_valid(sphere) || !is_finite(displacement) || !is_finite_triangle(triangle)) return {};
    return FloatEnvironment::result(narrowphase::impact_scalar(capsule, displacement, triangle));
}

ShapeImpact first_impact(const Capsule& capsule, Vec3 displacement, const Triangle& triangle) noexcept {
    const FloatEnvironment environment(displacement);
    if (!is_valid(capsule) || !is_finite(displacement) || !is_finite_triangle(triangle)) return {};
    return FloatEnvironment::result(narrowphase::impact_scalar(capsule, displacement, triangle));
}

}  // namespace broadside
