// Prepared rows over lanes: pairs by index, subtracted before they are transposed into columns.
#pragma once

#include "narrowphase/src/moving_box/rows_prepare_kernel.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::narrowphase {

template <class Row>
BROADSIDE_FORCE_INLINE const float* row_floats(const Row* rows, std::uint32_t index) {
    return reinterpret_cast<const float*>(rows + index);
}

/// The faces by which a mover of direction_code enters.
template <class Arch>
struct EntryCodesW {
    simd::IntW<Arch> x, y, z;
};
template <class Arch>
BROADSIDE_FORCE_INLINE EntryCodesW<Arch> entry_codes(simd::IntW<Arch> moves_down) {
    using namespace simd;
    const IntW<Arch> one = broadcast_int<Arch>(1);
    // min_face + ((moves_down & code) != 0 ? 1 : 0)
    return {broadcast_face<Arch>(Face::min_x) + (moves_down & one),
            broadcast_face<Arch>(Face::min_y) + (shift_right<1>(moves_down) & one),
            broadcast_face<Arch>(Face::min_z) + (shift_right<2>(moves_down) & one)};
}

/// impact_of_rows over lanes; the scalar form decides lanes in which a time is zero and may have lost its
/// sign. Rows are subtracted and scaled in memory order, two vectors in one register. Only the times are
/// transposed into columns: 20 shuffles for eight pairs instead of 30 and more. An indexed gather of the
/// boxes would take several times as long as everything here.
template <class Arch, Touch kTouch, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> impacts_of_rows(const RestingBoxRow* resting, const MovingBoxRow* movers,
                                                     const IndexPair* pairs) {
    using namespace simd;
    // to_min_face, to_max_face of x, y and z
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
    const auto& [to_min_face, to_max_face] = t;
    // t_near = min_keep(to_min_face, to_max_face), t_far = max_keep(to_max_face, to_min_face)
    const Vec3W<Arch> t_near = {min_keep(to_min_face.x, to_max_face.x),
                                min_keep(to_min_face.y, to_max_face.y),
                                min_keep(to_min_face.z, to_max_face.z)};
    const Vec3W<Arch> t_far = {max_keep(to_max_face.x, to_min_face.x), max_keep(to_max_face.y, to_min_face.y),
                               max_keep(to_max_face.z, to_min_face.z)};
    const FloatW<Arch> t_enter =
        max_keep(max_keep(max_keep(t_near.z, t_near.y), t_near.x), broadcast<Arch>(0.0f));
    const FloatW<Arch> t_leave =
        min_keep(min_keep(min_keep(t_far.z, t_far.y), t_far.x), broadcast<Arch>(1.0f));
    // x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far
    const MaskW<Arch> is_in_order = (t_near.x <= t_far.x) & (t_near.y <= t_far.y) & (t_near.z <= t_far.z);
    // is_open ? t_enter < t_leave : t_enter <= t_leave
    const MaskW<Arch> has_impact =
        is_in_order & (kTouch == Touch::open ? t_enter < t_leave : t_enter <= t_leave);
    MaskW<Arch> hangs_on_sign = t_leave == broadcast<Arch>(0.0f);
    EntryCodesW<Arch> faces;
    if constexpr (kWithFaces) {
        const IntW<Arch> moves_down = truncate(moves_down_code);
        faces = entry_codes(moves_down);
        // In other rows no time has lost its sign.
        hangs_on_sign = (t_enter == broadcast<Arch>(0.0f)) & less(broadcast_int<Arch>(7), moves_down);
    }
    ImpactW<Arch> impact =
        reported_impact<kWithFaces>(has_impact, t_enter, t_near.x == t_enter, faces.x, t_near.y == t_enter,
                                    faces.y, t_near.z == t_enter, faces.z);
    const auto answer = [&](std::uint32_t lane) {
        return impact_of_rows(resting[pairs[lane].first], movers[pairs[lane].second], kTouch == Touch::open);
    };
    answer_lanes(bits(hangs_on_sign), answer, impact);
    return impact;
}

/// first_impact_scalar of two body rows per lane: gaps and displacements are transposed into columns.
template <class Arch, Touch kTouch, bool kWithFaces>
BROADSIDE_FORCE_INLINE ImpactW<Arch> impacts_of_bodies(const BodyBoxRow* a, const BodyBoxRow* b,
                                                       const IndexPair* pairs) {
    using namespace simd;
    const Vec3PairW<Arch> gaps = columns_of_rows<Arch>([&](std::uint32_t lane) {
        const float* row_b = row_floats(b, pairs[lane].second);
        return load_row_aligned<Arch>(row_floats(a, pairs[lane].first)) -
               load_row_halves_aligned<Arch>(row_b + 4, row_b);
    });
    const auto displacements = [&](const BodyBoxRow* rows, std::uint32_t first, std::uint32_t second) {
        return load_row_halves_aligned<Arch>(row_floats(rows, first) + 8, row_floats(rows, second) + 8);
    };
    const Vec3W<Arch> d = columns_of_vectors<Arch>([&](std::uint32_t lane, std::uint32_t other_lane) {
        return displacements(b, pairs[lane].second, pairs[other_lane].second) -
               displacements(a, pairs[lane].first, pairs[other_lane].first);
    });
    const auto& [to_min_face, to_max_face] = gaps;
    // Rows of invalid boxes are NaN throughout; gaps of valid ones never are, but displacements may overflow.
    const MaskW<Arch> is_legal = (to_min_face.x <= to_max_face.x) & is_finite(d);
    const PairAxesW<Arch> axes = {{to_min_face.x, -to_max_face.x, d.x, is_legal},
                                  {to_min_face.y, -to_max_face.y, d.y, is_legal},
                                  {to_min_face.z, -to_max_face.z, d.z, is_legal}};
    return first_impact_lanes<Arch, kTouch, kWithFaces>(axes, [&](std::uint32_t lane) {
        return impact_of_rows(a[pairs[lane].first], b[pairs[lane].second], kTouch);
    });
}

/// Stores `impacts_at(pairs)` of every kLanes pairs; a partial group is filled with its first pair.
template <class Arch, bool kWithFaces, class ImpactsAt>
BROADSIDE_FORCE_INLINE void store_impacts_of_pairs(const IndexPair* pairs, std::size_t pair_count,
                                                   float* out_toi, Face* out_faces, ImpactsAt&& impacts_at) {
    using namespace simd;
    std::size_t first = 0;
    for (; first + Arch::kLanes <= pair_count; first += Arch::kLanes) {
        store_impacts<kWithFaces>(out_toi, out_faces, first, FullGroup<Arch>{}, impacts_at(pairs + first));
    }
    if (first == pair_count) return;
    const TailGroup<Arch> rest{static_cast<std::uint32_t>(pair_count - first)};
    IndexPair copies[Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        copies[lane] = pairs[first + (lane < rest.count ? lane : 0)];
    }
    store_impacts<kWithFaces>(out_toi, out_faces, first, rest, impacts_at(copies));
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
    } else {
        choose_form(touch, out_faces, [&](auto policy, auto with_faces) {
            store_impacts_of_pairs<Arch, with_faces.value>(
                pairs, pair_count, out_toi, out_faces, [&](const IndexPair* lanes) {
                    return impacts_of_rows<Arch, policy.value, with_faces.value>(resting, movers, lanes);
                });
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
    } else {
        choose_form(touch, out_faces, [&](auto policy, auto with_faces) {
            store_impacts_of_pairs<Arch, with_faces.value>(
                pairs, pair_count, out_toi, out_faces, [&](const IndexPair* lanes) {
                    return impacts_of_bodies<Arch, policy.value, with_faces.value>(a, b, lanes);
                });
        });
    }
}

}  // namespace broadside::narrowphase
