// Oriented box against listed triangles in batches: one box and a list of indices, and pairs by index; from
// arrays and from the caller's structs.
#pragma once

#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_triangle_lanes.hpp"
#include "narrowphase/src/obb/obb_triangle_scalar.hpp"

#include <broadside/pair_buffer.hpp>

namespace broadside::narrowphase {

BROADSIDE_FORCE_INLINE void store_impact(ImpactOutput out, std::size_t item, const TriangleImpact& impact) {
    out.toi[item] = impact.toi;
    if (out.axis != nullptr) out.axis[item] = impact.axis;
}

template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_impacts(ImpactOutput out, std::size_t first, Group group,
                                          const TriangleImpactW<Arch>& impact) {
    group.store(out.toi + first, impact.toi);
    if (out.axis == nullptr) return;
    simd::store_bytes(out.axis + first, group, impact.axis);
}

/// One prepared box over lanes: calls walk(body) with a body that computes and stores the results of a group.
template <class Arch, bool HasAxis, class Walk>
BROADSIDE_FORCE_INLINE void impacts_over_lanes(const ObbFrame& frame, ImpactOutput out, Walk&& walk) {
    const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
    walk([&](std::size_t first, auto group, const TriangleW<Arch>& triangle) {
        store_impacts(out, first, group, impact_lanes<HasAxis>(frame_w, triangle));
    });
}

template <class Arch, class Walk>
BROADSIDE_FORCE_INLINE void impacts_with_or_without_axis(const ObbFrame& frame, ImpactOutput out,
                                                         Walk&& walk) {
    if (out.axis != nullptr) {
        impacts_over_lanes<Arch, true>(frame, out, walk);
    } else {
        impacts_over_lanes<Arch, false>(frame, out, walk);
    }
}

// One box, listed triangles.

template <class Arch>
void obb_triangle_overlap_indexed_kernel(const Obb& obb, const TriangleList& triangles,
                                         const std::uint32_t* indices, std::size_t index_count,
                                         std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    const ObbFrame frame = make_obb_frame(obb, {});
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < index_count; ++i) {
            writer.write(i, overlap_scalar(frame, triangles[indices[i]]) ? 1u : 0u, 1);
        }
    } else {
        const ObbFrameW<Arch> frame_w = broadcast_frame<Arch>(frame);
        simd::for_each_listed_group<Arch>(
            indices, index_count, [&](std::size_t first, auto group, const std::uint32_t* lanes) {
                const auto index_of = [=](std::uint32_t lane) { return lanes[lane]; };
                const TriangleW<Arch> triangle = load_triangles_indexed<Arch>(triangles, index_of);
                writer.write(first, bits(overlap_lanes(frame_w, triangle)), group.count);
            });
    }
    writer.finish();
}

template <class Arch>
void obb_triangle_impacts_indexed_kernel(const Obb& obb, Vec3 motion, const TriangleList& triangles,
                                         const std::uint32_t* indices, std::size_t index_count,
                                         ImpactOutput out) {
    const ObbFrame frame = make_obb_frame(obb, motion);
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < index_count; ++i) {
            store_impact(out, i, impact_scalar(frame, triangles[indices[i]]));
        }
    } else {
        impacts_with_or_without_axis<Arch>(frame, out, [&](auto&& body) {
            simd::for_each_listed_group<Arch>(
                indices, index_count, [&](std::size_t first, auto group, const std::uint32_t* lanes) {
                    const auto index_of = [=](std::uint32_t lane) { return lanes[lane]; };
                    body(first, group, load_triangles_indexed<Arch>(triangles, index_of));
                });
        });
    }
}

// Pairs.

template <class Arch>
BROADSIDE_FORCE_INLINE bool is_one_box(const IndexPair* lanes) {
    std::uint32_t difference = 0;
    for (std::uint32_t lane = 1; lane < Arch::kLanes; ++lane)
        difference |= lanes[lane].first ^ lanes[0].first;
    return difference == 0;
}

/// Calls body(first_item, group, frames, triangles) for every group of pairs. A group that shares one box
/// broadcasts its frame, and keeps it for the next group; other groups fetch a box for each lane.
template <class Arch, bool kMoves, class Body>
BROADSIDE_FORCE_INLINE void for_each_pair_group(const ObbsOfPairs& obbs, const TriangleList& triangles,
                                                const IndexPair* pairs, std::size_t pair_count, Body&& body) {
    using namespace simd;
    bool has_shared_frame = false;
    std::uint32_t shared_index = 0;
    ObbFrameW<Arch> shared_frame;
    for_each_listed_group<Arch>(
        pairs, pair_count, [&](std::size_t first, auto group, const IndexPair* lanes) {
            const auto triangle_of = [=](std::uint32_t lane) { return lanes[lane].second; };
            if (is_one_box<Arch>(lanes)) {
                if (!has_shared_frame || shared_index != lanes[0].first) {
                    has_shared_frame = true;
                    shared_index = lanes[0].first;
                    shared_frame = broadcast_frame<Arch>(obbs.frame(shared_index));
                }
                body(first, group, shared_frame, load_triangles_indexed<Arch>(triangles, triangle_of));
                return;
            }
            const auto obb_of = [=](std::uint32_t lane) { return lanes[lane].first; };
            Vec3W<Arch> motion = broadcast<Arch>(obbs.triangle_displacement);
            if (obbs.displacements != nullptr) {
                motion = motion - load_vec3_indexed<Arch>(obbs.displacements, obb_of);
            }
            body(first, group, make_obb_frames<kMoves>(load_obbs_indexed<Arch>(obbs.obbs, obb_of), motion),
                 load_triangles_indexed<Arch>(triangles, triangle_of));
        });
}

template <class Arch>
void obb_triangle_overlap_pairs_kernel(const Obb* obbs, const TriangleList& triangles, const IndexPair* pairs,
                                       std::size_t pair_count, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    const ObbsOfPairs resting = {obbs, nullptr, {}};
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const ObbFrame frame = resting.frame(pairs[i].first);
            writer.write(i, overlap_scalar(frame, triangles[pairs[i].second]) ? 1u : 0u, 1);
        }
    } else {
        for_each_pair_group<Arch, false>(resting, triangles, pairs, pair_count,
                                         [&](std::size_t first, auto group, const ObbFrameW<Arch>& frames,
                                             const TriangleW<Arch>& triangle) {
                                             writer.write(first, bits(overlap_lanes(frames, triangle)),
                                                          group.count);
                                         });
    }
    writer.finish();
}

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void impact_pairs_lanes(const ObbsOfPairs& obbs, const TriangleList& triangles,
                                               const IndexPair* pairs, std::size_t pair_count,
                                               ImpactOutput out) {
    for_each_pair_group<Arch, true>(
        obbs, triangles, pairs, pair_count,
        [&](std::size_t first, auto group, const ObbFrameW<Arch>& frames, const TriangleW<Arch>& triangle) {
            store_impacts(out, first, group, impact_lanes<HasAxis>(frames, triangle));
        });
}

template <class Arch>
void obb_triangle_impact_pairs_kernel(const ObbsOfPairs& obbs, const TriangleList& triangles,
                                      const IndexPair* pairs, std::size_t pair_count, ImpactOutput out) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < pair_count; ++i) {
            const ObbFrame frame = obbs.frame(pairs[i].first);
            store_impact(out, i, impact_scalar(frame, triangles[pairs[i].second]));
        }
    } else if (out.axis == nullptr) {
        impact_pairs_lanes<Arch, false>(obbs, triangles, pairs, pair_count, out);
    } else {
        impact_pairs_lanes<Arch, true>(obbs, triangles, pairs, pair_count, out);
    }
}

}  // namespace broadside::narrowphase
