// Time of impact of moving boxes, and what a touch means while they move. Shared by the narrowphase's kernels
// and the broadphase's tree; the queries are in moving_aabb.hpp and box_tree.hpp.
#pragma once

#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>

#include <cstdint>

namespace broadside {

/// Meaning of contact without common volume while boxes move. Everywhere else in the library, boxes are
/// closed sets.
enum class Touch : std::uint8_t {
    /// Boxes meet if they share a point at some time of the step. A graze, a slide along a face, a touch at
    /// the very end, and a touch at the start from which they part are all impacts. Agrees with `overlap` at
    /// time 0, and never misses what another policy reports.
    closed,
    /// Boxes meet if at some time `a.min < b.max && b.min < a.max` holds on every axis. A graze, a slide
    /// along a face, a touch at the very end and a touch from which they part are no impacts. Pressing on
    /// into a touched face is an impact at 0. For bodies that rest on, or slide along, what they hit.
    open,
};

/// Time and face at which two boxes meet.
struct [[nodiscard]] Impact {
    /// Fraction of the step at which they first touch, in [0, 1]. 0 if they touch already, or will before the
    /// first float after 0. kNoIntersection without impact.
    float toi = kNoIntersection;
    /// The face of the first (the stationary) box that the other one reaches at `toi`: the face of the axis
    /// that closes last, x before y before z if several close at once. At toi 0, a face that is touched and
    /// pressed against; `none` if the boxes overlap already, or touch without approaching. `none` without
    /// impact.
    Face face = Face::none;
};

/// Time and axis at which an oriented box meets another one or a triangle.
template <class Axis>
struct [[nodiscard]] AxisImpact {
    /// Fraction of the step in [0, 1], never -0; kNoIntersection if they do not meet.
    float toi = kNoIntersection;
    /// The axis that closed last before the contact; the first in order if several closed at the same time.
    /// `none` exactly if there is no impact.
    Axis axis = Axis::none;

    friend constexpr bool operator==(const AxisImpact&, const AxisImpact&) = default;
};

}  // namespace broadside
