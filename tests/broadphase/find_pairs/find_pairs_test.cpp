// find_pairs on one set: the pairs and their order, against loops in doubles.
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

// Brute force, the sweep along its chosen axis and along each, and cells in their chosen grid and in others.
std::vector<FindPairsSettings> all_settings(PairOrder order) {
    std::vector<FindPairsSettings> all = {FindPairsSettings{}, kBruteForce, kSweep};
    for (const SweepAxis axis : {SweepAxis::x, SweepAxis::y, SweepAxis::z}) {
        all.push_back(kSweep);
        all.back().sweep_axis = axis;
    }
    all.push_back(kCells);
    for (const CellCounts& counts :
         {CellCounts{1, 1, 1}, CellCounts{3, 2, 5}, CellCounts{1, 40, 2}, CellCounts{9, 6, 7}}) {
        all.push_back(kCells);
        all.back().cell_counts = counts;
        all.back().sweep_axis = static_cast<SweepAxis>(1 + counts.z % 3);
    }
    for (FindPairsSettings& settings : all) settings.order = order;
    return all;
}

// The complete list, after checks of the promises that hold for every result.
std::vector<IndexPair> list_of(const BoxSoaView& boxes, const FindPairsSettings& settings,
                               BoxScratch& scratch, FindPairsPlan* out_plan = nullptr) {
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(boxes, settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    REQUIRE(result.written == pairs.size());
    REQUIRE(result.required == pairs.size());
    REQUIRE(result.plan.algorithm != PairAlgorithm::automatic);
    REQUIRE(result.plan.tested_count >= pairs.size());
    if (out_plan != nullptr) *out_plan = result.plan;
    return {pairs.begin(), pairs.end()};
}

}  // namespace

TEST_CASE("find_pairs returns exactly the overlapping pairs in canonical order, with every algorithm") {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const std::size_t count : awkward_counts()) {
            INFO("count " << count);
            const std::vector<Aabb> list = make_scene(scene, count);
            const std::vector<IndexPair> expected = oracle_pairs(list);
            const GuardedBoxes boxes(list);
            for_each_isa([&](Isa) {
                for (const FindPairsSettings& settings : all_settings(PairOrder::canonical)) {
                    REQUIRE(list_of(boxes.view(), settings, scratch) == expected);
                }
            });
        }
    }
}

TEST_CASE("by_algorithm is the order of the sweep, or canonical for brute force, on every ISA" * kLong) {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const std::size_t count : {2u, 3u, 17u, 33u, 129u, 257u}) {
            INFO("count " << count);
            const std::vector<Aabb> list = make_scene(scene, count);
            const std::vector<IndexPair> expected = oracle_pairs(list);
            const GuardedBoxes boxes(list);
            for (const FindPairsSettings& settings : all_settings(PairOrder::by_algorithm)) {
                std::vector<IndexPair> on_scalar;
                for_each_isa([&](Isa isa) {
                    FindPairsPlan plan;
                    const std::vector<IndexPair> pairs = list_of(boxes.view(), settings, scratch, &plan);
                    if (isa == Isa::scalar) on_scalar = pairs;
                    REQUIRE(pairs == on_scalar);
                    REQUIRE(sorted(pairs) == expected);
                    if (plan.algorithm == PairAlgorithm::brute_force) {
                        REQUIRE(pairs == expected);
                    } else if (plan.algorithm == PairAlgorithm::sweep_and_prune &&
                               plan.oversized_count == 0) {
                        const int axis = static_cast<int>(plan.sweep_axis) - static_cast<int>(SweepAxis::x);
                        REQUIRE(pairs == oracle_sweep_order(list, axis));
                    }
                });
            }
        }
    }
}

TEST_CASE("thousands of small scenes of random boxes: pairs and plan agree on every ISA") {
    BoxScratch scratch;
    Random random(3);
    for (int round = 0; round < 1500; ++round) {
        INFO("round " << round);
        std::vector<Aabb> list(random.below(90));
        for (std::size_t i = 0; i < list.size(); ++i) {
            const PairScene& scene =
                pair_scenes()[random.below(static_cast<std::uint32_t>(pair_scenes().size()))];
            list[i] = scene.make_box(random, i, list.size());
        }
        const std::vector<IndexPair> expected = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        FindPairsPlan plan_on_scalar;
        for_each_isa([&](Isa isa) {
            FindPairsPlan plan;
            REQUIRE(list_of(boxes.view(), kSweep, scratch, &plan) == expected);
            if (isa == Isa::scalar) plan_on_scalar = plan;
            REQUIRE(plan.sweep_axis == plan_on_scalar.sweep_axis);
            REQUIRE(plan.oversized_count == plan_on_scalar.oversized_count);
            REQUIRE(plan.tested_count == plan_on_scalar.tested_count);
            REQUIRE(list_of(boxes.view(), kBruteForce, scratch) == expected);
        });
    }
}

TEST_CASE("the list is the same for one to eight workers and any order of tasks" * kLong) {
    // One real thread per worker, however few cores there are.
    const tbb::global_control threads_for_all(tbb::global_control::max_allowed_parallelism, 8);
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::size_t count = 1100;
        const std::vector<Aabb> list = make_scene(scene, count);
        const GuardedBoxes boxes(list);
        for (FindPairsSettings settings : {kBruteForce, kSweep, kCells}) {
            settings.order = PairOrder::by_algorithm;
            FindPairsPlan plan_alone;
            const std::vector<IndexPair> alone = list_of(boxes.view(), settings, scratch, &plan_alone);
            REQUIRE(sorted(alone) == oracle_pairs(list));
            for (std::uint32_t worker_count = 1; worker_count <= 8; ++worker_count) {
                INFO("workers " << worker_count);
                const Threads threads(worker_count);
                const ShuffledRunner shuffled(worker_count, worker_count);
                for (const TaskRunner* runner : {threads.runner(), shuffled.runner()}) {
                    settings.runner = runner;
                    FindPairsPlan plan;
                    REQUIRE(list_of(boxes.view(), settings, scratch, &plan) == alone);
                    REQUIRE(plan.tested_count == plan_alone.tested_count);
                }
                if (settings.algorithm != PairAlgorithm::cells) REQUIRE(shuffled.task_count() >= 3);
            }
        }
    }
}

TEST_CASE("the list is the same on every ISA with two threads" * kLong) {
    BoxScratch scratch;
    const Threads threads(2);
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> list = make_scene(scene, 600);
        const std::vector<IndexPair> expected = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        for_each_isa([&](Isa) {
            for (FindPairsSettings settings : all_settings(PairOrder::canonical)) {
                settings.runner = threads.runner();
                REQUIRE(list_of(boxes.view(), settings, scratch) == expected);
            }
        });
    }
}

TEST_CASE("permuting the boxes permutes the pairs") {
    BoxScratch scratch;
    Random random(4);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list = make_scene(scene, 300);
        std::vector<std::uint32_t> old_index(list.size());
        std::vector<Aabb> permuted(list.size());
        for (std::uint32_t i = 0; i < list.size(); ++i) {
            old_index[i] = i;
            std::swap(old_index[i], old_index[random.below(i + 1)]);
        }
        for (std::size_t i = 0; i < list.size(); ++i) permuted[i] = list[old_index[i]];
        const GuardedBoxes boxes(list);
        const GuardedBoxes permuted_boxes(permuted);
        for (const FindPairsSettings& settings : all_settings(PairOrder::canonical)) {
            std::vector<IndexPair> pairs = list_of(permuted_boxes.view(), settings, scratch);
            for (IndexPair& pair : pairs) {
                const std::uint32_t first = old_index[pair.first];
                const std::uint32_t second = old_index[pair.second];
                pair = {std::min(first, second), std::max(first, second)};
            }
            REQUIRE(sorted(pairs) == list_of(boxes.view(), settings, scratch));
        }
    }
}

TEST_CASE("thousands of boxes at one point: rows of any length, blocks that fill up and are reused" * kLong) {
    BoxScratch scratch;
    const std::size_t count = 1500;
    const GuardedBoxes boxes(std::vector<Aabb>(count, Aabb{{-1, -1, -1}, {1, 1, 1}}));
    const Threads threads(2);
    const ShuffledRunner shuffled(9, 3);
    for (const TaskRunner* runner :
         {static_cast<const TaskRunner*>(nullptr), threads.runner(), shuffled.runner()}) {
        for_each_isa([&](Isa) {
            for (FindPairsSettings settings : {kBruteForce, kSweep, kCells}) {
                settings.runner = runner;
                const std::vector<IndexPair> pairs = list_of(boxes.view(), settings, scratch);
                REQUIRE(pairs.size() == count * (count - 1) / 2);
                std::size_t place = 0;
                bool is_canonical = true;
                for (std::uint32_t i = 0; i < count; ++i) {
                    for (std::uint32_t j = i + 1; j < count; ++j) {
                        is_canonical = is_canonical && pairs[place++] == IndexPair{i, j};
                    }
                }
                REQUIRE(is_canonical);
            }
        });
    }
}

TEST_CASE("boxes that touch at zeros of different sign are found by a sweep along that axis") {
    // The trap: as bit patterns, or by subtraction, -0 is below +0.
    for (const SweepAxis axis : {SweepAxis::x, SweepAxis::y, SweepAxis::z}) {
        const auto along = [&](float value) {
            return Vec3{axis == SweepAxis::x ? value : 0.5f, axis == SweepAxis::y ? value : 0.5f,
                        axis == SweepAxis::z ? value : 0.5f};
        };
        for (const float end : {-0.0f, 0.0f}) {
            for (const float start : {-0.0f, 0.0f}) {
                const std::vector<Aabb> list = {{along(-1), along(end)}, {along(start), along(1)}};
                const GuardedBoxes boxes(list);
                BoxScratch scratch;
                FindPairsSettings settings = kSweep;
                settings.sweep_axis = axis;
                for_each_isa([&](Isa) {
                    CHECK(list_of(boxes.view(), settings, scratch) == std::vector<IndexPair>{{0, 1}});
                });
            }
        }
    }
}

TEST_CASE("invalid boxes pair with nothing and are counted, and the first is reported") {
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const std::vector<Aabb> list = {everything,
                                    {{0, 0, 0}, {1, 1, 1}},
                                    {{0, kNaN, 0}, {1, 1, 1}},
                                    {{2, 0, 0}, {1, 1, 1}},
                                    everything,
                                    {{kInfinity, 0, 0}, {kInfinity, 1, 1}},
                                    Aabb::empty()};
    const GuardedBoxes boxes(list);
    BoxScratch scratch;
    for_each_isa([&](Isa) {
        for (const FindPairsSettings& settings : all_settings(PairOrder::canonical)) {
            PairBuffer pairs;
            const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, pairs);
            CHECK(result.status == Status::ok);
            CHECK(result.invalid.count == 4);
            CHECK(result.invalid.first_index == 2);
            CHECK(result.invalid.first_index == find_invalid_box(boxes.view()));
            CHECK(result.invalid_b.count == 0);
            CHECK(result.invalid_b.first_index == kNoIndex);
            CHECK(std::vector<IndexPair>(pairs.begin(), pairs.end()) ==
                  std::vector<IndexPair>{{0, 1}, {0, 4}, {1, 4}});
        }
    });
}

TEST_CASE("the axis is chosen from the data, and one outlier or a few infinite boxes do not change it") {
    BoxScratch scratch;
    const auto axis_of = [&](const std::vector<Aabb>& list) {
        FindPairsPlan plan;
        list_of(GuardedBoxes(list).view(), kSweep, scratch, &plan);
        return plan.sweep_axis;
    };
    Random random(5);
    for (int axis = 0; axis < 3; ++axis) {
        // Spread over 1000 along one axis, over 10 along the others.
        std::vector<Aabb> list(500);
        for (Aabb& box : list) {
            Vec3 min = random_vec3(random, 0, 10);
            (axis == 0 ? min.x : axis == 1 ? min.y : min.z) *= 100;
            box = box_of_size(min, {1, 1, 1});
        }
        const auto expected = static_cast<SweepAxis>(static_cast<int>(SweepAxis::x) + axis);
        CHECK(axis_of(list) == expected);
        list[7] = box_of_size({axis == 0 ? 0 : 1e30f, axis == 1 ? 0 : 1e30f, 1e30f}, {1, 1, 1});
        list[250] = box_of_size({axis == 0 ? 0 : -1e30f, axis == 1 ? 0 : -1e30f, -1e30f}, {1, 1, 1});
        CHECK(axis_of(list) == expected);
        for (std::size_t i = 0; i < 20; ++i) list[i * 25].min = {-kInfinity, -kInfinity, -kInfinity};
        for (std::size_t i = 0; i < 20; ++i) list[i * 25].max = {kInfinity, kInfinity, kInfinity};
        CHECK(axis_of(list) == expected);
    }
}

TEST_CASE("boxes that extend across the others are separated, and only those") {
    BoxScratch scratch;
    std::vector<Aabb> list = make_scene(pair_scenes()[0], 400);
    FindPairsPlan plan;
    list_of(GuardedBoxes(list).view(), kSweep, scratch, &plan);
    CHECK(plan.oversized_count == 0);
    list[3] = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    list[5] = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
    list[399] = {{-1e6f, -1e6f, -1e6f}, {1e6f, 1e6f, 1e6f}};
    list_of(GuardedBoxes(list).view(), kSweep, scratch, &plan);
    CHECK(plan.oversized_count == 3);
    // If every box is that large, none is separated, and the sweep is as good as brute force.
    list_of(GuardedBoxes(std::vector<Aabb>(400, list[3])).view(), kSweep, scratch, &plan);
    CHECK(plan.oversized_count == 0);
    CHECK(plan.tested_count == 400 * 399 / 2);
}
