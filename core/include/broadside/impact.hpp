// When moving boxes meet, and what a touch is while they move: shared by the narrowphase's kernels and the
// broadphase's tree. The questions themselves are moving_aabb.hpp and box_tree.hpp.
#pragma once

#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>

#include <cstdint>

namespace broadside {

/// What contact without common volume means while boxes move. Boxes are closed sets everywhere else in the
/// library.
enum class Touch : std::uint8_t {
    /// Boxes meet when they share a point at some time of the step: a graze, a slide along a face, a touch at
    /// the very end, and a touch at the start from which they part are all impacts. Agrees with `overlap` at
    /// time 0, and never misses what another policy reports.
    closed,
    /// Boxes meet when at some time `a.min < b.max && b.min < a.max` holds on every axis. Grazing, sliding
    /// along a face, a touch at the very end and parting from a touch are no impacts; pressing on into a
    /// touched face is one, at 0. The policy for bodies that rest on, or slide along, what they hit.
    open,
};

/// When two boxes meet, and through which face.
struct [[nodiscard]] Impact {
    /// Fraction of the step at which they first touch, in [0, 1]: 0 when they already do, or will before the
    /// first float after 0. kNoIntersection without impact.
    float toi = kNoIntersection;
    /// The face of the first (the stationary) box that the other one reaches at `toi`: that of the axis which
    /// closes last, x before y before z when several close at once. At toi 0 it names a face that is touched
    /// and pressed against; `none` when the boxes overlap already, or touch without approaching. `none`
    /// without impact.
    Face face = Face::none;
};

}  // namespace broadside
