// The arguments that a search for pairs accepts.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Returns ok, or why the call is refused before anything is touched: invalid_argument or unsupported_isa.
Status check_arguments(const BoxSets& sets, const FindPairsSettings& settings,
                       const PairOutput& output) noexcept;

}  // namespace broadside::broadphase
