// Pairs of the boxes of two trees by their distance, near before far.
#pragma once

#include "broadphase/src/tree/walk.hpp"

namespace broadside::broadphase {

/// A node of each tree, one level of the one tree after one of the other: the children of a node against the box
/// around the other node, then that of the nearest child against the children of the other node. From a node and
/// itself, in one tree, the first tree goes down first. Then a child meets its own family, and of that only itself
/// and those behind it, so that no two nodes meet twice.
template <class Arch>
class ClosePairsWalk {
public:
    BROADSIDE_FORCE_INLINE ClosePairsWalk(const TreeView& a, const TreeView& b, bool is_one_tree,
                                          KeyedPairVisitor& state_visitor)
        : trees_{&a, &b}, is_one_tree_(is_one_tree), visitor_(state_visitor) {}

    BROADSIDE_FORCE_INLINE void run() {
        places_[0] = {trees_[0]->root, trees_[0]->bounds()};
        places_[1] = {trees_[1]->root, trees_[1]->bounds()};
        std::uint32_t side = 0;
        std::uint32_t depth = 0;
        for (;;) {
            if (is_leaf(places_[side].node)) side = 1 - side;
            if (is_leaf(places_[side].node)) {
                if (!visit_leaves()) return;
            } else {
                Frame& frame = frames_[depth++];
                frame.side = side;
                frame.node = places_[side].node;
                frame.other = places_[1 - side];
                frame.rest = test(frame);
            }
            std::uint32_t rest;
            do {
                if (depth == 0) return;
                --depth;
                rest = frames_[depth].rest & lanes_within<Arch>(frames_[depth].keys, visitor_.limit);
            } while (rest == 0);
            Frame& frame = frames_[depth];
            const std::uint32_t lane = nearest_lane<Arch>(frame.keys, rest);
            frame.rest = rest & ~(1u << lane);
            const TreeView& tree = *trees_[frame.side];
            places_[frame.side] = {tree.child_of(frame.node) + lane, lane_box(tree.node(frame.node), lane)};
            places_[1 - frame.side] = frame.other;
            side = 1 - frame.side;
            ++depth;
        }
    }

private:
    struct Place {
        std::uint32_t node;
        Aabb around;
    };
    /// The children of a node that the walk has yet to go to, beside a place of the other tree.
    struct Frame {
        NodeFloats<Arch> keys;
        std::uint32_t rest;
        std::uint32_t side;
        std::uint32_t node;
        Place other;
    };

    BROADSIDE_FORCE_INLINE std::uint32_t test(Frame& out_frame) const {
        const TreeView& tree = *trees_[out_frame.side];
        const std::uint32_t mask = DistanceShape<Arch>(out_frame.other.around)
                                       .test(tree.node(out_frame.node), visitor_.limit, out_frame.keys);
        const std::uint32_t other = out_frame.other.node;
        const bool is_of_family = is_one_tree_ && out_frame.side == 1 &&
                                  family_of(other) == family_of(tree.child_of(out_frame.node));
        return is_of_family ? mask & ~std::uint32_t{0} << other % kNodeWidth : mask;
    }
    /// Each box of the leaf of a near the other leaf against that.
    BROADSIDE_FORCE_INLINE bool visit_leaves() {
        const std::uint32_t leaf_a = places_[0].node;
        const std::uint32_t leaf_b = places_[1].node;
        const float* boxes_of_a = trees_[0]->node(leaf_a);
        const float* boxes_of_b = trees_[1]->node(leaf_b);
        const bool is_one_leaf = is_one_tree_ && leaf_a == leaf_b;
        NodeFloats<Arch> keys_of_a;
        std::uint32_t rest =
            DistanceShape<Arch>(places_[1].around).test(boxes_of_a, visitor_.limit, keys_of_a);
        for (; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            NodeFloats<Arch> keys;
            std::uint32_t mask =
                DistanceShape<Arch>(lane_box(boxes_of_a, lane)).test(boxes_of_b, visitor_.limit, keys);
            if (is_one_leaf) mask &= ~std::uint32_t{1} << lane;
            if (mask == 0) continue;
            // Room for a register past the last candidate.
            std::uint64_t candidates[2 * kNodeWidth];
            const std::uint32_t count = store_lanes<Arch>(candidates, first_slot(leaf_b), mask, keys);
            if (!visitor_.visit(visitor_, first_slot(leaf_a) + lane, candidates, count)) return false;
        }
        return true;
    }

    const TreeView* trees_[2];
    bool is_one_tree_;
    KeyedPairVisitor& visitor_;
    Place places_[2];
    Frame frames_[2 * kMaxLevelCount];
};

template <class Arch>
void close_pairs_kernel(const TreeView& a, const TreeView& b, bool is_one_tree,
                        KeyedPairVisitor& state_visitor) {
    ClosePairsWalk<Arch>(a, b, is_one_tree, state_visitor).run();
}

}  // namespace broadside::broadphase
