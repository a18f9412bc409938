// The choice of the algorithm when a call leaves it open: a guess from counts and a sample. A wrong guess
// costs time and nothing else.
#pragma once

#include "broadphase/src/cells/plan.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Writes to `out_plan` the algorithm to run and why. Returns the grid of cells if one was planned.
CellPlan choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings,
                          FindPairsPlan& out_plan) noexcept;

}  // namespace broadside::broadphase
