// The distance of a segment or a point from a triangle and from a box, in double precision. It decides
// capsules and moving spheres.
#pragma once

#include "core/src/geometry/triangle_distance.hpp"

#include <broadside/aabb.hpp>
#include <broadside/triangle.hpp>

namespace broadside {

/// The closest two points. If the shapes meet, the distance is 0, or as close to it as rounding allows.
struct SegmentGap {
    double distance_sq;
    Vec3Double on_segment;
    Vec3Double on_shape;
    /// From the shape to the segment, of any length. Right also if the two points nearly coincide.
    Vec3Double away;
    /// Bound of the length of the error of `away`.
    double away_doubt;
};

/// More than the rounding of differences and of their points, as a share of the sizes.
inline constexpr double kAwayShare = 0x1p-49;

BROADSIDE_FORCE_INLINE double size_sum(const Vec3Double& a) {
    return (__builtin_fabs(a.x) + __builtin_fabs(a.y)) + __builtin_fabs(a.z);
}

BROADSIDE_FORCE_INLINE void keep_nearer(SegmentGap& state_gap, const Vec3Double& on_segment,
                                        const Vec3Double& on_shape, double away_doubt) {
    const Vec3Double gap = on_segment - on_shape;
    const double distance_sq = dot(gap, gap);
    if (distance_sq < state_gap.distance_sq) state_gap = {distance_sq, on_segment, on_shape, gap, away_doubt};
}

struct TriangleDouble {
    Vec3Double a;
    Vec3Double b;
    Vec3Double c;
    TriangleEdges edges;
};
/// Relative to an origin, so that distance from the world's origin costs no digits.
BROADSIDE_FORCE_INLINE TriangleDouble triangle_from(const Triangle& triangle, const Vec3Double& origin) {
    const Vec3Double a = widened(triangle.a);
    const Vec3Double b = widened(triangle.b);
    const Vec3Double c = widened(triangle.c);
    return {a - origin, b - origin, c - origin, edges_of(a, b, c)};
}

BROADSIDE_FORCE_INLINE SegmentGap point_gap(const Vec3Double& point, const TriangleDouble& triangle) {
    const Vec3Double a = triangle.a - point;
    const TrianglePoint nearest = nearest_of_triangle(a, triangle.b - point, triangle.edges);
    const Vec3Double on_shape =
        (triangle.a + triangle.edges.ab * nearest.b_weight) + triangle.edges.ac * nearest.c_weight;
    const double edge_sizes[2] = {size_sum(triangle.edges.ab), size_sum(triangle.edges.ac)};
    if (!nearest.is_foot) {
        const double size = (size_sum(triangle.a) + size_sum(point)) + (edge_sizes[0] + edge_sizes[1]);
        return {nearest.distance_sq, point, on_shape, point - on_shape, size * kAwayShare};
    }
    const bool is_behind = dot(a, triangle.edges.normal) > 0.0;
    return {nearest.distance_sq, point, on_shape, triangle.edges.normal * (is_behind ? -1.0 : 1.0),
            edge_sizes[0] * edge_sizes[1] * kAwayShare};
}
BROADSIDE_FORCE_INLINE SegmentGap point_gap(const Vec3Double& point, const Aabb& box) {
    const Vec3Double min = widened(box.min);
    const Vec3Double max = widened(box.max);
    const Vec3Double nearest = {clamped(point.x, min.x, max.x), clamped(point.y, min.y, max.y),
                                clamped(point.z, min.z, max.z)};
    const Vec3Double gap = point - nearest;
    return {dot(gap, gap), point, nearest, gap, (size_sum(point) + size_sum(nearest)) * kAwayShare};
}

/// Keeps the nearer of three: the present gap, the inner points of a segment and an edge where the line
/// between them is perpendicular to both, and the begin of the edge. Other ends are tested by other calls.
/// Both points lie on the segment and on the edge whatever the rounding. The nearer to parallel the two are,
/// the less is known of where they are nearest, and the less it matters.
inline void keep_nearer_of_edge(SegmentGap& state_gap, const Vec3Double& start, const Vec3Double& along,
                                const Vec3Double& corner, const Vec3Double& edge, double away_doubt) {
    const SegmentPoint at_corner = nearest_of_segment(start - corner, along);
    keep_nearer(state_gap, start + along * at_corner.t, corner, away_doubt);
    const Vec3Double between = start - corner;
    // The equivalent difference of squares and products would cancel for nearly parallel lines.
    const Vec3Double upright = cross(along, edge);
    const double s = dot(cross(edge, between), upright) / dot(upright, upright);
    // Accept form: parallel lines, with a divisor of zero, have their nearest points at ends.
    if (!(s >= 0.0 && s <= 1.0)) return;
    const Vec3Double on_segment = start + along * s;
    const SegmentPoint on_edge = nearest_of_segment(corner - on_segment, edge);
    if (!(on_edge.t > 0.0 && on_edge.t < 1.0 && on_edge.distance_sq < state_gap.distance_sq)) return;
    const double sign = dot(upright, between) < 0.0 ? -1.0 : 1.0;
    state_gap = {on_edge.distance_sq, on_segment, corner + edge * on_edge.t, upright * sign,
                 size_sum(along) * size_sum(edge) * kAwayShare};
}

/// The gap between a segment and a triangle. If an end is nearest and the segment leads away from its nearest
/// point, the plane between the two separates them, and that is the result. Else the result is the nearest
/// of: ends and triangle, corners and segment, edges and segment, and the point where the segment pierces the
/// triangle.
inline SegmentGap segment_gap(const Vec3Double& start, const Vec3Double& end,
                              const TriangleDouble& triangle) {
    const Vec3Double along = end - start;
    const double along_size = size_sum(along);
    SegmentGap nearest = point_gap(start, triangle);
    if (dot(nearest.away, along) >= along_size * nearest.away_doubt) return nearest;
    const SegmentGap at_end = point_gap(end, triangle);
    if (-dot(at_end.away, along) >= along_size * at_end.away_doubt) return at_end;
    if (at_end.distance_sq < nearest.distance_sq) nearest = at_end;
    // The distances below come from differences.
    const double size = (size_sum(triangle.a) + size_sum(start)) +
                        (size_sum(triangle.edges.ab) + size_sum(triangle.edges.ac)) + along_size;
    const double away_doubt = size * kAwayShare;

    const Vec3Double& normal = triangle.edges.normal;
    const double start_height = dot(start - triangle.a, normal);
    const double end_height = dot(end - triangle.a, normal);
    if ((start_height < 0.0) != (end_height < 0.0)) {
        const Vec3Double through = start + along * (start_height / (start_height - end_height));
        const Vec3Double a = triangle.a - through;
        const double b_area = dot(cross(triangle.edges.ac, a), normal);
        const double c_area = dot(cross(a, triangle.edges.ab), normal);
        if (b_area >= 0.0 && c_area >= 0.0 && b_area + c_area <= dot(normal, normal))
            return {0.0, through, through, {0.0, 0.0, 0.0}, 0.0};
    }
    keep_nearer_of_edge(nearest, start, along, triangle.a, triangle.edges.ab, away_doubt);
    keep_nearer_of_edge(nearest, start, along, triangle.b, triangle.edges.bc, away_doubt);
    keep_nearer_of_edge(nearest, start, along, triangle.c, triangle.edges.ac * -1.0, away_doubt);
    return nearest;
}

/// The gap between a segment and a box. The squared distance along the segment is convex, and quadratic
/// between its crossings of planes of the box, at most six. Follows half its slope, which rises, from
/// crossing to crossing until it is zero.
inline SegmentGap segment_gap(const Vec3Double& start, const Vec3Double& end, const Aabb& box) {
    const Vec3Double along = end - start;
    const double from[3] = {start.x, start.y, start.z};
    const double way[3] = {along.x, along.y, along.z};
    const double min[3] = {static_cast<double>(box.min.x), static_cast<double>(box.min.y),
                           static_cast<double>(box.min.z)};
    const double max[3] = {static_cast<double>(box.max.x), static_cast<double>(box.max.y),
                           static_cast<double>(box.max.z)};
    const auto slope_at = [&](double s) {
        double slope = 0.0;
        for (int i = 0; i < 3; ++i) {
            const double at = from[i] + way[i] * s;
            slope += (at - clamped(at, min[i], max[i])) * way[i];
        }
        return slope;
    };
    double low = 0.0;
    double high = 1.0;
    double low_slope = slope_at(0.0);
    double high_slope = slope_at(1.0);
    if (low_slope >= 0.0) return point_gap(start, box);
    if (high_slope <= 0.0) return point_gap(end, box);
    for (int i = 0; i < 3; ++i) {
        const double planes[2] = {min[i], max[i]};
        for (const double plane : planes) {
            const double s = (plane - from[i]) / way[i];
            if (!(s > low && s < high)) continue;
            const double slope = slope_at(s);
            if (slope <= 0.0) {
                low = s;
                low_slope = slope;
            } else {
                high = s;
                high_slope = slope;
            }
        }
    }
    // Between the two crossings the slope is linear, and not zero at one of them.
    const double s = clamped(low + (high - low) * (low_slope / (low_slope - high_slope)), low, high);
    return point_gap(start + along * s, box);
}

}  // namespace broadside
