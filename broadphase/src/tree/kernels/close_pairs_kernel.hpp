// Pairs of the boxes of two trees by their distance, near before far.
#pragma once

#include "broadphase/src/tree/kernels/walk.hpp"

namespace broadside::broadphase {

/// Walks with a node in each tree, and goes down from the larger one: tests its children against the box
/// around the other, then goes to the nearest of them, and so on, until two leaves, or a box and a leaf,
/// meet. In one tree a node meets itself first. Equal nodes take turns, so a child then meets the node, and
/// after that the node's children, of which only the child itself and those behind it count: no two nodes
/// meet twice. Before all that one leaf meets itself, so that the reach of a search for the nearest pair is
/// short from the start.
template <class Arch>
class ClosePairsWalk {
public:
    BROADSIDE_FORCE_INLINE ClosePairsWalk(const TreeView& a, const TreeView& b, bool is_one_tree,
                                          KeyedPairVisitor& state_visitor)
        : trees_{&a, &b},
          is_one_tree_(is_one_tree),
          first_leaf_(is_one_tree ? first_leaf(a) : kNoLink),
          visitor_(state_visitor) {}

    BROADSIDE_FORCE_INLINE void run() {
        if (is_one_tree_ && !visit_leaf(first_leaf_)) return;
        places_[0] = {trees_[0]->root, false, trees_[0]->bounds()};
        places_[1] = {trees_[1]->root, false, trees_[1]->bounds()};
        std::uint32_t turn = 0;
        std::uint32_t depth = 0;
        for (;;) {
            if (is_end(places_[0]) && is_end(places_[1])) {
                if (!visit_ends()) return;
            } else {
                Frame& frame = frames_[depth++];
                frame.side = side_to_go_down(turn);
                frame.node = places_[frame.side].name;
                frame.other = places_[1 - frame.side];
                frame.rest = test(frame);
            }
            std::uint32_t rest;
            do {
                if (depth == 0) return;
                --depth;
                rest = frames_[depth].rest & lanes_within<Arch>(frames_[depth].keys, visitor_.limit);
            } while (rest == 0);
            Frame& frame = frames_[depth++];
            const std::uint32_t lane = nearest_lane<Arch>(frame.keys, rest);
            frame.rest = rest & ~(1u << lane);
            places_[frame.side] = child(frame, lane);
            places_[1 - frame.side] = frame.other;
            turn = 1 - frame.side;
        }
    }

private:
    /// A node, or a box of a leaf named by its slot.
    struct Place {
        std::uint32_t name;
        bool is_box;
        Aabb around;
    };
    /// The children of a node, or boxes of a leaf, still to be visited with a node or box of the other tree.
    struct Frame {
        NodeFloats<Arch> keys;
        std::uint32_t rest;
        std::uint32_t side;
        std::uint32_t node;
        Place other;
    };

    static bool is_end(const Place& place) { return place.is_box || is_leaf(place.name); }
    static float size_of(const Aabb& box) {
        return ((box.max.x - box.min.x) + (box.max.y - box.min.y)) + (box.max.z - box.min.z);
    }

    BROADSIDE_FORCE_INLINE std::uint32_t side_to_go_down(std::uint32_t turn) const {
        if (places_[0].is_box || places_[1].is_box) return places_[0].is_box ? 1 : 0;
        const float a = size_of(places_[0].around);
        const float b = size_of(places_[1].around);
        return a == b ? turn : b < a ? 0 : 1;
    }
    BROADSIDE_FORCE_INLINE std::uint32_t test(Frame& out_frame) const {
        const TreeView& tree = *trees_[out_frame.side];
        const std::uint32_t mask = DistanceShape<Arch>(out_frame.other.around)
                                       .test(tree.node(out_frame.node), visitor_.limit, out_frame.keys);
        if (!is_one_tree_ || is_leaf(out_frame.node) || out_frame.other.is_box) return mask;
        const std::uint32_t other = out_frame.other.name;
        const bool is_of_family =
            out_frame.side == 1 && family_of(other) == family_of(tree.child_of(out_frame.node));
        return is_of_family ? mask & ~std::uint32_t{0} << other % kNodeWidth : mask;
    }
    BROADSIDE_FORCE_INLINE Place child(const Frame& frame, std::uint32_t lane) const {
        const TreeView& tree = *trees_[frame.side];
        const bool is_box = is_leaf(frame.node);
        const std::uint32_t first = is_box ? first_slot(frame.node) : tree.child_of(frame.node);
        return {first + lane, is_box, lane_box(tree.node(frame.node), lane)};
    }

    // No key is needed from here on: boxes within reach are so on each axis, and rounding keeps order.
    BROADSIDE_FORCE_INLINE std::uint32_t lanes_near(const Aabb& box, const float* leaf) const {
        const Vec3 reach = {visitor_.reach, visitor_.reach, visitor_.reach};
        return BoxShape<Arch>(BoxQuery({box.min - reach, box.max + reach})).test(leaf);
    }
    BROADSIDE_FORCE_INLINE bool visit_ends() {
        if (places_[0].is_box || places_[1].is_box) {
            const std::uint32_t side = places_[0].is_box ? 0 : 1;
            return visit_box(side, places_[side].name, places_[side].around);
        }
        const std::uint32_t leaf = places_[0].name;
        if (is_one_tree_ && leaf == places_[1].name) return leaf == first_leaf_ || visit_leaf(leaf);
        const float* boxes = trees_[0]->node(leaf);
        for (std::uint32_t rest = lanes_near(places_[1].around, boxes); rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            if (!visit_box(0, first_slot(leaf) + lane, lane_box(boxes, lane))) return false;
        }
        return true;
    }
    /// Visits a box of one tree with the boxes near it in the other tree's leaf.
    BROADSIDE_FORCE_INLINE bool visit_box(std::uint32_t side, std::uint32_t slot, const Aabb& box) {
        const std::uint32_t leaf = places_[1 - side].name;
        const std::uint32_t mask = lanes_near(box, trees_[1 - side]->node(leaf));
        return mask == 0 || visitor_.visit(visitor_, side, slot, first_slot(leaf), mask);
    }
    /// Visits the boxes of one leaf with each other.
    BROADSIDE_FORCE_INLINE bool visit_leaf(std::uint32_t leaf) {
        const float* boxes = trees_[0]->node(leaf);
        for (std::uint32_t rest = BoxShape<Arch>(BoxQuery(kEverything)).test(boxes); rest != 0;
             rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            const std::uint32_t mask = lanes_near(lane_box(boxes, lane), boxes) & ((1u << lane) - 1);
            if (mask != 0 && !visitor_.visit(visitor_, 0, first_slot(leaf) + lane, first_slot(leaf), mask))
                return false;
        }
        return true;
    }
    static std::uint32_t first_leaf(const TreeView& tree) {
        std::uint32_t node = tree.root;
        while (!is_leaf(node)) {
            const std::uint32_t first = tree.child_of(node);
            node = first +
                   static_cast<std::uint32_t>(__builtin_ctz(tree.used_bits[family_of(node_index(first))]));
        }
        return node;
    }

    const TreeView* trees_[2];
    bool is_one_tree_;
    std::uint32_t first_leaf_;
    KeyedPairVisitor& visitor_;
    Place places_[2];
    Frame frames_[2 * (kMaxLevelCount + 1)];
};

template <class Arch>
void close_pairs_kernel(const TreeView& a, const TreeView& b, bool is_one_tree,
                        KeyedPairVisitor& state_visitor) {
    ClosePairsWalk<Arch>(a, b, is_one_tree, state_visitor).run();
}

}  // namespace broadside::broadphase
