// The boxes of a call that do not rest, and their pairs with those that do.
#pragma once

#include "broadphase/src/cells/resting_cells.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

namespace broadside::broadphase {

/// Every box that is in the subset of the call, or does not rest as far as the resting set knows.
struct Movers {
    GatheredBoxes boxes;
    /// Which those are, bits as in BoxFilter::subset_bits.
    const std::uint64_t* bits;
    /// Some are outside the subset: they came to rest since.
    bool has_stopped;
    /// Some are in the resting set as well: they began to move since, and there they are void.
    bool has_started;
};

/// Writes the pairs of a mover and a box at rest, in the order of the cells, the movers of a cell, and the
/// places of what rests there. Pairs of two movers that the resting set still holds are written too:
/// `Movers::bits` tells them. Fills the plan and the invalid boxes of the whole set. ok, or out_of_memory.
Status find_pairs_with_resting(const Movers& movers, const RestingState& resting, const TaskRunner* runner,
                               FindPairsScratch& scratch, PairWriter& state_writer,
                               FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
