// Moving-box times of impact over lanes: contiguous streams and pairs by index.
#pragma once

#include <broadside/moving_aabb.hpp>

#include "core/src/moving_aabb_scalar.hpp"
#include "narrowphase/src/face_w.hpp"
#include "simd/src/geometry_w.hpp"

namespace broadside::narrowphase {

/// `out_faces` may be null.
struct MovingAabbKernels {
    void (*streams)(const MovingBoxes& a, const MovingBoxes& b, Touch touch, float* out_toi, Face* out_faces);
    void (*pairs)(const MovingBoxes& a, const MovingBoxes& b, const IndexPair* pairs, std::size_t pair_count,
                  Touch touch, float* out_toi, Face* out_faces);
};

/// The displacement of the box at `index`: zero where all rest.
BROADSIDE_FORCE_INLINE Vec3 displacement_at(const MovingBoxes& moving, std::size_t index) {
    return moving.displacements.count == 0 ? Vec3{} : moving.displacements[index];
}

template <class Arch>
struct SlabTimesW {
    simd::FloatW<Arch> t_near;
    simd::FloatW<Arch> t_far;
    simd::MaskW<Arch> moves_down;
    simd::MaskW<Arch> is_legal;
};

template <class Arch>
struct ImpactW {
    simd::FloatW<Arch> toi;
    simd::IntW<Arch> face;
};

/// What `touch` decides, as masks that are the same in every lane.
template <class Arch>
struct TouchW {
    simd::MaskW<Arch> counts_resting_touch;
    simd::MaskW<Arch> counts_graze;
};
template <class Arch>
BROADSIDE_FORCE_INLINE TouchW<Arch> broadcast_touch(Touch touch) {
    return {simd::broadcast_mask<Arch>(touch == Touch::closed),
            simd::broadcast_mask<Arch>(touch != Touch::open)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE SlabTimesW<Arch> slab_times(simd::FloatW<Arch> s_min, simd::FloatW<Arch> s_max,
                                                   simd::FloatW<Arch> m_min, simd::FloatW<Arch> m_max,
                                                   simd::FloatW<Arch> displacement) {
    using namespace simd;
    const FloatW<Arch> inv_displacement = broadcast<Arch>(1.0f) / displacement;
    const FloatW<Arch> to_min_face = s_min - m_max;
    const FloatW<Arch> to_max_face = s_max - m_min;
    const MaskW<Arch> moves_down = has_sign_bit(displacement);
    // On this axis: is_valid(s) && is_valid(m), or else no impact anyway. The first two comparisons refuse
    // NaN and inverted sides. What is left is a slab at infinity: its differences are infinite with the same
    // sign, which is a miss whatever the motion, or infinity minus infinity, which the third comparison
    // refuses.
    const MaskW<Arch> is_legal = (s_min <= s_max) & (m_min <= m_max) & (to_min_face <= to_max_face);
    return {select(moves_down, to_max_face, to_min_face) * inv_displacement,
            select(moves_down, to_min_face, to_max_face) * inv_displacement, moves_down, is_legal};
}

/// One lane: the impact of one pair of boxes. See moving_aabb_scalar.hpp for the source, the edge rules and
/// the role of NaN. Padding lanes hold NaN boxes, which are not valid and have no impact. The face is worked
/// out only when asked for. A group costs 3 divisions, 6 multiplications, 9 additions, 6 min and max, 23
/// comparisons, 12 of them validity.
template <class Arch, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> first_impact(const simd::BoxW<Arch>& s, const simd::BoxW<Arch>& m,
                                                  simd::Vec3W<Arch> displacement, const TouchW<Arch>& touch) {
    using namespace simd;
    const Vec3W<Arch> d = {flush_denormal(displacement.x), flush_denormal(displacement.y),
                           flush_denormal(displacement.z)};

    const SlabTimesW<Arch> x = slab_times(s.min.x, s.max.x, m.min.x, m.max.x, d.x);
    const SlabTimesW<Arch> y = slab_times(s.min.y, s.max.y, m.min.y, m.max.y, d.y);
    const SlabTimesW<Arch> z = slab_times(s.min.z, s.max.z, m.min.z, m.max.z, d.z);
    const FloatW<Arch> t_enter =
        max_keep(z.t_near, max_keep(y.t_near, max_keep(x.t_near, broadcast<Arch>(0.0f))));
    const FloatW<Arch> t_leave =
        min_keep(z.t_far, min_keep(y.t_far, min_keep(x.t_far, broadcast<Arch>(1.0f))));

    const MaskW<Arch> is_legal = (x.is_legal & y.is_legal) & (z.is_legal & is_finite(displacement));
    // x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far
    const MaskW<Arch> is_in_order = (x.t_near <= x.t_far) & (y.t_near <= y.t_far) & (z.t_near <= z.t_far);
    // t_enter <= t_leave, and t_enter < t_leave when touch == Touch::open
    const MaskW<Arch> meets = (t_enter < t_leave) | (touch.counts_graze & (t_enter == t_leave));
    // touch == Touch::closed || is_in_order
    const MaskW<Arch> has_impact = (is_legal & meets) & (touch.counts_resting_touch | is_in_order);

    ImpactW<Arch> impact = {select(has_impact, t_enter, broadcast<Arch>(kNoIntersection)),
                            broadcast_face<Arch>(Face::none)};
    if constexpr (kWithFaces) {
        const auto reached_face = [](const SlabTimesW<Arch>& axis, Face min_face, Face max_face) {
            return select(axis.moves_down, broadcast_face<Arch>(max_face), broadcast_face<Arch>(min_face));
        };
        // if (x.t_near == t_enter) face of x; else y; else z; else none
        const IntW<Arch> none = impact.face;
        const IntW<Arch> if_z = select(z.t_near == t_enter, reached_face(z, Face::min_z, Face::max_z), none);
        const IntW<Arch> if_y = select(y.t_near == t_enter, reached_face(y, Face::min_y, Face::max_y), if_z);
        const IntW<Arch> if_x = select(x.t_near == t_enter, reached_face(x, Face::min_x, Face::max_x), if_y);
        impact.face = select(has_impact, if_x, none);
    }
    return impact;
}

template <class Arch, bool kWithFaces>
BROADSIDE_FORCE_INLINE void moving_aabb_streams_lanes(MovingBoxes a, MovingBoxes b, Touch touch,
                                                      float* out_toi, Face* out_faces) {
    using namespace simd;
    const TouchW<Arch> touch_w = broadcast_touch<Arch>(touch);
    const Vec3W<Arch> at_rest = broadcast<Arch>(Vec3{});
    for_each_group<Arch>(a.boxes.count, [&](std::size_t first, auto group) {
        const Vec3W<Arch> displacement_a =
            a.displacements.count == 0 ? at_rest : load_vectors<Arch>(a.displacements, first, group);
        const Vec3W<Arch> displacement_b =
            b.displacements.count == 0 ? at_rest : load_vectors<Arch>(b.displacements, first, group);
        const ImpactW<Arch> impact = first_impact<Arch, kWithFaces>(load_boxes<Arch>(a.boxes, first, group),
                                                                    load_boxes<Arch>(b.boxes, first, group),
                                                                    displacement_b - displacement_a, touch_w);
        group.store(out_toi + first, impact.toi);
        if constexpr (kWithFaces) store_faces(out_faces + first, group.count, impact.face);
    });
}

template <class Arch, bool kWithFaces>
BROADSIDE_FORCE_INLINE void moving_aabb_pairs_lanes(MovingBoxes a, MovingBoxes b, const IndexPair* pairs,
                                                    std::size_t pair_count, Touch touch, float* out_toi,
                                                    Face* out_faces) {
    using namespace simd;
    const TouchW<Arch> touch_w = broadcast_touch<Arch>(touch);
    const Vec3W<Arch> at_rest = broadcast<Arch>(Vec3{});
    for_each_group<Arch>(pair_count, [&](std::size_t first, auto group) {
        const PairIndices<Arch> indices = load_pair_indices<Arch>(pairs + first, group.count);
        const Vec3W<Arch> displacement_a =
            a.displacements.count == 0 ? at_rest : load_vectors_indexed<Arch>(a.displacements, indices.first);
        const Vec3W<Arch> displacement_b = b.displacements.count == 0
                                               ? at_rest
                                               : load_vectors_indexed<Arch>(b.displacements, indices.second);
        const ImpactW<Arch> impact = first_impact<Arch, kWithFaces>(
            load_boxes_indexed<Arch>(a.boxes, indices.first),
            load_boxes_indexed<Arch>(b.boxes, indices.second), displacement_b - displacement_a, touch_w);
        group.store(out_toi + first, impact.toi);
        if constexpr (kWithFaces) store_faces(out_faces + first, group.count, impact.face);
    });
}

/// Item i of one stream against item i of the other.
template <class Arch>
void moving_aabb_streams_kernel(const MovingBoxes& a, const MovingBoxes& b, Touch touch, float* out_toi,
                                Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < a.boxes.count; ++i) {
            const Vec3 displacement = displacement_at(b, i) - displacement_at(a, i);
            const Impact impact = first_impact_scalar(a.boxes[i], b.boxes[i], displacement, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else if (out_faces == nullptr) {
        moving_aabb_streams_lanes<Arch, false>(a, b, touch, out_toi, out_faces);
    } else {
        moving_aabb_streams_lanes<Arch, true>(a, b, touch, out_toi, out_faces);
    }
}

/// Pairs by index; every lane fetches its own two boxes. A partial group repeats its first pair in the lanes
/// behind.
template <class Arch>
void moving_aabb_pairs_kernel(const MovingBoxes& a, const MovingBoxes& b, const IndexPair* pairs,
                              std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const auto [first, second] = pairs[i];
            const Vec3 displacement = displacement_at(b, second) - displacement_at(a, first);
            const Impact impact = first_impact_scalar(a.boxes[first], b.boxes[second], displacement, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else if (out_faces == nullptr) {
        moving_aabb_pairs_lanes<Arch, false>(a, b, pairs, pair_count, touch, out_toi, out_faces);
    } else {
        moving_aabb_pairs_lanes<Arch, true>(a, b, pairs, pair_count, touch, out_toi, out_faces);
    }
}

template <class Arch>
constexpr MovingAabbKernels make_moving_aabb_kernels() {
    return {&moving_aabb_streams_kernel<Arch>, &moving_aabb_pairs_kernel<Arch>};
}

}  // namespace broadside::narrowphase
