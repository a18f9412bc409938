// Which algorithm a call takes when it may choose: a guess from counts and a sample, which costs time when it
// is wrong and nothing else.
#pragma once

#include "broadphase/src/cells/plan.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Brute force tests so few boxes per box that nothing else is worth a look.
bool is_brute_force_best(std::uint64_t test_count, std::uint64_t box_count) noexcept;

/// What each algorithm is expected to cost, with the grid that cells would take. `test_count` is what brute
/// force would test. `b` is null when there is one set.
PairCosts expected_costs(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan,
                         std::uint64_t test_count) noexcept;

/// The cheapest.
PairAlgorithm cheapest(const PairCosts& costs) noexcept;

}  // namespace broadside::broadphase
