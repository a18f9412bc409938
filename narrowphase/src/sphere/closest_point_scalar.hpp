// The closest point of a shape to a point: the specification for closest points and sphere overlaps.
#pragma once

#include "core/src/geometry/triangle_distance.hpp"

#include <broadside/closest_point.hpp>

namespace broadside::narrowphase {

// The lanes have functions of the same names.
using broadside::clamped;
using broadside::nearest_of_segment;

/// The result before it is rounded to float; distance_sq is +infinity if there is none.
struct ClosestDouble {
    Vec3Double point;
    double distance_sq;
};
BROADSIDE_FORCE_INLINE ClosestDouble no_closest() { return {{0.0, 0.0, 0.0}, __builtin_inf()}; }

/// The box: each coordinate is clamped on its own, which is exact.
BROADSIDE_FORCE_INLINE ClosestDouble closest_scalar(const Aabb& box, Vec3 point) {
    if (!is_valid(box) || !is_finite(point)) return no_closest();
    const Vec3Double p = widened(point);
    const Vec3Double min = widened(box.min);
    const Vec3Double max = widened(box.max);
    const Vec3Double nearest = {clamped(p.x, min.x, max.x), clamped(p.y, min.y, max.y),
                                clamped(p.z, min.z, max.z)};
    const Vec3Double gap = p - nearest;
    return {nearest, dot(gap, gap)};
}

/// The oriented box: clamped in its own frame, in which the distance is measured too. A point inside is its
/// own nearest point, to the bit, although rotating it there and back would change it.
BROADSIDE_FORCE_INLINE ClosestDouble closest_scalar(const Obb& obb, Vec3 point) {
    if (!is_valid(obb) || !is_finite(point)) return no_closest();
    const Vec3Double p = widened(point);
    const Vec3Double center = widened(obb.center);
    const Vec3Double axis_x = widened(obb.axis_x);
    const Vec3Double axis_y = widened(obb.axis_y);
    const Vec3Double axis_z = widened(obb.axis_z);
    const Vec3Double h = widened(obb.half_extent);
    const Vec3Double d = p - center;
    const Vec3Double in_box = {dot(axis_x, d), dot(axis_y, d), dot(axis_z, d)};
    const Vec3Double nearest = {clamped(in_box.x, -h.x, h.x), clamped(in_box.y, -h.y, h.y),
                                clamped(in_box.z, -h.z, h.z)};
    const Vec3Double gap = in_box - nearest;
    const double distance_sq = dot(gap, gap);
    if (distance_sq <= 0.0) return {p, distance_sq};
    return {((center + axis_x * nearest.x) + axis_y * nearest.y) + axis_z * nearest.z, distance_sq};
}

/// The triangle, see nearest_of_triangle. Corners are taken relative to the given point first.
BROADSIDE_FORCE_INLINE ClosestDouble closest_scalar(const Triangle& triangle, Vec3 point) {
    if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c) || !is_finite(point))
        return no_closest();
    const Vec3Double p = widened(point);
    const Vec3Double corner_a = widened(triangle.a);
    const Vec3Double corner_b = widened(triangle.b);
    const TriangleEdges edges = edges_of(corner_a, corner_b, widened(triangle.c));
    const TrianglePoint nearest = nearest_of_triangle(corner_a - p, corner_b - p, edges);
    return {(corner_a + edges.ab * nearest.b_weight) + edges.ac * nearest.c_weight, nearest.distance_sq};
}

/// The result as the caller gets it. Adding zero turns -0 into +0 and changes nothing else.
BROADSIDE_FORCE_INLINE ClosestPoint rounded(const ClosestDouble& closest) {
    const bool is_found = closest.distance_sq < __builtin_inf();
    const double largest = static_cast<double>(FLT_MAX);
    return {narrowed(closest.point) + Vec3{0.0f, 0.0f, 0.0f},
            static_cast<float>(is_found ? min_keep(closest.distance_sq, largest) : closest.distance_sq)};
}

template <class Shape>
BROADSIDE_FORCE_INLINE ClosestPoint closest_point_scalar(const Shape& shape, Vec3 point) {
    return rounded(closest_scalar(shape, point));
}

}  // namespace broadside::narrowphase
