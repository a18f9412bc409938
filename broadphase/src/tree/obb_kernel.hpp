// The boxes that an oriented box overlaps, or may: core/src/geometry/obb_box_filter.hpp on all lanes.
#pragma once

#include "broadphase/src/tree/walk.hpp"
#include "core/src/geometry/obb_box_filter.hpp"

namespace broadside::broadphase {

/// The lanes of a register that are not apart from the oriented box, and those that overlap it for certain.
struct ObbLanes {
    std::uint32_t kept_bits;
    std::uint32_t met_bits;
};

/// Refers to the filter, whose numbers are broadcast as they are loaded.
template <class Arch>
class ObbShape {
public:
    explicit BROADSIDE_FORCE_INLINE ObbShape(const ObbFilter& filter)
        : filter_(filter), around_(BoxQuery(filter.around)) {}

    /// The lanes of a node that meet `around` and no face tells apart.
    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        using namespace simd;
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        const std::uint32_t near_mask = around_.test(node);
        std::uint32_t mask = 0;
        for (std::uint32_t first = 0; first < kNodeWidth; first += Arch::kLanes) {
            const std::uint32_t near_bits = near_mask >> first & kGroupBits;
            // With many groups most are far away; one alone is not worth a guess.
            if (Arch::kLanes < kNodeWidth && near_bits == 0) continue;
            const FilterBox box = filter_box(node + first);
            // may_meet(filter, box)
            mask |= (near_bits & ~bits(face_gap(box) > box.doubt)) << first;
        }
        return mask;
    }
    /// certainty(filter, box) of those of a leaf, from lane `first` on, that meet `around`.
    BROADSIDE_FORCE_INLINE ObbLanes decide(const float* leaf, std::uint32_t first,
                                           std::uint32_t near_bits) const {
        using namespace simd;
        const FilterBox box = filter_box(leaf + first);
        const FloatW<Arch> face = face_gap(box);
        const std::uint32_t kept_bits = near_bits & ~bits(face > box.doubt);
        // The edges are for the few that no face tells apart.
        if (kept_bits == 0) return {0, 0};
        const FloatW<Arch> gap = max_keep(other_gap(box), face);
        return {kept_bits & ~bits(gap > box.doubt), bits(gap < -box.doubt)};
    }
    BROADSIDE_FORCE_INLINE std::uint32_t near(const float* leaf) const { return around_.test(leaf); }

private:
    /// ObbFilterBox
    struct FilterBox {
        simd::Vec3W<Arch> way;
        simd::Vec3W<Arch> edges;
        simd::FloatW<Arch> doubt;
    };
    BROADSIDE_FORCE_INLINE FilterBox filter_box(const float* at) const {
        using namespace simd;
        const auto row = [&](NodeRow index) { return load_aligned<Arch>(at + index * kNodeWidth); };
        const BoxW<Arch> box = {{row(kMinX), row(kMinY), row(kMinZ)}, {row(kMaxX), row(kMaxY), row(kMaxZ)}};
        const Vec3W<Arch> center = broadcast<Arch>(filter_.center);
        const Vec3W<Arch> way = (box.max - center) + (box.min - center);
        const Vec3W<Arch> edges = box.max - box.min;
        const FloatW<Arch> edge_sum = (edges.x + edges.y) + edges.z;
        const FloatW<Arch> doubt =
            select(edge_sum < broadcast<Arch>(kObbFilterMax),
                   edge_sum * broadcast<Arch>(kObbDoubtShare) + broadcast<Arch>(filter_.doubt),
                   broadcast<Arch>(__builtin_inff()));
        return {way, edges, doubt};
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> face_gap(const FilterBox& box) const {
        using namespace simd;
        FloatW<Arch> gap = broadcast<Arch>(-FLT_MAX);
        for (const ObbFilterAxis& axis : filter_.faces) {
            const Vec3W<Arch> along = broadcast<Arch>(axis.along);
            const FloatW<Arch> apart =
                absolute(dot(along, box.way)) - dot(broadcast<Arch>(axis.size), box.edges);
            gap = max_keep(apart - broadcast<Arch>(axis.width), gap);
        }
        return gap;
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> other_gap(const FilterBox& box) const {
        using namespace simd;
        const Vec3W<Arch> apart = (absolute(box.way) - box.edges) - broadcast<Arch>(filter_.reach);
        FloatW<Arch> gap = max_keep(apart.z, max_keep(apart.y, apart.x));
        for (std::uint32_t i = 0; i < kObbEdgeCount; i += 3) {
            // Component 0 goes with y and z, and so on.
            gap = max_keep(edge_gap(i, box.way.y, box.way.z, box.edges.y, box.edges.z), gap);
            gap = max_keep(edge_gap(i + 1, box.way.z, box.way.x, box.edges.z, box.edges.x), gap);
            gap = max_keep(edge_gap(i + 2, box.way.x, box.way.y, box.edges.x, box.edges.y), gap);
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
template <>
class ObbShape<simd::Scalar> {
public:
    explicit BROADSIDE_FORCE_INLINE ObbShape(const ObbFilter& filter)
        : filter_(filter), around_(filter.around) {}

    BROADSIDE_FORCE_INLINE std::uint32_t test(const float* node) const {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb box = lane_box(node, lane);
            mask |= (meets(around_, box) && may_meet(filter_, box) ? 1u : 0u) << lane;
        }
        return mask;
    }
    BROADSIDE_FORCE_INLINE ObbLanes decide(const float* leaf, std::uint32_t first,
                                           std::uint32_t near_bits) const {
        const ObbCertainty certain = certainty(filter_, lane_box(leaf, first));
        return {certain.is_apart ? 0u : near_bits, certain.is_met ? 1u : 0u};
    }
    BROADSIDE_FORCE_INLINE std::uint32_t near(const float* leaf) const {
        std::uint32_t mask = 0;
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane)
            mask |= (meets(around_, lane_box(leaf, lane)) ? 1u : 0u) << lane;
        return mask;
    }

private:
    const ObbFilter& filter_;
    BoxQuery around_;
};

/// Slots with a key of 0 for boxes that are certain, 1 for others.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_obb_lanes(std::uint32_t first_slot_of_group, const ObbLanes& lanes,
                                            HitBlock<std::uint64_t>& state_block) {
    if constexpr (simd::is_scalar<Arch>) {
        *state_block.next = std::uint64_t{lanes.met_bits ^ 1u} << 32 | first_slot_of_group;
        state_block.next += lanes.kept_bits;
    } else {
        using namespace simd;
        const IntW<Arch> slots =
            broadcast_int<Arch>(static_cast<std::int32_t>(first_slot_of_group)) + lane_index<Arch>();
        const IntW<Arch> doubt =
            select(lanes_of<Arch>(lanes.met_bits), broadcast_int<Arch>(0), broadcast_int<Arch>(1));
        state_block.next += compress_store_interleaved(reinterpret_cast<std::int32_t*>(state_block.next),
                                                       slots, doubt, lanes.kept_bits);
    }
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
