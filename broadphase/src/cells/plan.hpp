// The grid that cuts space into cells, guessed from a sample of the boxes: a wrong guess costs only time.
#pragma once

#include "broadphase/src/cells/survey.hpp"
#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Expectations of the plan, by axis of the grid.
struct CellExpectation {
    /// Nanoseconds per box, by the model.
    double cost;
    /// Cells that a box lies in, and boxes of a cell that begin within the extent of one.
    double records_per_box;
    double window;
    /// The span of the boxes, and their mean extent.
    double range[3];
    double extent[3];
};

struct CellPlan {
    /// The caller's axis (0, 1 or 2 for x, y or z) behind each axis of the grid; the first is the sweep axis.
    int axes[3];
    CellGrid grid;
    /// Estimated number of copies of records, rather too high.
    std::uint64_t copies_expected;
    CellExpectation expected;
};

/// Finds the cheapest grid by the model in the source file. A sweep axis or cell counts that are not
/// automatic (zero) are kept.
CellPlan plan_cells(const BoxSets& sets, const FindPairsSettings& settings) noexcept;
/// Same, from a survey, which is already fitted if it has crowds.
CellPlan plan_cells(const BoxSurvey& survey, const FindPairsSettings& settings) noexcept;

/// Halves the cells on the axis that has the most, because there are more copies than expected. Returns false
/// if the grid has one cell.
bool coarsen(CellGrid& grid) noexcept;

/// The boxes in the axis order of a plan.
BoxSoaView permuted(const BoxSoaView& boxes, const int (&axes)[3]) noexcept;

}  // namespace broadside::broadphase
