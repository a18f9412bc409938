// Spheres and capsules against one triangle, at rest and moving: the specification.
#pragma once

#include "core/src/geometry/convex_time.hpp"
#include "core/src/geometry/segment_distance.hpp"
#include "core/src/geometry/vec3_size.hpp"

#include <broadside/shape_triangle.hpp>

namespace broadside::narrowphase {

BROADSIDE_FORCE_INLINE bool is_finite_triangle(const Triangle& triangle) {
    return is_finite(triangle.a) && is_finite(triangle.b) && is_finite(triangle.c);
}

/// Both are valid.
inline bool overlap_scalar(const Capsule& capsule, const Triangle& triangle) {
    const Vec3Double origin = widened(capsule.a);
    const SegmentGap gap =
        segment_gap({0.0, 0.0, 0.0}, widened(capsule.b) - origin, triangle_from(triangle, origin));
    const auto radius = static_cast<double>(capsule.radius);
    return gap.distance_sq <= radius * radius;
}

/// Share of the input sizes within which shapes count as touching: above the errors of a distance.
inline constexpr double kTouchShare = 0x1p-40;

/// Both are valid. The distance of the segment is convex in time; its slope is the speed at which the nearest
/// points approach each other.
inline ShapeImpact impact_scalar(const Capsule& capsule, Vec3 displacement, const Triangle& triangle) {
    const Vec3Double origin = widened(capsule.a);
    const Vec3Double along = widened(capsule.b) - origin;
    const Vec3Double way = widened(displacement);
    const TriangleDouble at_start = triangle_from(triangle, origin);
    const auto radius = static_cast<double>(capsule.radius);
    SegmentGap gap = segment_gap({0.0, 0.0, 0.0}, along, at_start);
    Vec3Double away = gap.away;
    double away_size = __builtin_sqrt(dot(away, away));
    GapTime time = {0.0, true};
    if (!(gap.distance_sq <= radius * radius)) {
        const double way_size = size_sum(way);
        const double size = ((size_sum(at_start.a) + size_sum(at_start.edges.ab)) +
                             (size_sum(at_start.edges.ac) + size_sum(along))) +
                            (way_size + radius);
        time = first_time(size * kTouchShare, [&](double t) -> ClosingGap {
            const Vec3Double moved = way * t;
            gap = segment_gap(moved, moved + along, at_start);
            const double distance = __builtin_sqrt(gap.distance_sq);
            // If the two have met, the direction before that is kept.
            if (distance > 0.0) {
                away = gap.away;
                away_size = __builtin_sqrt(dot(away, away));
            }
            return {distance - radius, -(dot(away, way) / away_size),
                    way_size * (gap.away_doubt / away_size)};
        });
    }
    if (!time.has_hit) return {};
    const Vec3Double normal = away * (away_size > 0.0 ? 1.0 / away_size : 0.0);
    const Vec3 zero = {0.0f, 0.0f, 0.0f};
    return {time_rounded_down(time.t), narrowed(origin + gap.on_shape) + zero, narrowed(normal) + zero};
}

}  // namespace broadside::narrowphase
