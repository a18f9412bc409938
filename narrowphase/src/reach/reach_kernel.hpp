// Finds the triangles that a moving body may come near to, many at a time. Explanation: reach_scalar.hpp.
#pragma once

#include "narrowphase/src/reach/reach_scalar.hpp"
#include "simd/src/geometry.hpp"

namespace broadside::narrowphase {

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
    // normal_sq >= kLeastNormalSq && far >= 0.0f && apart_sq > far * far && apart_sq <= FLT_MAX
    const MaskW<Arch> is_far = (normal_sq >= broadcast<Arch>(kLeastNormalSq)) & (far >= zero) &
                               (apart_sq > far * far) & (apart_sq <= broadcast<Arch>(FLT_MAX));
    return bits(meets_box & ~is_far);
}

template <class Arch>
void near_bits_kernel(const ReachQuery& query, const TriangleSoaView& triangles, std::uint64_t* out_bits) {
    const ReachBody body(query);
    simd::BitWriter writer(out_bits);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < triangles.count; ++i)
            writer.write(i, may_come_near_scalar(body, triangles[i]) ? 1u : 0u, 1);
    } else {
        using namespace simd;
        const ReachQueryW<Arch> query_w = {
            broadcast<Arch>(query.box),         broadcast<Arch>(query.center),    broadcast<Arch>(query.way),
            broadcast<Arch>(query.half_extent), broadcast<Arch>(query.half_axis), broadcast<Arch>(body.min),
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
    }
    writer.finish();
}

}  // namespace broadside::narrowphase
