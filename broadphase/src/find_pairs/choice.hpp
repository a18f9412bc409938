// The choice of the algorithm when a call leaves it open: a guess from counts and a sample. A wrong guess
// costs time and nothing else.
#pragma once

#include "broadphase/src/cells/plan.hpp"
#include "broadphase/src/find_pairs/long_axes.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// The part of the choice that callers do not see in the plan.
struct PairChoice {
    /// The grid, if one was planned.
    CellPlan cells;
    /// Not worthwhile if the plan has no parts.
    LongAxes long_axes;
};

/// Writes to `out_plan` the algorithm to run and why. Boxes are searched in parts only if `may_part`.
PairChoice choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings, bool may_part,
                            FindPairsPlan& out_plan) noexcept;

}  // namespace broadside::broadphase
