// Moving-box times of impact over lanes: contiguous streams and pairs by index.
#pragma once

#include "narrowphase/src/face_w.hpp"
#include "narrowphase/src/moving_aabb_scalar.hpp"
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

/// A truth value known when the kernel is compiled.
template <bool kValue>
struct Known {
    static constexpr bool value = kValue;
};
/// Calls `body(is_closed, has_faces)` with the Known values of an answer's form, so that each is a loop of its own.
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

/// The relative displacements of two streams, of which either may be at rest: its zeros are then read again and again
/// from a small array, by a step of zero, so that the loop over groups has no branch.
template <class Arch>
class MovingDisplacements {
public:
    BROADSIDE_FORCE_INLINE MovingDisplacements(const Vec3SoaView& a, const Vec3SoaView& b)
        : a_(a.count == 0 ? at_rest() : a),
          b_(b.count == 0 ? at_rest() : b),
          step_a_(a.count == 0 ? 0 : 1),
          step_b_(b.count == 0 ? 0 : 1) {}

    template <class Group>
    BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> load(std::size_t first, Group group) const {
        return simd::load_vectors<Arch>(b_, first * step_b_, group) -
               simd::load_vectors<Arch>(a_, first * step_a_, group);
    }

private:
    BROADSIDE_FORCE_INLINE Vec3SoaView at_rest() const { return {zeros_, zeros_, zeros_, Arch::kLanes}; }

    alignas(64) float zeros_[Arch::kLanes] = {};
    Vec3SoaView a_;
    Vec3SoaView b_;
    std::size_t step_a_;
    std::size_t step_b_;
};

template <class Arch>
struct ImpactW {
    simd::FloatW<Arch> toi;
    simd::IntW<Arch> face;
};

/// The face of an axis that is reached: max where the lane's box moves down, else min.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> reached_face(simd::FloatW<Arch> displacement, Face min_face,
                                                     Face max_face) {
    return select(has_sign_bit(displacement), broadcast_face<Arch>(max_face), broadcast_face<Arch>(min_face));
}

/// One lane: the impact of one pair of boxes, given the gaps from m's faces to the min and the max faces of s. See
/// moving_aabb_scalar.hpp for the source, the edge rules and the role of NaN. `is_legal` says that boxes and
/// displacement are, or that there is no impact anyway. A displacement that counts as zero is +0 here and keeps its sign there, which no answer shows:
/// overlapping slabs last from -infinity to +infinity, separated ones never meet, and NaN stays neutral. The policy is
/// a parameter since each asks for less than all of them together; `counts_graze` tells the two open ones apart.
template <class Arch, bool kIsClosed, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> impact_of_gaps(const simd::Vec3W<Arch>& to_min,
                                                    const simd::Vec3W<Arch>& to_max,
                                                    const simd::Vec3W<Arch>& displacement,
                                                    simd::MaskW<Arch> is_legal, bool counts_graze) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const FloatW<Arch> one = broadcast<Arch>(1.0f);
    const Vec3W<Arch> way = absolute(displacement);
    const FloatW<Arch> normal = broadcast<Arch>(FLT_MIN);
    const Vec3W<Arch> d = {select(way.x < normal, zero, displacement.x),
                           select(way.y < normal, zero, displacement.y),
                           select(way.z < normal, zero, displacement.z)};
    const Vec3W<Arch> inv = {one / d.x, one / d.y, one / d.z};
    // moves_down ? to_max : to_min, and the other way round
    const Vec3W<Arch> t_near = {select_by_sign(d.x, to_max.x, to_min.x) * inv.x,
                                select_by_sign(d.y, to_max.y, to_min.y) * inv.y,
                                select_by_sign(d.z, to_max.z, to_min.z) * inv.z};
    const Vec3W<Arch> t_far = {select_by_sign(d.x, to_min.x, to_max.x) * inv.x,
                               select_by_sign(d.y, to_min.y, to_max.y) * inv.y,
                               select_by_sign(d.z, to_min.z, to_max.z) * inv.z};
    const FloatW<Arch> t_enter = max_keep(t_near.z, max_keep(t_near.y, max_keep(t_near.x, zero)));
    const FloatW<Arch> t_leave = min_keep(t_far.z, min_keep(t_far.y, min_keep(t_far.x, one)));

    MaskW<Arch> has_impact = is_legal & (t_enter <= t_leave);
    if constexpr (!kIsClosed) {
        // x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far, and t_enter < t_leave when open
        const MaskW<Arch> is_in_order =
            (t_near.x <= t_far.x) & (t_near.y <= t_far.y) & (t_near.z <= t_far.z);
        has_impact =
            (has_impact & is_in_order) & (broadcast_mask<Arch>(counts_graze) | (t_enter < t_leave));
    }
    ImpactW<Arch> impact = {select(has_impact, t_enter, broadcast<Arch>(kNoIntersection)),
                            broadcast_face<Arch>(Face::none)};
    if constexpr (kWithFaces) {
        // if (x.t_near == t_enter) face of x; else y; else z; else none
        const IntW<Arch> none = impact.face;
        const IntW<Arch> if_z =
            select(t_near.z == t_enter, reached_face(d.z, Face::min_z, Face::max_z), none);
        const IntW<Arch> if_y =
            select(t_near.y == t_enter, reached_face(d.y, Face::min_y, Face::max_y), if_z);
        const IntW<Arch> if_x =
            select(t_near.x == t_enter, reached_face(d.x, Face::min_x, Face::max_x), if_y);
        impact.face = select(has_impact, if_x, none);
    }
    return impact;
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> smallest(const simd::Vec3W<Arch>& a) {
    return min_keep(a.x, min_keep(a.y, a.z));
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> sum(const simd::Vec3W<Arch>& a) {
    return (a.x + a.y) + a.z;
}

/// On one axis: is_valid(s) && is_valid(m), or else no impact anyway. The first two comparisons refuse NaN and inverted
/// sides. What is left is a slab at infinity: its gaps are infinite with the same sign, which is a miss whatever the
/// motion, or infinity minus infinity, which the third comparison refuses.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> are_valid_sides(simd::FloatW<Arch> s_min, simd::FloatW<Arch> s_max,
                                                         simd::FloatW<Arch> m_min, simd::FloatW<Arch> m_max,
                                                         simd::FloatW<Arch> to_min, simd::FloatW<Arch> to_max) {
    return (s_min <= s_max) & (m_min <= m_max) & (to_min <= to_max);
}

/// is_valid(s) && is_valid(m) && is_finite(displacement), or else no impact anyway. With mask registers in two
/// comparisons instead of twelve. No edge is negative; that says nothing where it is NaN. A sum says so: a gap to a min
/// face is never above that to the max face, so the differences are at most zero, -infinity for infinite sides, and NaN
/// only with a NaN corner, a slab at infinity, or two gaps that overflow the same way, which miss. A displacement times
/// zero adds nothing, or NaN when it is not finite.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> are_legal(const simd::BoxW<Arch>& s, const simd::BoxW<Arch>& m,
                                                   const simd::Vec3W<Arch>& to_min,
                                                   const simd::Vec3W<Arch>& to_max,
                                                   const simd::Vec3W<Arch>& displacement) {
    using namespace simd;
    if constexpr (!has_mask_registers<Arch>) {
        return (are_valid_sides(s.min.x, s.max.x, m.min.x, m.max.x, to_min.x, to_max.x) &
                are_valid_sides(s.min.y, s.max.y, m.min.y, m.max.y, to_min.y, to_max.y)) &
               (are_valid_sides(s.min.z, s.max.z, m.min.z, m.max.z, to_min.z, to_max.z) &
                is_finite(displacement));
    }
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const FloatW<Arch> shortest_edge = min_keep(smallest(s.max - s.min), smallest(m.max - m.min));
    const FloatW<Arch> nothing =
        (displacement.x * zero + displacement.y * zero) + displacement.z * zero;
    return (shortest_edge >= zero) & (sum(to_min - to_max) + nothing <= zero);
}

/// As above for two boxes a lane. Padding lanes hold NaN boxes, which are not valid and have no impact.
template <class Arch, bool kIsClosed, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> first_impact(const simd::BoxW<Arch>& s, const simd::BoxW<Arch>& m,
                                                  const simd::Vec3W<Arch>& displacement, bool counts_graze) {
    using namespace simd;
    const Vec3W<Arch> to_min = s.min - m.max;
    const Vec3W<Arch> to_max = s.max - m.min;
    return impact_of_gaps<Arch, kIsClosed, kWithFaces>(
        to_min, to_max, displacement, are_legal(s, m, to_min, to_max, displacement), counts_graze);
}

template <class Arch, bool kIsClosed, bool kWithFaces>
BROADSIDE_FORCE_INLINE void moving_aabb_streams_lanes(const MovingBoxes& a, const MovingBoxes& b,
                                                      bool counts_graze, float* out_toi, Face* out_faces) {
    using namespace simd;
    const BoxSoaView boxes_a = a.boxes;
    const BoxSoaView boxes_b = b.boxes;
    const MovingDisplacements<Arch> displacements(a.displacements, b.displacements);
    for_each_group_to<Arch>(out_toi, boxes_a.count, [&](std::size_t first, auto group) {
        const ImpactW<Arch> impact = first_impact<Arch, kIsClosed, kWithFaces>(
            load_boxes<Arch>(boxes_a, first, group), load_boxes<Arch>(boxes_b, first, group),
            displacements.load(first, group), counts_graze);
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
        const ImpactW<Arch> impact = first_impact<Arch, kIsClosed, kWithFaces>(
            load_boxes_indexed<Arch>(a.boxes, indices.first),
            load_boxes_indexed<Arch>(b.boxes, indices.second), displacement_b - displacement_a, counts_graze);
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
            moving_aabb_streams_lanes<Arch, is_closed.value, has_faces.value>(
                a, b, touch == Touch::source_literal, out_toi, out_faces);
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

template <class Arch>
constexpr MovingAabbKernels make_moving_aabb_kernels() {
    return {&moving_aabb_streams_kernel<Arch>, &moving_aabb_pairs_kernel<Arch>};
}

}  // namespace broadside::narrowphase
