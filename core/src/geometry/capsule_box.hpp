// Capsules against boxes: overlap, time of impact of a moving capsule with a box at rest, and nearest points.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"

#include <broadside/capsule.hpp>
#include <broadside/sphere.hpp>

namespace broadside::geometry {

/// True if some point of the segment is no further from the closed box than the radius. Exact at every scale:
/// doubles decide where their rounding cannot matter, else whole numbers.
bool capsule_box_overlap(const Capsule& capsule, const Aabb& box) noexcept;

struct CapsuleBoxImpact {
    float toi = kNoIntersection;
    /// The face of the box, if the capsule meets it away from the face's edges. None at an edge or a corner
    /// and for an overlap at the start.
    Face face = Face::none;
    bool has_hit = false;
};

/// Impact of a moving capsule. A capsule of one point gives the impact of the sphere. The time is 0 if and
/// only if the two overlap at the start. Later, a distance above the radius counts as a touch if it exceeds
/// it by less than 2^-45 of the lengths that go in: the distances of the ends to the box, the displacement
/// and the radius. So no touch is missed.
CapsuleBoxImpact capsule_box_impact(const Capsule& capsule, Vec3 displacement, const Aabb& box) noexcept;

/// The unit vector from the nearest point of the box to the capsule's segment at `t`, in double precision.
/// Zero if the segment meets the box.
Vec3 capsule_box_normal(const Capsule& capsule, Vec3 displacement, float t, const Aabb& box) noexcept;
/// The same for a sphere's center.
Vec3 sphere_box_normal(const Sphere& sphere, Vec3 displacement, float t, const Aabb& box) noexcept;

/// The bounds of a valid capsule, rounded outwards.
Aabb bounds_outwards(const Capsule& capsule) noexcept;

/// The query for tree walks of a moving sphere or capsule: its bounds, rounded outwards. Its test misses no
/// box that the shape meets, and its time is never later than the impact.
nodes::SphereQuery swept_query(const Sphere& sphere, Vec3 displacement, float t_max) noexcept;
nodes::SphereQuery swept_query(const Capsule& capsule, Vec3 displacement, float t_max) noexcept;
/// The query for a capsule at rest: a sphere that moves from one end to the other.
nodes::SphereQuery swept_query(const Capsule& capsule) noexcept;

/// The hit that a tree reports. The walk tests the bounds of the capsule, so there is no hit if they pass by.
CapsuleBoxImpact capsule_cast_hit(const Capsule& capsule, Vec3 displacement, float t_max,
                                  const Aabb& box) noexcept;

}  // namespace broadside::geometry
