// How space is cut into cells, guessed from a sample of the boxes: a wrong guess costs time and nothing else.
#pragma once

#include "broadphase/src/cells/survey.hpp"
#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// What the plan counts on; by axis of the grid.
struct CellExpectation {
    /// Nanoseconds a box, by the model.
    double cost;
    /// Cells that a box lies in, and boxes that begin within the extent of one in its cell.
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
    /// About how many copies of records there will be, rather too many.
    std::uint64_t copies_expected;
    CellExpectation expected;
};

/// Least cost by the model in the source file. Sweep axis and cell counts that are not automatic (zero) are
/// taken as they are.
CellPlan plan_cells(const BoxSets& sets, const FindPairsSettings& settings) noexcept;
/// From a survey, which is fitted where there are crowds.
CellPlan plan_cells(const BoxSurvey& survey, const FindPairsSettings& settings) noexcept;

/// A grid of half as many cells, on the axis that has the most; for when there are more copies than were
/// expected. False when the grid has one cell.
bool coarsen(CellGrid& grid) noexcept;

/// The boxes in the axis order of a plan.
BoxSoaView permuted(const BoxSoaView& boxes, const int (&axes)[3]) noexcept;

}  // namespace broadside::broadphase
