// The closest point of one shape to one point: the specification of the kernels of closest_point and
// sphere_shape.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/closest_point.hpp>

namespace broadside::narrowphase {

/// The answer before it is rounded to float; distance_sq is +infinity where there is none.
struct ClosestDouble {
    Vec3Double point;
    double distance_sq;
};
BROADSIDE_FORCE_INLINE ClosestDouble no_closest() { return {{0.0, 0.0, 0.0}, __builtin_inf()}; }

BROADSIDE_FORCE_INLINE double clamped(double a, double min, double max) {
    return min_keep(max_keep(a, min), max);
}

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

/// The oriented box: clamped in its own frame, where the distance is measured too. A point inside is its own
/// nearest point, to the bit, although turning it there and back would not return it.
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

/// A point a + b_weight·ab + c_weight·ac of the triangle.
struct TrianglePoint {
    double b_weight;
    double c_weight;
    double distance_sq;
};

/// The place of the segment start + t·edge that is nearest to the origin, 0 <= t <= 1. A segment without
/// length gives 0/0, which the order of the operands turns into t = 0.
struct SegmentPoint {
    double t;
    double distance_sq;
};
BROADSIDE_FORCE_INLINE SegmentPoint nearest_of_segment(const Vec3Double& start, const Vec3Double& edge) {
    const double t = clamped(-dot(start, edge) / dot(edge, edge), 0.0, 1.0);
    const Vec3Double gap = start + edge * t;
    return {t, dot(gap, gap)};
}

/// The triangle: the nearest of three segments, or the foot of the perpendicular where it lies inside.
/// Compared with the walk through seven regions (C. Ericson, "Real-Time Collision Detection", 2005, section
/// 5.1.5), of which this is the branch-free reading, no rounding can lead astray: whichever candidate wins is
/// a point of the triangle, and none that was looked at is nearer. Degenerate triangles have no normal, 0/0
/// rejects the foot, and the segments answer. The origin is the given point: corners are taken relative to it
/// first.
BROADSIDE_FORCE_INLINE ClosestDouble closest_scalar(const Triangle& triangle, Vec3 point) {
    if (!is_finite(triangle.a) || !is_finite(triangle.b) || !is_finite(triangle.c) || !is_finite(point))
        return no_closest();
    const Vec3Double p = widened(point);
    const Vec3Double corner_a = widened(triangle.a);
    const Vec3Double ab = widened(triangle.b) - corner_a;
    const Vec3Double ac = widened(triangle.c) - corner_a;
    const Vec3Double bc = widened(triangle.c) - widened(triangle.b);
    const Vec3Double a = corner_a - p;
    const Vec3Double b = widened(triangle.b) - p;

    const SegmentPoint on_ab = nearest_of_segment(a, ab);
    TrianglePoint nearest = {on_ab.t, 0.0, on_ab.distance_sq};
    const SegmentPoint on_ac = nearest_of_segment(a, ac);
    if (on_ac.distance_sq < nearest.distance_sq) nearest = {0.0, on_ac.t, on_ac.distance_sq};
    const SegmentPoint on_bc = nearest_of_segment(b, bc);
    if (on_bc.distance_sq < nearest.distance_sq) nearest = {1.0 - on_bc.t, on_bc.t, on_bc.distance_sq};

    // Twice the areas, signed along the normal, of the triangles that the foot forms with two corners each.
    const Vec3Double normal = cross(ab, ac);
    const double normal_sq = dot(normal, normal);
    const double b_area = dot(cross(ac, a), normal);
    const double c_area = dot(cross(a, ab), normal);
    const double a_area = (normal_sq - b_area) - c_area;
    // Relative to the normal, so that a sphere that touches a face does so exactly where the numbers are.
    const double height = dot(a, normal);
    const double face_distance_sq = height * height / normal_sq;
    if (a_area >= 0.0 && b_area >= 0.0 && c_area >= 0.0 && face_distance_sq <= nearest.distance_sq)
        nearest = {b_area / normal_sq, c_area / normal_sq, face_distance_sq};

    return {(corner_a + ab * nearest.b_weight) + ac * nearest.c_weight, nearest.distance_sq};
}

/// As the caller gets it. Adding zero turns -0 into +0 and changes nothing else.
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
