// The form of a node: the boxes of its children, in columns. Trees differ in how nodes are linked, not in this.
#pragma once

#include <broadside/aabb.hpp>

#include <cstdint>

namespace broadside::nodes {

/// Children of a node and items of a leaf: one register of the widest ISA. Narrower ones take a node in 2 or
/// 4 steps.
inline constexpr std::uint32_t kNodeWidth = 16;
/// A node is six rows of kNodeWidth floats, in this order; leaves that hold boxes have the same form.
enum NodeRow : std::uint32_t { kMinX, kMinY, kMinZ, kMaxX, kMaxY, kMaxZ };
inline constexpr std::uint32_t kNodeFloats = 6 * kNodeWidth;
inline constexpr std::uint32_t kAllLanes = (1u << kNodeWidth) - 1;

/// The box in one lane of a node.
BROADSIDE_FORCE_INLINE Aabb lane_box(const float* node, std::uint32_t lane) {
    const float* at = node + lane;
    return {{at[kMinX * kNodeWidth], at[kMinY * kNodeWidth], at[kMinZ * kNodeWidth]},
            {at[kMaxX * kNodeWidth], at[kMaxY * kNodeWidth], at[kMaxZ * kNodeWidth]}};
}
BROADSIDE_FORCE_INLINE void set_lane_box(float* node, std::uint32_t lane, const Aabb& box) {
    float* at = node + lane;
    at[kMinX * kNodeWidth] = box.min.x;
    at[kMinY * kNodeWidth] = box.min.y;
    at[kMinZ * kNodeWidth] = box.min.z;
    at[kMaxX * kNodeWidth] = box.max.x;
    at[kMaxY * kNodeWidth] = box.max.y;
    at[kMaxZ * kNodeWidth] = box.max.z;
}

}  // namespace broadside::nodes
