// Boxes, spheres and capsules against one triangle. Oriented boxes are obb_triangle.hpp, meshes mesh.hpp.
#pragma once

#include <broadside/capsule.hpp>
#include <broadside/export.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/triangle.hpp>

namespace BROADSIDE_API broadside {

// All shapes are closed and solid; triangles may be degenerate and have two sides. An invalid shape and a triangle that
// is not finite meet nothing. Pure and thread-safe.

/// Whether they share a point, decided exactly for the numbers that the floats are, over the whole range of floats.
bool overlap(const Aabb& box, const Triangle& triangle) noexcept;

/// Whether the triangle is within the radius of the segment: decided by squares in double precision, as for spheres
/// (sphere_overlap.hpp), of which this is the answer where the segment is a point.
bool overlap(const Capsule& capsule, const Triangle& triangle) noexcept;

/// First contact of a shape that moves.
///
/// The time is never later than the true one, but for 2^-45 of the step. It may be early: at `toi` the shape is apart
/// from the triangle by no more than 2^-36 of their sizes and distances and 2^-22 of the way to there; and a shape that
/// passes the triangle within 2^-36 of those sizes may count as touching it. No shape, also of radius zero, passes
/// through a triangle at any speed. That is so for triangles that are not thinner than 2^-12 of their length, of which
/// distances are right to 2^-24 only, and for ways that are not within 2^-28 of the direction of the plane.
struct [[nodiscard]] ShapeImpact {
    /// Fraction of the step in [0, 1], never -0; kNoIntersection when they do not meet. 0 whenever they
    /// overlap at the start.
    float toi = kNoIntersection;
    /// Where on the triangle they touch. Zero without impact.
    Vec3 point = {};
    /// From the triangle to the shape, of length one; zero without impact, and where the segment of a capsule goes through
    /// the triangle at the start. Where a center or an end lies on the triangle it may be either side's, or zero.
    Vec3 normal = {};

    friend constexpr bool operator==(const ShapeImpact&, const ShapeImpact&) = default;
};

/// The shape moves by `displacement`, and the triangle rests.
ShapeImpact first_impact(const Sphere& sphere, Vec3 displacement, const Triangle& triangle) noexcept;
ShapeImpact first_impact(const Capsule& capsule, Vec3 displacement, const Triangle& triangle) noexcept;

}  // namespace broadside
