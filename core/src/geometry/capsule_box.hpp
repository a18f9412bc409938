// Capsules against boxes: whether they overlap, when a moving one touches a box at rest, and where it is nearest.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"

#include <broadside/capsule.hpp>
#include <broadside/sphere.hpp>

namespace broadside::geometry {

/// Closed: whether some point of the segment is no further from the box than the radius, decided exactly at
/// every scale: in doubles where their roundings cannot matter, else in whole numbers.
bool capsule_box_overlap(const Capsule& capsule, const Aabb& box) noexcept;

struct CapsuleBoxImpact {
    float toi = kNoIntersection;
    /// The face of the box that it meets away from the face's edges; none at an edge or a corner and for an
    /// overlap from the start.
    Face face = Face::none;
    bool has_hit = false;
};

/// Of a capsule of one point the impact of the sphere. 0 where it overlaps at the start, and only there. After that what
/// counts as a touch is a distance of the radius, and less than 2^-45 of the lengths that go in above it: the
/// ways from the ends to the box, the displacement and the radius. So no touch is missed.
CapsuleBoxImpact capsule_box_impact(const Capsule& capsule, Vec3 displacement, const Aabb& box) noexcept;

/// From the nearest point of the box to the capsule's segment at `t`, in double precision, as a unit vector; zero
/// where the segment meets the box.
Vec3 capsule_box_normal(const Capsule& capsule, Vec3 displacement, float t, const Aabb& box) noexcept;
/// The same of a sphere's center.
Vec3 sphere_box_normal(const Sphere& sphere, Vec3 displacement, float t, const Aabb& box) noexcept;

/// The box around a valid capsule, rounded outwards.
Aabb bounds_outwards(const Capsule& capsule) noexcept;

/// What walks of a tree take for a moving sphere or capsule: the box around it, rounded outwards. Its test lets no
/// box pass that is not met, and gives no later time than they have.
nodes::SphereQuery swept_query(const Sphere& sphere, Vec3 displacement, float t_max) noexcept;
nodes::SphereQuery swept_query(const Capsule& capsule, Vec3 displacement, float t_max) noexcept;
/// For a capsule at rest: that of a sphere which moves from the one end to the other.
nodes::SphereQuery swept_query(const Capsule& capsule) noexcept;

/// What a tree finds. The walk sees the box around the capsule, so where that passes by there is no hit.
CapsuleBoxImpact capsule_cast_hit(const Capsule& capsule, Vec3 displacement, float t_max,
                                  const Aabb& box) noexcept;

}  // namespace broadside::geometry
