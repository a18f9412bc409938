// The walk down a tree.
#pragma once

#include "broadphase/src/tree/hits.hpp"
#include "broadphase/src/tree/shapes_lanes.hpp"

namespace broadside::broadphase {

/// Stores `first` + lane for every lane whose bit is set, in lane order, and returns how many. Writes a
/// register past the last one.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint32_t* target, std::uint32_t first,
                                                 std::uint32_t mask) {
    std::uint32_t count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            target[count] = first + lane;
            count += mask >> lane & 1u;
        }
    } else {
        using namespace simd;
        auto* place = reinterpret_cast<std::int32_t*>(target);
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            const IntW<Arch> numbers =
                broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
            count += compress_store(place + count, numbers, mask >> lane & kGroupBits);
        }
    }
    return count;
}

/// As above with the key of each lane.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint64_t* target, std::uint32_t first,
                                                 std::uint32_t mask, const NodeFloats<Arch>& keys) {
    std::uint32_t count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            target[count] =
                std::uint64_t{__builtin_bit_cast(std::uint32_t, keys.group[lane])} << 32 | (first + lane);
            count += mask >> lane & 1u;
        }
    } else {
        using namespace simd;
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            const IntW<Arch> numbers =
                broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
            auto* place = reinterpret_cast<std::int32_t*>(target + count);
            count += compress_store_interleaved(place, numbers, as_int(keys.group[lane / Arch::kLanes]),
                                                mask >> lane & kGroupBits);
        }
    }
    return count;
}

/// Everything the shape meets, nodes in no particular but always the same order.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk(const TreeView& tree, const Shape& shape, Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    std::uint32_t stack[kStackSize];
    std::uint32_t stack_count = 0;
    std::uint32_t node = tree.root;
    for (;;) {
        if (is_leaf(node)) {
            if (!visit_leaf(node)) return;
        } else {
            stack_count += store_lanes<Arch>(stack + stack_count, tree.child_of(node), shape(node));
        }
        if (stack_count == 0) return;
        node = stack[--stack_count];
    }
}

}  // namespace broadside::broadphase
