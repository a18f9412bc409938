// How far a sample of the boxes is from the even scene that the cost model reckons with.
#pragma once

#include "broadphase/src/cells_plan.hpp"

namespace broadside::broadphase {

/// Per box, in boxes of the whole input.
struct Crowding {
    /// Candidates that cells would compare exactly for nothing: boxes that share the bins of a cell without
    /// meeting, and pairs met again in each further cell that both reach into.
    double wasted_candidates;
    /// Boxes of a cell that begin within the bins of one on the sweep axis, in all its cells.
    double cell_window;
    /// Boxes that a sweep along the plan's axis would test.
    double sweep_window;
};

/// From a few hundred boxes, at a cost of some 10 µs; heaps that are small against a bin, or many boxes that
/// reach over many cells, show up, while an even scene of any size gives nothing. `b` is null when there is one
/// set.
Crowding sample_crowding(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan) noexcept;

}  // namespace broadside::broadphase
