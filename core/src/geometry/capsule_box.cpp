#include "core/src/geometry/capsule_box.hpp"

#include "core/src/geometry/box_distance.hpp"
#include "core/src/geometry/exact_distance.hpp"
#include "core/src/geometry/sphere_box.hpp"
#include "core/src/geometry/whole_number.hpp"

namespace broadside::geometry {
namespace {

struct Column {
    double at[3];
};
Column column(Vec3 v) {
    return {{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)}};
}
Column flushed_column(Vec3 v) {
    return column({flush_denormal(v.x), flush_denormal(v.y), flush_denormal(v.z)});
}
double dot(const Column& a, const Column& b) {
    return (a.at[0] * b.at[0] + a.at[1] * b.at[1]) + a.at[2] * b.at[2];
}
double length(const Column& a) { return __builtin_sqrt(dot(a, a)); }

// A segment relative to a box: on each axis, the offsets from its begin to the planes and to its end. The
// squared distance of the point at `s` is convex in s. It is quadratic between the crossings of planes of the
// box, at most six.
struct SegmentBox {
    double below[3];
    double above[3];
    Column along;

    // The segment after the fraction `t` of a displacement.
    SegmentBox(const Capsule& capsule, const Column& displacement, double t, const Aabb& box) {
        const Column min = column(box.min);
        const Column max = column(box.max);
        const Column begin = column(capsule.a);
        const Column end = column(capsule.b);
        for (int axis = 0; axis < 3; ++axis) {
            const double way = t * displacement.at[axis];
            below[axis] = (min.at[axis] - begin.at[axis]) - way;
            above[axis] = (max.at[axis] - begin.at[axis]) - way;
            along.at[axis] = end.at[axis] - begin.at[axis];
        }
    }
    /// The signed distance of the point at `s` from the box on one axis; zero inside.
    double gap(int axis, double s) const {
        const double at = s * along.at[axis];
        return at < below[axis] ? at - below[axis] : at > above[axis] ? at - above[axis] : 0.0;
    }
    Column gap(double s) const { return {{gap(0, s), gap(1, s), gap(2, s)}}; }
    double slope(double s) const { return dot(gap(s), along); }

    /// The `s` nearest to the box, except for rounding.
    double nearest_place() const {
        if (!(slope(0.0) < 0.0)) return 0.0;
        if (!(slope(1.0) > 0.0)) return 1.0;
        // Between two crossings at which the slope has different signs.
        double begin = 0.0;
        double end = 1.0;
        for (int plane = 0; plane < 6; ++plane) {
            const int axis = plane / 2;
            const double s = (plane % 2 == 0 ? below : above)[axis] / along.at[axis];
            if (s > begin && s < end) (slope(s) < 0.0 ? begin : end) = s;
        }
        // The same axes are open throughout that interval.
        const double middle = 0.5 * (begin + end);
        double numerator = 0.0;
        double denominator = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double at = middle * along.at[axis];
            if (at >= below[axis] && at <= above[axis]) continue;
            const double side = at < below[axis] ? below[axis] : above[axis];
            numerator += side * along.at[axis];
            denominator += along.at[axis] * along.at[axis];
        }
        if (!(denominator > 0.0)) return middle;
        const double s = numerator / denominator;
        return s < begin ? begin : s > end ? end : s;
    }
};

// A plane between the segment and the box, given by its normal. The distance of the two along any normal is a
// lower bound of their distance.
struct Separation {
    /// The distance at the start of the step, and its change over the step. Both are scaled by the length of
    /// the normal, as is the radius. All are right within `doubt`.
    double start;
    double change;
    double radius;
    double doubt;

    Separation(const Capsule& capsule, const Column& displacement, const Aabb& box, const Column& normal) {
        const Column min = column(box.min);
        const Column max = column(box.max);
        const Column ends[2] = {column(capsule.a), column(capsule.b)};
        double by_end[2] = {};
        double size = 0.0;
        for (int axis = 0; axis < 3; ++axis) {
            const double n = normal.at[axis];
            // The box may be infinite on this axis.
            if (n == 0.0) continue;
            const double side = n > 0.0 ? max.at[axis] : min.at[axis];
            for (int i = 0; i < 2; ++i) {
                const double way = n * (ends[i].at[axis] - side);
                by_end[i] += way;
                size += magnitude(way);
            }
            size += magnitude(n * displacement.at[axis]);
        }
        start = min_keep(by_end[0], by_end[1]);
        change = dot(normal, displacement);
        radius = static_cast<double>(capsule.radius) * length(normal);
        doubt = (size + radius) * 0x1p-49;
    }
    /// Above zero by more than the doubt: the two are apart.
    double beyond_radius(double t) const { return (start + t * change) - radius; }
};

// True if the point at `s` is within the radius in spite of all rounding.
bool is_surely_within(const Capsule& capsule, const SegmentBox& segment, double s) {
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double at = s * segment.along.at[axis];
        const double size = segment.gap(axis, s);
        if (size == 0.0) {
            // Inside, or outside by rounding.
            const double rounding = magnitude(at) * 0x1p-50;
            sum += rounding * rounding;
            continue;
        }
        const double side = at < segment.below[axis] ? segment.below[axis] : segment.above[axis];
        const double gap = magnitude(size) + (magnitude(at) + magnitude(side)) * 0x1p-50;
        sum += gap * gap;
    }
    const auto radius = static_cast<double>(capsule.radius);
    return sum * (1.0 + 0x1p-48) <= radius * radius;
}

// The segment relative to the box, in whole numbers.
struct WholeSegmentBox {
    WholeNumber below[3];
    WholeNumber above[3];
    WholeNumber along[3];

    WholeSegmentBox(const Capsule& capsule, const Aabb& box) {
        const auto finite = [](float side) { return max_keep(min_keep(side, FLT_MAX), -FLT_MAX); };
        const float begin[3] = {capsule.a.x, capsule.a.y, capsule.a.z};
        const float end[3] = {capsule.b.x, capsule.b.y, capsule.b.z};
        // No point of the segment lies beyond the largest float.
        const float min[3] = {finite(box.min.x), finite(box.min.y), finite(box.min.z)};
        const float max[3] = {finite(box.max.x), finite(box.max.y), finite(box.max.z)};
        for (int axis = 0; axis < 3; ++axis) {
            const WholeNumber from(begin[axis]);
            below[axis] = WholeNumber(min[axis]) - from;
            above[axis] = WholeNumber(max[axis]) - from;
            along[axis] = WholeNumber(end[axis]) - from;
        }
    }
    /// Sign of the slope of the squared distance at numerator / denominator, which is not negative.
    int slope_sign(const WholeNumber& numerator, const WholeNumber& denominator) const {
        WholeNumber slope;
        for (int axis = 0; axis < 3; ++axis) {
            const WholeNumber at = numerator * along[axis];
            const WholeNumber below_at = below[axis] * denominator;
            const WholeNumber above_at = above[axis] * denominator;
            if (compare(at, below_at) < 0) {
                slope = slope + (at - below_at) * along[axis];
            } else if (compare(at, above_at) > 0) {
                slope = slope + (at - above_at) * along[axis];
            }
        }
        return slope.sign();
    }
    /// Sign of the slope where the line crosses a plane. The line must not be parallel to it.
    int slope_sign_at(const WholeNumber& side, int axis) const {
        return along[axis].sign() > 0 ? slope_sign(side, along[axis]) : slope_sign(-side, -along[axis]);
    }
    /// The plane of the box, if any, that the point lies beyond at which the slope changes its sign. Slopes
    /// only grow, so the slopes at the crossings tell which crossings come before that point.
    const WholeNumber* open_side(int axis) const {
        const WholeNumber& low = below[axis];
        const WholeNumber& high = above[axis];
        const int direction = along[axis].sign();
        if (direction == 0) return low.sign() > 0 ? &low : high.sign() < 0 ? &high : nullptr;
        const bool is_before_low = slope_sign_at(low, axis) >= 0;
        const bool is_before_high = slope_sign_at(high, axis) >= 0;
        if (direction > 0) return is_before_low ? &low : is_before_high ? nullptr : &high;
        return is_before_high ? &high : is_before_low ? nullptr : &low;
    }
};

bool is_exactly_within(const Capsule& capsule, const Aabb& box) {
    const WholeSegmentBox segment(capsule, box);
    const WholeNumber zero;
    const WholeNumber one = WholeNumber::one_to(0);
    if (segment.slope_sign(zero, one) >= 0) return compare_distance(box, capsule.a, capsule.radius) <= 0;
    if (segment.slope_sign(one, one) <= 0) return compare_distance(box, capsule.b, capsule.radius) <= 0;
    // The distance of a face, an edge or a corner to a line: |side × along|² / |along|² over the open axes.
    WholeNumber side[3];
    WholeNumber along[3];
    for (int axis = 0; axis < 3; ++axis) {
        const WholeNumber* const open = segment.open_side(axis);
        if (open == nullptr) continue;
        side[axis] = *open;
        along[axis] = segment.along[axis];
    }
    WholeNumber cross_sq;
    WholeNumber along_sq;
    for (int axis = 0; axis < 3; ++axis) {
        const int next = (axis + 1) % 3;
        const WholeNumber cross = side[axis] * along[next] - side[next] * along[axis];
        cross_sq = cross_sq + cross * cross;
        along_sq = along_sq + along[axis] * along[axis];
    }
    const WholeNumber radius(capsule.radius);
    return compare(cross_sq, radius * radius * along_sq) <= 0;
}

// The face, if only one axis has a gap.
Face face_of_gap(const Column& gap) {
    Face face = Face::none;
    int gap_count = 0;
    for (int axis = 0; axis < 3; ++axis) {
        if (gap.at[axis] == 0.0) continue;
        ++gap_count;
        face = static_cast<Face>(static_cast<int>(Face::min_x) + 2 * axis + (gap.at[axis] > 0.0 ? 1 : 0));
    }
    return gap_count == 1 ? face : Face::none;
}

// A lower bound of the time at which the box around the capsule arrives.
double arrival(const Capsule& capsule, const Column& displacement, const Aabb& box) {
    const Column min = column(box.min);
    const Column max = column(box.max);
    const Column a = column(capsule.a);
    const Column b = column(capsule.b);
    const auto radius = static_cast<double>(capsule.radius);
    double t = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        const double d = displacement.at[axis];
        if (d == 0.0) continue;
        const double way = d > 0.0 ? (min.at[axis] - max_keep(a.at[axis], b.at[axis])) - radius
                                   : (min_keep(a.at[axis], b.at[axis]) - max.at[axis]) - radius;
        t = max_keep(way / magnitude(d), t);
    }
    return t * (1.0 - 0x1p-48);
}

Vec3 unit_vector(const Column& v) {
    const double size = length(v);
    if (!(size > 0.0)) return {};
    return {static_cast<float>(v.at[0] / size) + 0.0f, static_cast<float>(v.at[1] / size) + 0.0f,
            static_cast<float>(v.at[2] / size) + 0.0f};
}

// The box of the points within `radius` of a segment, rounded outwards.
Aabb box_around(Vec3 begin, Vec3 end, double radius) {
    const auto min = [&](float a, float b) {
        const auto low = static_cast<double>(min_keep(a, b));
        return padded_min(low - radius, magnitude(low) + radius);
    };
    const auto max = [&](float a, float b) {
        const auto high = static_cast<double>(max_keep(a, b));
        return padded_max(high + radius, magnitude(high) + radius);
    };
    return {{min(begin.x, end.x), min(begin.y, end.y), min(begin.z, end.z)},
            {max(begin.x, end.x), max(begin.y, end.y), max(begin.z, end.z)}};
}

}  // namespace

bool capsule_box_overlap(const Capsule& capsule, const Aabb& box) noexcept {
    if (!is_valid(capsule) || !is_valid(box)) return false;
    const Column at_rest = {};
    const SegmentBox segment(capsule, at_rest, 0.0, box);
    const double s = segment.nearest_place();
    if (is_surely_within(capsule, segment, s)) return true;
    const Separation separation(capsule, at_rest, box, segment.gap(s));
    if (separation.beyond_radius(0.0) > separation.doubt) return false;
    return is_exactly_within(capsule, box);
}

// The distance of a moving convex body to the box is convex in time. A plane between the two bounds the time
// of impact from below: they do not meet before the plane stops separating them. So steps from plane to
// plane, each taken at the nearest points, never pass the first touch. Each step doubles the number of right
// digits; at a graze it adds one bit.
CapsuleBoxImpact capsule_box_impact(const Capsule& capsule, Vec3 displacement, const Aabb& box) noexcept {
    if (!is_finite(displacement) || !is_valid(capsule) || !is_valid(box)) return {};
    if (capsule.a == capsule.b) {
        const SphereBoxImpact impact = sphere_box_impact({capsule.a, capsule.radius}, displacement, box);
        return {impact.toi, impact.face, impact.has_hit};
    }
    if (capsule_box_overlap(capsule, box)) return {0.0f, Face::none, true};
    const Column d = flushed_column(displacement);
    double t = arrival(capsule, d, box);
    if (t > 1.0) return {};
    Face face = Face::none;
    constexpr int kMaxSteps = 100;
    for (int step = 0; step < kMaxSteps; ++step) {
        const SegmentBox segment(capsule, d, t, box);
        const Column gap = segment.gap(segment.nearest_place());
        face = face_of_gap(gap);
        const Separation separation(capsule, d, box, gap);
        const double beyond = separation.beyond_radius(t);
        if (!(beyond > 2.0 * separation.doubt)) break;
        // Apart now and at the end, and so between.
        if (separation.beyond_radius(1.0) > separation.doubt) return {};
        const double next = t + (beyond - separation.doubt) / -separation.change;
        if (!(next > t)) break;
        t = min_keep(next, 1.0);
    }
    return {time_after_start(t), face, true};
}

Vec3 sphere_box_normal(const Sphere& sphere, Vec3 displacement, float t, const Aabb& box) noexcept {
    if (!is_valid(box) || !is_valid(sphere) || !is_finite(displacement) || !is_finite(t)) return {};
    const Column center = column(sphere.center);
    const Column d = flushed_column(displacement);
    const Column min = column(box.min);
    const Column max = column(box.max);
    Column gap;
    for (int axis = 0; axis < 3; ++axis) {
        const double place = center.at[axis] + d.at[axis] * static_cast<double>(t);
        gap.at[axis] = place - min_keep(max.at[axis], max_keep(min.at[axis], place));
    }
    return unit_vector(gap);
}
Vec3 capsule_box_normal(const Capsule& capsule, Vec3 displacement, float t, const Aabb& box) noexcept {
    if (!is_valid(box) || !is_valid(capsule) || !is_finite(displacement) || !is_finite(t)) return {};
    if (capsule.a == capsule.b) return sphere_box_normal({capsule.a, capsule.radius}, displacement, t, box);
    const SegmentBox segment(capsule, flushed_column(displacement), static_cast<double>(t), box);
    return unit_vector(segment.gap(segment.nearest_place()));
}

Aabb bounds_outwards(const Capsule& capsule) noexcept {
    return box_around(capsule.a, capsule.b, static_cast<double>(capsule.radius));
}

nodes::SphereQuery swept_query(const Sphere& sphere, Vec3 displacement, float t_max) noexcept {
    const Aabb box = box_around(sphere.center, sphere.center, static_cast<double>(sphere.radius));
    return {nodes::slab_query(box, displacement, is_valid(sphere) ? t_max : -1.0f)};
}
nodes::SphereQuery swept_query(const Capsule& capsule, Vec3 displacement, float t_max) noexcept {
    const Aabb box = bounds_outwards(capsule);
    return {nodes::slab_query(box, displacement, is_valid(capsule) ? t_max : -1.0f)};
}
nodes::SphereQuery swept_query(const Capsule& capsule) noexcept {
    // Uses half the displacement, which does not overflow, with room for its rounding.
    const Vec3 half_way = capsule.b * 0.5f - capsule.a * 0.5f;
    const auto size = [](Vec3 v) {
        return static_cast<double>(max_keep(absolute(v.x), max_keep(absolute(v.y), absolute(v.z))));
    };
    // The distance between the ends would exceed the range of floats, so take the bounds of the whole
    // capsule, at rest.
    if (size(half_way) >= 0x1p126)
        return {nodes::slab_query(bounds_outwards(capsule), {}, is_valid(capsule) ? 1.0f : -1.0f)};
    const double rounding =
        (size(capsule.a) + size(capsule.b)) * 0x1p-22 + 4.0 * static_cast<double>(FLT_MIN);
    const Aabb box = box_around(capsule.a, capsule.a, static_cast<double>(capsule.radius) + rounding);
    nodes::SphereQuery query = {nodes::slab_query(box, half_way, is_valid(capsule) ? 1.0f : -1.0f)};
    query.slabs.t_max *= 2.0f;
    return query;
}

CapsuleBoxImpact capsule_cast_hit(const Capsule& capsule, Vec3 displacement, float t_max,
                                  const Aabb& box) noexcept {
    const nodes::SphereQuery query = swept_query(capsule, displacement, t_max);
    if (!nodes::test(query, box, query.slabs.t_max).meets) return {};
    const CapsuleBoxImpact impact = capsule_box_impact(capsule, displacement, box);
    return impact.has_hit && impact.toi <= query.slabs.t_max ? impact : CapsuleBoxImpact{};
}

}  // namespace broadside::geometry
