// Brute force and sweep-and-prune.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/sweep/kernels.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Writes the pairs of the sets by a sweep if the plan of the result says so, else by brute force. Fills the
/// rest of the plan and the invalid counts. Returns ok or out_of_memory.
Status find_pairs_by_scans(const BoxSets& sets, const FindPairsSettings& settings, BoxScratch::Pairs& scratch,
                           PairWriter& state_writer, FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
