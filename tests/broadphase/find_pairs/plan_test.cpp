// The plan of find_pairs: the choice, the estimates behind it, and its text.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/suites.hpp"

#include <cstring>
#include <set>
#include <string>

using namespace broadside;
using namespace broadside::test;

namespace {

FindPairsPlan plan_of(const std::vector<Aabb>& list, const FindPairsSettings& settings) {
    BoxScratch scratch;
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(GuardedBoxes(list).view(), settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    CHECK(result.plan.memory_bytes == scratch.capacity_bytes());
    CHECK(result.plan.box_count == list.size());
    return result.plan;
}

bool contains(const PlanText& text, const char* words) { return std::strstr(text.c_str(), words) != nullptr; }

double cost_of(const PairCosts& costs, PairAlgorithm algorithm) {
    switch (algorithm) {
        case PairAlgorithm::brute_force:
            return costs.brute_force;
        case PairAlgorithm::sweep_and_prune:
            return costs.sweep_and_prune;
        case PairAlgorithm::cells:
            return costs.cells;
        case PairAlgorithm::automatic:
            break;
    }
    return 0;
}

}  // namespace

TEST_CASE("the automatic choice is the cheapest by the plan's estimates, the same on every ISA" * kLong) {
    for (const PairScene& scene : pair_scenes()) {
        for (const std::size_t count : {10u, 77u, 78u, 700u, 2000u}) {
            INFO(scene.name << ", " << count);
            const std::vector<Aabb> list =
                make_scene(scene, scene.name == "all identical" ? count / 4 : count);
            FindPairsPlan on_scalar;
            for_each_isa([&](Isa isa) {
                const FindPairsPlan plan = plan_of(list, {});
                CHECK_FALSE(plan.is_forced);
                if (isa == Isa::scalar) on_scalar = plan;
                CHECK(plan.algorithm == on_scalar.algorithm);
                CHECK(plan.expected_costs.cells == on_scalar.expected_costs.cells);
                if (list.size() <= 77) {
                    CHECK(plan.algorithm == PairAlgorithm::brute_force);
                    CHECK(plan.expected_costs.cells == 0);
                    return;
                }
                // Few boxes in crowds are not surveyed further.
                if (plan.expected_costs.cells == 0) {
                    CHECK(plan.algorithm != PairAlgorithm::cells);
                    return;
                }
                const double best = cost_of(plan.expected_costs, plan.algorithm);
                for (const PairAlgorithm other :
                     {PairAlgorithm::brute_force, PairAlgorithm::sweep_and_prune, PairAlgorithm::cells}) {
                    CHECK(cost_of(plan.expected_costs, other) > 0);
                    CHECK(best <= cost_of(plan.expected_costs, other));
                }
            });
        }
    }
}

TEST_CASE("each algorithm is chosen for some scene") {
    CHECK(plan_of(make_scene(pair_scenes()[0], 77), {}).algorithm == PairAlgorithm::brute_force);
    CHECK(plan_of(make_scene(pair_scenes()[0], 1000), {}).algorithm == PairAlgorithm::cells);
    for (const PairScene& scene : pair_scenes()) {
        if (scene.name != "strays") continue;
        CHECK(plan_of(make_scene(scene, 128), {}).algorithm == PairAlgorithm::brute_force);
        CHECK(plan_of(make_scene(scene, 700), {}).algorithm == PairAlgorithm::sweep_and_prune);
        CHECK(plan_of(make_scene(scene, 2000), {}).algorithm == PairAlgorithm::cells);
    }
}

TEST_CASE(
    "a plan explains itself: the algorithm and its reason, the grid or axis, the estimates, the memory") {
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 1000);
    const PlanText automatic = explain(plan_of(list, {}));
    INFO(std::string(automatic.c_str()));
    CHECK(contains(automatic, "cells of 1000 boxes, the cheapest\n"));
    CHECK(contains(automatic, "expected ns a box: brute_force "));
    CHECK(contains(automatic, " sweep_and_prune "));
    CHECK(contains(automatic, " cells; records a box: expected 1."));
    CHECK(contains(automatic, "window: expected "));
    CHECK(contains(automatic, "pairs compared: "));
    CHECK(contains(automatic, "scratch: "));

    FindPairsSettings settings = {.algorithm = PairAlgorithm::cells, .sweep_axis = SweepAxis::y};
    settings.cell_counts = {2, 3, 4};
    const PlanText forced = explain(plan_of(list, settings));
    CHECK(contains(forced, "cells of 1000 boxes, as the settings say\n"));
    CHECK(contains(forced, "along y; 2 x 3 x 4 cells;"));

    settings = {.algorithm = PairAlgorithm::sweep_and_prune, .sweep_axis = SweepAxis::z};
    CHECK(contains(explain(plan_of(list, settings)), "along z; 0 boxes set apart\n"));
    CHECK(contains(explain(plan_of({list.begin(), list.begin() + 70}, {})),
                   "brute_force of 70 boxes, few tests a box\n"));
    CHECK(contains(explain(FindPairsPlan{}), "no search\n"));
    FindPairsPlan crowded;
    crowded.algorithm = PairAlgorithm::cells;
    crowded.box_count = 9;
    crowded.large_count = 3;
    crowded.overfull_cell_count = 2;
    crowded.left_out_count = 5;
    crowded.cache_use = CacheUse::reused;
    CHECK(contains(explain(crowded), "5 boxes left out, far from the subset\n"));
    CHECK(contains(explain(crowded), "3 large boxes set apart, 2 overfull cells\n"));
    CHECK(contains(explain(crowded), "cache: reused, 0 boxes have left\n"));
}

TEST_CASE("the text of any plan fits its buffer") {
    FindPairsPlan plan;
    plan.algorithm = PairAlgorithm::cells;
    plan.box_count = static_cast<std::size_t>(-1);
    plan.left_out_count = static_cast<std::size_t>(-1);
    plan.cell_counts = {~0u, ~0u, ~0u};
    plan.large_count = static_cast<std::size_t>(-1);
    plan.overfull_cell_count = static_cast<std::size_t>(-1);
    plan.cache_use = CacheUse::found_anew;
    plan.escaped_count = static_cast<std::size_t>(-1);
    plan.record_count = ~std::uint64_t{0};
    plan.tested_count = ~std::uint64_t{0};
    plan.memory_bytes = static_cast<std::size_t>(-1);
    plan.expected_records_per_box = 1e300;
    plan.expected_window = 1e300;
    plan.expected_costs = {1e300, 1e300, 1e300};
    const PlanText text = explain(plan);
    CHECK(std::strlen(text.c_str()) == sizeof(text.text) - 1);
}

TEST_CASE("every algorithm has a name of its own, and an invalid value is named as such") {
    std::set<std::string> names;
    for (int i = 0; i < 5; ++i) names.insert(pair_algorithm_name(static_cast<PairAlgorithm>(i)));
    CHECK(names.size() == 5);
    CHECK(std::string(pair_algorithm_name(static_cast<PairAlgorithm>(77))) == "unknown algorithm");
}
