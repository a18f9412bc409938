// The boxes of a call that do not rest, and their pairs with those that do.
#pragma once

#include "broadphase/src/cells/find_pairs_by_cells.hpp"
#include "broadphase/src/cells/resting_cells.hpp"
#include "broadphase/src/lists/gathered_boxes.hpp"

namespace broadside::broadphase {

/// Every box that is in the subset of the call, or does not rest as far as the resting set knows.
struct Movers {
    GatheredBoxes boxes;
    /// Which those are, bits as in BoxFilter::subset_bits.
    const std::uint64_t* bits;
    /// Some are outside the subset: they came to rest since.
    bool has_settled;
    /// Some are in the resting set as well: they began to move since, and there they are void.
    bool has_woken;
};

/// False when there is no memory. O(boxes / 64 + movers).
bool gather_movers(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                   const RestingState& resting, AlignedArray<std::byte>& memory, Movers& out_movers) noexcept;

/// Writes the pairs of a mover and a box at rest, in the order of the cells, the movers of a cell, and the
/// places of what rests there. Pairs of two movers that the resting set still holds are written too:
/// `Movers::bits` tells them. Fills the plan and the invalid boxes of the whole set. ok, or what the writer
/// answers, or out_of_memory.
Status find_pairs_with_resting(const Movers& movers, const RestingState& resting, const TaskRunner* runner,
                               const CellsKernels& kernels, const CellsMemory& memory,
                               PairWriter& state_writer, FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
