// How far a sample of the boxes is from the even scene that the cost model reckons with.
#pragma once

#include "broadphase/src/cells/plan.hpp"
#include "broadphase/src/morton/leaf_join_scalar.hpp"

namespace broadside::broadphase {

/// A Morton leaf of usual size on each axis of the grid, and into how many such lengths space is cut there.
struct LeafShape {
    double length[3];
    double cuts[3];

    /// Leaves that a box reaches into, with the one it lies in and the neighbours that reach over.
    double met_leaf_count(const double (&extent)[3]) const noexcept;
};

/// Leaves are cells that halve the longest axis until each has its boxes.
LeafShape expected_leaf(const CellPlan& plan, std::uint64_t box_count) noexcept;

/// Per box, in boxes of the whole input.
struct Crowding {
    /// Candidates that cells would compare exactly for nothing: boxes that share the bins of a cell without
    /// meeting, and pairs met again in each further cell that both reach into.
    double wasted_candidates;
    /// Boxes of a cell that begin within the bins of one on the sweep axis, in all its cells.
    double cell_window;
    /// Boxes that a sweep along the plan's axis would test.
    double sweep_window;
    /// Leaves that a box meets, on average over the sizes there are.
    double met_leaf_count;
};

/// From a few hundred boxes, which bounds its cost; heaps that are small against a bin, or many boxes that
/// reach over many cells, show up, while an even scene of any size gives nothing. `b` is null when there is
/// one set.
Crowding sample_crowding(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan) noexcept;

}  // namespace broadside::broadphase
