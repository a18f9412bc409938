// How a tree lies in memory: what builds it writes, what the kernels read.
#pragma once

#include <broadside/aabb.hpp>

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Children of a node and boxes of a leaf: one register of the widest ISA. Narrower ones take a node in 2 or
/// 4 steps.
inline constexpr std::uint32_t kNodeWidth = 16;
/// A node is six rows of kNodeWidth floats, in this order; a leaf has the same form, its lanes are boxes.
enum NodeRow : std::uint32_t { kMinX, kMinY, kMinZ, kMaxX, kMaxY, kMaxZ };
inline constexpr std::uint32_t kNodeFloats = 6 * kNodeWidth;

/// Levels of a tree of 2^31 boxes, leaves included: 16^8 = 2^32.
inline constexpr std::uint32_t kMaxLevelCount = 8;
/// Most nodes that wait while a query walks down: of each level all children but the one gone into, and those
/// of the last. Behind them a register may be stored in full.
inline constexpr std::uint32_t kStackSize = kMaxLevelCount * kNodeWidth + 2 * kNodeWidth;

/// A tree as queries see it. Every node but the last of each level is full, so a level is an array and its
/// nodes are the children of the level above, kNodeWidth at a time: nothing of it but `first_child` needs to
/// be stored. Leaves come first, the root last. Slot kNodeWidth·leaf + lane holds the box `box_index[slot]`;
/// its lanes are in ascending order of the index. Lanes without a child or box, and those of invalid boxes,
/// hold Aabb::empty(), which every test refuses.
struct TreeView {
    const float* planes = nullptr;
    /// Of node leaf_count + i, the first child.
    const std::uint32_t* first_child = nullptr;
    const std::uint32_t* box_index = nullptr;
    std::uint32_t leaf_count = 0;
    std::uint32_t node_count = 0;

    bool is_empty() const { return node_count == 0; }
    BROADSIDE_FORCE_INLINE const float* node(std::uint32_t index) const {
        return planes + std::size_t{index} * kNodeFloats;
    }
    BROADSIDE_FORCE_INLINE std::uint32_t root() const { return node_count - 1; }
    BROADSIDE_FORCE_INLINE bool is_leaf(std::uint32_t index) const { return index < leaf_count; }
    BROADSIDE_FORCE_INLINE std::uint32_t child_of(std::uint32_t index) const {
        return first_child[index - leaf_count];
    }
};

/// The box in one lane of a node.
BROADSIDE_FORCE_INLINE Aabb lane_box(const float* node, std::uint32_t lane) {
    const float* at = node + lane;
    return {{at[kMinX * kNodeWidth], at[kMinY * kNodeWidth], at[kMinZ * kNodeWidth]},
            {at[kMaxX * kNodeWidth], at[kMaxY * kNodeWidth], at[kMaxZ * kNodeWidth]}};
}
BROADSIDE_FORCE_INLINE Aabb slot_box(const TreeView& tree, std::uint32_t slot) {
    return lane_box(tree.node(slot / kNodeWidth), slot % kNodeWidth);
}

}  // namespace broadside::broadphase
