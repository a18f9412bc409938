// Moving-box times of impact over lanes: contiguous streams and pairs by index.
#pragma once

#include <broadside/moving_aabb.hpp>

#include "core/src/geometry/moving_aabb_scalar.hpp"
#include "narrowphase/src/batch/face_lanes.hpp"
#include "simd/src/geometry.hpp"

namespace broadside::narrowphase {

/// The displacement of the box at `index`: zero where all rest.
BROADSIDE_FORCE_INLINE Vec3 displacement_at(const MovingBoxes& moving, std::size_t index) {
    return moving.displacements.count == 0 ? Vec3{} : moving.displacements[index];
}

/// A truth value known when the kernel is compiled.
template <bool kValue>
struct Known {
    static constexpr bool value = kValue;
};
/// Calls `body(is_closed, has_faces)` with the Known values of an answer's form, so that each is a loop of
/// its own.
template <class Body>
BROADSIDE_FORCE_INLINE void choose_form(Touch touch, const Face* out_faces, Body&& body) {
    if (touch == Touch::closed) {
        if (out_faces == nullptr)
            body(Known<true>{}, Known<false>{});
        else
            body(Known<true>{}, Known<true>{});
    } else {
        if (out_faces == nullptr)
            body(Known<false>{}, Known<false>{});
        else
            body(Known<false>{}, Known<true>{});
    }
}

template <class Arch>
struct ImpactW {
    simd::FloatW<Arch> toi;
    simd::IntW<Arch> face;
};

/// One lane: the impact of one pair of boxes, cut axis by axis, x first, by the gaps from m's faces to the
/// min and the max faces of s. See moving_aabb_scalar.hpp for the source, the edge rules and the role of NaN.
/// A displacement that counts as zero is +0 here and keeps its sign there, which no answer shows: overlapping
/// slabs last from -infinity to +infinity, separated ones never meet, and NaN stays neutral. The policy is a
/// parameter since each asks for less than all of them together. An axis costs a division, 2 multiplications,
/// 2 min or max, 2 comparisons or so; taking the axes one after the other keeps everything in registers.
template <class Arch, bool kIsClosed, bool kWithFaces>
class RunningImpactW {
public:
    BROADSIDE_FORCE_INLINE void cut(const simd::FloatW<Arch>& to_min, const simd::FloatW<Arch>& to_max,
                                    const simd::FloatW<Arch>& displacement, Face min_face, Face max_face) {
        using namespace simd;
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        const FloatW<Arch> d = select(absolute(displacement) < broadcast<Arch>(FLT_MIN), zero, displacement);
        const FloatW<Arch> inv = broadcast<Arch>(1.0f) / d;
        // moves_down ? to_max : to_min, and the other way round
        const FloatW<Arch> t_near = select_by_sign(d, to_max, to_min) * inv;
        const FloatW<Arch> t_far = select_by_sign(d, to_min, to_max) * inv;
        t_enter_ = max_keep(t_near, t_enter_);
        t_leave_ = min_keep(t_far, t_leave_);
        if constexpr (!kIsClosed) is_in_order_ = is_in_order_ & (t_near <= t_far);
        if constexpr (kWithFaces) {
            const int axis = static_cast<int>(min_face) / 2;
            t_near_[axis] = t_near;
            faces_[axis] =
                select(has_sign_bit(d), broadcast_face<Arch>(max_face), broadcast_face<Arch>(min_face));
        }
    }

    /// `is_legal` says that boxes and displacement are, or that there is no impact anyway; `counts_graze`
    /// tells the two open policies apart.
    BROADSIDE_FORCE_INLINE ImpactW<Arch> result(simd::MaskW<Arch> is_legal, bool counts_graze) const {
        using namespace simd;
        MaskW<Arch> has_impact = is_legal & (t_enter_ <= t_leave_);
        if constexpr (!kIsClosed) {
            // t_enter < t_leave when touch == Touch::open
            has_impact =
                (has_impact & is_in_order_) & (broadcast_mask<Arch>(counts_graze) | (t_enter_ < t_leave_));
        }
        const IntW<Arch> none = broadcast_face<Arch>(Face::none);
        ImpactW<Arch> impact = {select(has_impact, t_enter_, broadcast<Arch>(kNoIntersection)), none};
        if constexpr (kWithFaces) {
            // if (x.t_near == t_enter) face of x; else y; else z; else none
            const IntW<Arch> if_z = select(t_near_[2] == t_enter_, faces_[2], none);
            const IntW<Arch> if_y = select(t_near_[1] == t_enter_, faces_[1], if_z);
            const IntW<Arch> if_x = select(t_near_[0] == t_enter_, faces_[0], if_y);
            impact.face = select(has_impact, if_x, none);
        }
        return impact;
    }

private:
    simd::FloatW<Arch> t_enter_ = simd::broadcast<Arch>(0.0f);
    simd::FloatW<Arch> t_leave_ = simd::broadcast<Arch>(1.0f);
    simd::MaskW<Arch> is_in_order_ = simd::broadcast_mask<Arch>(true);
    simd::FloatW<Arch> t_near_[3];
    simd::IntW<Arch> faces_[3];
};

/// One axis of a box in lanes.
template <class Arch>
struct SidesW {
    simd::FloatW<Arch> min;
    simd::FloatW<Arch> max;
};

/// is_valid(s) && is_valid(m) && is_finite(displacement), or else no impact anyway, axis by axis.
///
/// By comparisons: two refuse NaN and inverted sides. What is left is a slab at infinity: its gaps are
/// infinite with the same sign, which is a miss whatever the motion, or infinity minus infinity, which the
/// third refuses.
///
/// With mask registers by two comparisons for all axes instead of twelve. No edge is negative; that says
/// nothing where it is NaN. A sum says so: a gap to a min face is never above that to the max face, so the
/// differences are at most zero, -infinity for infinite sides, and NaN only with a NaN corner, a slab at
/// infinity, or two gaps that overflow the same way, which miss. A displacement times zero adds nothing, or
/// NaN when it is not finite.
template <class Arch>
class RunningLegalityW {
public:
    BROADSIDE_FORCE_INLINE void add(const SidesW<Arch>& s, const SidesW<Arch>& m,
                                    const simd::FloatW<Arch>& to_min, const simd::FloatW<Arch>& to_max,
                                    const simd::FloatW<Arch>& displacement) {
        using namespace simd;
        if constexpr (has_mask_registers<Arch>) {
            shortest_edge_ = min_keep(min_keep(s.max - s.min, m.max - m.min), shortest_edge_);
            at_most_zero_ = at_most_zero_ + (to_min - to_max) + displacement * broadcast<Arch>(0.0f);
        } else {
            is_legal_ = is_legal_ & ((s.min <= s.max) & (m.min <= m.max)) &
                        ((to_min <= to_max) & is_finite(displacement));
        }
    }
    BROADSIDE_FORCE_INLINE simd::MaskW<Arch> result() const {
        const simd::FloatW<Arch> zero = simd::broadcast<Arch>(0.0f);
        if constexpr (simd::has_mask_registers<Arch>)
            return (shortest_edge_ >= zero) & (at_most_zero_ <= zero);
        return is_legal_;
    }

private:
    simd::FloatW<Arch> shortest_edge_ = simd::broadcast<Arch>(0.0f);
    simd::FloatW<Arch> at_most_zero_ = simd::broadcast<Arch>(0.0f);
    simd::MaskW<Arch> is_legal_ = simd::broadcast_mask<Arch>(true);
};

/// Two boxes a lane. Padding lanes hold NaN boxes, which are not valid and have no impact.
template <class Arch, bool kIsClosed, bool kWithFaces>
class RunningPairW {
public:
    BROADSIDE_FORCE_INLINE void cut(const SidesW<Arch>& s, const SidesW<Arch>& m,
                                    const simd::FloatW<Arch>& displacement, Face min_face, Face max_face) {
        const simd::FloatW<Arch> to_min = s.min - m.max;
        const simd::FloatW<Arch> to_max = s.max - m.min;
        legality_.add(s, m, to_min, to_max, displacement);
        impact_.cut(to_min, to_max, displacement, min_face, max_face);
    }
    BROADSIDE_FORCE_INLINE ImpactW<Arch> result(bool counts_graze) const {
        return impact_.result(legality_.result(), counts_graze);
    }

private:
    RunningLegalityW<Arch> legality_;
    RunningImpactW<Arch, kIsClosed, kWithFaces> impact_;
};

/// One axis of two streams. A stream at rest reads the same zeros again and again: its mask takes the place
/// away.
struct StreamAxis {
    const float* s_min;
    const float* s_max;
    const float* m_min;
    const float* m_max;
    const float* displacement_s;
    const float* displacement_m;
};
template <class Arch, bool kBothMove, class Group>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> load_displacement(const StreamAxis& axis, std::size_t first,
                                                            std::size_t mask_s, std::size_t mask_m,
                                                            Group group) {
    const simd::FloatW<Arch> of_m = group.load(axis.displacement_m + (first & mask_m), 0.0f);
    if constexpr (!kBothMove) return of_m;
    return of_m - group.load(axis.displacement_s + (first & mask_s), 0.0f);
}
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE SidesW<Arch> load_sides(const float* min, const float* max, std::size_t first,
                                               Group group) {
    constexpr float kNoBox = __builtin_nanf("");
    return {group.load(min + first, kNoBox), group.load(max + first, kNoBox)};
}

template <class Arch, bool kIsClosed, bool kWithFaces, bool kBothMove>
BROADSIDE_FORCE_INLINE void moving_aabb_streams_lanes(const MovingBoxes& a, const MovingBoxes& b,
                                                      bool counts_graze, float* out_toi, Face* out_faces) {
    using namespace simd;
    alignas(64) const float zeros[Arch::kLanes] = {};
    const Vec3SoaView at_rest = {zeros, zeros, zeros, Arch::kLanes};
    const Vec3SoaView of_a = a.displacements.count == 0 ? at_rest : a.displacements;
    const Vec3SoaView of_b = b.displacements.count == 0 ? at_rest : b.displacements;
    const std::size_t mask_a = a.displacements.count == 0 ? 0 : ~std::size_t{0};
    const std::size_t mask_b = b.displacements.count == 0 ? 0 : ~std::size_t{0};
    const BoxSoaView s = a.boxes;
    const BoxSoaView m = b.boxes;
    const StreamAxis x = {s.min_x, s.max_x, m.min_x, m.max_x, of_a.x, of_b.x};
    const StreamAxis y = {s.min_y, s.max_y, m.min_y, m.max_y, of_a.y, of_b.y};
    const StreamAxis z = {s.min_z, s.max_z, m.min_z, m.max_z, of_a.z, of_b.z};
    for_each_group_to<Arch>(out_toi, s.count, [&](std::size_t first, auto group) {
        RunningPairW<Arch, kIsClosed, kWithFaces> pair;
        const auto cut = [&](const StreamAxis& axis, Face min_face, Face max_face) {
            pair.cut(load_sides<Arch>(axis.s_min, axis.s_max, first, group),
                     load_sides<Arch>(axis.m_min, axis.m_max, first, group),
                     load_displacement<Arch, kBothMove>(axis, first, mask_a, mask_b, group), min_face,
                     max_face);
        };
        cut(x, Face::min_x, Face::max_x);
        cut(y, Face::min_y, Face::max_y);
        cut(z, Face::min_z, Face::max_z);
        const ImpactW<Arch> impact = pair.result(counts_graze);
        group.store(out_toi + first, impact.toi);
        if constexpr (kWithFaces) store_faces(out_faces + first, group.count, impact.face);
    });
}

template <class Arch, bool kIsClosed, bool kWithFaces>
BROADSIDE_FORCE_INLINE void moving_aabb_pairs_lanes(const MovingBoxes& a, const MovingBoxes& b,
                                                    const IndexPair* pairs, std::size_t pair_count,
                                                    bool counts_graze, float* out_toi, Face* out_faces) {
    using namespace simd;
    const Vec3W<Arch> at_rest = broadcast<Arch>(Vec3{});
    for_each_group<Arch>(pair_count, [&](std::size_t first, auto group) {
        const PairIndices<Arch> indices = load_pair_indices<Arch>(pairs + first, group.count);
        const Vec3W<Arch> displacement_a =
            a.displacements.count == 0 ? at_rest : load_vectors_indexed<Arch>(a.displacements, indices.first);
        const Vec3W<Arch> displacement_b = b.displacements.count == 0
                                               ? at_rest
                                               : load_vectors_indexed<Arch>(b.displacements, indices.second);
        const BoxW<Arch> s = load_boxes_indexed<Arch>(a.boxes, indices.first);
        const BoxW<Arch> m = load_boxes_indexed<Arch>(b.boxes, indices.second);
        const Vec3W<Arch> d = displacement_b - displacement_a;
        RunningPairW<Arch, kIsClosed, kWithFaces> pair;
        pair.cut({s.min.x, s.max.x}, {m.min.x, m.max.x}, d.x, Face::min_x, Face::max_x);
        pair.cut({s.min.y, s.max.y}, {m.min.y, m.max.y}, d.y, Face::min_y, Face::max_y);
        pair.cut({s.min.z, s.max.z}, {m.min.z, m.max.z}, d.z, Face::min_z, Face::max_z);
        const ImpactW<Arch> impact = pair.result(counts_graze);
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
    } else {
        choose_form(touch, out_faces, [&](auto is_closed, auto has_faces) {
            constexpr bool kIsClosed = is_closed.value;
            constexpr bool kWithFaces = has_faces.value;
            const bool counts_graze = touch == Touch::source_literal;
            if (a.displacements.count == 0) {
                moving_aabb_streams_lanes<Arch, kIsClosed, kWithFaces, false>(a, b, counts_graze, out_toi,
                                                                              out_faces);
            } else {
                moving_aabb_streams_lanes<Arch, kIsClosed, kWithFaces, true>(a, b, counts_graze, out_toi,
                                                                             out_faces);
            }
        });
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
    } else {
        choose_form(touch, out_faces, [&](auto is_closed, auto has_faces) {
            moving_aabb_pairs_lanes<Arch, is_closed.value, has_faces.value>(
                a, b, pairs, pair_count, touch == Touch::source_literal, out_toi, out_faces);
        });
    }
}

}  // namespace broadside::narrowphase
