// The boxes that an oriented box overlaps, or may: core/src/geometry/obb_box_filter.hpp on all lanes.
#pragma once

#include "broadphase/src/tree/box_packet_kernel.hpp"
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
            const FilterBox box = filter_box<kNodeWidth>(node + first);
            // may_meet(filter, box)
            mask |= (near_bits & ~bits(face_gap(box) > box.doubt)) << first;
        }
        return mask;
    }
    /// certainty(filter, box) of a register of packed boxes.
    BROADSIDE_FORCE_INLINE ObbLanes decide(const float* boxes) const {
        using namespace simd;
        const FilterBox box = filter_box<PacketBoxes::kRoom>(boxes);
        const FloatW<Arch> gap = max_keep(other_gap(box), face_gap(box));
        return {~bits(gap > box.doubt), bits(gap < -box.doubt)};
    }

private:
    /// ObbFilterBox
    struct FilterBox {
        simd::Vec3W<Arch> way;
        simd::Vec3W<Arch> edges;
        simd::FloatW<Arch> doubt;
    };
    template <std::uint32_t kStride>
    BROADSIDE_FORCE_INLINE FilterBox filter_box(const float* at) const {
        using namespace simd;
        const auto row = [&](NodeRow index) { return load_aligned<Arch>(at + index * kStride); };
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
            gap = max_keep(edge_gap(filter_.edges[i], box.way.y, box.way.z, box.edges.y, box.edges.z), gap);
            gap =
                max_keep(edge_gap(filter_.edges[i + 1], box.way.z, box.way.x, box.edges.z, box.edges.x), gap);
            gap =
                max_keep(edge_gap(filter_.edges[i + 2], box.way.x, box.way.y, box.edges.x, box.edges.y), gap);
        }
        return gap;
    }
    BROADSIDE_FORCE_INLINE static simd::FloatW<Arch> edge_gap(const ObbFilterEdge& axis,
                                                              simd::FloatW<Arch> way_u,
                                                              simd::FloatW<Arch> way_v,
                                                              simd::FloatW<Arch> edge_u,
                                                              simd::FloatW<Arch> edge_v) {
        using namespace simd;
        const FloatW<Arch> u = broadcast<Arch>(axis.along[0]);
        const FloatW<Arch> v = broadcast<Arch>(axis.along[1]);
        const FloatW<Arch> between = absolute(u * way_u + v * way_v);
        const FloatW<Arch> within =
            broadcast<Arch>(axis.size[0]) * edge_u + broadcast<Arch>(axis.size[1]) * edge_v;
        return (between - within) - broadcast<Arch>(axis.width);
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
    BROADSIDE_FORCE_INLINE ObbLanes decide(const float* boxes) const {
        const auto at = [&](NodeRow row) { return boxes[row * PacketBoxes::kRoom]; };
        const ObbCertainty certain =
            certainty(filter_, {{at(kMinX), at(kMinY), at(kMinZ)}, {at(kMaxX), at(kMaxY), at(kMaxZ)}});
        return {certain.is_apart ? 0u : 1u, certain.is_met ? 1u : 0u};
    }

private:
    const ObbFilter& filter_;
    BoxQuery around_;
};

/// Of the boxes in leaves few are met, so those that pass the faces are put side by side before they are asked
/// about the rest: soon at first, for whoever wants one only.
template <class Arch>
class ObbWalk {
public:
    BROADSIDE_FORCE_INLINE ObbWalk(const TreeView& tree, const ObbFilter& filter,
                                   HitBlock<std::uint64_t>& state_block)
        : tree_(tree), shape_(filter), block_(state_block) {
        packed_.count = 0;
    }

    BROADSIDE_FORCE_INLINE void run() {
        const auto test = [&](std::uint32_t node) { return shape_.test(tree_.node(node)); };
        bool goes_on = true;
        walk<Arch>(tree_, test, [&](std::uint32_t leaf) {
            std::uint32_t slots[2 * kNodeWidth];
            (void)store_lanes<Arch>(slots, first_slot(leaf), kAllLanes);
            append_lanes<Arch>(tree_.node(leaf), slots, test(leaf), packed_);
            if (packed_.count >= wanted_) goes_on = empty_packet();
            return goes_on;
        });
        if (goes_on) (void)empty_packet();
    }

private:
    /// False when the block wants no more.
    bool empty_packet() {
        const std::uint32_t count = packed_.count;
        for (std::uint32_t first = 0; first < count; first += Arch::kLanes) {
            if (!block_.has_room() && !block_.take(block_)) return false;
            const std::uint32_t rest = count - first;
            const std::uint32_t filled = rest < Arch::kLanes ? (1u << rest) - 1 : (1u << Arch::kLanes) - 1;
            const ObbLanes lanes = shape_.decide(packed_.rows[0] + first);
            store(packed_.box_index + first, lanes.kept_bits & filled, lanes.met_bits);
        }
        packed_.count = 0;
        wanted_ = 4 * kNodeWidth;
        return true;
    }
    /// A key of 0 for boxes that are certain, 1 for others.
    BROADSIDE_FORCE_INLINE void store(const std::int32_t* slots, std::uint32_t kept_bits,
                                      std::uint32_t met_bits) {
        if constexpr (simd::is_scalar<Arch>) {
            const std::uint64_t doubt = met_bits != 0 ? 0 : 1;
            *block_.next = doubt << 32 | static_cast<std::uint32_t>(*slots);
            block_.next += kept_bits;
        } else {
            using namespace simd;
            const IntW<Arch> doubt =
                select(lanes_of<Arch>(met_bits), broadcast_int<Arch>(0), broadcast_int<Arch>(1));
            block_.next += compress_store_interleaved(reinterpret_cast<std::int32_t*>(block_.next),
                                                      load_unaligned_int<Arch>(slots), doubt, kept_bits);
        }
    }

    const TreeView& tree_;
    const ObbShape<Arch> shape_;
    HitBlock<std::uint64_t>& block_;
    std::uint32_t wanted_ = kNodeWidth;
    /// Named by their slots.
    PacketBoxes packed_;
};

template <class Arch>
void all_obbs_kernel(const TreeView& tree, const ObbFilter& filter, HitBlock<std::uint64_t>& state_block) {
    ObbWalk<Arch>(tree, filter, state_block).run();
}

}  // namespace broadside::broadphase
