// The forms in which a walk gives what it finds.
#pragma once

#include "broadphase/src/tree/view.hpp"

namespace broadside::broadphase {

/// A slot or node with the key of the query there, as one number: the key's bits above, the slot below.
BROADSIDE_FORCE_INLINE std::uint32_t slot_of(std::uint64_t entry) {
    return static_cast<std::uint32_t>(entry);
}
BROADSIDE_FORCE_INLINE float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
}

/// Where a walk puts what it finds. `take` is called with the hits from `begin` to `next` when there is no
/// room for the lanes of another leaf; it makes room, by moving `next` back or by moving all three, and
/// answers false to end the walk. The block needs room for two nodes' lanes at least, since a register is
/// stored in full; one of pairs, which come one by one, for one.
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
/// The box that is met first: the smallest key, and among equals the smallest index.
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
struct FirstBox {
    float key;
    std::uint32_t slot;
};

/// Most trees that are walked as one.
inline constexpr std::uint32_t kTreesMax = 3;

/// The largest key of what is within a distance. Keys fall short of squares by more than this one is rounded by.
BROADSIDE_FORCE_INLINE float key_limit(float distance) { return min_keep(distance * distance, FLT_MAX); }

/// A walk whose reach shrinks with what it finds. `visit` is given the lanes of a leaf of `tree` whose keys are
/// within `limit`, decides on them, and may lower `limit`. It answers false to end the walk.
struct KeyedVisitor {
    float limit;
    bool (*visit)(KeyedVisitor& self, const std::uint64_t* candidates, std::uint32_t count);
    const TreeView* tree = nullptr;
};

/// The same of a walk down two trees. `visit` is given the box in a slot of the tree `side`, 0 or 1, with the lanes of a
/// mask behind slot `first` of the other tree: all that are within `reach` of it, and some that are not.
struct KeyedPairVisitor {
    /// No pair of a greater key is of interest, nor one that is further apart than `reach`.
    float limit;
    float reach;
    bool (*visit)(KeyedPairVisitor& self, std::uint32_t side, std::uint32_t slot, std::uint32_t first,
                  std::uint32_t mask);
};

}  // namespace broadside::broadphase
