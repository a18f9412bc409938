// Expects what each algorithm costs, and chooses the cheapest.
#include "broadphase/src/find_pairs/choice.hpp"

#include "broadphase/src/find_pairs/choice_costs.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Pairs of boxes that brute force tests.
std::uint64_t test_count(const BoxSets& sets) {
    const std::uint64_t count = sets.a.count;
    return sets.is_one() ? count * (count - (count != 0)) / 2 : count * sets.count_b();
}

PairCosts expected_costs(const BoxSets& sets, const BoxSurvey& survey, const CellPlan& plan) {
    const auto box_count = static_cast<double>(sets.box_count());
    const double tests = static_cast<double>(test_count(sets)) / box_count;
    // Boxes that begin within the extent of a box, among all or in the other set.
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
    costs.brute_force = kBruteForceBoxCost + kBruteForceTestCost * tests;
    costs.sweep_and_prune = kSweepBoxCost + kSweepCallCost / box_count + kSweepTestCost * window +
                            kSweepFirstTestCost * std::min(window, kSweepFirstTests);
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

double cost_of_parts(const BoxSets& sets, const LongAxes& long_axes) {
    const auto box_count = static_cast<double>(sets.box_count());
    const auto parts = static_cast<double>(long_axes.part_count);
    const double searches = sets.is_one() ? parts * (parts + 1) / 2 : parts * parts;
    return kPartedBoxCost + parts * kSweepBoxCost + kPartedSearchCost * searches / box_count +
           kPartedTestCost * long_axes.met_share * static_cast<double>(test_count(sets)) / box_count;
}

// Parts the boxes if that is cheaper than `state_plan`. Does not look where that costs less than looking.
LongAxes choose_parts(const BoxSets& sets, const BoxSurvey& survey, FindPairsPlan& state_plan) {
    PairCosts& costs = state_plan.expected_costs;
    const double cost_at_once = std::min({costs.brute_force, costs.sweep_and_prune, costs.cells});
    if (cost_at_once < thresholds().cells.parted_cost_min) return {};
    const LongAxes long_axes = find_long_axes(survey);
    if (long_axes.part_count < 2) return {};
    costs.parts = cost_of_parts(sets, long_axes);
    if (costs.parts < cost_at_once * thresholds().cells.parted_cost_share)
        state_plan.part_count = long_axes.part_count;
    return long_axes;
}

}  // namespace

PairChoice choose_algorithm(const BoxSets& sets, const FindPairsSettings& settings, bool may_part,
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
            const bool is_brute_force =
                test_count(sets) <= thresholds().cells.crowds_brute_force_tests * out_plan.box_count;
            out_plan.algorithm = is_brute_force ? PairAlgorithm::brute_force : PairAlgorithm::sweep_and_prune;
            return {};
        }
        survey.fit_to_crowds(sets);
    }
    PairChoice choice = {plan_cells(survey, settings), {}};
    out_plan.expected_costs = expected_costs(sets, survey, choice.cells);
    if (!out_plan.is_forced) {
        out_plan.algorithm = cheapest(out_plan.expected_costs);
        if (may_part) choice.long_axes = choose_parts(sets, survey, out_plan);
    }
    if (out_plan.algorithm != PairAlgorithm::cells || out_plan.part_count != 0) return choice;
    out_plan.expected_records_per_box = choice.cells.expected.records_per_box;
    out_plan.expected_window = choice.cells.expected.window;
    return choice;
}

}  // namespace broadside::broadphase
