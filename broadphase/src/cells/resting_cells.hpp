// The data of RestingBoxes: cells that are sorted once and queried many times.
#pragma once

#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/plan.hpp"

#include <broadside/resting_boxes.hpp>

namespace broadside::broadphase {

/// All cells of a grid in the order of the scan, consecutive, each with its padding.
struct RestingCells {
    CellPlan plan;
    /// Start of each cell in the columns, and its number of records.
    std::uint64_t* begins;
    std::uint32_t* counts;
    SortedCell columns;
    /// kBinsPerCell for each cell: see RestingCell.
    std::uint32_t* first_reaching;

    RestingCell cell(std::uint32_t index) const {
        const std::uint64_t begin = begins[index];
        return {{columns.x0 + begin, columns.x1 + begin, columns.quads + begin, columns.records + begin,
                 counts[index]},
                first_reaching + std::size_t{index} * kBinsPerCell,
                nullptr};
    }
};

struct RestingState {
    RestingCells cells;
    std::size_t box_count;
    std::size_t resting_count;
    /// As bits: boxes that were left out of the cells, and boxes that move now, those included.
    std::uint64_t* left_out_bits;
    std::uint64_t* mover_bits;
    /// Resting boxes that are invalid and so in no cell, ascending.
    std::uint32_t* invalid_indices;
    std::size_t invalid_count;
};

}  // namespace broadside::broadphase
