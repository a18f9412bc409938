// The first touch of a sphere that moves along a straight line with a box at rest.
#pragma once

#include "core/src/geometry/exact_distance.hpp"

#include <broadside/face.hpp>
#include <broadside/no_intersection.hpp>
#include <broadside/sphere.hpp>

namespace broadside {

struct SphereBoxImpact {
    float toi = kNoIntersection;
    /// The face of the box. None at an edge or a corner, and for an overlap at the start.
    Face face = Face::none;
    bool has_hit = false;
};

/// The time for shapes that are apart at the start: never 0, which means that they are not.
inline float time_after_start(double t) { return max_keep(static_cast<float>(t), FLT_TRUE_MIN); }

/// The gap between the center of the sphere and the box along one axis, as a function of time. It closes at
/// `t_in`, stays zero until `t_out` and opens on the other side.
struct AxisGap {
    double displacement;
    /// The signed distances, at the start, to the plane that is met first and to the other one.
    double near_gap;
    double far_gap;
    double t_in;
    double t_out;

    BROADSIDE_FORCE_INLINE static AxisGap of(float min, float max, float center, float displacement_in) {
        const double infinity = __builtin_inf();
        const double displacement = static_cast<double>(flush_denormal(displacement_in));
        const double below = static_cast<double>(min) - static_cast<double>(center);
        const double above = static_cast<double>(max) - static_cast<double>(center);
        if (displacement > 0.0)
            return {displacement, below, above, below / displacement, above / displacement};
        if (displacement < 0.0)
            return {displacement, above, below, above / displacement, below / displacement};
        // At rest on this axis: always before the plane, behind it from the start, or between the two.
        if (below > 0.0) return {0.0, below, above, infinity, infinity};
        if (above < 0.0) return {0.0, below, above, -infinity, -infinity};
        return {0.0, below, above, -infinity, infinity};
    }
    /// True if the center is outside the planes from `begin` to `end`, between which it crosses none.
    BROADSIDE_FORCE_INLINE bool is_open(double begin, double end) const {
        return end <= t_in || begin >= t_out;
    }
    /// The side of the box that an open gap is on.
    BROADSIDE_FORCE_INLINE bool is_beyond_max(double end) const {
        if (end <= t_in) return near_gap < 0.0;
        return displacement != 0.0 ? displacement > 0.0 : far_gap < 0.0;
    }
    /// The gap at the start that, at this speed, gives the gap of that time.
    BROADSIDE_FORCE_INLINE double start_gap(double end) const { return end <= t_in ? near_gap : far_gap; }
    BROADSIDE_FORCE_INLINE double gap(double t) const {
        return t < t_in ? near_gap - t * displacement : t > t_out ? far_gap - t * displacement : 0.0;
    }
};

/// The quadratic |e - t·d|² = r² over the axes with a gap. It holds between two times at which the center
/// crosses planes of the box.
struct PieceQuadratic {
    double beyond = 0.0;
    double approach = 0.0;
    double speed_sq = 0.0;
    double discriminant = 0.0;
};
inline PieceQuadratic piece_quadratic(const AxisGap (&gaps)[3], double begin, double end, double radius) {
    double e[3] = {};
    double d[3] = {};
    for (int i = 0; i < 3; ++i) {
        if (!gaps[i].is_open(begin, end)) continue;
        e[i] = gaps[i].start_gap(end);
        d[i] = gaps[i].displacement;
    }
    const double x = e[1] * d[2] - e[2] * d[1];
    const double y = e[2] * d[0] - e[0] * d[2];
    const double z = e[0] * d[1] - e[1] * d[0];
    PieceQuadratic quadratic;
    quadratic.beyond = ((e[0] * e[0] + e[1] * e[1]) + e[2] * e[2]) - radius * radius;
    quadratic.approach = (e[0] * d[0] + e[1] * d[1]) + e[2] * d[2];
    quadratic.speed_sq = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
    quadratic.discriminant = quadratic.speed_sq * (radius * radius) - ((x * x + y * y) + z * z);
    return quadratic;
}

/// The squared distance of the sphere's center at `t`.
inline double distance_sq_at(const AxisGap (&gaps)[3], double t) {
    const double x = gaps[0].gap(t);
    const double y = gaps[1].gap(t);
    const double z = gaps[2].gap(t);
    return (x * x + y * y) + z * z;
}

/// The face, if at `t` (in the piece up to `end`) the sphere is beyond one axis only. A sphere without radius
/// has no gap left when it touches, so the piece decides.
inline Face face_at(const AxisGap (&gaps)[3], double begin, double end, double t) {
    Face face_of_gap = Face::none;
    Face face_of_piece = Face::none;
    int gap_count = 0;
    int open_count = 0;
    for (int i = 0; i < 3; ++i) {
        if (!gaps[i].is_open(begin, end)) continue;
        const bool is_beyond_max = gaps[i].is_beyond_max(end);
        const auto face = static_cast<Face>(static_cast<int>(Face::min_x) + 2 * i + (is_beyond_max ? 1 : 0));
        ++open_count;
        face_of_piece = face;
        if (gaps[i].gap(t) == 0.0) continue;
        ++gap_count;
        face_of_gap = face;
    }
    if (gap_count == 1) return face_of_gap;
    return gap_count == 0 && open_count == 1 ? face_of_piece : Face::none;
}

/// The sphere meets the box when its center enters the box rounded by the radius. The squared distance to the
/// box is convex in time, and quadratic between the times at which the center crosses planes of the box, at
/// most six. Searches piece by piece for the first one that reaches the radius, each by the root that does
/// not cancel (see moving_sphere_scalar.hpp). The end of a piece is tested itself, so rounding cannot lose a
/// touch there. Double precision; the differences are exact for floats of similar size.
///
/// The result is never before the bounds of the sphere meet the box, which tree walks prune by.
inline SphereBoxImpact sphere_box_impact(const Sphere& sphere, Vec3 displacement, const Aabb& box) {
    if (!is_valid(box) || !is_valid(sphere) || !is_finite(displacement)) return {};
    const auto radius = static_cast<double>(sphere.radius);
    const double radius_sq = radius * radius;
    if (geometry::Reach(sphere.radius).holds(box, sphere.center, distance_sq(box, sphere.center)))
        return {0.0f, Face::none, true};

    const AxisGap gaps[3] = {
        AxisGap::of(box.min.x, box.max.x, sphere.center.x, displacement.x),
        AxisGap::of(box.min.y, box.max.y, sphere.center.y, displacement.y),
        AxisGap::of(box.min.z, box.max.z, sphere.center.z, displacement.z),
    };
    // The time at which the bounds of the sphere reach the box on every axis.
    double t_first = 0.0;
    for (const AxisGap& gap : gaps) {
        if (gap.displacement == 0.0) continue;
        t_first = max_keep(gap.t_in - radius / magnitude(gap.displacement), t_first);
    }

    double begin = 0.0;
    while (begin < 1.0) {
        double end = 1.0;
        for (const AxisGap& gap : gaps) {
            if (gap.t_in > begin) end = min_keep(gap.t_in, end);
            if (gap.t_out > begin) end = min_keep(gap.t_out, end);
        }
        const PieceQuadratic quadratic = piece_quadratic(gaps, begin, end, radius);
        // Receding already, and convex, so it will not come nearer again.
        if (!(quadratic.approach > begin * quadratic.speed_sq)) return {};
        const bool is_met_at_end = distance_sq_at(gaps, end) <= radius_sq;
        const bool has_roots = quadratic.discriminant >= 0.0;
        const double root = has_roots ? __builtin_sqrt(quadratic.discriminant) : 0.0;
        const double t = quadratic.beyond / (quadratic.approach + root);
        const bool is_met_before = has_roots && t <= end && quadratic.approach <= end * quadratic.speed_sq;
        if (is_met_at_end || is_met_before) {
            const double inside = has_roots ? min_keep(max_keep(t, begin), end) : end;
            const double toi = min_keep(max_keep(inside, t_first), 1.0);
            return {time_after_start(toi), face_at(gaps, begin, end, inside), true};
        }
        if (quadratic.approach <= end * quadratic.speed_sq) return {};
        begin = end;
    }
    return {};
}

}  // namespace broadside
