// The search behind every find_pairs of boxes of floats, with a last word on its pairs.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "broadphase/src/lists/pair_filter.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// find_pairs as its documentation says; pairs that are none by `decision` are not found. Null lets
/// all pass.
FindPairsResult search_pairs(const BoxSets& sets, const FindPairsSettings& settings,
                             const PairDecision* decision, FindPairsScratch& scratch,
                             const PairOutput& output) noexcept;

}  // namespace broadside::broadphase
