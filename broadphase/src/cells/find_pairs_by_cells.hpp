// The cells algorithm: boxes sorted into a grid, a sweep within each cell.
#pragma once

#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/store.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

#include <broadside/find_pairs.hpp>

// 1. Plan: a grid from a sample of the boxes (survey, plan), with bins where the boxes are (axis_spread).
// 2. Scatter: every box is moved, with its index and its position in bins, to the list of the cell in which
//    it begins (cells_scatter). One that reaches further gets a copy in each other cell; a pair is then found
//    in every cell that both are in, and reported in one of them.
// 3. Each cell on its own, while it is in the cache: its records are sorted by their bin on the sweep axis
//    (cells_sort), compared in bins, four bytes at once (cells_scan), and what is left exactly.
// 4. Large boxes, which would lie in many cells, are few or the grid is made coarser. They are in no cell's
//    records but are compared with them (cells_query), and with each other as a set of their own, from step
//    1. So are the records of an overfull cell, and of one whose scan would be mostly for nothing (waste):
//    dense clumps get a finer grid, mixed sizes one for each size. Up to four grids within each other; a
// record    carries its homes in the outer ones, and a pair is reported where all of them say so. What is
// left after    that, and few boxes in crowds, is swept along one axis. The list: cells in order of their
// number, records of a cell by (bin, home before copy, index), candidates in the order that scan_cell_scalar
// defines, then those with large boxes; then what was put off, overfull cells in order and then the large
// boxes. Nothing in it depends on lanes or workers: boxes are dealt out to the workers in consecutive parts,
// and a cell takes the parts' lists in their order.
namespace broadside::broadphase {

/// Writes the pairs of the sets by a plan made for them. Fills plan and invalid counts of the result. ok, or
/// out_of_memory.
Status find_pairs_by_cells(const BoxSets& sets, const CellPlan& plan, const TaskRunner* runner,
                           FindPairsScratch& scratch, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept;

/// The grid, and the records in it.
void report_plan(const CellPlan& plan, const CellStore& store, FindPairsPlan& out_plan) noexcept;

}  // namespace broadside::broadphase
