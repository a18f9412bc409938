// The search behind every find_pairs of float boxes, with an optional final decision on its pairs.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "broadphase/src/lists/pair_filter.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// find_pairs as documented, without the pairs that `decision` rejects. A null `decision` accepts all.
FindPairsResult search_pairs(const BoxSets& sets, const FindPairsSettings& settings,
                             const PairDecision* decision, BoxScratch::Pairs& scratch,
                             const PairOutput& output) noexcept;

}  // namespace broadside::broadphase
