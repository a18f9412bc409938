// The gap between a mover and an obstacle, and its normal.
#pragma once

#include "core/src/geometry/segment_distance.hpp"

#include <broadside/mover.hpp>

namespace broadside::stage {

/// A triangle, or a box by its two corners.
struct Obstacle {
    Triangle corners;
    bool is_box;

    Aabb box() const { return {corners.a, corners.b}; }
};

/// A mover's shape in double precision.
struct MoverBody {
    MoverForm form;
    Vec3Double half_extent;
    /// From the center to the upper end of the segment.
    Vec3Double half_axis;
    double radius;
    /// Half extent of the bounding box.
    Vec3Double reach;
    /// Gaps above this may be mere lower bounds.
    double enough;
};

/// Positive while the two are apart. For spheres and capsules, the distance; for boxes, the distance along
/// the best separating axis, which is never more. Both are convex in the position of the mover.
struct Gap {
    double gap;
    /// Unit vector from the obstacle to the mover; zero if the direction out is undefined.
    Vec3Double normal;
};

inline double length(const Vec3Double& a) { return __builtin_sqrt(dot(a, a)); }
inline double largest(const Vec3Double& a) {
    return max_keep(max_keep(__builtin_fabs(a.x), __builtin_fabs(a.y)), __builtin_fabs(a.z));
}

namespace gaps {

/// Tests an axis, along which the obstacle extends from `low` to `high` relative to the mover, and the mover
/// by `radius` both ways.
inline void keep_wider(Gap& state_gap, const Vec3Double& axis, double low, double high, double radius,
                       double bias) {
    const double below = low - radius;
    const double above = -radius - high;
    const double gap = max_keep(below, above);
    if (gap > state_gap.gap + bias) state_gap = {gap, axis * (below > above ? -1.0 : 1.0)};
}

inline Gap box_to_box(const MoverBody& body, const Vec3Double& center, const Aabb& box) {
    const Vec3Double min = widened(box.min) - center;
    const Vec3Double max = widened(box.max) - center;
    Gap gap = {-__builtin_inf(), {0.0, 0.0, 0.0}};
    keep_wider(gap, {1.0, 0.0, 0.0}, min.x, max.x, body.half_extent.x, 0.0);
    keep_wider(gap, {0.0, 1.0, 0.0}, min.y, max.y, body.half_extent.y, 0.0);
    keep_wider(gap, {0.0, 0.0, 1.0}, min.z, max.z, body.half_extent.z, 0.0);
    return gap;
}

inline Gap box_to_triangle(const MoverBody& body, const Vec3Double& center, const Triangle& triangle,
                           double enough) {
    const Vec3Double a = widened(triangle.a) - center;
    const Vec3Double b = widened(triangle.b) - center;
    const Vec3Double c = widened(triangle.c) - center;
    const Vec3Double& h = body.half_extent;
    Gap gap = {-__builtin_inf(), {0.0, 0.0, 0.0}};
    const auto try_axis = [&](const Vec3Double& axis, double bias) {
        const double at_a = dot(axis, a), at_b = dot(axis, b), at_c = dot(axis, c);
        const double radius =
            (h.x * __builtin_fabs(axis.x) + h.y * __builtin_fabs(axis.y)) + h.z * __builtin_fabs(axis.z);
        keep_wider(gap, axis, min_keep(min_keep(at_a, at_b), at_c), max_keep(max_keep(at_a, at_b), at_c),
                   radius, bias);
    };
    const Vec3Double ab = b - a, ac = c - a, bc = c - b;
    const double size = (size_sum(ab) + size_sum(ac)) + size_sum(h);
    const double least = dot(ab, ab) + dot(ac, ac);
    const auto try_direction = [&](const Vec3Double& axis, double sq, double bias) {
        try_axis(axis * (1.0 / __builtin_sqrt(sq)), bias);
    };
    const Vec3Double normal = cross(ab, ac);
    // Faces before edges: of axes that differ by rounding only, the first wins.
    const double bias = size * 0x1p-40;
    const double normal_sq = dot(normal, normal);
    if (normal_sq > least * least * 0x1p-60) try_direction(normal, normal_sq, 0.0);
    const auto try_own = [&](const Vec3Double& axis, double at_a, double at_b, double at_c, double radius) {
        keep_wider(gap, axis, min_keep(min_keep(at_a, at_b), at_c), max_keep(max_keep(at_a, at_b), at_c),
                   radius, bias);
    };
    try_own({1.0, 0.0, 0.0}, a.x, b.x, c.x, h.x);
    try_own({0.0, 1.0, 0.0}, a.y, b.y, c.y, h.y);
    try_own({0.0, 0.0, 1.0}, a.z, b.z, c.z, h.z);
    // Far apart along a face already, so the exact axis does not matter.
    if (gap.gap > enough) return gap;
    // Tests an edge crossed with x, y or z, with the other two components u and v. Both ends of the edge
    // project to one point of the axis.
    const auto try_edge = [&](const Vec3Double& axis, double u, double v, double least_sq, double at_edge,
                              double at_opposite, double radius) {
        const double sq = u * u + v * v;
        if (!(sq > least_sq)) return;
        if (gap.gap >= 0.0) {
            // An axis that is not wider by half of the bias here is not wider by all of it there, whatever
            // the rounding.
            const double wide =
                max_keep(min_keep(at_edge, at_opposite), -max_keep(at_edge, at_opposite)) - radius;
            const double least_wide = gap.gap + 0.5 * bias;
            if (wide <= 0.0 || wide * wide < (least_wide * least_wide) * sq) return;
        }
        try_direction(axis, sq, bias);
    };
    const auto try_edges = [&](const Vec3Double& edge, const Vec3Double& end, const Vec3Double& opposite) {
        const double least_sq = dot(edge, edge) * 0x1p-40;
        const Vec3Double size_of = {__builtin_fabs(edge.x), __builtin_fabs(edge.y), __builtin_fabs(edge.z)};
        const Vec3Double at_end = cross(end, edge);
        const Vec3Double at_opposite = cross(opposite, edge);
        try_edge({0.0, edge.z, -edge.y}, edge.z, edge.y, least_sq, at_end.x, at_opposite.x,
                 h.y * size_of.z + h.z * size_of.y);
        try_edge({-edge.z, 0.0, edge.x}, edge.z, edge.x, least_sq, at_end.y, at_opposite.y,
                 h.x * size_of.z + h.z * size_of.x);
        try_edge({edge.y, -edge.x, 0.0}, edge.y, edge.x, least_sq, at_end.z, at_opposite.z,
                 h.x * size_of.y + h.y * size_of.x);
    };
    try_edges(ab, a, c);
    try_edges(bc, b, a);
    try_edges(ac, a, b);
    return gap;
}

inline Gap of_segment(const SegmentGap& between, double radius) {
    const double size = length(between.away);
    if (!(between.distance_sq > 0.0) || !(size > 0.0)) return {-radius, {0.0, 0.0, 0.0}};
    return {__builtin_sqrt(between.distance_sq) - radius, between.away * (1.0 / size)};
}

/// Relative to the mover's center.
inline Gap segment_to_triangle(const MoverBody& body, const TriangleDouble& triangle) {
    // Far from the triangle's plane already, so the nearest point does not matter.
    const Vec3Double& normal = triangle.edges.normal;
    const double height = -dot(triangle.a, normal);
    const double half = dot(body.half_axis, normal);
    const double nearest = __builtin_fabs(height) - __builtin_fabs(half);
    const double normal_sq = dot(normal, normal);
    const double far = body.radius + body.enough;
    if (nearest > 0.0 && nearest * nearest > far * far * normal_sq && normal_sq > 0.0) {
        const double inv_length = 1.0 / __builtin_sqrt(normal_sq);
        return {nearest * inv_length - body.radius, normal * (height < 0.0 ? -inv_length : inv_length)};
    }
    return of_segment(segment_gap(body.half_axis * -1.0, body.half_axis, triangle), body.radius);
}

}  // namespace gaps

inline Gap gap_of(const MoverBody& body, const Vec3Double& center, const Obstacle& obstacle) {
    if (body.form == MoverForm::box) {
        return obstacle.is_box ? gaps::box_to_box(body, center, obstacle.box())
                               : gaps::box_to_triangle(body, center, obstacle.corners, body.enough);
    }
    if (obstacle.is_box) {
        return gaps::of_segment(segment_gap(center - body.half_axis, center + body.half_axis, obstacle.box()),
                                body.radius);
    }
    return gaps::segment_to_triangle(body, triangle_from(obstacle.corners, center));
}

}  // namespace broadside::stage
