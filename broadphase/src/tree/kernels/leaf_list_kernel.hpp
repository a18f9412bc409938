// Near leaves before far ones: those below a node are sorted before any is tested.
#pragma once

#include "broadphase/src/lists/rank_sort_kernel.hpp"
#include "broadphase/src/tree/kernels/near_first_kernel.hpp"

namespace broadside::broadphase {

/// Writes the lanes of the mask in the order in which nearest_lane would choose them, as numbers whose last
/// bits are the lane and whose others are those of the key, and returns how many. For one register a node.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t sort_lanes(const NodeFloats<Arch>& keys, std::uint32_t mask,
                                                std::uint32_t (&out_sorted)[2 * kNodeWidth]) {
    using namespace simd;
    std::uint32_t entries[2 * kNodeWidth];
    const IntW<Arch> key_bits =
        as_int(keys.group[0]) & broadcast_int<Arch>(~static_cast<std::int32_t>(kLaneBits));
    const std::uint32_t count =
        compress_store(reinterpret_cast<std::int32_t*>(entries), key_bits | lane_index<Arch>(), mask);
    if (count < 2) {
        out_sorted[0] = entries[0];
        return count;
    }
    rank_groups<Arch, 1>(entries, 0, count, out_sorted);
    return count;
}

/// walk_near_first for ISAs that test a node at once, in the same order. No test of a leaf waits for the
/// choice of the next one.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk_near_lists(const TreeView& tree, const Shape& shape, const float& limit,
                                            Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    NodeFloats<Arch> keys;
    const auto visit = [&](std::uint32_t leaf) {
        const std::uint32_t mask = shape.test(tree.node(leaf), limit, keys);
        return mask == 0 || visit_leaf(leaf, mask, keys);
    };
    if (is_leaf(tree.root)) {
        (void)visit(tree.root);
        return;
    }
    NodeFrame<Arch> frames[kMaxLevelCount];
    NodeFrame<Arch>* frame = frames;
    std::uint32_t node = tree.root;
    for (;;) {
        const std::uint32_t mask = shape.test(tree.node(node), limit, frame->keys);
        const std::uint32_t first_child = tree.child_of(node);
        if (is_leaf(first_child)) {
            std::uint32_t sorted[2 * kNodeWidth];
            const std::uint32_t count = sort_lanes(frame->keys, mask, sorted);
            for (std::uint32_t i = 0; i < count; ++i) {
                // Not above the key of this leaf or of a later one.
                if (!(__builtin_bit_cast(float, sorted[i] & ~kLaneBits) <= limit)) break;
                if (!visit(first_child + (sorted[i] & kLaneBits))) return;
            }
        } else {
            frame->first_child = first_child;
            frame->rest = mask;
            ++frame;
        }
        if (!find_next(frames, limit, frame, node)) return;
    }
}

}  // namespace broadside::broadphase
