// The oriented box and the bounding sphere of a set of points: tight, and containing every point.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/obb.hpp>
#include <broadside/sphere.hpp>

namespace BROADSIDE_API broadside {

/// Result of `fit_obb` and `fit_sphere`.
template <class Shape>
struct [[nodiscard]] Fitted {
    /// invalid_argument if there are no points, if one is not finite, or if they lie too far apart for the
    /// size of the shape to be a float; unsupported_isa if no ISA is active.
    Status status = Status::ok;
    /// The first point that is not finite, else kNoIndex.
    std::size_t bad_index = kNoIndex;
    /// Meaningful only if `status` is ok.
    Shape shape = {};
};

/// An oriented box around the points, near the smallest by volume (for flat ones by area, then by length).
/// Every point is inside in exact arithmetic, in both readings of a box: the space between its faces, |axis ·
/// (point - center)| <= half extent, and the sums center + x·axis_x + y·axis_y + z·axis_z. To achieve this
/// although axes and center are floats, each half extent is larger than its box needs. The excess is up to
/// 2^-21 of the sum of the three, plus the rounding of the center. A single point gets a box without extent.
///
/// How near: 600 random sets of 4 to 60 points were tested (clouds, long, flat and spherical ones, lattices).
/// An exhaustive search over orientations found a box smaller by 0.0003 % at the median and by 0.2 % at
/// worst, and sometimes a larger one. tests/narrowphase/bounds/fit_test.cpp asserts 0.01 % and 0.5 % on 60.
///
/// Method: descent from the best of 344 orientations, the principal axes among them, on the points that are
/// extreme in 162 directions. The box is then checked against all points, and points outside join the search.
/// This takes some 30 to 50 passes over the points, plus some milliseconds (see
/// bench/narrowphase/bench_fit.cpp): for shapes that are built once, not for frames. Needs no memory except
/// 20 KB of stack. Pure, thread-safe, the same bits on every ISA. Sources: T. Larsson, L. Källberg, "Fast
/// computation of tight-fitting oriented bounding boxes", Game Engine Gems 2, 2011 (extreme points); C.-T.
/// Chang, B. Gorissen, S. Melchior, "Fast oriented bounding box optimization on the rotation group SO(3,R)",
/// 2011 (search over rotations).
Fitted<Obb> fit_obb(const Vec3SoaView& points) noexcept;

/// The smallest sphere around the points, up to the rounding of its center to floats. Every point lies inside
/// in exact arithmetic. The radius is at most the next float above what the rounded center needs, so the
/// sphere exceeds the smallest one by at most that rounding.
///
/// The algorithm grows the set of points that support the sphere: the point farthest outside joins, and the
/// smallest sphere of these at most five points is solved exactly. O(points) per round; there are seldom more
/// than ten. Needs no memory. Pure, thread-safe, the same bits on every ISA. Source: B. Gärtner, "Fast and
/// robust smallest enclosing spheres", ESA 1999.
Fitted<Sphere> fit_sphere(const Vec3SoaView& points) noexcept;

}  // namespace broadside
