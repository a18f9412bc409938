// The cells algorithm: boxes sorted into a grid, a sweep within each cell.
#pragma once

#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/store.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

#include <broadside/find_pairs.hpp>

// 1. Plan: a grid from a sample of the boxes (survey, plan), with bins where the boxes are (axis_spread).
// 2. Scatter: every box is moved, with its index and its position in bins, to the list of the cell in which
//    it begins (scatter). A box that reaches further gets a copy in each other cell. A pair is then found in
//    every cell that holds both boxes, and reported in one of them.
// 3. Each cell on its own, while it is in the cache: its records are sorted by their bin on the sweep axis
//    (sort), compared in bins, four bytes at once (scan), and the remaining candidates are compared exactly.
// 4. Large boxes, which would lie in many cells, are few, or the grid is made coarser. They are in no cell's
//    records, but are compared with them (query), and with each other as a set of their own, from step 1. The
//    records of an overfull cell, and of one whose scan would be mostly in vain (waste), are such a set too:
//    dense clumps get a finer grid, mixed sizes one grid for each size. Up to four grids are nested. A record
//    carries its homes in the outer grids, and a pair is reported if all of them say so. Boxes left after
//    that, and few boxes in crowds, are swept along one axis.
//
// The order of the list: cells in order of their number; records of a cell by (bin, home before copy, index);
// candidates in the order that scan_cell_scalar defines, then those with large boxes; then the deferred
// boxes, overfull cells in order and then the large boxes. Nothing in it depends on lanes or workers: boxes
// are dealt out to the workers in consecutive parts, and a cell takes the parts' lists in their order.
namespace broadside::broadphase {

/// Writes the pairs of the sets by their plan. Fills the result's plan and invalid counts. Returns ok or
/// out_of_memory.
Status find_pairs_by_cells(const BoxSets& sets, const CellPlan& plan, const TaskRunner* runner,
                           BoxScratch::Pairs& scratch, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept;

/// Reports the grid and the records in it.
void report_plan(const CellPlan& plan, const CellStore& store, FindPairsPlan& out_plan) noexcept;

}  // namespace broadside::broadphase
