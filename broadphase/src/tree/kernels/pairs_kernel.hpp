// Pairs of the boxes of two trees, leaf by leaf.
#pragma once

#include "broadphase/src/tree/kernels/build_kernel.hpp"
#include "broadphase/src/tree/kernels/walk.hpp"

namespace broadside::broadphase {

/// Compares each box of the leaf of b that meets `near_leaf` with the boxes of the leaf of a. Returns false
/// if the caller wants no more. The lanes of four boxes are one word, because the end of a loop over bits is
/// hard to predict.
template <class Arch>
BROADSIDE_FORCE_INLINE bool meet_leaf(const BoxShape<Arch>& near_leaf, const float* leaf_of_a,
                                      std::uint32_t leaf_a, const float* leaf_of_b, std::uint32_t leaf_b,
                                      bool is_same, HitBlock<std::uint64_t>& state_block) {
    static_assert(4 * kNodeWidth == 64);
    for (std::uint32_t rest = near_leaf.test(leaf_of_b); rest != 0;) {
        std::uint64_t bits = 0;
        std::uint64_t slots[4];
        for (std::uint32_t k = 0; k < 4 && rest != 0; ++k, rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            std::uint32_t mask = BoxShape<Arch>(BoxQuery(lane_box(leaf_of_b, lane))).test(leaf_of_a);
            if (is_same) mask &= (1u << lane) - 1;
            bits |= std::uint64_t{mask} << k * kNodeWidth;
            slots[k] = std::uint64_t{first_slot(leaf_b) + lane} << 32 | first_slot(leaf_a);
        }
        for (; bits != 0; bits &= bits - 1) {
            if (state_block.next == state_block.end && !state_block.take(state_block)) return false;
            const auto bit = static_cast<std::uint32_t>(__builtin_ctzll(bits));
            *state_block.next++ = slots[bit / kNodeWidth] + bit % kNodeWidth;
        }
    }
    return true;
}

/// Finds the leaves of b that meet the box around the leaf of a, and compares their boxes that meet it with
/// the boxes of a. Within one tree a leaf meets itself first, where a search for one pair mostly finds it.
template <class Arch>
void leaf_pairs_kernel(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                       HitBlock<std::uint64_t>& state_block) {
    const float* leaf_of_a = a.node(leaf);
    if (is_one_tree) {
        const BoxShape<Arch> any{BoxQuery(kEverything)};
        if (!meet_leaf<Arch>(any, leaf_of_a, leaf, leaf_of_a, leaf, true, state_block)) return;
    }
    const Aabb around = joined_lanes<Arch>(leaf_of_a);
    // Only empty lanes.
    if (!(around.min.x <= around.max.x)) return;
    const BoxShape<Arch> around_shape{BoxQuery(around)};
    walk<Arch>(
        b, [&](std::uint32_t node) { return around_shape.test(b.node(node)); },
        [&](std::uint32_t leaf_b) {
            if (is_one_tree && leaf_b <= leaf) return true;
            return meet_leaf<Arch>(around_shape, leaf_of_a, leaf, b.node(leaf_b), leaf_b, false, state_block);
        });
}

}  // namespace broadside::broadphase
