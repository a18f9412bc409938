// The third step of the cells algorithm: every cell on its own, on the calling thread or in tasks.
#pragma once

#include "broadphase/src/cells/resting_cells.hpp"
#include "broadphase/src/cells/store.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

namespace broadside::broadphase {

/// The work in a cell: its records are compared with each other, or with the records that rest there.
struct CellWork {
    const CellStore& store;
    const CellsKernels& kernels;
    PairRule rule;
    /// Resting cells of the same grid, or null.
    const RestingCells* resting;
    /// Large boxes in cells of the same grid, to be compared with the records, or null.
    const CellStore* large;
    /// A cell with more records than this, or one whose scan would mostly be in vain, is not scanned: the
    /// caller cuts it further. The latter are marked in `wasteful_cells`, which is null if none is to be cut.
    std::uint32_t record_count_max;
    std::uint8_t* wasteful_cells;
};

/// Writes the pairs of all cells in the order of the cells, whatever the runner. Returns ok or out_of_memory.
Status scan_cells(const CellWork& work, std::uint32_t cell_count, const TaskRunner* runner,
                  AlignedArray<std::byte>& memory, PairWriter& state_writer,
                  std::uint64_t& out_candidate_count) noexcept;

}  // namespace broadside::broadphase
