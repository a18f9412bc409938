// The cost model: constants chosen by hand to what the rows broadphase/choice_*/*/*/avx512 of the benches
// take, among them scenes of many giants, of clumps and of many sizes.
#include "broadphase/src/find_pairs/choice.hpp"

#include "broadphase/src/find_pairs/crowding.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// 105 boxes among themselves, or 52 against any number.
constexpr std::uint64_t kBruteForceTestsPerBox = 52;

// Nanoseconds a box, and for each test of a box.
constexpr double kBruteForceBoxCost = 12;
constexpr double kBruteForceTestCost = 0.11;
// Up to this many boxes a sweep's columns stay in the first-level cache.
constexpr std::uint64_t kNearBoxCount = 2048;
constexpr double kSweepNearBoxCost = 20;
constexpr double kSweepNearTestCost = 0.08;
// Chosen for crowded scenes (clumps), which are where it matters; even ones take less.
constexpr double kSweepFarBoxCost = 32;
constexpr double kSweepFarTestCost = 0.17;
// Boxes from which on it is worth while to look whether they are crowded, and an exact comparison for
// nothing.
constexpr std::uint64_t kCrowdedBoxCountMin = 16384;
constexpr double kWastedCandidateCost = 2.4;
// A box in a window, tested 32 at a time, where there are a few times more of them than the plan expected.
constexpr double kWindowCost = 0.05;
constexpr double kWindowMargin = 4;
// A box sorted and moved into its leaf, and its share of a leaf that its own one meets.
constexpr double kMortonBoxCost = 20;
constexpr double kMortonLeafCost = 5.5;

}  // namespace

bool is_brute_force_best(std::uint64_t test_count, std::uint64_t box_count) noexcept {
    return test_count <= kBruteForceTestsPerBox * box_count;
}

PairCosts expected_costs(const BoxSoaView& a, const BoxSoaView* b, const CellPlan& plan,
                         std::uint64_t test_count) noexcept {
    const std::uint64_t box_count = std::uint64_t{a.count} + (b != nullptr ? b->count : 0);
    const auto boxes = static_cast<double>(box_count);
    const double tests = static_cast<double>(test_count) / boxes;
    // Boxes that begin within the extent of one, among all or in the other set.
    double window = plan.expected.range[0] > 0
                        ? 2 * tests * std::min(1.0, plan.expected.extent[0] / plan.expected.range[0])
                        : tests;
    Crowding crowding = {};
    if (box_count >= kCrowdedBoxCountMin) {
        crowding = sample_crowding(a, b, plan);
    } else {
        crowding.met_leaf_count = expected_leaf(plan, box_count).met_leaf_count(plan.expected.extent);
    }
    window = std::max(window, crowding.sweep_window);
    PairCosts costs;
    costs.brute_force = kBruteForceBoxCost + kBruteForceTestCost * tests;
    costs.sweep_and_prune = box_count <= kNearBoxCount ? kSweepNearBoxCost + kSweepNearTestCost * window
                                                       : kSweepFarBoxCost + kSweepFarTestCost * window;
    costs.cells = plan.expected.cost + kWastedCandidateCost * crowding.wasted_candidates +
                  kWindowCost * std::max(0.0, crowding.cell_window - kWindowMargin * plan.expected.window);
    costs.morton = kMortonBoxCost + kMortonLeafCost * crowding.met_leaf_count;
    return costs;
}

PairAlgorithm cheapest(const PairCosts& costs) noexcept {
    PairAlgorithm best = PairAlgorithm::cells;
    double best_cost = costs.cells;
    const auto consider = [&](PairAlgorithm algorithm, double cost) {
        if (cost < best_cost) {
            best = algorithm;
            best_cost = cost;
        }
    };
    consider(PairAlgorithm::brute_force, costs.brute_force);
    consider(PairAlgorithm::sweep_and_prune, costs.sweep_and_prune);
    consider(PairAlgorithm::morton, costs.morton);
    return best;
}

}  // namespace broadside::broadphase
