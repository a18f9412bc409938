// The point of a triangle that is closest to the origin, in double precision.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

namespace broadside {

BROADSIDE_FORCE_INLINE double clamped(double a, double min, double max) {
    return min_keep(max_keep(a, min), max);
}

/// A point a + b_weight·ab + c_weight·ac of the triangle.
struct TrianglePoint {
    double b_weight;
    double c_weight;
    double distance_sq;
    /// True if it is the foot of the perpendicular.
    bool is_foot = false;
};

/// The point of the segment start + t·edge that is nearest to the origin, 0 <= t <= 1. A segment of length
/// zero gives 0/0, which the order of the operands turns into t = 0.
struct SegmentPoint {
    double t;
    double distance_sq;
};
BROADSIDE_FORCE_INLINE SegmentPoint nearest_of_segment(const Vec3Double& start, const Vec3Double& edge) {
    const double t = clamped(-dot(start, edge) / dot(edge, edge), 0.0, 1.0);
    const Vec3Double gap = start + edge * t;
    return {t, dot(gap, gap)};
}

/// The parts of a triangle that do not change as it moves.
struct TriangleEdges {
    Vec3Double ab;
    Vec3Double ac;
    Vec3Double bc;
    Vec3Double normal;
};
BROADSIDE_FORCE_INLINE TriangleEdges edges_of(const Vec3Double& a, const Vec3Double& b, const Vec3Double& c) {
    const Vec3Double ab = b - a;
    const Vec3Double ac = c - a;
    return {ab, ac, c - b, cross(ab, ac)};
}

/// The nearest point of the triangle: the nearest of three segments, or the foot of the perpendicular if it
/// lies inside. This is the branch-free reading of the walk through seven regions (C. Ericson, "Real-Time
/// Collision Detection", 2005, section 5.1.5). Unlike there, rounding cannot mislead: the winning candidate
/// is a point of the triangle, and no other candidate is nearer. Degenerate triangles have no normal, so 0/0
/// rejects the foot and the segments decide.
BROADSIDE_FORCE_INLINE TrianglePoint nearest_of_triangle(const Vec3Double& a, const Vec3Double& b,
                                                         const TriangleEdges& edges) {
    const SegmentPoint on_ab = nearest_of_segment(a, edges.ab);
    TrianglePoint nearest = {on_ab.t, 0.0, on_ab.distance_sq};
    const SegmentPoint on_ac = nearest_of_segment(a, edges.ac);
    if (on_ac.distance_sq < nearest.distance_sq) nearest = {0.0, on_ac.t, on_ac.distance_sq};
    const SegmentPoint on_bc = nearest_of_segment(b, edges.bc);
    if (on_bc.distance_sq < nearest.distance_sq) nearest = {1.0 - on_bc.t, on_bc.t, on_bc.distance_sq};

    // Twice the areas, signed along the normal, of the triangles that the foot forms with two corners each.
    const Vec3Double& normal = edges.normal;
    const double normal_sq = dot(normal, normal);
    const double b_area = dot(cross(edges.ac, a), normal);
    const double c_area = dot(cross(a, edges.ab), normal);
    const double a_area = (normal_sq - b_area) - c_area;
    // Relative to the normal, so that a sphere that touches a face does so exactly if the numbers are exact.
    const double height = dot(a, normal);
    const double face_distance_sq = height * height / normal_sq;
    if (a_area >= 0.0 && b_area >= 0.0 && c_area >= 0.0 && face_distance_sq <= nearest.distance_sq)
        nearest = {b_area / normal_sq, c_area / normal_sq, face_distance_sq, true};
    return nearest;
}

}  // namespace broadside
