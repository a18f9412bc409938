// The box that each of many queries meets first, and whether there is one: walks side by side.
#pragma once

#include "broadphase/src/tree/near_first_kernel.hpp"
#include "broadphase/src/tree/root_kernel.hpp"

namespace broadside::broadphase {

/// Walks that take turns. One walk alone waits most of its time: for the test of a node, and then, since its
/// outcome is seldom guessed right, for the processor to start over. Side by side the tests overlap, and
/// dealing the walks out by the outcome of their tests turns a guess for each into one for each kind.
inline constexpr std::uint32_t kWalkCount = 16;

template <class Arch>
struct FirstWalk {
    /// From the root down, the children that the walk has yet to go to; behind the last ones the node whose turn
    /// it is.
    NodeFrame<Arch> frames[kMaxLevelCount];
    std::uint32_t frame_count;
    SlabQuery query;
    FirstBox first;
    std::uint32_t query_index;
    std::uint32_t node;
    /// What the query meets of the node.
    std::uint32_t mask;
};

/// All of a node at once, for it comes from wherever it may be.
BROADSIDE_FORCE_INLINE void prefetch_node(const TreeView& tree, std::uint32_t node) {
    constexpr std::uint32_t kLine = 64 / sizeof(float);
    for (std::uint32_t i = 0; i < kNodeFloats; i += kLine) __builtin_prefetch(tree.node(node) + i);
    __builtin_prefetch(tree.links_of(node));
}

/// To the nearest one of the last children that are left.
template <class Arch>
BROADSIDE_FORCE_INLINE void go_to_nearest(const TreeView& tree, FirstWalk<Arch>& walk) {
    const std::uint32_t last = walk.frame_count - 1;
    NodeFrame<Arch>& frame = walk.frames[last];
    const std::uint32_t lane = nearest_lane<Arch>(frame.keys, frame.rest);
    const std::uint32_t left = frame.rest & ~(1u << lane);
    frame.rest = left;
    walk.node = frame.first_child + lane;
    walk.frame_count = last + (left != 0 ? 1u : 0u);
    prefetch_node(tree, walk.node);
}

/// Children beyond the limit are no concern any more.
template <class Arch>
BROADSIDE_FORCE_INLINE void leave_out_far_ones(FirstWalk<Arch>& walk) {
    std::uint32_t kept_count = 0;
    for (std::uint32_t i = 0; i < walk.frame_count; ++i) {
        const NodeFrame<Arch>& frame = walk.frames[i];
        const std::uint32_t rest = frame.rest & lanes_within<Arch>(frame.keys, walk.first.key);
        if (kept_count != i) walk.frames[kept_count] = frame;
        walk.frames[kept_count].rest = rest;
        kept_count += rest != 0 ? 1u : 0u;
    }
    walk.frame_count = kept_count;
}

/// Of a tree that is one leaf.
template <class Arch>
BROADSIDE_FORCE_INLINE FirstBox first_of_leaf(const TreeView& tree, const SlabQuery& query) {
    FirstBox first = {query.t_max, kNoSlot};
    NodeFloats<Arch> keys;
    const std::uint32_t mask = SlabShape<Arch>(query).test(tree.node(tree.root), first.key, keys);
    if (mask != 0) look_at_leaf<Arch>(tree, tree.root, mask, keys, first);
    return first;
}

template <class Arch>
void first_slabs_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                        FirstBox* out_closest) {
    if (is_leaf(tree.root)) {
        for (std::uint32_t i = 0; i < count; ++i) out_closest[i] = first_of_leaf<Arch>(tree, queries[i]);
        return;
    }
    using Walk = FirstWalk<Arch>;
    Walk walks[kWalkCount];
    // Each list has room for one more, which is written and not counted.
    Walk* active[kWalkCount + 1];
    Walk* with_boxes[kWalkCount + 1];
    Walk* done[kWalkCount + 1];
    std::uint32_t active_count = 0;
    std::uint32_t next_query = 0;
    RootTests<Arch> root;
    const std::uint32_t root_children = filled_children<Arch>(tree.node(tree.root));
    // The next query that meets some child of the root.
    const auto begin = [&](Walk& walk) {
        while (next_query < count) {
            const std::uint32_t index = next_query++;
            const std::uint32_t place = index % RootTests<Arch>::kMax;
            if (place == 0) {
                const std::uint32_t left = count - index;
                test_root<Arch, true>(tree.node(tree.root), root_children, queries + index,
                                      left < RootTests<Arch>::kMax ? left : RootTests<Arch>::kMax, root);
            }
            const FirstBox none = {queries[index].t_max, kNoSlot};
            if (root.masks[place] == 0) {
                out_closest[index] = none;
                continue;
            }
            walk.query = queries[index];
            walk.first = none;
            walk.query_index = index;
            walk.frames[0].keys = root.keys[place];
            walk.frames[0].rest = root.masks[place];
            walk.frames[0].first_child = tree.child_of(tree.root);
            walk.frame_count = 1;
            active[active_count++] = &walk;
            return;
        }
    };
    for (Walk& walk : walks) begin(walk);
    while (active_count != 0) {
        for (std::uint32_t i = 0; i < active_count; ++i) go_to_nearest<Arch>(tree, *active[i]);
        const std::uint32_t tested_count = active_count;
        std::uint32_t boxes_count = 0;
        std::uint32_t done_count = 0;
        active_count = 0;
        const auto go_on = [&](Walk& walk, std::uint32_t is_done) {
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += is_done ^ 1u;
        };
        for (std::uint32_t i = 0; i < tested_count; ++i) {
            Walk& walk = *active[i];
            NodeFrame<Arch>& frame = walk.frames[walk.frame_count];
            const std::uint32_t mask =
                SlabShape<Arch>(walk.query).test(tree.node(walk.node), walk.first.key, frame.keys);
            const std::uint32_t children = is_leaf(walk.node) ? 0 : mask;
            walk.mask = mask;
            frame.rest = children;
            frame.first_child = tree.child_of(walk.node);
            const std::uint32_t frame_count = walk.frame_count + (children != 0 ? 1u : 0u);
            walk.frame_count = frame_count;
            // One of three lists.
            const std::uint32_t has_boxes = mask != children ? 1u : 0u;
            const std::uint32_t is_done = (frame_count == 0 ? 1u : 0u) & ~has_boxes;
            with_boxes[boxes_count] = &walk;
            boxes_count += has_boxes;
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += (has_boxes | is_done) ^ 1u;
        }
        for (std::uint32_t i = 0; i < boxes_count; ++i) {
            Walk& walk = *with_boxes[i];
            look_at_leaf<Arch>(tree, walk.node, walk.mask, walk.frames[walk.frame_count].keys, walk.first);
            leave_out_far_ones<Arch>(walk);
            go_on(walk, walk.frame_count == 0 ? 1u : 0u);
        }
        for (std::uint32_t i = 0; i < done_count; ++i) {
            out_closest[done[i]->query_index] = done[i]->first;
            begin(*done[i]);
        }
    }
}

/// A walk that ends with the first box that it comes to.
struct AnyWalk {
    struct Frame {
        std::uint32_t first_child;
        std::uint32_t rest;
    };
    Frame frames[kMaxLevelCount];
    std::uint32_t frame_count;
    SlabQuery query;
    std::uint32_t query_index;
    std::uint32_t node;
    std::uint32_t is_met;
};

template <class Arch>
void any_slabs_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                      std::uint8_t* out_is_met) {
    NodeFloats<Arch> keys;
    if (is_leaf(tree.root)) {
        for (std::uint32_t i = 0; i < count; ++i) {
            const SlabQuery& query = queries[i];
            out_is_met[i] = SlabShape<Arch>(query).test(tree.node(tree.root), query.t_max, keys) != 0 ? 1 : 0;
        }
        return;
    }
    AnyWalk walks[kWalkCount];
    AnyWalk* active[kWalkCount + 1];
    AnyWalk* done[kWalkCount + 1];
    std::uint32_t active_count = 0;
    std::uint32_t next_query = 0;
    RootTests<Arch> root;
    const std::uint32_t root_children = filled_children<Arch>(tree.node(tree.root));
    const auto begin = [&](AnyWalk& walk) {
        while (next_query < count) {
            const std::uint32_t index = next_query++;
            const std::uint32_t place = index % RootTests<Arch>::kMax;
            if (place == 0) {
                const std::uint32_t left = count - index;
                test_root<Arch, false>(tree.node(tree.root), root_children, queries + index,
                                       left < RootTests<Arch>::kMax ? left : RootTests<Arch>::kMax, root);
            }
            if (root.masks[place] == 0) {
                out_is_met[index] = 0;
                continue;
            }
            walk.query = queries[index];
            walk.query_index = index;
            walk.frames[0] = {tree.child_of(tree.root), root.masks[place]};
            walk.frame_count = 1;
            active[active_count++] = &walk;
            return;
        }
    };
    for (AnyWalk& walk : walks) begin(walk);
    while (active_count != 0) {
        for (std::uint32_t i = 0; i < active_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t last = walk.frame_count - 1;
            AnyWalk::Frame& frame = walk.frames[last];
            const std::uint32_t rest = frame.rest;
            const std::uint32_t left = rest & (rest - 1);
            frame.rest = left;
            walk.node = frame.first_child + static_cast<std::uint32_t>(__builtin_ctz(rest));
            walk.frame_count = last + (left != 0 ? 1u : 0u);
            prefetch_node(tree, walk.node);
        }
        const std::uint32_t tested_count = active_count;
        std::uint32_t done_count = 0;
        active_count = 0;
        for (std::uint32_t i = 0; i < tested_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t mask =
                SlabShape<Arch>(walk.query).test(tree.node(walk.node), walk.query.t_max, keys);
            const std::uint32_t children = is_leaf(walk.node) ? 0 : mask;
            walk.frames[walk.frame_count] = {tree.child_of(walk.node), children};
            const std::uint32_t frame_count = walk.frame_count + (children != 0 ? 1u : 0u);
            walk.frame_count = frame_count;
            walk.is_met = mask != children ? 1u : 0u;
            const std::uint32_t is_done = walk.is_met | (frame_count == 0 ? 1u : 0u);
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += is_done ^ 1u;
        }
        for (std::uint32_t i = 0; i < done_count; ++i) {
            out_is_met[done[i]->query_index] = static_cast<std::uint8_t>(done[i]->is_met);
            begin(*done[i]);
        }
    }
}

}  // namespace broadside::broadphase
