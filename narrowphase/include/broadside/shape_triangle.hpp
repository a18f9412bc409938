// Boxes, spheres and capsules against a triangle. Oriented boxes are in obb_triangle.hpp, meshes in mesh.hpp.
#pragma once

#include <broadside/capsule.hpp>
#include <broadside/export.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/triangle.hpp>

namespace BROADSIDE_API broadside {

// All shapes are closed and solid; triangles may be degenerate and have two sides. An invalid shape or a
// triangle that is not finite meets nothing. Pure and thread-safe.

/// Whether they share a point, decided exactly for the values of the floats, over the whole range of floats.
bool overlap(const Aabb& box, const Triangle& triangle) noexcept;

/// Whether the triangle is within the radius of the segment, decided by squares in double precision as for
/// spheres (sphere_overlap.hpp). A capsule of one point gives the result of a sphere.
bool overlap(const Capsule& capsule, const Triangle& triangle) noexcept;

/// First contact of a moving shape with a triangle.
///
/// The time is later than the true one by at most 2^-45 of the step. It may be early: at `toi` the gap to the
/// triangle is at most 2^-36 of their sizes and distances plus 2^-22 of the path so far. A shape that passes
/// the triangle within 2^-36 of those sizes may count as touching it. No shape, even of radius zero, passes
/// through a triangle at any speed. This holds for triangles no thinner than 2^-12 of their length; distances
/// to thinner ones are right to 2^-24 only. It excludes displacements within 2^-28 of the plane's direction.
struct [[nodiscard]] ShapeImpact {
    /// Fraction of the step in [0, 1], never -0; kNoIntersection if they do not meet. 0 for overlap at the
    /// start.
    float toi = kNoIntersection;
    /// The point of the triangle at which they touch. Zero without impact.
    Vec3 point = {};
    /// Unit vector from the triangle to the shape. Zero without impact, and if the segment of a capsule goes
    /// through the triangle at the start. If a center or an end lies on the triangle, the normal may point to
    /// either side or be zero.
    Vec3 normal = {};

    friend constexpr bool operator==(const ShapeImpact&, const ShapeImpact&) = default;
};

/// The shape moves by `displacement`, and the triangle rests.
ShapeImpact first_impact(const Sphere& sphere, Vec3 displacement, const Triangle& triangle) noexcept;
ShapeImpact first_impact(const Capsule& capsule, Vec3 displacement, const Triangle& triangle) noexcept;

}  // namespace broadside
