// The memory layout of a tree, which builds write and kernels read.
#pragma once

#include "core/src/geometry/node.hpp"

#include <bit>
#include <cstddef>

namespace broadside::broadphase {

using namespace nodes;

/// Maximum number of levels of a tree, leaves included. A new tree of 2^31 boxes has 9; splits may add some.
inline constexpr std::uint32_t kMaxLevelCount = 12;
/// Maximum number of nodes that wait while a query walks down: on each level all children but the one
/// entered, and those of the last. Behind them a register may be stored in full.
inline constexpr std::uint32_t kStackSize = kMaxLevelCount * kNodeWidth + 2 * kNodeWidth;

/// A node's name is its index in the arrays, with this bit set for a leaf.
inline constexpr std::uint32_t kLeafBit = 0x80000000u;
BROADSIDE_FORCE_INLINE constexpr std::uint32_t node_index(std::uint32_t node) { return node & ~kLeafBit; }
BROADSIDE_FORCE_INLINE constexpr bool is_leaf(std::uint32_t node) { return (node & kLeafBit) != 0; }
/// Lane `lane` of a node is the slot first_slot(node) + lane.
BROADSIDE_FORCE_INLINE constexpr std::uint32_t first_slot(std::uint32_t node) {
    return node_index(node) * kNodeWidth;
}
/// The link in a lane without a child or box.
inline constexpr std::uint32_t kNoLink = 0xFFFFFFFFu;
/// The slot of a box that is in no leaf.
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;

/// The children of a node are a family: kNodeWidth consecutive indices, from a multiple of kNodeWidth on, any
/// of which may be free. The index at i of its family is the node's lane i.
BROADSIDE_FORCE_INLINE constexpr std::uint32_t family_of(std::uint32_t index) { return index / kNodeWidth; }

/// A tree as queries see it. The `links` of a leaf hold the indices of its boxes by slot; the first link of
/// another node is the name of its first child, whether that exists or not. Lanes without a child or box, and
/// those of invalid boxes, hold Aabb::empty(), which every test rejects. One more node is above the root; its
/// first lane is the box around everything.
struct TreeView {
    const float* planes = nullptr;
    const std::uint32_t* links = nullptr;
    /// By family: the index of its parent, kNoLink for the top node, and which of its indices are nodes.
    const std::uint32_t* parents = nullptr;
    const std::uint32_t* used_bits = nullptr;
    std::uint32_t family_count = 0;
    std::uint32_t root = kNoLink;
    /// The index of the node above the root.
    std::uint32_t top = 0;
    /// The edge of a typical leaf.
    float leaf_edge = 0.0f;

    bool is_empty() const { return root == kNoLink; }
    BROADSIDE_FORCE_INLINE const float* node(std::uint32_t name) const {
        return planes + std::size_t{node_index(name)} * kNodeFloats;
    }
    BROADSIDE_FORCE_INLINE const std::uint32_t* links_of(std::uint32_t node) const {
        return links + first_slot(node);
    }
    /// The name of the first child.
    BROADSIDE_FORCE_INLINE std::uint32_t child_of(std::uint32_t node) const { return *links_of(node); }
    BROADSIDE_FORCE_INLINE std::uint32_t box_index(std::uint32_t slot) const { return links[slot]; }
    /// Calls `visit(node)` for the leaves of a family.
    template <class Visit>
    void for_each_leaf(std::uint32_t family, Visit&& visit) const {
        const std::uint32_t parent = parents[family];
        if (used_bits[family] == 0 || parent == kNoLink || !is_leaf(child_of(parent))) return;
        for (std::uint32_t rest = used_bits[family]; rest != 0; rest &= rest - 1) {
            visit((family * kNodeWidth + static_cast<std::uint32_t>(__builtin_ctz(rest))) | kLeafBit);
        }
    }
    /// The slot of its parent that a node is in.
    BROADSIDE_FORCE_INLINE std::uint32_t slot_of_node(std::uint32_t index) const {
        return parents[family_of(index)] * kNodeWidth + index % kNodeWidth;
    }
    /// The box around everything, and the box around the node at an index, as the nodes above have them.
    Aabb bounds() const;
    Aabb box_around(std::uint32_t index) const;
};

inline Aabb TreeView::box_around(std::uint32_t index) const {
    const std::uint32_t slot = slot_of_node(index);
    return lane_box(planes + std::size_t{slot / kNodeWidth} * kNodeFloats, slot % kNodeWidth);
}
inline Aabb TreeView::bounds() const { return is_empty() ? Aabb::empty() : lane_box(node(top), 0); }
BROADSIDE_FORCE_INLINE Aabb slot_box(const TreeView& tree, std::uint32_t slot) {
    return lane_box(tree.node(slot / kNodeWidth), slot % kNodeWidth);
}

/// A tree whose nodes are being laid out, one box after the other in the order of the leaves. The families of
/// a level are consecutive, those of the leaves first.
struct TreeLayout {
    std::uint32_t node_counts[kMaxLevelCount + 1];
    std::uint32_t level_count;
    /// The family that is being filled at each level, and the next of its indices.
    std::uint32_t families[kMaxLevelCount];
    std::uint32_t next_indices[kMaxLevelCount];
    std::uint32_t slot;
    std::uint32_t leaf_end;
};

// The lanes of a node one by one: which are used, and how to empty them.

// Bits from a table, not from shifts by the lane, are joined four lanes at a time.
inline constexpr std::uint32_t kBitOfLane[kNodeWidth] = {
    1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};
inline std::uint32_t used_lanes(const std::uint32_t* links) {
    std::uint32_t lanes = 0;
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane)
        lanes |= links[lane] != kNoLink ? kBitOfLane[lane] : 0u;
    return lanes;
}
inline std::uint32_t first_bit(std::uint32_t bits) {
    return static_cast<std::uint32_t>(std::countr_zero(bits));
}

inline void clear_lanes(float* node) {
    for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) set_lane_box(node, lane, Aabb::empty());
}

}  // namespace broadside::broadphase
