// Pairs of the boxes of two trees by their distance, near before far.
#pragma once

#include "broadphase/src/tree/walk.hpp"

namespace broadside::broadphase {

/// A place in each tree, the larger of which is gone down from: its children against what is around the other, then
/// the nearest of them, and so on, until two leaves or a box and a leaf meet. In one tree a node meets itself first, then
/// a child the node, since equals take turns, and then its family, of which only itself and those behind it count:
/// so no two nodes meet twice.
template <class Arch>
class ClosePairsWalk {
public:
    BROADSIDE_FORCE_INLINE ClosePairsWalk(const TreeView& a, const TreeView& b, bool is_one_tree,
                                          KeyedPairVisitor& state_visitor)
        : trees_{&a, &b}, is_one_tree_(is_one_tree), visitor_(state_visitor) {}

    BROADSIDE_FORCE_INLINE void run() {
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
    /// A node, or a box of a leaf by its slot.
    struct Place {
        std::uint32_t name;
        bool is_box;
        Aabb around;
    };
    /// The children of a node, or the boxes of a leaf, that the walk has yet to go to, beside a place of the other tree.
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

    // From here on no key is needed: a box within reach of another is so on each axis, and rounding keeps order.
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
        if (is_one_tree_ && leaf == places_[1].name) return visit_one_leaf(leaf);
        const float* boxes = trees_[0]->node(leaf);
        for (std::uint32_t rest = lanes_near(places_[1].around, boxes); rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            if (!visit_box(0, first_slot(leaf) + lane, lane_box(boxes, lane))) return false;
        }
        return true;
    }
    /// A box of one tree with those near it of the other one's leaf.
    BROADSIDE_FORCE_INLINE bool visit_box(std::uint32_t side, std::uint32_t slot, const Aabb& box) {
        const std::uint32_t leaf = places_[1 - side].name;
        const std::uint32_t mask = lanes_near(box, trees_[1 - side]->node(leaf));
        return mask == 0 || visitor_.visit(visitor_, side, slot, first_slot(leaf), mask);
    }
    /// The boxes of one leaf with each other: each with the one so many lanes on, round the leaf, which is a plain loop
    /// over lanes. An empty lane begins beyond FLT_MAX, and so beyond every end.
    BROADSIDE_FORCE_INLINE bool visit_one_leaf(std::uint32_t leaf) {
        constexpr std::uint32_t kHalf = kNodeWidth / 2;
        const float* boxes = trees_[0]->node(leaf);
        float begins[3][kNodeWidth + kHalf];
        float ends[3][kNodeWidth + kHalf];
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            for (std::uint32_t lane = 0; lane < kNodeWidth + kHalf; ++lane) {
                begins[axis][lane] = node_row(boxes, kMinX + axis)[lane % kNodeWidth];
                ends[axis][lane] =
                    min_keep(node_row(boxes, kMaxX + axis)[lane % kNodeWidth] + visitor_.reach, FLT_MAX);
            }
        }
        for (std::uint32_t step = 1; step <= kHalf; ++step) {
            std::uint32_t is_near[kNodeWidth];
            std::uint32_t is_any_near = 0;
            for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
                const auto meet = [&](std::uint32_t axis) {
                    return (begins[axis][lane] <= ends[axis][lane + step] ? 1u : 0u) &
                           (begins[axis][lane + step] <= ends[axis][lane] ? 1u : 0u);
                };
                is_near[lane] = meet(0) & meet(1) & meet(2);
                is_any_near |= is_near[lane];
            }
            if (is_any_near == 0) continue;
            // Half way round each pair comes twice.
            for (std::uint32_t lane = 0; lane < (step == kHalf ? kHalf : kNodeWidth); ++lane) {
                if (is_near[lane] == 0) continue;
                const std::uint32_t other = 1u << (lane + step) % kNodeWidth;
                if (!visitor_.visit(visitor_, 0, first_slot(leaf) + lane, first_slot(leaf), other))
                    return false;
            }
        }
        return true;
    }

    const TreeView* trees_[2];
    bool is_one_tree_;
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
