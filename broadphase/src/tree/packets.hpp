// Queries that lie close together, and the boxes around them.
#pragma once

#include "broadphase/src/tree/view.hpp"

namespace broadside::broadphase {

/// Most queries of a packet.
inline constexpr std::uint32_t kPacketSize = 16;

/// Boxes taken out of a tree, in rows like those of a node.
struct PacketBoxes {
    /// With more boxes than this in common, boxes had better go alone.
    static constexpr std::uint32_t kMax = 256;
    /// A register may be stored in full behind the last box.
    static constexpr std::uint32_t kRoom = kMax + 2 * kNodeWidth;

    alignas(64) float rows[6][kRoom];
    alignas(64) std::int32_t box_index[kRoom];
    std::uint32_t count;
};

}  // namespace broadside::broadphase
