// The lanes of a node, one by one: which are used, and making them empty.
#pragma once

#include "broadphase/src/tree/view.hpp"

#include <bit>

namespace broadside::broadphase {

// Bits from a list, and not from shifts by the lane, are joined four lanes at a time.
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
