// Settings that several tests of find_pairs run through.
#pragma once

#include <broadside/find_pairs.hpp>

namespace broadside::test {

inline constexpr PairAlgorithm kAlgorithms[] = {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune,
                                                PairAlgorithm::cells};
inline constexpr PairOrder kOrders[] = {PairOrder::canonical, PairOrder::by_algorithm};

inline constexpr FindPairsSettings kBruteForce = {.algorithm = PairAlgorithm::brute_force};
inline constexpr FindPairsSettings kSweep = {.algorithm = PairAlgorithm::sweep_and_prune};
inline constexpr FindPairsSettings kCells = {.algorithm = PairAlgorithm::cells};

}  // namespace broadside::test
