// The box that each of many queries meets first, and whether there is any: walks side by side.
#pragma once

#include "broadphase/src/tree/kernels/near_first_kernel.hpp"
#include "broadphase/src/tree/kernels/root_kernel.hpp"

namespace broadside::broadphase {

/// Walks that take turns. A walk alone waits most of its time: for the test of a node, and then, since its
/// result is seldom predicted, for the processor to start over. Side by side the tests overlap, and sorting
/// the walks into lists by their results leaves one branch for each list instead of one for each walk.
inline constexpr std::uint32_t kWalkCount = 16;

template <class Arch>
struct FirstWalk {
    /// From the root down, the children that the walk must still visit; behind them, the current node.
    NodeFrame<Arch> frames[kMaxLevelCount];
    std::uint32_t frame_count;
    std::uint32_t node;
    /// The boxes that the query meets in the node, if it is a leaf.
    std::uint32_t boxes;
    const SlabQuery* query;
    /// The result so far.
    FirstBox* first;
};

/// Whether nodes are so far away in memory that they must be prefetched. Nearer ones arrive while other walks
/// are tested, and prefetching costs an eighth of a walk.
BROADSIDE_FORCE_INLINE bool is_far_away(const TreeView& tree) {
    constexpr std::uint32_t kFamilyBytes = kNodeWidth * (kNodeFloats + kNodeWidth) * 4;
    return tree.family_count > 2'000'000 / kFamilyBytes;
}
/// Prefetches all of a node, because any part may be needed.
BROADSIDE_FORCE_INLINE void prefetch_node(const TreeView& tree, std::uint32_t node) {
    constexpr std::uint32_t kLine = 64 / sizeof(float);
    for (std::uint32_t i = 0; i < kNodeFloats; i += kLine) __builtin_prefetch(tree.node(node) + i);
    __builtin_prefetch(tree.links_of(node));
}

/// Goes to the nearest of the last children that are left.
template <class Arch>
BROADSIDE_FORCE_INLINE void go_to_nearest(FirstWalk<Arch>& walk) {
    const std::uint32_t last = walk.frame_count - 1;
    NodeFrame<Arch>& frame = walk.frames[last];
    const std::uint32_t lane = nearest_lane<Arch>(frame.keys, frame.rest);
    const std::uint32_t left = frame.rest & ~(1u << lane);
    frame.rest = left;
    walk.node = frame.first_child + lane;
    walk.frame_count = last + (left != 0 ? 1u : 0u);
}

/// All bits for an inner node, none for a leaf. Without a branch, because which comes next is a coin toss.
BROADSIDE_FORCE_INLINE std::uint32_t if_inner(std::uint32_t node) {
    static_assert(kLeafBit == 1u << 31);
    return (node >> 31) - 1;
}

/// Queries one after the other, with their results at the root, which is tested for many at a time.
template <class Arch, bool kHasKeys>
class Beginnings {
public:
    Beginnings(const TreeView& tree, const SlabQuery* queries, std::uint32_t count)
        : root_(tree.node(tree.root)),
          children_(filled_lanes<Arch>(root_)),
          queries_(queries),
          count_(count) {}

    /// The index of the next query, or their count.
    BROADSIDE_FORCE_INLINE std::uint32_t next() {
        if (next_ == count_) return count_;
        if (next_ % RootTests<Arch>::kMax == 0) {
            const std::uint32_t left = count_ - next_;
            test_root<Arch, kHasKeys>(root_, children_, queries_ + next_,
                                      left < RootTests<Arch>::kMax ? left : RootTests<Arch>::kMax, tests_);
        }
        return next_++;
    }
    BROADSIDE_FORCE_INLINE std::uint32_t mask(std::uint32_t index) const {
        return tests_.masks[index % RootTests<Arch>::kMax];
    }
    BROADSIDE_FORCE_INLINE const NodeFloats<Arch>& keys(std::uint32_t index) const {
        return tests_.keys[index % RootTests<Arch>::kMax];
    }

private:
    RootTests<Arch> tests_;
    const float* root_;
    std::uint32_t children_;
    const SlabQuery* queries_;
    std::uint32_t count_;
    std::uint32_t next_ = 0;
};

/// Drops children beyond the limit.
template <class Arch>
BROADSIDE_FORCE_INLINE void leave_out_far_ones(FirstWalk<Arch>& walk) {
    std::uint32_t kept_count = 0;
    for (std::uint32_t i = 0; i < walk.frame_count; ++i) {
        const NodeFrame<Arch>& frame = walk.frames[i];
        const std::uint32_t rest = frame.rest & lanes_within<Arch>(frame.keys, walk.first->key);
        if (kept_count != i) walk.frames[kept_count] = frame;
        walk.frames[kept_count].rest = rest;
        kept_count += rest != 0 ? 1u : 0u;
    }
    walk.frame_count = kept_count;
}

/// The first box in a tree that is one leaf.
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
    // Each list has room for one more entry, which is written and not counted.
    Walk* active[kWalkCount + 1];
    Walk* with_boxes[kWalkCount + 1];
    Walk* done[kWalkCount + 1];
    std::uint32_t active_count = 0;
    std::uint32_t done_count = kWalkCount;
    for (std::uint32_t i = 0; i < kWalkCount; ++i) done[i] = walks + i;
    const bool is_far = is_far_away(tree);
    Beginnings<Arch, true> beginnings(tree, queries, count);
    for (;;) {
        for (std::uint32_t i = 0; i < done_count; ++i) {
            Walk& walk = *done[i];
            // The next query that meets some child of the root.
            std::uint32_t index;
            while ((index = beginnings.next()) != count) {
                walk.query = queries + index;
                walk.first = out_closest + index;
                *walk.first = {queries[index].t_max, kNoSlot};
                walk.frames[0].keys = beginnings.keys(index);
                walk.frames[0].rest = beginnings.mask(index);
                walk.frames[0].first_child = tree.child_of(tree.root);
                walk.frame_count = 1;
                if (walk.frames[0].rest != 0) {
                    active[active_count++] = &walk;
                    break;
                }
            }
        }
        if (active_count == 0) return;
        for (std::uint32_t i = 0; i < active_count; ++i) go_to_nearest<Arch>(*active[i]);
        for (std::uint32_t i = 0; i < active_count && is_far; ++i) prefetch_node(tree, active[i]->node);
        const std::uint32_t tested_count = active_count;
        std::uint32_t boxes_count = 0;
        done_count = 0;
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
                SlabShape<Arch>(*walk.query).test(tree.node(walk.node), walk.first->key, frame.keys);
            const std::uint32_t children = mask & if_inner(walk.node);
            const std::uint32_t boxes = mask ^ children;
            walk.boxes = boxes;
            frame.rest = children;
            frame.first_child = tree.child_of(walk.node);
            const std::uint32_t frame_count = walk.frame_count + (children != 0 ? 1u : 0u);
            walk.frame_count = frame_count;
            // Adds the walk to one of three lists.
            const std::uint32_t has_boxes = boxes != 0 ? 1u : 0u;
            const std::uint32_t is_done = (frame_count | boxes) == 0 ? 1u : 0u;
            with_boxes[boxes_count] = &walk;
            boxes_count += has_boxes;
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += (has_boxes | is_done) ^ 1u;
        }
        for (std::uint32_t i = 0; i < boxes_count; ++i) {
            Walk& walk = *with_boxes[i];
            look_at_leaf<Arch>(tree, walk.node, walk.boxes, walk.frames[walk.frame_count].keys, *walk.first);
            leave_out_far_ones<Arch>(walk);
            go_on(walk, walk.frame_count == 0 ? 1u : 0u);
        }
    }
}

/// A walk that ends with the first box that it meets.
struct AnyWalk {
    struct Frame {
        std::uint32_t first_child;
        std::uint32_t rest;
    };
    Frame frames[kMaxLevelCount];
    std::uint32_t frame_count;
    std::uint32_t node;
    std::uint32_t query_index;
    const SlabQuery* query;
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
    std::uint32_t done_count = kWalkCount;
    for (std::uint32_t i = 0; i < kWalkCount; ++i) done[i] = walks + i;
    const bool is_far = is_far_away(tree);
    Beginnings<Arch, false> beginnings(tree, queries, count);
    for (;;) {
        for (std::uint32_t i = 0; i < done_count; ++i) {
            AnyWalk& walk = *done[i];
            std::uint32_t index;
            while ((index = beginnings.next()) != count) {
                walk.query = queries + index;
                walk.query_index = index;
                walk.frames[0] = {tree.child_of(tree.root), beginnings.mask(index)};
                walk.frame_count = 1;
                if (walk.frames[0].rest != 0) {
                    active[active_count++] = &walk;
                    break;
                }
                out_is_met[index] = 0;
            }
        }
        if (active_count == 0) return;
        for (std::uint32_t i = 0; i < active_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t last = walk.frame_count - 1;
            AnyWalk::Frame& frame = walk.frames[last];
            const std::uint32_t rest = frame.rest;
            const std::uint32_t left = rest & (rest - 1);
            frame.rest = left;
            walk.node = frame.first_child + static_cast<std::uint32_t>(__builtin_ctz(rest));
            walk.frame_count = last + (left != 0 ? 1u : 0u);
        }
        for (std::uint32_t i = 0; i < active_count && is_far; ++i) prefetch_node(tree, active[i]->node);
        const std::uint32_t tested_count = active_count;
        done_count = 0;
        active_count = 0;
        for (std::uint32_t i = 0; i < tested_count; ++i) {
            AnyWalk& walk = *active[i];
            const std::uint32_t mask =
                SlabShape<Arch>(*walk.query).test(tree.node(walk.node), walk.query->t_max, keys);
            const std::uint32_t children = mask & if_inner(walk.node);
            walk.frames[walk.frame_count] = {tree.child_of(walk.node), children};
            const std::uint32_t frame_count = walk.frame_count + (children != 0 ? 1u : 0u);
            walk.frame_count = frame_count;
            const std::uint32_t is_met = mask != children ? 1u : 0u;
            out_is_met[walk.query_index] = static_cast<std::uint8_t>(is_met);
            const std::uint32_t is_done = is_met | (frame_count == 0 ? 1u : 0u);
            done[done_count] = &walk;
            done_count += is_done;
            active[active_count] = &walk;
            active_count += is_done ^ 1u;
        }
    }
}

}  // namespace broadside::broadphase
