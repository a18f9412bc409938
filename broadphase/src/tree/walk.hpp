// The walk down a tree, and the forms in which it gives what it finds.
#pragma once

#include "broadphase/src/tree/shapes_lanes.hpp"

namespace broadside::broadphase {

/// A slot or node with the key of the query there, as one number: the key's bits above, the slot below.
BROADSIDE_FORCE_INLINE std::uint32_t slot_of(std::uint64_t entry) {
    return static_cast<std::uint32_t>(entry);
}
BROADSIDE_FORCE_INLINE float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
}

/// Where a walk puts what it finds. `take` is called with the hits from `begin` to `next` when there is no
/// room for the lanes of another leaf; it makes room, by moving `next` back or by moving all three, and
/// answers false to end the walk. The block needs room for two nodes' lanes at least, since a register is
/// stored in full.
template <class Hit>
struct HitBlock {
    Hit* begin;
    Hit* next;
    Hit* end;
    bool (*take)(HitBlock& block);

    BROADSIDE_FORCE_INLINE bool has_room() const {
        return static_cast<std::size_t>(end - next) >= 2 * kNodeWidth;
    }
    std::size_t count() const { return static_cast<std::size_t>(next - begin); }
};
/// The box that is met first: the smallest key, and among equals the smallest index.
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
struct FirstBox {
    float key;
    std::uint32_t slot;
};

/// A walk whose reach shrinks with what it finds. `visit` is given the lanes of a leaf whose keys are within
/// `limit`, decides on them, and may lower `limit`. It answers false to end the walk.
struct KeyedVisitor {
    float limit;
    bool (*visit)(KeyedVisitor& self, const std::uint64_t* candidates, std::uint32_t count);
};

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
    std::uint32_t node = tree.root();
    for (;;) {
        if (tree.is_leaf(node)) {
            if (!visit_leaf(node)) return;
        } else {
            stack_count += store_lanes<Arch>(stack + stack_count, tree.child_of(node), shape(node));
        }
        if (stack_count == 0) return;
        node = stack[--stack_count];
    }
}

}  // namespace broadside::broadphase
