// Pairs of the boxes of two trees, leaf by leaf.
#pragma once

#include "broadphase/src/tree/build_kernel.hpp"
#include "broadphase/src/tree/walk.hpp"

namespace broadside::broadphase {

/// As the first, with `above` in the upper half of each.
BROADSIDE_FORCE_INLINE std::uint32_t store_pairs(std::uint64_t* target, std::uint32_t first,
                                                 std::uint32_t mask, std::uint32_t above) {
    std::uint32_t count = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        target[count++] = std::uint64_t{above} << 32 | (first + lane);
    }
    return count;
}

/// Leaves of b that meet the box around the leaf of a; then each box of those that does, against the boxes of
/// a.
template <class Arch>
void leaf_pairs_kernel(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                       HitBlock<std::uint64_t>& state_block) {
    const float* leaf_of_a = a.node(leaf);
    const Aabb around = joined_lanes<Arch>(leaf_of_a);
    // Nothing but empty lanes.
    if (!(around.min.x <= around.max.x)) return;
    const BoxShape<Arch> around_shape{BoxQuery(around)};
    walk<Arch>(
        b, [&](std::uint32_t node) { return around_shape.test(b.node(node)); },
        [&](std::uint32_t leaf_b) {
            if (is_one_tree && leaf_b < leaf) return true;
            const float* boxes_of_b = b.node(leaf_b);
            for (std::uint32_t rest = around_shape.test(boxes_of_b); rest != 0; rest &= rest - 1) {
                if (!state_block.has_room() && !state_block.take(state_block)) return false;
                const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
                std::uint32_t mask = BoxShape<Arch>(BoxQuery(lane_box(boxes_of_b, lane))).test(leaf_of_a);
                if (is_one_tree && leaf_b == leaf) mask &= (1u << lane) - 1;
                state_block.next +=
                    store_pairs(state_block.next, first_slot(leaf), mask, first_slot(leaf_b) + lane);
            }
            return true;
        });
}

}  // namespace broadside::broadphase
