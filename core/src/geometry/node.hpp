// The layout of a node: the boxes of its children, in columns. Trees link their nodes in different ways, but
// share this.
#pragma once

#include <broadside/aabb.hpp>

#include <cstddef>
#include <cstdint>

namespace broadside::nodes {

/// Number of children of a node, and of items of a leaf: one register of the widest ISA. Narrower ISAs take a
/// node in 2 or 4 steps.
inline constexpr std::uint32_t kNodeWidth = 16;
/// A node is six rows of kNodeWidth floats, in this order. Leaves that hold boxes have the same layout.
enum NodeRow : std::size_t { kMinX, kMinY, kMinZ, kMaxX, kMaxY, kMaxZ };
inline constexpr std::uint32_t kNodeFloats = 6 * kNodeWidth;
inline constexpr std::uint32_t kAllLanes = (1u << kNodeWidth) - 1;

BROADSIDE_FORCE_INLINE const float* node_row(const float* node, std::size_t row) {
    return node + row * kNodeWidth;
}
BROADSIDE_FORCE_INLINE float* node_row(float* node, std::size_t row) { return node + row * kNodeWidth; }

/// The box in one lane of a node.
BROADSIDE_FORCE_INLINE Aabb lane_box(const float* node, std::uint32_t lane) {
    return {{node_row(node, kMinX)[lane], node_row(node, kMinY)[lane], node_row(node, kMinZ)[lane]},
            {node_row(node, kMaxX)[lane], node_row(node, kMaxY)[lane], node_row(node, kMaxZ)[lane]}};
}
BROADSIDE_FORCE_INLINE void set_lane_box(float* node, std::uint32_t lane, const Aabb& box) {
    node_row(node, kMinX)[lane] = box.min.x;
    node_row(node, kMinY)[lane] = box.min.y;
    node_row(node, kMinZ)[lane] = box.min.z;
    node_row(node, kMaxX)[lane] = box.max.x;
    node_row(node, kMaxY)[lane] = box.max.y;
    node_row(node, kMaxZ)[lane] = box.max.z;
}

}  // namespace broadside::nodes
