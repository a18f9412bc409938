// The closest points of two triangles that do not meet: the specification.
#pragma once

#include "core/src/geometry/triangle_distance.hpp"

#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// A point of triangle a, one of b, and the vector from the first to the second.
struct TriangleGap {
    Vec3Double point_a;
    Vec3Double point_b;
    Vec3Double gap;
    double distance_sq;
};

/// Corners, and the edges that begin at them.
struct TriangleParts {
    Vec3Double corner[3];
    Vec3Double edge[3];
    /// Infinite for an edge without length; no product with it is used then.
    double inv_edge_sq[3];

    BROADSIDE_FORCE_INLINE explicit TriangleParts(const Triangle& t)
        : corner{widened(t.a), widened(t.b), widened(t.c)},
          edge{corner[1] - corner[0], corner[2] - corner[1], corner[0] - corner[2]},
          inv_edge_sq{1.0 / dot(edge[0], edge[0]), 1.0 / dot(edge[1], edge[1]), 1.0 / dot(edge[2], edge[2])} {
    }
};

BROADSIDE_FORCE_INLINE void keep_nearer(TriangleGap& state_nearest, const TriangleGap& other) {
    if (other.distance_sq < state_nearest.distance_sq) state_nearest = other;
}

/// Two edges. The lines are nearest at s = ((q - p) × e)·(d × e) / |d × e|², which does not cancel if they are
/// almost parallel. Each clamped number then decides the other, so any s gives points of the segments. 0/0
/// and 0·infinity, of parallel edges and those without length, clamp to 0.
BROADSIDE_FORCE_INLINE TriangleGap edge_gap(const TriangleParts& a, int of_a, const TriangleParts& b,
                                            int of_b) {
    const Vec3Double& p = a.corner[of_a];
    const Vec3Double& d = a.edge[of_a];
    const Vec3Double& q = b.corner[of_b];
    const Vec3Double& e = b.edge[of_b];
    const Vec3Double r = q - p;
    const Vec3Double across = cross(d, e);
    const double along = dot(d, e);
    const double on_lines = clamped(dot(cross(r, e), across) / dot(across, across), 0.0, 1.0);
    const double t = clamped((on_lines * along - dot(r, e)) * b.inv_edge_sq[of_b], 0.0, 1.0);
    const double s = clamped((t * along + dot(r, d)) * a.inv_edge_sq[of_a], 0.0, 1.0);
    const Vec3Double gap = (r + e * t) - d * s;
    return {p + d * s, q + e * t, gap, dot(gap, gap)};
}

/// A corner and the foot of its perpendicular on a face; infinitely far apart if that is outside, or if the
/// triangle is degenerate. The distance is that of two points of the triangles, because a height would depend
/// on the normal, and slivers have none to rely on. For the same reason the foot is found in two steps, of
/// which the second is as right as the gap is small, and one that is barely outside counts.
BROADSIDE_FORCE_INLINE TriangleGap face_gap(const TriangleParts& face, const Vec3Double& corner) {
    const Vec3Double& ab = face.edge[0];
    const Vec3Double ac = face.corner[2] - face.corner[0];
    const Vec3Double w = corner - face.corner[0];
    const Vec3Double normal = cross(ab, ac);
    const double normal_sq = dot(normal, normal);
    const double b_area = dot(cross(w, ac), normal);
    const double c_area = dot(cross(ab, w), normal);
    const double doubt = normal_sq * 0x1p-20;
    if (!(b_area >= -doubt && c_area >= -doubt && b_area + c_area <= normal_sq + doubt && normal_sq > 0.0))
        return {corner, corner, {0.0, 0.0, 0.0}, __builtin_inf()};
    const double b_guess = b_area / normal_sq;
    const double c_guess = c_area / normal_sq;
    const Vec3Double rest = w - (ab * b_guess + ac * c_guess);
    const double b_weight = clamped(b_guess + dot(cross(rest, ac), normal) / normal_sq, 0.0, 1.0);
    const double c_weight = clamped(c_guess + dot(cross(ab, rest), normal) / normal_sq, 0.0, 1.0 - b_weight);
    const Vec3Double to_foot = ab * b_weight + ac * c_weight;
    const Vec3Double gap = w - to_foot;
    return {face.corner[0] + to_foot, corner, gap, dot(gap, gap)};
}

BROADSIDE_FORCE_INLINE TriangleGap swapped(const TriangleGap& gap) {
    return {gap.point_b, gap.point_a, gap.gap * -1.0, gap.distance_sq};
}

/// The first of the smallest. The square of the smallest float for triangles that are nearer than that,
/// because 0 is the distance of triangles that meet.
BROADSIDE_FORCE_INLINE TriangleGap gap_scalar(const TriangleParts& a, const TriangleParts& b) {
    TriangleGap nearest = edge_gap(a, 0, b, 0);
    for (int edge = 1; edge < 9; ++edge) keep_nearer(nearest, edge_gap(a, edge / 3, b, edge % 3));
    for (int i = 0; i < 3; ++i) keep_nearer(nearest, face_gap(a, b.corner[i]));
    for (int i = 0; i < 3; ++i) keep_nearer(nearest, swapped(face_gap(b, a.corner[i])));
    nearest.distance_sq = max_keep(nearest.distance_sq, 0x1p-298);
    return nearest;
}

}  // namespace broadside::narrowphase
