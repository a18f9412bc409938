// Capsules against boxes, at rest and moving.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/capsule.hpp>
#include <broadside/export.hpp>
#include <broadside/impact.hpp>

#include <span>

namespace BROADSIDE_API broadside {

// Closed and solid: a capsule overlaps a box if a point of its segment is at most the radius away from the
// box. Decided for all floats as if nothing were rounded. A capsule of one point is a sphere; one of radius 0
// is a segment. Invalid capsules and boxes overlap nothing. Pure and thread-safe.

bool overlap(const Capsule& capsule, const Aabb& box) noexcept;

/// One capsule against many boxes; a batch as overlap.hpp describes them. A box that does not meet the box
/// around the capsule costs as much as in overlaps(box, boxes).
BatchResult overlaps(const Capsule& capsule, const BoxSoaView& boxes,
                     std::span<std::uint64_t> out_bits) noexcept;

/// First contact of a capsule that moves without turning with a box at rest. Closed and conservative: 0
/// exactly if they overlap at the start, and no touch within the step is missed. A miss may count as a touch
/// if the gap is below 2^-45 of the input: the displacement, the radius, and the distance of the ends from
/// the box. Computed in double precision, then rounded. The face is the one that is met away from its edges;
/// none at an edge or a corner, and at time 0. A capsule of one point gives the result of a sphere. Invalid
/// input and displacements that are not finite have no impact. `CapsuleCast` is the same query on a tree.
Impact first_impact(const Aabb& stationary, const Capsule& moving, Vec3 displacement) noexcept;

}  // namespace broadside
