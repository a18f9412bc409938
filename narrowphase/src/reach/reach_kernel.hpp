// Finds the triangles that a moving body may come near to, by bounds of the gap. Few then need exact tests.
// With one lane, the specification. Witness: the gaps in doubles of tests/stage/mover_reach_test.cpp.
#pragma once

#include "narrowphase/src/reach/kernels.hpp"
#include "simd/src/geometry.hpp"

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

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> size_sum(const simd::Vec3W<Arch>& a) {
    return (absolute(a.x) + absolute(a.y)) + absolute(a.z);
}

/// A query in every lane.
template <class Arch>
struct ReachQueryW {
    simd::BoxW<Arch> box;
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> way;
    simd::Vec3W<Arch> half_extent;
    simd::Vec3W<Arch> half_axis;
    /// See ReachBody.
    simd::Vec3W<Arch> min;
    simd::Vec3W<Arch> max;
};

/// Squared distance by which the body stays outside the edge from `a`, opposite to the whole triangle. The
/// normal of a needle may have any direction, and so not be perpendicular to the edge.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> outside_sq(const ReachQueryW<Arch>& query,
                                                     const simd::Vec3W<Arch>& normal,
                                                     const simd::Vec3W<Arch>& edge,
                                                     const simd::Vec3W<Arch>& a,
                                                     const simd::Vec3W<Arch>& opposite) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const Vec3W<Arch> outward = cross(edge, normal);
    const FloatW<Arch> outward_sq = dot(outward, outward);
    const FloatW<Arch> along = dot(outward, query.way);
    const FloatW<Arch> body = min_keep(along, zero) - absolute(dot(outward, query.half_axis));
    const FloatW<Arch> gap = body - max_keep(dot(outward, a), dot(outward, opposite));
    // outward_sq >= kLeastNormalSq && outward_sq >= 0.5f * dot(edge, edge) && gap > 0.0f
    const MaskW<Arch> counts = (outward_sq >= broadcast<Arch>(kLeastNormalSq)) &
                               (outward_sq >= broadcast<Arch>(0.5f) * dot(edge, edge)) & (gap > zero);
    return select(counts, gap * gap / outward_sq, zero);
}

/// One lane: may the body come near to the triangle? Lanes past the end hold NaN, which meets no box.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t near_lanes(const ReachBody& body, const ReachQueryW<Arch>& query,
                                                const simd::Vec3W<Arch>& corner_a,
                                                const simd::Vec3W<Arch>& corner_b,
                                                const simd::Vec3W<Arch>& corner_c) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const BoxW<Arch> box = {min_keep(min_keep(corner_a, corner_b), corner_c),
                            max_keep(max_keep(corner_a, corner_b), corner_c)};
    // if (!meets_box) false
    const MaskW<Arch> meets_box = intervals_meet(box, query.box);
    if (none(meets_box)) return 0;
    const Vec3W<Arch> a = corner_a - query.center;
    const Vec3W<Arch> b = corner_b - query.center;
    const Vec3W<Arch> c = corner_c - query.center;
    const FloatW<Arch> size = ((size_sum(a) + size_sum(b)) + size_sum(c)) + broadcast<Arch>(body.size);
    const FloatW<Arch> slack = size * broadcast<Arch>(kReachShare) + broadcast<Arch>(body.place_slack);
    const Vec3W<Arch> ab = b - a;
    const Vec3W<Arch> ac = c - a;
    const Vec3W<Arch> bc = c - b;
    const Vec3W<Arch> upright = cross(ab, ac);
    const FloatW<Arch> normal_sq = dot(upright, upright);
    const FloatW<Arch> inv_length = broadcast<Arch>(1.0f) / square_root(normal_sq);
    const Vec3W<Arch> normal = {upright.x * inv_length, upright.y * inv_length, upright.z * inv_length};

    const FloatW<Arch> at_a = dot(normal, a);
    const FloatW<Arch> at_b = dot(normal, b);
    const FloatW<Arch> at_c = dot(normal, c);
    const FloatW<Arch> along = dot(normal, query.way);
    const Vec3W<Arch>& h = query.half_extent;
    // How far the body reaches along the normal, to both sides of its center, without its radius.
    const FloatW<Arch> reach =
        absolute(dot(normal, query.half_axis)) +
        ((h.x * absolute(normal.x) + h.y * absolute(normal.y)) + h.z * absolute(normal.z));
    const FloatW<Arch> below = min_keep(min_keep(at_a, at_b), at_c) - (max_keep(along, zero) + reach);
    const FloatW<Arch> above = (min_keep(along, zero) - reach) - max_keep(max_keep(at_a, at_b), at_c);
    const FloatW<Arch> height = max_keep(max_keep(below, above), zero);
    FloatW<Arch> apart_sq;
    if (body.query.is_round) {
        const FloatW<Arch> minus_one = broadcast<Arch>(-1.0f);
        const Vec3W<Arch> ca = {ac.x * minus_one, ac.y * minus_one, ac.z * minus_one};
        const FloatW<Arch> outside =
            max_keep(max_keep(outside_sq(query, normal, ab, a, c), outside_sq(query, normal, bc, b, a)),
                     outside_sq(query, normal, ca, c, b));
        apart_sq = (height * height + outside) * broadcast<Arch>(kUprightShare);
    } else {
        const Vec3W<Arch> beyond =
            max_keep((box.min - query.center) - query.max, query.min - (box.max - query.center));
        const FloatW<Arch> apart = max_keep(max_keep(max_keep(beyond.x, beyond.y), beyond.z), height);
        apart_sq = apart * apart;
    }
    const FloatW<Arch> far = broadcast<Arch>(body.query.limit + body.query.radius) + slack;
    // A square that is not a number proves nothing.
    // normal_sq >= kLeastNormalSq && far >= 0.0f && apart_sq > far * far && apart_sq <= FLT_MAX
    const MaskW<Arch> is_far = (normal_sq >= broadcast<Arch>(kLeastNormalSq)) & (far >= zero) &
                               (apart_sq > far * far) & (apart_sq <= broadcast<Arch>(FLT_MAX));
    return bits(meets_box & ~is_far);
}

template <class Arch>
void near_bits_kernel(const ReachQuery& query, const TriangleSoaView& triangles, std::uint64_t* out_bits) {
    const ReachBody body(query);
    simd::BitWriter writer(out_bits);
    using namespace simd;
    const ReachQueryW<Arch> query_w = {broadcast<Arch>(query.box),       broadcast<Arch>(query.center),
                                       broadcast<Arch>(query.way),       broadcast<Arch>(query.half_extent),
                                       broadcast<Arch>(query.half_axis), broadcast<Arch>(body.min),
                                       broadcast<Arch>(body.max)};
    simd::for_each_any_group<Arch>(triangles.count, [&](std::size_t first, auto group) {
        const auto corner = [&](const float* x, const float* y, const float* z) {
            constexpr float kNone = __builtin_nanf("");
            return Vec3W<Arch>{group.load(x + first, kNone), group.load(y + first, kNone),
                               group.load(z + first, kNone)};
        };
        const std::uint32_t lanes =
            near_lanes<Arch>(body, query_w, corner(triangles.a_x, triangles.a_y, triangles.a_z),
                             corner(triangles.b_x, triangles.b_y, triangles.b_z),
                             corner(triangles.c_x, triangles.c_y, triangles.c_z));
        writer.write(first, lanes, group.count);
    });
    writer.finish();
}

}  // namespace broadside::narrowphase
