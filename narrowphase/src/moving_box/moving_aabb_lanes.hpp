// When two moving boxes meet, one pair per lane: line by line moving_aabb_scalar.hpp, which explains it.
#pragma once

#include <broadside/moving_aabb.hpp>

#include "core/src/geometry/moving_aabb_scalar.hpp"
#include "narrowphase/src/batch/face_lanes.hpp"
#include "simd/src/geometry.hpp"

#include <type_traits>

namespace broadside::narrowphase {

/// Calls `body(touch, with_faces)` with both as integral constants, so that each form is a loop of its own.
template <class Body>
BROADSIDE_FORCE_INLINE void choose_form(Touch touch, const Face* out_faces, Body&& body) {
    using Closed = std::integral_constant<Touch, Touch::closed>;
    using Open = std::integral_constant<Touch, Touch::open>;
    if (touch == Touch::closed) {
        if (out_faces == nullptr)
            body(Closed{}, std::false_type{});
        else
            body(Closed{}, std::true_type{});
    } else {
        if (out_faces == nullptr)
            body(Open{}, std::false_type{});
        else
            body(Open{}, std::true_type{});
    }
}

template <class Arch>
struct ImpactW {
    simd::FloatW<Arch> toi;
    simd::IntW<Arch> face;
};

/// Recomputes the lanes of `lane_bits` by the specification, with `answer(lane)`. Needed if a deciding time
/// is zero, because a time that underflows has lost its sign (see impact_at_start).
template <class Arch, class Answer>
BROADSIDE_FORCE_INLINE void answer_lanes(std::uint32_t lane_bits, Answer&& answer, ImpactW<Arch>& state) {
    if (lane_bits == 0) [[likely]]
        return;
    alignas(64) float toi[Arch::kLanes];
    alignas(64) std::int32_t faces[Arch::kLanes];
    simd::store_unaligned(toi, state.toi);
    simd::store_unaligned(faces, state.face);
    for (std::uint32_t rest = lane_bits; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        const Impact answered = answer(lane);
        toi[lane] = answered.toi;
        faces[lane] = static_cast<std::int32_t>(answered.face);
    }
    state.toi = simd::load_aligned<Arch>(toi);
    state.face = simd::load_unaligned_int<Arch>(faces);
}

/// The impact at t_enter in the lanes of `has_impact`, with the face of the first axis that has this time.
template <bool kWithFaces, class Arch>
BROADSIDE_FORCE_INLINE ImpactW<Arch> reported_impact(simd::MaskW<Arch> has_impact, simd::FloatW<Arch> t_enter,
                                                     simd::MaskW<Arch> is_x, simd::IntW<Arch> face_x,
                                                     simd::MaskW<Arch> is_y, simd::IntW<Arch> face_y,
                                                     simd::MaskW<Arch> is_z, simd::IntW<Arch> face_z) {
    using namespace simd;
    const IntW<Arch> none = broadcast_face<Arch>(Face::none);
    const FloatW<Arch> toi = select(has_impact, t_enter, broadcast<Arch>(kNoIntersection));
    if constexpr (!kWithFaces) return {toi, none};
    // if (x.t_near == t_enter) face of x; else y; else z; else none
    const IntW<Arch> if_z = select(is_z, face_z, none);
    const IntW<Arch> if_y = select(is_y, face_y, if_z);
    const IntW<Arch> if_x = select(is_x, face_x, if_y);
    return {toi, select(has_impact, if_x, none)};
}
template <bool kWithFaces, class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_impacts(float* out_toi, Face* out_faces, std::size_t first, Group group,
                                          const ImpactW<Arch>& impact) {
    group.store(out_toi + first, impact.toi);
    if constexpr (kWithFaces) simd::store_bytes(out_faces + first, group, impact.face);
}

/// One axis of a pair: how far m is outside the min and the max face of s, and its displacement. `is_legal`
/// requires valid boxes and a finite displacement; it may also be false for a certain miss.
template <class Arch>
struct PairAxisW {
    simd::FloatW<Arch> below_min;
    simd::FloatW<Arch> above_max;
    simd::FloatW<Arch> displacement;
    simd::MaskW<Arch> is_legal;
};
template <class Arch>
BROADSIDE_FORCE_INLINE PairAxisW<Arch> pair_axis(simd::FloatW<Arch> s_min, simd::FloatW<Arch> s_max,
                                                 simd::FloatW<Arch> m_min, simd::FloatW<Arch> m_max,
                                                 simd::FloatW<Arch> displacement) {
    using namespace simd;
    const FloatW<Arch> below_min = s_min - m_max;
    const FloatW<Arch> above_max = m_min - s_max;
    // The first two comparisons refuse NaN and inverted sides. The sum is minus the edges of both boxes, so
    // at most zero. It is NaN for a slab at infinity: m is infinitely far outside one face and inside the
    // other, a miss whatever the motion, or a difference is infinity minus infinity. It is NaN too for finite
    // boxes whose gap overflows, which miss.
    const MaskW<Arch> is_legal = ((s_min <= s_max) & (m_min <= m_max)) &
                                 ((below_min + above_max <= broadcast<Arch>(0.0f)) & is_finite(displacement));
    return {below_min, above_max, displacement, is_legal};
}

/// slab_times with the signs of both factors flipped if m moves down, so that a time that underflows keeps
/// the sign of its distance. The time of parting is kept negative, which saves an operation.
///
/// A displacement that counts as zero keeps its sign here. No result depends on it: overlapping slabs last
/// from -infinity to +infinity, separated ones never meet, and NaN stays neutral.
template <class Arch>
struct SlabTimesW {
    simd::FloatW<Arch> t_near;
    simd::FloatW<Arch> minus_t_far;
};
template <bool kWithFaces, class Arch>
BROADSIDE_FORCE_INLINE SlabTimesW<Arch> slab_times(const PairAxisW<Arch>& axis) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    // inv_displacement = 1 / flush_denormal(displacement)
    const FloatW<Arch> size = absolute(axis.displacement);
    const FloatW<Arch> inv = broadcast<Arch>(1.0f) / select(size < broadcast<Arch>(FLT_MIN), zero, size);
    // t_near = (moves_down ? to_max_face : to_min_face) * inv_displacement
    FloatW<Arch> way_in = select_by_sign(axis.displacement, axis.above_max, axis.below_min);
    // -0 - +0 is -0, which is a touch too.
    if constexpr (kWithFaces) way_in = way_in + zero;
    // t_far = (moves_down ? to_min_face : to_max_face) * inv_displacement
    const FloatW<Arch> past = select_by_sign(axis.displacement, axis.below_min, axis.above_max);
    return {way_in * inv, past * inv};
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> reached_face(simd::FloatW<Arch> displacement, Face min_face,
                                                     Face max_face) {
    return select(has_sign_bit(displacement), broadcast_face<Arch>(max_face), broadcast_face<Arch>(min_face));
}

/// Three axes, in the form that first_impact_lanes takes.
template <class Arch>
struct PairAxesW {
    PairAxisW<Arch> axis_x, axis_y, axis_z;

    BROADSIDE_FORCE_INLINE const PairAxisW<Arch>& x() const { return axis_x; }
    BROADSIDE_FORCE_INLINE const PairAxisW<Arch>& y() const { return axis_y; }
    BROADSIDE_FORCE_INLINE const PairAxisW<Arch>& z() const { return axis_z; }
};

/// One lane: first_impact_scalar of one pair. `axes` supplies x, y and z in this order, each consumed before
/// the next, so that loads from many arrays stay in registers. An axis costs a division, 2 multiplications, 2
/// min or max, 5 comparisons. Padding lanes hold NaN boxes, which have no impact.
///
/// At the start, m's distance into a slab is +0 if they touch, so its time is +0. The time is -0 if they
/// overlap by an amount that underflows; so faces are compared by bits. The distance out has the opposite
/// zeros, and -0 may be a touch or past it: the specification decides a zero exit, by `answer(lane)`.
template <class Arch, Touch kTouch, bool kWithFaces, class Axes, class Answer>
BROADSIDE_FORCE_INLINE ImpactW<Arch> first_impact_lanes(const Axes& axes, Answer&& answer) {
    using namespace simd;
    const PairAxisW<Arch>& axis_x = axes.x();
    const SlabTimesW<Arch> x = slab_times<kWithFaces>(axis_x);
    // t_enter = max_keep(x.t_near, 0), t_leave = min_keep(x.t_far, 1)
    FloatW<Arch> t_enter = max_keep(x.t_near, broadcast<Arch>(0.0f));
    FloatW<Arch> minus_t_leave = max_keep(x.minus_t_far, broadcast<Arch>(-1.0f));
    const PairAxisW<Arch>& axis_y = axes.y();
    MaskW<Arch> is_legal = axis_x.is_legal & axis_y.is_legal;
    const SlabTimesW<Arch> y = slab_times<kWithFaces>(axis_y);
    // t_enter = max_keep(y.t_near, t_enter), t_leave = min_keep(y.t_far, t_leave)
    t_enter = max_keep(y.t_near, t_enter);
    minus_t_leave = max_keep(y.minus_t_far, minus_t_leave);
    const PairAxisW<Arch>& axis_z = axes.z();
    is_legal = is_legal & axis_z.is_legal;
    const SlabTimesW<Arch> z = slab_times<kWithFaces>(axis_z);
    // t_enter = max_keep(z.t_near, t_enter), t_leave = min_keep(z.t_far, t_leave)
    t_enter = max_keep(z.t_near, t_enter);
    minus_t_leave = max_keep(z.minus_t_far, minus_t_leave);

    const FloatW<Arch> t_leave = -minus_t_leave;
    // is_valid(stationary) && is_valid(moving) && is_finite(displacement)
    MaskW<Arch> has_impact = is_legal;
    if constexpr (kTouch == Touch::closed) {
        // t_enter <= t_leave
        has_impact = has_impact & (t_enter <= t_leave);
    } else {
        // x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far && t_enter < t_leave
        has_impact = has_impact & (x.t_near <= -x.minus_t_far) & (y.t_near <= -y.minus_t_far) &
                     (z.t_near <= -z.minus_t_far) & (t_enter < t_leave);
    }
    const IntW<Arch> t_bits = as_int(t_enter);
    ImpactW<Arch> impact = reported_impact<kWithFaces>(
        has_impact, t_enter, equal(as_int(x.t_near), t_bits),
        reached_face(axis_x.displacement, Face::min_x, Face::max_x), equal(as_int(y.t_near), t_bits),
        reached_face(axis_y.displacement, Face::min_y, Face::max_y), equal(as_int(z.t_near), t_bits),
        reached_face(axis_z.displacement, Face::min_z, Face::max_z));
    // hangs_on_sign, if the bits do not decide
    answer_lanes(bits(t_leave == broadcast<Arch>(0.0f)), answer, impact);
    return impact;
}

}  // namespace broadside::narrowphase
