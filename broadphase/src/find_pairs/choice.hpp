// Which algorithm a call takes when it may choose: a guess from counts and a sample, which costs time when it
// is wrong and nothing else.
#pragma once

#include "broadphase/src/cells/plan.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Writes to `out_plan` the algorithm that is to run and why, and returns the grid of the cells algorithm
/// where one was planned.
CellPlan choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings,
                          FindPairsPlan& out_plan) noexcept;

}  // namespace broadside::broadphase
