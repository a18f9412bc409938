// Prepared rows over lanes: making them, and pairs by index with the subtraction before the turn into
// columns.
#pragma once

#include "narrowphase/src/moving_box/rows_prepare_kernel.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::narrowphase {

template <class Row>
BROADSIDE_FORCE_INLINE const float* row_floats(const Row* rows, std::uint32_t index) {
    return reinterpret_cast<const float*>(rows + index);
}

/// impact_of_rows over lanes. Rows are subtracted and scaled as they lie, two vectors in one register, and
/// only the times are turned into columns: 20 shuffles for eight pairs instead of 30 and more. An indexed
/// gather of the boxes would take several times as long as everything here.
template <class Arch, bool kIsOpen, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> impacts_of_rows(const RestingBoxRow* resting, const MovingBoxRow* movers,
                                                     const IndexPair* pairs) {
    using namespace simd;
    const auto times = [&](std::uint32_t lane) {
        const float* mover = row_floats(movers, pairs[lane].second);
        return (load_row_aligned<Arch>(row_floats(resting, pairs[lane].first)) -
                load_row_aligned<Arch>(mover)) *
               load_row_aligned<Arch>(mover + 8);
    };
    Vec3PairW<Arch> t;
    [[maybe_unused]] FloatW<Arch> moves_down_code;
    if constexpr (kWithFaces)
        t = columns_of_rows<Arch>(times, moves_down_code);
    else
        t = columns_of_rows<Arch>(times);
    const Vec3W<Arch>& to_min = t.first;
    const Vec3W<Arch>& to_max = t.second;
    const Vec3W<Arch> t_near = {min_keep(to_min.x, to_max.x), min_keep(to_min.y, to_max.y),
                                min_keep(to_min.z, to_max.z)};
    const Vec3W<Arch> t_far = {max_keep(to_max.x, to_min.x), max_keep(to_max.y, to_min.y),
                               max_keep(to_max.z, to_min.z)};
    const FloatW<Arch> t_enter =
        max_keep(max_keep(max_keep(t_near.z, t_near.y), t_near.x), broadcast<Arch>(0.0f));
    const FloatW<Arch> t_leave =
        min_keep(min_keep(min_keep(t_far.z, t_far.y), t_far.x), broadcast<Arch>(1.0f));
    const MaskW<Arch> is_in_order = (t_near.x <= t_far.x) & (t_near.y <= t_far.y) & (t_near.z <= t_far.z);
    const MaskW<Arch> meets = kIsOpen ? t_enter < t_leave : t_enter <= t_leave;
    const MaskW<Arch> has_impact = is_in_order & meets;
    const IntW<Arch> none = broadcast_face<Arch>(Face::none);
    ImpactW<Arch> impact = {select(has_impact, t_enter, broadcast<Arch>(kNoIntersection)), none};
    if constexpr (kWithFaces) {
        const IntW<Arch> moves_down = truncate(moves_down_code);
        const IntW<Arch> one = broadcast_int<Arch>(1);
        // min_face + ((moves_down & code) != 0 ? 1 : 0)
        const IntW<Arch> face_x = broadcast_face<Arch>(Face::min_x) + (moves_down & one);
        const IntW<Arch> face_y = broadcast_face<Arch>(Face::min_y) + (shift_right<1>(moves_down) & one);
        const IntW<Arch> face_z = broadcast_face<Arch>(Face::min_z) + (shift_right<2>(moves_down) & one);
        // if (x.t_near == t_enter) face of x; else y; else z; else none
        const IntW<Arch> if_z = select(t_near.z == t_enter, face_z, none);
        const IntW<Arch> if_y = select(t_near.y == t_enter, face_y, if_z);
        const IntW<Arch> if_x = select(t_near.x == t_enter, face_x, if_y);
        impact.face = select(has_impact, if_x, none);
    }
    return impact;
}

/// The impacts of two body rows a lane: gaps and displacements are turned into columns, the rest is that of
/// streams.
template <class Arch, bool kIsClosed, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> impacts_of_bodies(const BodyBoxRow* a, const BodyBoxRow* b,
                                                       const IndexPair* pairs, bool counts_graze) {
    using namespace simd;
    const Vec3PairW<Arch> gaps = columns_of_rows<Arch>([&](std::uint32_t lane) {
        const float* row_b = row_floats(b, pairs[lane].second);
        return load_row_aligned<Arch>(row_floats(a, pairs[lane].first)) -
               load_row_halves_aligned<Arch>(row_b + 4, row_b);
    });
    const auto displacements = [&](const BodyBoxRow* rows, std::uint32_t first, std::uint32_t second) {
        return load_row_halves_aligned<Arch>(row_floats(rows, first) + 8, row_floats(rows, second) + 8);
    };
    const Vec3W<Arch> displacement =
        columns_of_vectors<Arch>([&](std::uint32_t lane, std::uint32_t other_lane) {
            return displacements(b, pairs[lane].second, pairs[other_lane].second) -
                   displacements(a, pairs[lane].first, pairs[other_lane].first);
        });
    // Rows of invalid boxes are NaN throughout; gaps of valid ones never are, but displacements may overflow.
    const MaskW<Arch> is_legal = (gaps.first.x <= gaps.second.x) & is_finite(displacement);
    RunningImpactW<Arch, kIsClosed, kWithFaces> impact;
    impact.cut(gaps.first.x, gaps.second.x, displacement.x, Face::min_x, Face::max_x);
    impact.cut(gaps.first.y, gaps.second.y, displacement.y, Face::min_y, Face::max_y);
    impact.cut(gaps.first.z, gaps.second.z, displacement.z, Face::min_z, Face::max_z);
    return impact.result(is_legal, counts_graze);
}

/// Calls `impacts_at(pairs)` for every kLanes pairs and stores what it returns; a partial group is completed
/// with copies of its first pair.
template <class Arch, bool kWithFaces, class ImpactsAt>
BROADSIDE_FORCE_INLINE void store_impacts(const IndexPair* pairs, std::size_t pair_count, float* out_toi,
                                          Face* out_faces, ImpactsAt&& impacts_at) {
    using namespace simd;
    std::size_t first = 0;
    for (; first + Arch::kLanes <= pair_count; first += Arch::kLanes) {
        const ImpactW<Arch> impact = impacts_at(pairs + first);
        store_unaligned(out_toi + first, impact.toi);
        if constexpr (kWithFaces) store_faces(out_faces + first, Arch::kLanes, impact.face);
    }
    if (first == pair_count) return;
    const auto rest = static_cast<std::uint32_t>(pair_count - first);
    IndexPair last_pairs[Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        last_pairs[lane] = pairs[first + (lane < rest ? lane : 0)];
    }
    const ImpactW<Arch> impact = impacts_at(last_pairs);
    store_tail(out_toi + first, rest, impact.toi);
    if constexpr (kWithFaces) store_faces(out_faces + first, rest, impact.face);
}

template <class Arch, bool kIsOpen>
BROADSIDE_FORCE_INLINE void row_pairs_lanes(const RestingBoxRow* resting, const MovingBoxRow* movers,
                                            const IndexPair* pairs, std::size_t pair_count, float* out_toi,
                                            Face* out_faces) {
    if (out_faces == nullptr) {
        store_impacts<Arch, false>(pairs, pair_count, out_toi, out_faces, [&](const IndexPair* group) {
            return impacts_of_rows<Arch, kIsOpen, false>(resting, movers, group);
        });
    } else {
        store_impacts<Arch, true>(pairs, pair_count, out_toi, out_faces, [&](const IndexPair* group) {
            return impacts_of_rows<Arch, kIsOpen, true>(resting, movers, group);
        });
    }
}
template <class Arch>
void row_pairs_kernel(const RestingBoxRow* resting, const MovingBoxRow* movers, const IndexPair* pairs,
                      std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const Impact impact =
                impact_of_rows(resting[pairs[i].first], movers[pairs[i].second], touch == Touch::open);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else if (touch == Touch::open) {
        row_pairs_lanes<Arch, true>(resting, movers, pairs, pair_count, out_toi, out_faces);
    } else {
        row_pairs_lanes<Arch, false>(resting, movers, pairs, pair_count, out_toi, out_faces);
    }
}

template <class Arch, bool kIsClosed>
BROADSIDE_FORCE_INLINE void body_pairs_lanes(const BodyBoxRow* a, const BodyBoxRow* b, const IndexPair* pairs,
                                             std::size_t pair_count, bool counts_graze, float* out_toi,
                                             Face* out_faces) {
    if (out_faces == nullptr) {
        store_impacts<Arch, false>(pairs, pair_count, out_toi, out_faces, [&](const IndexPair* group) {
            return impacts_of_bodies<Arch, kIsClosed, false>(a, b, group, counts_graze);
        });
    } else {
        store_impacts<Arch, true>(pairs, pair_count, out_toi, out_faces, [&](const IndexPair* group) {
            return impacts_of_bodies<Arch, kIsClosed, true>(a, b, group, counts_graze);
        });
    }
}
template <class Arch>
void body_pairs_kernel(const BodyBoxRow* a, const BodyBoxRow* b, const IndexPair* pairs,
                       std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const Impact impact = impact_of_rows(a[pairs[i].first], b[pairs[i].second], touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else if (touch == Touch::closed) {
        body_pairs_lanes<Arch, true>(a, b, pairs, pair_count, true, out_toi, out_faces);
    } else {
        body_pairs_lanes<Arch, false>(a, b, pairs, pair_count, touch == Touch::source_literal, out_toi,
                                      out_faces);
    }
}

}  // namespace broadside::narrowphase
