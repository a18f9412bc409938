// The box that one query alone meets first: near nodes before far ones, and without a sort.
#pragma once

#include "broadphase/src/tree/kernels/walk.hpp"

namespace broadside::broadphase {

/// The children of a node that the walk still has to visit.
template <class Arch>
struct NodeFrame {
    NodeFloats<Arch> keys;
    std::uint32_t first_child;
    std::uint32_t rest;
};

/// Sets `out_node` to the nearest child of the last frame that has one within the limit, and `state_frame`
/// behind that frame; false if there is none.
template <class Arch>
BROADSIDE_FORCE_INLINE bool find_next(NodeFrame<Arch>* frames, float limit, NodeFrame<Arch>*& state_frame,
                                      std::uint32_t& out_node) {
    NodeFrame<Arch>* frame = state_frame;
    std::uint32_t rest;
    do {
        if (frame == frames) return false;
        --frame;
        rest = frame->rest & lanes_within<Arch>(frame->keys, limit);
    } while (rest == 0);
    const std::uint32_t lane = nearest_lane<Arch>(frame->keys, rest);
    frame->rest = rest & ~(1u << lane);
    out_node = frame->first_child + lane;
    state_frame = frame + 1;
    return true;
}

/// Visits leaves in about the order of their keys, and none whose key is above `limit` at its turn. It goes
/// from each node to its nearest child at once: no branch on how many are met, and no sort.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk_near_first(const TreeView& tree, const Shape& shape, const float& limit,
                                            Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    NodeFrame<Arch> frames[kMaxLevelCount];
    NodeFrame<Arch>* frame = frames;
    std::uint32_t node = tree.root;
    for (;;) {
        const std::uint32_t mask = shape.test(tree.node(node), limit, frame->keys);
        if (is_leaf(node)) {
            if (mask != 0 && !visit_leaf(node, mask, frame->keys)) return;
        } else {
            frame->first_child = tree.child_of(node);
            frame->rest = mask;
            ++frame;
        }
        if (!find_next(frames, limit, frame, node)) return;
    }
}

/// The smallest key of the lanes in the mask, which is not zero.
template <class Arch>
BROADSIDE_FORCE_INLINE float smallest_key(const NodeFloats<Arch>& keys, std::uint32_t mask) {
    using namespace simd;
    FloatW<Arch> key = broadcast<Arch>(__builtin_inff());
    for_groups_of<Arch>(mask, [&](std::uint32_t first) {
        key = min_keep(select(lanes_of<Arch>(mask >> first), keys.group[first / Arch::kLanes],
                              broadcast<Arch>(__builtin_inff())),
                       key);
    });
    return smallest(key);
}

/// Compares the boxes of a leaf that a query meets with the first one so far.
template <class Arch>
BROADSIDE_FORCE_INLINE void look_at_leaf(const TreeView& tree, std::uint32_t leaf, std::uint32_t mask,
                                         const NodeFloats<Arch>& keys, FirstBox& state_first) {
    const float key = smallest_key(keys, mask);
    // Mostly one lane.
    for (std::uint32_t rest = mask & lanes_within(keys, key); rest != 0; rest &= rest - 1) {
        const std::uint32_t slot = first_slot(leaf) + static_cast<std::uint32_t>(__builtin_ctz(rest));
        const bool is_first = key < state_first.key || state_first.slot == kNoSlot ||
                              tree.box_index(slot) < tree.box_index(state_first.slot);
        if (is_first) state_first = {key, slot};
    }
}

template <class Arch>
FirstBox first_slab_kernel(const TreeView& tree, const SlabQuery& query) {
    const SlabShape<Arch> shape(query);
    FirstBox first = {query.t_max, kNoSlot};
    walk_near_first<Arch>(tree, shape, first.key,
                          [&](std::uint32_t leaf, std::uint32_t mask, const NodeFloats<Arch>& keys) {
                              look_at_leaf<Arch>(tree, leaf, mask, keys, first);
                              return true;
                          });
    return first;
}

}  // namespace broadside::broadphase
