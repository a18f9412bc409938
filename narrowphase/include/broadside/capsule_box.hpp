// Capsules against boxes, at rest and moving.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/capsule.hpp>
#include <broadside/export.hpp>
#include <broadside/impact.hpp>

#include <span>

namespace BROADSIDE_API broadside {

// Closed and solid: a capsule overlaps a box when a point of its segment is at most the radius away from the box.
// Decided as if without any rounding, for all floats. A capsule of one point is a sphere, one without radius a
// segment. Invalid capsules and boxes overlap nothing. Pure and thread-safe.

bool overlap(const Capsule& capsule, const Aabb& box) noexcept;

/// One capsule against many boxes; a batch as overlap.hpp describes them. Boxes that the box around the capsule
/// does not meet cost what overlaps(box, boxes) costs.
BatchResult overlaps(const Capsule& capsule, const BoxSoaView& boxes,
                     std::span<std::uint64_t> out_bits) noexcept;

/// When a capsule that moves without turning first touches a box at rest. Closed, and conservative: 0 exactly where
/// they overlap at the start, no touch of the step is missed, and what passes the box by as a touch does so by less
/// than 2^-45 of the numbers that go in: the displacement, the radius, and how far the ends are from the box. Worked
/// out in double precision, then rounded. The face is that of the box which is met away from its edges; none at an
/// edge or a corner and at 0. A capsule of one point gives what a sphere gives. Invalid input and displacements that
/// are not finite have no impact. `CapsuleCast` asks a tree for the same.
Impact first_impact(const Aabb& stationary, const Capsule& moving, Vec3 displacement) noexcept;

}  // namespace broadside
