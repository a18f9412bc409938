// Moving-box times of impact over lanes: contiguous streams and pairs by index.
#pragma once

#include "narrowphase/src/moving_box/moving_aabb_lanes.hpp"

namespace broadside::narrowphase {

/// The displacement of the box at `index`; zero if all boxes rest.
BROADSIDE_FORCE_INLINE Vec3 displacement_at(const MovingBoxes& moving, std::size_t index) {
    return moving.displacements.count == 0 ? Vec3{} : moving.displacements[index];
}

BROADSIDE_FORCE_INLINE Impact impact_of_items(const MovingBoxes& a, const MovingBoxes& b, std::size_t first,
                                              std::size_t second, Touch touch) {
    const Vec3 displacement = displacement_at(b, second) - displacement_at(a, first);
    return first_impact_scalar(a.shapes[first], b.shapes[second], displacement, touch);
}

/// The arrays of one axis of two streams.
struct StreamAxis {
    const float* s_min;
    const float* s_max;
    const float* m_min;
    const float* m_max;
    const float* displacement_s;
    const float* displacement_m;
};
/// The group of two streams that begins at `first`. A stream at rest reads the same zeros for every group:
/// its mask makes every offset zero.
template <class Arch, bool kBothMove, class Group>
struct StreamAxesW {
    const StreamAxis& axis_x;
    const StreamAxis& axis_y;
    const StreamAxis& axis_z;
    std::size_t first;
    std::size_t mask_s;
    std::size_t mask_m;
    Group group;

    BROADSIDE_FORCE_INLINE PairAxisW<Arch> x() const { return load(axis_x); }
    BROADSIDE_FORCE_INLINE PairAxisW<Arch> y() const { return load(axis_y); }
    BROADSIDE_FORCE_INLINE PairAxisW<Arch> z() const { return load(axis_z); }

private:
    BROADSIDE_FORCE_INLINE PairAxisW<Arch> load(const StreamAxis& axis) const {
        constexpr float kNoBox = __builtin_nanf("");
        return pair_axis(group.load(axis.s_min + first, kNoBox), group.load(axis.s_max + first, kNoBox),
                         group.load(axis.m_min + first, kNoBox), group.load(axis.m_max + first, kNoBox),
                         load_displacement(axis));
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> load_displacement(const StreamAxis& axis) const {
        const simd::FloatW<Arch> of_m = group.load(axis.displacement_m + (first & mask_m), 0.0f);
        if constexpr (!kBothMove) return of_m;
        return of_m - group.load(axis.displacement_s + (first & mask_s), 0.0f);
    }
};

template <class Arch, Touch kTouch, bool kWithFaces, bool kBothMove>
BROADSIDE_FORCE_INLINE void moving_aabb_streams_lanes(const MovingBoxes& a, const MovingBoxes& b,
                                                      float* out_toi, Face* out_faces) {
    using namespace simd;
    alignas(64) const float zeros[Arch::kLanes] = {};
    const Vec3SoaView at_rest = {zeros, zeros, zeros, Arch::kLanes};
    const Vec3SoaView of_a = a.displacements.count == 0 ? at_rest : a.displacements;
    const Vec3SoaView of_b = b.displacements.count == 0 ? at_rest : b.displacements;
    const std::size_t mask_a = a.displacements.count == 0 ? 0 : ~std::size_t{0};
    const std::size_t mask_b = b.displacements.count == 0 ? 0 : ~std::size_t{0};
    const BoxSoaView s = a.shapes;
    const BoxSoaView m = b.shapes;
    const StreamAxis x = {s.min_x, s.max_x, m.min_x, m.max_x, of_a.x, of_b.x};
    const StreamAxis y = {s.min_y, s.max_y, m.min_y, m.max_y, of_a.y, of_b.y};
    const StreamAxis z = {s.min_z, s.max_z, m.min_z, m.max_z, of_a.z, of_b.z};
    for_each_group_to<Arch>(out_toi, s.count, [&](std::size_t first, auto group) {
        const ImpactW<Arch> impact = first_impact_lanes<Arch, kTouch, kWithFaces>(
            StreamAxesW<Arch, kBothMove, decltype(group)>{x, y, z, first, mask_a, mask_b, group},
            [&](std::uint32_t lane) { return impact_of_items(a, b, first + lane, first + lane, kTouch); });
        store_impacts<kWithFaces>(out_toi, out_faces, first, group, impact);
    });
}

template <class Arch, Touch kTouch, bool kWithFaces>
BROADSIDE_FORCE_INLINE void moving_aabb_pairs_lanes(const MovingBoxes& a, const MovingBoxes& b,
                                                    const IndexPair* pairs, std::size_t pair_count,
                                                    float* out_toi, Face* out_faces) {
    using namespace simd;
    const Vec3W<Arch> at_rest = broadcast<Arch>(Vec3{});
    for_each_group<Arch>(pair_count, [&](std::size_t first, auto group) {
        const PairIndices<Arch> indices = load_pair_indices<Arch>(pairs + first, group.count);
        const Vec3W<Arch> displacement_a =
            a.displacements.count == 0 ? at_rest : load_vectors_indexed<Arch>(a.displacements, indices.first);
        const Vec3W<Arch> displacement_b = b.displacements.count == 0
                                               ? at_rest
                                               : load_vectors_indexed<Arch>(b.displacements, indices.second);
        const BoxW<Arch> s = load_boxes_indexed<Arch>(a.shapes, indices.first);
        const BoxW<Arch> m = load_boxes_indexed<Arch>(b.shapes, indices.second);
        const Vec3W<Arch> d = displacement_b - displacement_a;
        const PairAxesW<Arch> axes = {pair_axis(s.min.x, s.max.x, m.min.x, m.max.x, d.x),
                                      pair_axis(s.min.y, s.max.y, m.min.y, m.max.y, d.y),
                                      pair_axis(s.min.z, s.max.z, m.min.z, m.max.z, d.z)};
        const ImpactW<Arch> impact =
            first_impact_lanes<Arch, kTouch, kWithFaces>(axes, [&](std::uint32_t lane) {
                return impact_of_items(a, b, indices.first[lane], indices.second[lane], kTouch);
            });
        store_impacts<kWithFaces>(out_toi, out_faces, first, group, impact);
    });
}

/// Streams of equal length.
template <class Arch>
void moving_aabb_streams_kernel(const MovingBoxes& a, const MovingBoxes& b, Touch touch, float* out_toi,
                                Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < a.shapes.count; ++i) {
            const Impact impact = impact_of_items(a, b, i, i, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else {
        choose_form(touch, out_faces, [&](auto policy, auto with_faces) {
            if (a.displacements.count == 0)
                moving_aabb_streams_lanes<Arch, policy.value, with_faces.value, false>(a, b, out_toi,
                                                                                       out_faces);
            else
                moving_aabb_streams_lanes<Arch, policy.value, with_faces.value, true>(a, b, out_toi,
                                                                                      out_faces);
        });
    }
}

/// Pairs by index; every lane fetches its own two boxes. A partial group repeats its first pair.
template <class Arch>
void moving_aabb_pairs_kernel(const MovingBoxes& a, const MovingBoxes& b, const IndexPair* pairs,
                              std::size_t pair_count, Touch touch, float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const Impact impact = impact_of_items(a, b, pairs[i].first, pairs[i].second, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else {
        choose_form(touch, out_faces, [&](auto policy, auto with_faces) {
            moving_aabb_pairs_lanes<Arch, policy.value, with_faces.value>(a, b, pairs, pair_count, out_toi,
                                                                          out_faces);
        });
    }
}

}  // namespace broadside::narrowphase
