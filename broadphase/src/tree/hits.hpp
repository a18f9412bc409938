// The forms in which a walk returns its results.
#pragma once

#include "broadphase/src/tree/view.hpp"

namespace broadside::broadphase {

/// A slot or node with the query's key there, as one number: the key's bits above, the slot below.
BROADSIDE_FORCE_INLINE std::uint32_t slot_of(std::uint64_t entry) {
    return static_cast<std::uint32_t>(entry);
}
BROADSIDE_FORCE_INLINE float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
}

/// The output of a walk. `take` is called with the hits from `begin` to `next` when there is no room for the
/// lanes of another leaf. It makes room, by moving `next` back or by moving all three, and returns false to
/// end the walk. The block needs room for two nodes' lanes at least, since a register is stored in full; a
/// block of pairs, which come one by one, needs room for one.
template <class Hit>
struct HitBlock {
    Hit* begin;
    Hit* next;
    Hit* end;
    bool (*take)(HitBlock& block);

    BROADSIDE_FORCE_INLINE bool has_room() const {
        return static_cast<std::size_t>(end - next) >= std::size_t{2} * kNodeWidth;
    }
    std::size_t count() const { return static_cast<std::size_t>(next - begin); }
};
/// The box that is met first: the smallest key, and among equal ones the smallest index.
struct FirstBox {
    float key;
    std::uint32_t slot;
};

/// Maximum number of trees that are walked as one.
inline constexpr std::uint32_t kTreesMax = 3;

/// The largest key of boxes within a distance. Keys are below squares by more than this product's rounding.
BROADSIDE_FORCE_INLINE float key_limit(float distance) { return min_keep(distance * distance, FLT_MAX); }

/// A walk whose reach shrinks with its results. `visit` gets the lanes of a leaf of `tree` whose keys are
/// within `limit`, decides on them, and may lower `limit`. It returns false to end the walk.
struct KeyedVisitor {
    float limit;
    bool (*visit)(KeyedVisitor& self, const std::uint64_t* candidates, std::uint32_t count);
    const TreeView* tree = nullptr;
};

/// Maximum number of queries of a packet.
inline constexpr std::uint32_t kPacketSize = 16;

/// A walk for a packet of queries, each with a limit of its own. `visit` gets a box, with the queries as bits
/// that meet it within their limits, and with their keys; it may lower limits.
struct PacketVisitor {
    float limits[kPacketSize];
    float keys[kPacketSize];
    void (*visit)(PacketVisitor& self, std::uint32_t box_index, std::uint32_t members);
};

/// The same for a walk down two trees. `visit` gets the box in a slot of the tree `side`, 0 or 1, and a mask
/// of lanes from slot `first` of the other tree on: all within `reach` of the box, and some that are not.
struct KeyedPairVisitor {
    /// Pairs of a greater key, or further apart than `reach`, are of no interest.
    float limit;
    float reach;
    bool (*visit)(KeyedPairVisitor& self, std::uint32_t side, std::uint32_t slot, std::uint32_t first,
                  std::uint32_t mask);
};

}  // namespace broadside::broadphase
