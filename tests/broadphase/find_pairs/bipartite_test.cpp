// find_pairs between two sets, against loops in doubles.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <tbb/global_control.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr FindPairsSettings kForcedCells = {
    .algorithm = PairAlgorithm::cells, .sweep_axis = SweepAxis::z, .cell_counts = {4, 3, 2}};

std::vector<IndexPair> list_of(const BoxSoaView& a, const BoxSoaView& b, const FindPairsSettings& settings,
                               BoxScratch& scratch, FindPairsPlan* out_plan = nullptr) {
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(a, b, settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    REQUIRE(result.written == pairs.size());
    REQUIRE(result.required == pairs.size());
    REQUIRE(result.plan.tested_count >= pairs.size());
    if (out_plan != nullptr) *out_plan = result.plan;
    return {pairs.begin(), pairs.end()};
}

std::vector<FindPairsSettings> settings_for_two_sets() {
    std::vector<FindPairsSettings> all = {FindPairsSettings{}, kBruteForce, kSweep, kCells, kForcedCells};
    for (const SweepAxis axis : {SweepAxis::x, SweepAxis::y, SweepAxis::z}) {
        all.push_back(kSweep);
        all.back().sweep_axis = axis;
    }
    return all;
}

}  // namespace

TEST_CASE("between two sets, every overlapping pair is found once, index in a first, in b second" * kLong) {
    BoxScratch scratch;
    const std::size_t counts[][2] = {{0, 0},   {0, 5},  {5, 0},   {1, 1},   {1, 40},    {40, 1},  {2, 3},
                                     {16, 17}, {33, 8}, {15, 64}, {65, 63}, {129, 100}, {3, 257}, {257, 31}};
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const auto& [count_a, count_b] : counts) {
            INFO("counts " << count_a << ", " << count_b);
            const std::vector<Aabb> list_a = make_scene(scene, count_a, 1);
            const std::vector<Aabb> list_b = make_scene(scene, count_b, 2);
            const std::vector<IndexPair> expected = oracle_pairs(list_a, list_b);
            const GuardedBoxes a(list_a);
            const GuardedBoxes b(list_b);
            for (FindPairsSettings settings : settings_for_two_sets()) {
                settings.order = PairOrder::canonical;
                std::vector<IndexPair> by_algorithm_on_scalar;
                for_each_isa([&](Isa isa) {
                    settings.order = PairOrder::canonical;
                    REQUIRE(list_of(a.view(), b.view(), settings, scratch) == expected);
                    settings.order = PairOrder::by_algorithm;
                    const std::vector<IndexPair> pairs = list_of(a.view(), b.view(), settings, scratch);
                    if (isa == Isa::scalar) by_algorithm_on_scalar = pairs;
                    REQUIRE(pairs == by_algorithm_on_scalar);
                    REQUIRE(sorted(pairs) == expected);
                });
            }
        }
    }
}

TEST_CASE("two sets of different scenes: giants and dust, walls and lines") {
    BoxScratch scratch;
    for (const PairScene& scene_a : pair_scenes()) {
        for (const PairScene& scene_b : pair_scenes()) {
            INFO(scene_a.name << " against " << scene_b.name);
            const std::vector<Aabb> list_a = make_scene(scene_a, 70, 3);
            const std::vector<Aabb> list_b = make_scene(scene_b, 110, 4);
            const std::vector<IndexPair> expected = oracle_pairs(list_a, list_b);
            const GuardedBoxes a(list_a);
            const GuardedBoxes b(list_b);
            for_each_isa([&](Isa) { REQUIRE(list_of(a.view(), b.view(), kSweep, scratch) == expected); });
        }
    }
}

TEST_CASE("a set against itself gives every pair both ways, and every valid box with itself") {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list = make_scene(scene, 120);
        const GuardedBoxes boxes(list);
        std::vector<IndexPair> expected;
        for (const IndexPair& pair : oracle_pairs(list)) {
            expected.push_back(pair);
            expected.push_back({pair.second, pair.first});
        }
        for (std::uint32_t i = 0; i < list.size(); ++i) {
            if (is_valid(list[i])) expected.push_back({i, i});
        }
        for (const FindPairsSettings& settings : settings_for_two_sets()) {
            REQUIRE(list_of(boxes.view(), boxes.view(), settings, scratch) == sorted(expected));
        }
    }
}

TEST_CASE("between two sets, the list is the same for one to eight workers and any order of tasks" * kLong) {
    // One real thread per worker, however few cores there are.
    const tbb::global_control threads_for_all(tbb::global_control::max_allowed_parallelism, 8);
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list_a = make_scene(scene, 700, 5);
        const std::vector<Aabb> list_b = make_scene(scene, 900, 6);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        for (FindPairsSettings settings : {kBruteForce, kSweep, kCells}) {
            settings.order = PairOrder::by_algorithm;
            const std::vector<IndexPair> alone = list_of(a.view(), b.view(), settings, scratch);
            REQUIRE(sorted(alone) == oracle_pairs(list_a, list_b));
            for (std::uint32_t worker_count = 1; worker_count <= 8; ++worker_count) {
                const Threads threads(worker_count);
                const ShuffledRunner shuffled(worker_count, worker_count);
                for (const TaskRunner* runner : {threads.runner(), shuffled.runner()}) {
                    settings.runner = runner;
                    REQUIRE(list_of(a.view(), b.view(), settings, scratch) == alone);
                }
            }
        }
    }
}

TEST_CASE("swapping the two sets swaps the pairs") {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const GuardedBoxes a(make_scene(scene, 150, 7));
        const GuardedBoxes b(make_scene(scene, 200, 8));
        for (const FindPairsSettings& settings : settings_for_two_sets()) {
            std::vector<IndexPair> swapped = list_of(b.view(), a.view(), settings, scratch);
            for (IndexPair& pair : swapped) std::swap(pair.first, pair.second);
            REQUIRE(sorted(swapped) == list_of(a.view(), b.view(), settings, scratch));
        }
    }
}

TEST_CASE("invalid boxes of the two sets are counted separately") {
    const Aabb box = {{0, 0, 0}, {1, 1, 1}};
    const Aabb bad = Aabb::empty();
    const GuardedBoxes a(std::vector<Aabb>{bad, box, bad});
    const GuardedBoxes b(std::vector<Aabb>{box, bad});
    for (const FindPairsSettings& settings : settings_for_two_sets()) {
        PairBuffer pairs;
        const FindPairsResult result = find_pairs(a.view(), b.view(), settings, pairs);
        CHECK(result.invalid.count == 2);
        CHECK(result.invalid.first_index == 0);
        CHECK(result.invalid_b.count == 1);
        CHECK(result.invalid_b.first_index == 1);
        REQUIRE(pairs.size() == 1);
        CHECK(pairs[0] == IndexPair{1, 0});
    }
}

TEST_CASE("a few boxes against many are tested without a sort of the many") {
    BoxScratch scratch;
    const std::vector<Aabb> few = make_scene(pair_scenes()[0], 5, 9);
    const std::vector<Aabb> many = make_scene(pair_scenes()[0], 5000, 10);
    FindPairsPlan plan;
    const std::vector<IndexPair> pairs =
        list_of(GuardedBoxes(few).view(), GuardedBoxes(many).view(), {}, scratch, &plan);
    CHECK(pairs == oracle_pairs(few, many));
    CHECK(plan.algorithm == PairAlgorithm::brute_force);
    CHECK(plan.tested_count == 5 * 5000);
}
