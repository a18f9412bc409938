// The boxes that an oriented box overlaps, or may, by the filter of core/src/geometry/obb_box_filter.hpp. The
// text at one lane is the specification; tests compare it with exact arithmetic.
#pragma once

#include "broadphase/src/tree/kernels/walk.hpp"
#include "core/src/geometry/obb_box_filter.hpp"

namespace broadside::broadphase {

/// The lanes of a register that are not apart from the oriented box, and those that overlap it for certain.
struct ObbLanes {
    std::uint32_t kept_bits;
    std::uint32_t met_bits;
};

/// Refers to the filter; its numbers are broadcast as they are loaded.
template <class Arch>
class ObbShape {
public:
    explicit BROADSIDE_FORCE_INLINE ObbShape(const ObbFilter& filter)
        : filter_(filter), around_(BoxQuery(filter.around)) {}

    /// The lanes of a node that meet `around` and that no face separates for certain.
    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        using namespace simd;
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        const std::uint32_t near_mask = around_.test(node);
        std::uint32_t mask = 0;
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
            const std::uint32_t near_bits = near_mask >> first & kGroupBits;
            // With many groups most are far away; a single one is not worth a branch.
            if (Arch::kLanes < kNodeWidth && near_bits == 0) continue;
            const Vec3W<Arch> edges = edges_of(node + first);
            mask |= (near_bits & ~bits(face_gap(way_to(node + first), edges) > doubt_of(edges))) << first;
        }
        return mask;
    }
    /// The certain results of the boxes of a leaf from lane `first` on; those in `near_bits` meet `around`.
    BROADSIDE_FORCE_INLINE ObbLanes decide(const float* leaf, std::uint32_t first,
                                           std::uint32_t near_bits) const {
        using namespace simd;
        const Vec3W<Arch> way = way_to(leaf + first);
        const Vec3W<Arch> edges = edges_of(leaf + first);
        const FloatW<Arch> doubt = doubt_of(edges);
        const FloatW<Arch> face = face_gap(way, edges);
        const std::uint32_t kept_bits = near_bits & ~bits(face > doubt);
        // The edges are for the few boxes that no face separates.
        if (kept_bits == 0) return {0, 0};
        const FloatW<Arch> gap = max_keep(other_gap(way, edges), face);
        return {kept_bits & ~bits(gap > doubt), bits(gap < -doubt)};
    }
    BROADSIDE_FORCE_INLINE std::uint32_t near(const float* leaf) const { return around_.test(leaf); }

private:
    /// Twice the vector from the center of the oriented box to that of the box.
    BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> way_to(const float* at) const {
        using namespace simd;
        const auto way = [&](NodeRow min, NodeRow max, float center) {
            const FloatW<Arch> center_w = broadcast<Arch>(center);
            return (load_aligned<Arch>(at + max * kNodeWidth) - center_w) +
                   (load_aligned<Arch>(at + min * kNodeWidth) - center_w);
        };
        return {way(kMinX, kMaxX, filter_.center.x), way(kMinY, kMaxY, filter_.center.y),
                way(kMinZ, kMaxZ, filter_.center.z)};
    }
    BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> edges_of(const float* at) const {
        using namespace simd;
        const auto edge = [&](NodeRow min, NodeRow max) {
            return load_aligned<Arch>(at + max * kNodeWidth) - load_aligned<Arch>(at + min * kNodeWidth);
        };
        return {edge(kMinX, kMaxX), edge(kMinY, kMaxY), edge(kMinZ, kMaxZ)};
    }
    /// A gap further from zero than this is certain.
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> doubt_of(const simd::Vec3W<Arch>& edges) const {
        using namespace simd;
        const FloatW<Arch> edge_sum = (edges.x + edges.y) + edges.z;
        return select(edge_sum < broadcast<Arch>(kObbFilterMax),
                      edge_sum * broadcast<Arch>(kObbDoubtShare) + broadcast<Arch>(filter_.doubt),
                      broadcast<Arch>(__builtin_inff()));
    }
    /// The largest gap along the face normals of the oriented box.
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> face_gap(const simd::Vec3W<Arch>& way,
                                                       const simd::Vec3W<Arch>& edges) const {
        using namespace simd;
        FloatW<Arch> gap = broadcast<Arch>(-FLT_MAX);
        for (const ObbFilterAxis& axis : filter_.faces) {
            const FloatW<Arch> apart =
                absolute(dot(broadcast<Arch>(axis.along), way)) - dot(broadcast<Arch>(axis.size), edges);
            gap = max_keep(apart - broadcast<Arch>(axis.width), gap);
        }
        return gap;
    }
    /// The largest gap along the face normals of the box and the pairs of edges.
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> other_gap(const simd::Vec3W<Arch>& way,
                                                        const simd::Vec3W<Arch>& edges) const {
        using namespace simd;
        const Vec3W<Arch> apart = (absolute(way) - edges) - broadcast<Arch>(filter_.reach);
        FloatW<Arch> gap = max_keep(apart.z, max_keep(apart.y, apart.x));
        for (std::uint32_t i = 0; i < kObbEdgeCount; i += 3) {
            // Component 0 goes with y and z, and so on.
            gap = max_keep(edge_gap(i, way.y, way.z, edges.y, edges.z), gap);
            gap = max_keep(edge_gap(i + 1, way.z, way.x, edges.z, edges.x), gap);
            gap = max_keep(edge_gap(i + 2, way.x, way.y, edges.x, edges.y), gap);
        }
        return gap;
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> edge_gap(std::uint32_t index, simd::FloatW<Arch> way_u,
                                                       simd::FloatW<Arch> way_v, simd::FloatW<Arch> edge_u,
                                                       simd::FloatW<Arch> edge_v) const {
        using namespace simd;
        const ObbFilterEdges& axes = filter_.edges;
        const FloatW<Arch> u = broadcast<Arch>(axes.along[0][index]);
        const FloatW<Arch> v = broadcast<Arch>(axes.along[1][index]);
        const FloatW<Arch> between = absolute(u * way_u + v * way_v);
        const FloatW<Arch> within =
            broadcast<Arch>(axes.size[0][index]) * edge_u + broadcast<Arch>(axes.size[1][index]) * edge_v;
        return (between - within) - broadcast<Arch>(axes.width[index]);
    }

    const ObbFilter& filter_;
    BoxShape<Arch> around_;
};
/// Stores slots with a key of 0 for certain boxes, 1 for others.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_obb_lanes(std::uint32_t first_slot_of_group, const ObbLanes& lanes,
                                            HitBlock<std::uint64_t>& state_block) {
    using namespace simd;
    const IntW<Arch> slots =
        broadcast_int<Arch>(static_cast<std::int32_t>(first_slot_of_group)) + lane_index<Arch>();
    const IntW<Arch> doubt =
        select(lanes_of<Arch>(lanes.met_bits), broadcast_int<Arch>(0), broadcast_int<Arch>(1));
    state_block.next += compress_store_interleaved(reinterpret_cast<std::int32_t*>(state_block.next), slots,
                                                   doubt, lanes.kept_bits);
}

template <class Arch>
void all_obbs_kernel(const TreeView& tree, const ObbFilter& filter, HitBlock<std::uint64_t>& state_block) {
    const ObbShape<Arch> shape(filter);
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node)); };
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        if (!state_block.has_room() && !state_block.take(state_block)) return false;
        const float* const planes = tree.node(leaf);
        const std::uint32_t near_mask = shape.near(planes);
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
            const std::uint32_t near_bits = near_mask >> first & kGroupBits;
            if (near_bits == 0) continue;
            const ObbLanes lanes = shape.decide(planes, first, near_bits);
            store_obb_lanes<Arch>(first_slot(leaf) + first, lanes, state_block);
        }
        return true;
    });
}

}  // namespace broadside::broadphase
