// The box that each of many queries meets first, and whether there is one: walks side by side.
#pragma once

#include "broadphase/src/tree/near_first_kernel.hpp"

namespace broadside::broadphase {

/// Walks that take turns. One walk alone waits most of its time: for the test of a node, and then, since its
/// outcome is seldom guessed right, for the processor to start over. Side by side the tests overlap, and
/// dealing the walks out by the outcome of their tests turns a guess for each into one for each kind.
inline constexpr std::uint32_t kWalkCount = 16;

template <class Arch>
struct FirstWalk {
    /// By level, from the root down: the children that the walk has yet to go to, and their keys. The bits of
    /// `levels` say where there are any.
    NodeFloats<Arch> keys[kMaxLevelCount];
    std::uint32_t first_child[kMaxLevelCount];
    std::uint32_t rest[kMaxLevelCount];
    std::uint32_t levels;
    SlabQuery query;
    FirstBox first;
    std::uint32_t query_index;
    /// The node whose turn it is, its level, and what the query meets of it.
    std::uint32_t node;
    std::uint32_t level;
    std::uint32_t mask;
};

/// All of a node at once, for it comes from wherever it may be.
BROADSIDE_FORCE_INLINE void prefetch_node(const TreeView& tree, std::uint32_t node) {
    constexpr std::uint32_t kLine = 64 / sizeof(float);
    for (std::uint32_t i = 0; i < kNodeFloats; i += kLine) __builtin_prefetch(tree.node(node) + i);
    __builtin_prefetch(tree.links_of(node));
}

/// To the last level with a child left, which `levels` names: there to the nearest one.
template <class Arch>
BROADSIDE_FORCE_INLINE void go_to_nearest(const TreeView& tree, FirstWalk<Arch>& walk) {
    const std::uint32_t level = 31 - static_cast<std::uint32_t>(__builtin_clz(walk.levels));
    const std::uint32_t rest = walk.rest[level];
    const std::uint32_t lane = nearest_lane<Arch>(walk.keys[level], rest);
    const std::uint32_t left = rest & ~(1u << lane);
    walk.rest[level] = left;
    walk.levels &= ~((left == 0 ? 1u : 0u) << level);
    walk.node = walk.first_child[level] + lane;
    walk.level = level + 1;
    prefetch_node(tree, walk.node);
}

/// Children beyond the limit are no concern any more.
template <class Arch>
BROADSIDE_FORCE_INLINE void leave_out_far_ones(FirstWalk<Arch>& walk) {
    std::uint32_t levels = 0;
    for (std::uint32_t level = 0; level < walk.level; ++level) {
        const std::uint32_t waits = 0 - (walk.levels >> level & 1u);
        const std::uint32_t rest =
            walk.rest[level] & waits & lanes_within<Arch>(walk.keys[level], walk.first.key);
        walk.rest[level] = rest;
        levels |= (rest != 0 ? 1u : 0u) << level;
    }
    walk.levels = levels;
}

template <class Arch>
void first_slabs_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                        FirstBox* out_closest) {
    using Walk = FirstWalk<Arch>;
    Walk walks[kWalkCount];
    // Each list has room for one more, which is written and not counted.
    Walk* active[kWalkCount + 1];
    Walk* with_boxes[kWalkCount + 1];
    Walk* done[kWalkCount + 1];
    std::uint32_t active_count = 0;
    std::uint32_t next_query = 0;
    const auto begin = [&](Walk& walk) {
        walk.query = queries[next_query];
        walk.first = {walk.query.t_max, kNoSlot};
        walk.query_index = next_query++;
        walk.levels = 0;
        walk.level = 0;
        walk.node = tree.root;
        active[active_count++] = &walk;
    };
    while (active_count < kWalkCount && next_query < count) begin(walks[active_count]);
    while (active_count != 0) {
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
            const std::uint32_t level = walk.level;
            const std::uint32_t mask =
                SlabShape<Arch>(walk.query).test(tree.node(walk.node), walk.first.key, walk.keys[level]);
            const std::uint32_t children = is_leaf(walk.node) ? 0 : mask;
            walk.mask = mask;
            walk.rest[level] = children;
            walk.first_child[level] = tree.child_of(walk.node);
            walk.levels |= (children != 0 ? 1u : 0u) << level;
            // Without a branch: one of three lists.
            const std::uint32_t has_boxes = mask != children ? 1u : 0u;
            const std::uint32_t is_done = (walk.levels == 0 ? 1u : 0u) & ~has_boxes;
            with_boxes[boxes_count] = &walk;
            boxes_count += has_boxes;
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += (has_boxes | is_done) ^ 1u;
        }
        for (std::uint32_t i = 0; i < boxes_count; ++i) {
            Walk& walk = *with_boxes[i];
            look_at_leaf<Arch>(tree, walk.node, walk.mask, walk.keys[walk.level], walk.first);
            leave_out_far_ones<Arch>(walk);
            go_on(walk, walk.levels == 0 ? 1u : 0u);
        }
        for (std::uint32_t i = 0; i < active_count; ++i) go_to_nearest<Arch>(tree, *active[i]);
        for (std::uint32_t i = 0; i < done_count; ++i) {
            out_closest[done[i]->query_index] = done[i]->first;
            if (next_query < count) begin(*done[i]);
        }
    }
}

/// A walk that ends with the first box that it comes to.
struct AnyWalk {
    std::uint32_t first_child[kMaxLevelCount];
    std::uint32_t rest[kMaxLevelCount];
    std::uint32_t levels;
    SlabQuery query;
    std::uint32_t query_index;
    std::uint32_t node;
    std::uint32_t level;
    std::uint32_t is_met;
};

template <class Arch>
void any_slabs_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                      std::uint8_t* out_is_met) {
    AnyWalk walks[kWalkCount];
    AnyWalk* active[kWalkCount + 1];
    AnyWalk* done[kWalkCount + 1];
    std::uint32_t active_count = 0;
    std::uint32_t next_query = 0;
    const auto begin = [&](AnyWalk& walk) {
        walk.query = queries[next_query];
        walk.query_index = next_query++;
        walk.levels = 0;
        walk.level = 0;
        walk.node = tree.root;
        active[active_count++] = &walk;
    };
    while (active_count < kWalkCount && next_query < count) begin(walks[active_count]);
    NodeFloats<Arch> keys;
    while (active_count != 0) {
        const std::uint32_t tested_count = active_count;
        std::uint32_t done_count = 0;
        active_count = 0;
        for (std::uint32_t i = 0; i < tested_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t level = walk.level;
            const std::uint32_t mask =
                SlabShape<Arch>(walk.query).test(tree.node(walk.node), walk.query.t_max, keys);
            const std::uint32_t children = is_leaf(walk.node) ? 0 : mask;
            walk.rest[level] = children;
            walk.first_child[level] = tree.child_of(walk.node);
            walk.levels |= (children != 0 ? 1u : 0u) << level;
            walk.is_met = mask != children ? 1u : 0u;
            const std::uint32_t is_done = walk.is_met | (walk.levels == 0 ? 1u : 0u);
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += is_done ^ 1u;
        }
        for (std::uint32_t i = 0; i < active_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t last = 31 - static_cast<std::uint32_t>(__builtin_clz(walk.levels));
            const std::uint32_t rest = walk.rest[last];
            const std::uint32_t left = rest & (rest - 1);
            walk.rest[last] = left;
            walk.levels &= ~((left == 0 ? 1u : 0u) << last);
            walk.node = walk.first_child[last] + static_cast<std::uint32_t>(__builtin_ctz(rest));
            walk.level = last + 1;
            prefetch_node(tree, walk.node);
        }
        for (std::uint32_t i = 0; i < done_count; ++i) {
            out_is_met[done[i]->query_index] = static_cast<std::uint8_t>(done[i]->is_met);
            if (next_query < count) begin(*done[i]);
        }
    }
}

}  // namespace broadside::broadphase
