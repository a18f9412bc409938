// One moving box against many at rest, over lanes: everything independent of the other box is computed once.
#pragma once

#include "core/src/geometry/may_underflow.hpp"
#include "narrowphase/src/moving_box/moving_aabb_lanes.hpp"

namespace broadside::narrowphase {

/// One axis of the mover. Its direction is known, so near and far are a choice of arrays.
struct MoverAxis {
    const float* near_planes;
    const float* far_planes;
    /// The mover's planes that meet them.
    float near_side;
    float far_side;
    float inv_displacement;
    Face face;
};
BROADSIDE_FORCE_INLINE MoverAxis mover_axis(const float* planes_min, const float* planes_max, float min,
                                            float max, float displacement, Face min_face) {
    const float d = flush_denormal(displacement);
    const Face face = reached_face(d, min_face);
    return has_sign_bit(d) ? MoverAxis{planes_max, planes_min, min, max, 1.0f / d, face}
                           : MoverAxis{planes_min, planes_max, max, min, 1.0f / d, face};
}
BROADSIDE_FORCE_INLINE bool may_underflow(const MoverAxis& axis) {
    return broadside::may_underflow(axis.near_side, axis.inv_displacement) ||
           broadside::may_underflow(axis.far_side, axis.inv_displacement);
}
/// Whether the distance to some box is infinity minus infinity.
BROADSIDE_FORCE_INLINE bool is_unbounded(const MoverAxis& axis) {
    return !is_finite(axis.near_side) || !is_finite(axis.far_side);
}
BROADSIDE_FORCE_INLINE bool rests(const MoverAxis& axis) { return !is_finite(axis.inv_displacement); }

struct OneMover {
    MoverAxis x, y, z;
    /// The original query, as the specification takes it.
    Aabb box;
    Vec3 displacement;
    /// is_valid(mover) && is_finite(displacement)
    bool is_legal;
    /// Whether one of its times may underflow.
    bool is_tiny;
};

/// slab_times of one axis over lanes.
template <class Arch>
struct MoverTimesW {
    simd::FloatW<Arch> t_near;
    simd::FloatW<Arch> t_far;
};
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE MoverTimesW<Arch> slab_times(const MoverAxis& axis, std::size_t first, Group group) {
    using namespace simd;
    constexpr float kNoPlane = __builtin_nanf("");
    const FloatW<Arch> inv_displacement = broadcast<Arch>(axis.inv_displacement);
    // t_near = (moves_down ? s_max - m_min : s_min - m_max) * inv_displacement
    const FloatW<Arch> to_near =
        group.load(axis.near_planes + first, kNoPlane) - broadcast<Arch>(axis.near_side);
    // t_far = (moves_down ? s_min - m_max : s_max - m_min) * inv_displacement
    const FloatW<Arch> to_far =
        group.load(axis.far_planes + first, kNoPlane) - broadcast<Arch>(axis.far_side);
    return {to_near * inv_displacement, to_far * inv_displacement};
}

/// One lane: first_impact_scalar of one box at rest and the mover. Some movers need care. If a side of the
/// mover is at infinity, the distance to a box at infinity is infinity minus infinity; other movers miss such
/// a box. A mover that rests on an axis and touches there gives 0·infinity. Both are NaN. Under a closed
/// policy NaN counts as a touch, so boxes have to be fully valid; under an open one it does not, so times
/// have to be in order. If a time may underflow, the specification decides impacts at 0. Padding lanes hold
/// NaN boxes. A group costs 6 subtractions, 6 multiplications, 6 min and max, 4 comparisons or more.
template <class Arch, Touch kTouch, bool kWithFaces, bool kNeedsCare>
BROADSIDE_FORCE_INLINE void one_mover_lanes(const OneMover& mover, const BoxSoaView& resting, float* out_toi,
                                            Face* out_faces) {
    using namespace simd;
    // Copies: writing results might alias the originals.
    const OneMover m = mover;
    const BoxSoaView boxes = resting;
    for_each_group_to<Arch>(out_toi, boxes.count, [&](std::size_t first, auto group) {
        const MoverTimesW<Arch> x = slab_times<Arch>(m.x, first, group);
        const MoverTimesW<Arch> y = slab_times<Arch>(m.y, first, group);
        const MoverTimesW<Arch> z = slab_times<Arch>(m.z, first, group);
        // t_enter = max_keep(x.t_near, 0), t_leave = min_keep(x.t_far, 1), and so on with y and z
        const FloatW<Arch> t_enter =
            max_keep(z.t_near, max_keep(y.t_near, max_keep(x.t_near, broadcast<Arch>(0.0f))));
        const FloatW<Arch> t_leave =
            min_keep(z.t_far, min_keep(y.t_far, min_keep(x.t_far, broadcast<Arch>(1.0f))));
        const BoxW<Arch> s = load_boxes<Arch>(boxes, first, group);
        // is_valid(stationary)
        MaskW<Arch> has_impact = (s.min.x <= s.max.x) & (s.min.y <= s.max.y) & (s.min.z <= s.max.z);
        if constexpr (kNeedsCare && kTouch == Touch::closed) has_impact = is_valid(s);
        if constexpr (kNeedsCare) has_impact = has_impact & broadcast_mask<Arch>(m.is_legal);
        // closed: t_enter <= t_leave, open: t_enter < t_leave
        has_impact = has_impact & (kTouch == Touch::closed ? t_enter <= t_leave : t_enter < t_leave);
        // x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far
        if constexpr (kNeedsCare && kTouch == Touch::open) {
            has_impact = has_impact & (x.t_near <= x.t_far) & (y.t_near <= y.t_far) & (z.t_near <= z.t_far);
        }
        ImpactW<Arch> impact = reported_impact<kWithFaces>(
            has_impact, t_enter, x.t_near == t_enter, broadcast_face<Arch>(m.x.face), y.t_near == t_enter,
            broadcast_face<Arch>(m.y.face), z.t_near == t_enter, broadcast_face<Arch>(m.z.face));
        if constexpr (kNeedsCare) {
            if (m.is_tiny) {
                const FloatW<Arch> zero = broadcast<Arch>(0.0f);
                const MaskW<Arch> is_at_start = (s.min.x <= s.max.x) & (t_enter == zero) & (t_leave >= zero);
                const auto answer = [&](std::uint32_t lane) {
                    return first_impact_scalar(boxes[first + lane], m.box, m.displacement, kTouch);
                };
                answer_lanes(bits(is_at_start), answer, impact);
            }
        }
        store_impacts<kWithFaces>(out_toi, out_faces, first, group, impact);
    });
}

template <class Arch>
void one_mover_kernel(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting, Touch touch,
                      float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < resting.count; ++i) {
            const Impact impact = first_impact_scalar(resting[i], mover, displacement, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else {
        const MoverAxis x =
            mover_axis(resting.min_x, resting.max_x, mover.min.x, mover.max.x, displacement.x, Face::min_x);
        const MoverAxis y =
            mover_axis(resting.min_y, resting.max_y, mover.min.y, mover.max.y, displacement.y, Face::min_y);
        const MoverAxis z =
            mover_axis(resting.min_z, resting.max_z, mover.min.z, mover.max.z, displacement.z, Face::min_z);
        const bool is_legal = is_valid(mover) && is_finite(displacement);
        const bool is_tiny = may_underflow(x) || may_underflow(y) || may_underflow(z);
        const bool needs_order = touch == Touch::open && (rests(x) || rests(y) || rests(z));
        const bool needs_care =
            !is_legal || is_tiny || needs_order || is_unbounded(x) || is_unbounded(y) || is_unbounded(z);
        const OneMover one = {x, y, z, mover, displacement, is_legal, is_tiny};
        choose_form(touch, out_faces, [&](auto policy, auto with_faces) {
            if (needs_care)
                one_mover_lanes<Arch, policy.value, with_faces.value, true>(one, resting, out_toi, out_faces);
            else
                one_mover_lanes<Arch, policy.value, with_faces.value, false>(one, resting, out_toi,
                                                                             out_faces);
        });
    }
}

}  // namespace broadside::narrowphase
