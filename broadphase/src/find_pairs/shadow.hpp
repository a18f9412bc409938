// Verifies a search for pairs if shadow verification is on.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "simd/src/shadow.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Repeats a search by the rules of its settings, and reports where its result, in `output` and `result`,
/// differs. Of a list that went to a sink only the length is checked.
#if BROADSIDE_HAS_SHADOW
void verify_pairs(const BoxSets& sets, const FindPairsSettings& settings, const PairOutput& output,
                  const FindPairsResult& result) noexcept;
#else
inline void verify_pairs(const BoxSets&, const FindPairsSettings&, const PairOutput&,
                         const FindPairsResult&) noexcept {}
#endif

}  // namespace broadside::broadphase
