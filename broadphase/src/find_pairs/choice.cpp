// The cost model: nanoseconds, chosen by hand from the rows broadphase/choice_*/*/*/avx512 of the benches, whose frames
// have different boxes, so that no branch of a search is predicted from the search before.
#include "broadphase/src/find_pairs/choice.hpp"

#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Of a box, and of a test of a box.
constexpr double kBruteForceBoxCost = 28;
constexpr double kBruteForceTestCost = 0.17;
// Of a call, of a box, of a test, and of the end of a window that nobody predicts, which the first tests are as good as.
constexpr double kSweepCallCost = 2500;
constexpr double kSweepBoxCost = 22;
constexpr double kSweepTestCost = 0.2;
constexpr double kSweepFirstTestCost = 2;
constexpr double kSweepFirstTests = 10;
// Of a box, beside what the plan of the grid expects where branches are predicted.
constexpr double kCellsBoxCost = 4;
constexpr double kCellsPlanFactor = 1.6;
// The most of a box with crowds: cells that would cost more are cut again.
constexpr double kCrowdBoxCostMax = 50;
// The tests of a box in a sweep of crowds that are too few to be located.
constexpr double kFewCrowdsWindow = 20;

// Pairs of boxes that brute force tests.
std::uint64_t test_count(const BoxSets& sets) {
    const std::uint64_t count = sets.a.count;
    return sets.is_one() ? count * (count - (count != 0)) / 2 : count * sets.count_b();
}

double tests_per_box(const BoxSets& sets) {
    return static_cast<double>(test_count(sets)) / static_cast<double>(sets.box_count());
}

double brute_force_cost(const BoxSets& sets) {
    return kBruteForceBoxCost + kBruteForceTestCost * tests_per_box(sets);
}

// `window`: boxes that begin within the extent of a box.
double sweep_cost(const BoxSets& sets, double window) {
    return kSweepBoxCost + kSweepCallCost / static_cast<double>(sets.box_count()) + kSweepTestCost * window +
           kSweepFirstTestCost * std::min(window, kSweepFirstTests);
}

PairCosts expected_costs(const BoxSets& sets, const BoxSurvey& survey, const CellPlan& plan) {
    const double tests = tests_per_box(sets);
    // Among all boxes, or in the other set.
    double window = plan.expected.range[0] > 0
                        ? 2 * tests * std::min(1.0, plan.expected.extent[0] / plan.expected.range[0])
                        : tests;
    PairCosts costs;
    costs.cells = kCellsBoxCost + kCellsPlanFactor * plan.expected.cost;
    if (survey.has_crowds()) {
        const double met_share =
            std::min({survey.axis(0).met_share, survey.axis(1).met_share, survey.axis(2).met_share});
        window = tests * met_share;
        costs.cells = std::min(costs.cells, kCrowdBoxCostMax);
    }
    costs.brute_force = brute_force_cost(sets);
    costs.sweep_and_prune = sweep_cost(sets, window);
    return costs;
}

PairAlgorithm cheapest(const PairCosts& costs) {
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
    return best;
}

}  // namespace

CellPlan choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings,
                          FindPairsPlan& out_plan) noexcept {
    BROADSIDE_ZONE("find_pairs/choose");
    out_plan.algorithm = settings.algorithm;
    out_plan.is_forced = settings.algorithm != PairAlgorithm::automatic;
    out_plan.box_count = sets.box_count();
    if (!out_plan.is_forced &&
        test_count(sets) <= thresholds().cells.brute_force_tests * out_plan.box_count) {
        out_plan.algorithm = PairAlgorithm::brute_force;
        return {};
    }
    if (out_plan.is_forced && settings.algorithm != PairAlgorithm::cells) return {};
    BoxSurvey survey(sets);
    if (survey.has_crowds()) {
        if (!out_plan.is_forced && survey.is_for_sweep()) {
            const bool is_brute_force = brute_force_cost(sets) < sweep_cost(sets, kFewCrowdsWindow);
            out_plan.algorithm = is_brute_force ? PairAlgorithm::brute_force : PairAlgorithm::sweep_and_prune;
            return {};
        }
        survey.fit_to_crowds(sets);
    }
    const CellPlan cells = plan_cells(survey, settings);
    out_plan.expected_costs = expected_costs(sets, survey, cells);
    if (!out_plan.is_forced) out_plan.algorithm = cheapest(out_plan.expected_costs);
    if (out_plan.algorithm != PairAlgorithm::cells) return cells;
    out_plan.expected_records_per_box = cells.expected.records_per_box;
    out_plan.expected_window = cells.expected.window;
    return cells;
}

}  // namespace broadside::broadphase
