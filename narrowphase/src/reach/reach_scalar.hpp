// Finds the triangles that a moving body may come near to, by bounds of the gap. Few then need exact tests.
#pragma once

#include "narrowphase/src/reach/kernels.hpp"

#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

// The gap between a body and a triangle is at least the gap between their projections on any line. With two
// perpendicular lines it is at least the hypotenuse of both gaps. The lines here are the normal of the
// triangle and (for round bodies) the line in its plane that is perpendicular to an edge. Their exact
// directions do not matter; they only need to be unit vectors and perpendicular to each other. The gap of a
// box is the widest along the normal, x, y and z. A triangle without a normal keeps its bit.

/// Errors of some dozen roundings to 2^-24: shares of the sizes nearby, and of the center's coordinates.
inline constexpr float kReachShare = 0x1p-19f;
inline constexpr float kReachPlaceShare = 0x1p-22f;
/// Normals and edges shorter than this may have lost their direction to denormal numbers.
inline constexpr float kLeastNormalSq = 1e-30f;
/// The two lines of a round body are perpendicular to 2^-21.
inline constexpr float kUprightShare = 1.0f - 0x1p-18f;

BROADSIDE_FORCE_INLINE float size_sum(Vec3 a) { return (absolute(a.x) + absolute(a.y)) + absolute(a.z); }

/// The part of a query that is the same for all triangles.
struct ReachBody {
    ReachQuery query;
    /// Half of the body's size, plus its displacement.
    float size;
    float place_slack;
    /// The box around its path, without its radius, relative to its center.
    Vec3 min;
    Vec3 max;

    explicit BROADSIDE_FORCE_INLINE ReachBody(const ReachQuery& query_in)
        : query(query_in),
          size((size_sum(query_in.half_extent) + size_sum(query_in.half_axis)) +
               (size_sum(query_in.way) + query_in.radius)),
          place_slack(size_sum(query_in.center) * kReachPlaceShare),
          min(min_keep(query_in.way, Vec3{}) - (absolute(query_in.half_axis) + query_in.half_extent)),
          max(max_keep(query_in.way, Vec3{}) + (absolute(query_in.half_axis) + query_in.half_extent)) {}
};

/// How far the body reaches along a unit vector, to both sides of its center, without its radius.
BROADSIDE_FORCE_INLINE float reach_along(const ReachQuery& query, Vec3 line) {
    const Vec3 h = query.half_extent;
    return absolute(dot(line, query.half_axis)) +
           ((h.x * absolute(line.x) + h.y * absolute(line.y)) + h.z * absolute(line.z));
}

/// Squared distance by which the body stays outside the edge from `a`, opposite to the whole triangle.
BROADSIDE_FORCE_INLINE float outside_sq(const ReachQuery& query, Vec3 normal, Vec3 edge, Vec3 a,
                                        Vec3 opposite) {
    const Vec3 outward = cross(edge, normal);
    const float outward_sq = dot(outward, outward);
    const float along = dot(outward, query.way);
    const float body = min_keep(along, 0.0f) - absolute(dot(outward, query.half_axis));
    const float gap = body - max_keep(dot(outward, a), dot(outward, opposite));
    // The normal of a needle may have any direction, and so not be perpendicular to the edge.
    const bool is_upright = outward_sq >= kLeastNormalSq && outward_sq >= 0.5f * dot(edge, edge);
    return is_upright && gap > 0.0f ? gap * gap / outward_sq : 0.0f;
}

BROADSIDE_FORCE_INLINE bool may_come_near_scalar(const ReachBody& body, const Triangle& triangle) {
    const ReachQuery& query = body.query;
    const Vec3 min = min_keep(min_keep(triangle.a, triangle.b), triangle.c);
    const Vec3 max = max_keep(max_keep(triangle.a, triangle.b), triangle.c);
    const bool meets_box = min.x <= query.box.max.x && query.box.min.x <= max.x &&  //
                           min.y <= query.box.max.y && query.box.min.y <= max.y &&  //
                           min.z <= query.box.max.z && query.box.min.z <= max.z;
    if (!meets_box) return false;
    const Vec3 a = triangle.a - query.center;
    const Vec3 b = triangle.b - query.center;
    const Vec3 c = triangle.c - query.center;
    const float size = ((size_sum(a) + size_sum(b)) + size_sum(c)) + body.size;
    const float slack = size * kReachShare + body.place_slack;
    const Vec3 ab = b - a;
    const Vec3 ac = c - a;
    const Vec3 bc = c - b;
    const Vec3 upright = cross(ab, ac);
    const float normal_sq = dot(upright, upright);
    const float inv_length = 1.0f / __builtin_sqrtf(normal_sq);
    const Vec3 normal = upright * inv_length;

    const float at_a = dot(normal, a);
    const float at_b = dot(normal, b);
    const float at_c = dot(normal, c);
    const float along = dot(normal, query.way);
    const float reach = reach_along(query, normal);
    const float below = min_keep(min_keep(at_a, at_b), at_c) - (max_keep(along, 0.0f) + reach);
    const float above = (min_keep(along, 0.0f) - reach) - max_keep(max_keep(at_a, at_b), at_c);
    const float height = max_keep(max_keep(below, above), 0.0f);
    float apart_sq;
    if (query.is_round) {
        const float outside =
            max_keep(max_keep(outside_sq(query, normal, ab, a, c), outside_sq(query, normal, bc, b, a)),
                     outside_sq(query, normal, ac * -1.0f, c, b));
        apart_sq = (height * height + outside) * kUprightShare;
    } else {
        const Vec3 beyond = max_keep((min - query.center) - body.max, body.min - (max - query.center));
        const float apart = max_keep(max_keep(max_keep(beyond.x, beyond.y), beyond.z), height);
        apart_sq = apart * apart;
    }
    const float far = (query.limit + query.radius) + slack;
    // A square that is not a number proves nothing.
    const bool is_far =
        normal_sq >= kLeastNormalSq && far >= 0.0f && apart_sq > far * far && apart_sq <= FLT_MAX;
    return !is_far;
}

}  // namespace broadside::narrowphase
