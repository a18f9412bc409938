// Queries whose hits a visitor decides, of one tree or several, near before far.
#pragma once

#include "broadphase/src/tree/kernels/leaf_list_kernel.hpp"

namespace broadside::broadphase {

/// The walk of one of several trees, as far as it has come.
template <class Arch>
class TreeWalk {
public:
    /// The key of a finished walk.
    static constexpr float kDone = __builtin_inff();

    /// Begins at the root, if the query meets the box around everything.
    template <class Shape>
    BROADSIDE_FORCE_INLINE void begin(const TreeView& tree, const Shape& shape, float limit) {
        const std::uint32_t mask = shape.test(tree.node(tree.top), limit, frames_[0].keys);
        node_ = tree.root;
        key_ = (mask & 1) != 0 ? key_in(frames_[0].keys, 0) : kDone;
        depth_ = 0;
    }
    /// The key of the next node: nothing in it has a smaller one.
    BROADSIDE_FORCE_INLINE float key() const { return key_; }

    /// Tests that node and goes on to the next. Returns false if the visitor wants no more.
    template <class Shape, class Visit>
    BROADSIDE_FORCE_INLINE bool advance(const TreeView& tree, const Shape& shape, const float& limit,
                                        Visit&& visit_leaf) {
        NodeFrame<Arch>& frame = frames_[depth_];
        const std::uint32_t mask = shape.test(tree.node(node_), limit, frame.keys);
        if (is_leaf(node_)) {
            if (mask != 0 && !visit_leaf(node_, mask, frame.keys)) return false;
        } else {
            frame.first_child = tree.child_of(node_);
            frame.rest = mask;
            ++depth_;
        }
        go_on(limit);
        return true;
    }
    BROADSIDE_FORCE_INLINE void go_on(float limit) {
        std::uint32_t rest = 0;
        while (depth_ != 0 && rest == 0) {
            --depth_;
            rest = frames_[depth_].rest & lanes_within<Arch>(frames_[depth_].keys, limit);
        }
        key_ = kDone;
        if (rest == 0) return;
        NodeFrame<Arch>& frame = frames_[depth_];
        const std::uint32_t lane = nearest_lane<Arch>(frame.keys, rest);
        frame.rest = rest & ~(1u << lane);
        node_ = frame.first_child + lane;
        key_ = key_in(frame.keys, lane);
        ++depth_;
    }

private:
    NodeFrame<Arch> frames_[kMaxLevelCount];
    std::uint32_t depth_;
    std::uint32_t node_;
    float key_;
};

/// Walks node by node in the tree whose next node is nearest; it stays with a tree while no other is nearer.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk_forest(const TreeView* trees, std::uint32_t tree_count, const Shape& shape,
                                        const float& limit, Visit&& visit_leaf) {
    using Walk = TreeWalk<Arch>;
    Walk walks[kTreesMax];
    for (std::uint32_t i = 0; i < tree_count; ++i) walks[i].begin(trees[i], shape, limit);
    for (;;) {
        std::uint32_t nearest = 0;
        float key_of_others = Walk::kDone;
        for (std::uint32_t i = 1; i < tree_count; ++i) {
            const bool is_nearer = walks[i].key() < walks[nearest].key();
            key_of_others = min_keep(walks[is_nearer ? nearest : i].key(), key_of_others);
            nearest = is_nearer ? i : nearest;
        }
        Walk& walk = walks[nearest];
        if (walk.key() == Walk::kDone) return;
        const TreeView& tree = trees[nearest];
        const auto visit = [&](std::uint32_t leaf, std::uint32_t mask, const NodeFloats<Arch>& keys) {
            return visit_leaf(tree, leaf, mask, keys);
        };
        do {
            if (walk.key() > limit) {
                // The limit has shrunk since that node was chosen.
                walk.go_on(limit);
            } else if (!walk.advance(tree, shape, limit, visit)) {
                return;
            }
        } while (walk.key() <= key_of_others && walk.key() != Walk::kDone);
    }
}

/// `kListsLeaves`: for queries that meet few nodes whatever their limit.
template <class Arch, template <class> class Shape, class Query, bool kListsLeaves>
void visit_kernel(const TreeView* trees, std::uint32_t tree_count, const Query& query,
                  KeyedVisitor& state_visitor) {
    const Shape<Arch> shape(query);
    const auto visit_leaf = [&](const TreeView& tree, std::uint32_t leaf, std::uint32_t mask,
                                const NodeFloats<Arch>& keys) {
        // Room for a register past the last candidate.
        std::uint64_t candidates[2 * kNodeWidth];
        const std::uint32_t count = store_lanes<Arch>(candidates, first_slot(leaf), mask, keys);
        state_visitor.tree = &tree;
        return state_visitor.visit(state_visitor, candidates, count);
    };
    if (tree_count == 0) return;
    if (tree_count != 1) return walk_forest<Arch>(trees, tree_count, shape, state_visitor.limit, visit_leaf);
    const auto visit = [&](std::uint32_t leaf, std::uint32_t mask, const NodeFloats<Arch>& keys) {
        return visit_leaf(*trees, leaf, mask, keys);
    };
    if constexpr (kListsLeaves && Arch::kLanes == kNodeWidth) {
        walk_near_lists<Arch>(*trees, shape, state_visitor.limit, visit);
    } else {
        walk_near_first<Arch>(*trees, shape, state_visitor.limit, visit);
    }
}

}  // namespace broadside::broadphase
