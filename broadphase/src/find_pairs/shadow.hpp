// A search for pairs verified, where shadow verification is on.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
#include "simd/src/shadow.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Repeats a search that was made by the rules of its settings, and reports where its answer, in `output` and
/// `result`, is another one. Of lists that a sink was given only the length is known.
#if BROADSIDE_HAS_SHADOW
void verify_pairs(const BoxSets& sets, const FindPairsSettings& settings, const PairOutput& output,
                  const FindPairsResult& result) noexcept;
#else
inline void verify_pairs(const BoxSets&, const FindPairsSettings&, const PairOutput&,
                         const FindPairsResult&) noexcept {}
#endif

}  // namespace broadside::broadphase
