// Triangle against triangle: their closest points.
#pragma once

#include <broadside/export.hpp>
#include <broadside/triangle.hpp>

#include <limits>

namespace BROADSIDE_API broadside {

/// The points of two triangles that are closest to each other.
struct [[nodiscard]] ClosestTrianglePoints {
    /// On the first and on the second triangle, each coordinate rounded to nearest. One common point, twice,
    /// if the triangles meet. Zero if there are none.
    Vec3 point_a = {};
    Vec3 point_b = {};
    /// The smallest float not below the distance as it is computed in double precision: 0 exactly if the
    /// triangles meet, as `triangle_pair` decides, so it is never smaller than 2^-149 if they do not. Infinity
    /// if it is above FLT_MAX, or if there are no points.
    float distance = std::numeric_limits<float>::infinity();

    friend constexpr bool operator==(const ClosestTrianglePoints&, const ClosestTrianglePoints&) = default;
};

/// The closest points of two triangles, which may be degenerate: segments or points. There are none if a
/// coordinate is not finite. Pure and thread-safe.
///
/// The distance of triangles that do not meet is the smallest of fifteen: of each edge of one to each of the
/// other, and of each corner to the face of the other triangle, if the foot of the perpendicular lies in it
/// (E. Larsen, S. Gottschalk, M. Lin, D. Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999,
/// section 4.2). Each is computed in doubles as the distance of two points of the triangles. The result is
/// right to 2^-44 of their size and distance, and to 2^-32 of it for slivers (triangles whose height is below
/// 2^-6 of their longest edge). If several pairs of points are equally near, the result is one of them, the
/// same on every ISA. Exchanging the triangles may change the last bits.
ClosestTrianglePoints closest_points(const Triangle& a, const Triangle& b) noexcept;

}  // namespace broadside
