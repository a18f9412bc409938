// The point of a box, an oriented box or a triangle that is closest to a given point, single and in batches.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/export.hpp>
#include <broadside/obb.hpp>
#include <broadside/triangle_mesh.hpp>

#include <limits>
#include <span>

namespace BROADSIDE_API broadside {

/// The point of a shape that is closest to a given point.
struct [[nodiscard]] ClosestPoint {
    /// In world space, each coordinate rounded to nearest, never -0. The given point itself if the shape
    /// contains it. Zero if there is none.
    Vec3 point = {};
    /// Squared distance to the point before that rounding, at most FLT_MAX. 0 exactly if the shape contains
    /// the given point, or if the distance is below 2^-75, whose square no float holds. Below 2^-63 the
    /// square is denormal and loses digits. +infinity exactly if there is none.
    float distance_sq = std::numeric_limits<float>::infinity();

    friend constexpr bool operator==(const ClosestPoint&, const ClosestPoint&) = default;
};

// Shapes are solid and closed. Results are computed in double precision, in which no product of floats
// overflows, underflows or cancels to nothing, so they do not depend on scale or on the position in the
// world. The distance is right to 2^-24 of itself, the point to half a unit in its last place, each plus
// 2^-46 of the size of the shape and its distance together. The last term is 2^-32 for slivers (triangles
// whose height is below 2^-6 of their longest edge). It is 2^-24 for oriented boxes, because their axes are
// orthonormal only to float precision. If several points are equally near, as on degenerate triangles, one of
// them is returned, the same on every ISA.
//
// There is no closest point to a point that is not finite, nor on an invalid shape (`is_valid`; a triangle is
// valid if it is finite). Boxes may have infinite sides. Pure and thread-safe.

ClosestPoint closest_point(const Aabb& box, Vec3 point) noexcept;
ClosestPoint closest_point(const Obb& obb, Vec3 point) noexcept;
/// The triangle may be degenerate: a segment or a point.
ClosestPoint closest_point(const Triangle& triangle, Vec3 point) noexcept;

/// Arrays for batch results; an empty one is not filled. Result i is `closest_point`, bit for bit, on every
/// ISA.
struct ClosestPointOutputs {
    /// ClosestPoint::point, one coordinate per item.
    std::span<float> x = {};
    std::span<float> y = {};
    std::span<float> z = {};
    /// ClosestPoint::distance_sq, one per item.
    std::span<float> distance_sq = {};
};

// Batches, as overlap.hpp describes them.

/// One shape, many points; item i is points[i].
BatchResult closest_points(const Aabb& box, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept;
BatchResult closest_points(const Obb& obb, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept;
BatchResult closest_points(const Triangle& triangle, const Vec3SoaView& points,
                           const ClosestPointOutputs& out_closest) noexcept;

/// Many shapes, one point; item i is the shape at i.
BatchResult closest_points(const BoxSoaView& boxes, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept;
BatchResult closest_points(std::span<const Obb> obbs, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept;
BatchResult closest_points(const TriangleSoaView& triangles, Vec3 point,
                           const ClosestPointOutputs& out_closest) noexcept;

}  // namespace broadside
