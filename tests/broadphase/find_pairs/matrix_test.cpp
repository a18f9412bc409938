// find_pairs over all combinations: algorithm, ISA, number of workers, scene, count, and plans forced at
// random. ThreadSanitizer runs the cases with a runner, with the smallest and largest counts and numbers of
// workers.
#include <broadside/find_pairs.hpp>

#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

const std::vector<std::size_t>& counts() {
    static const std::vector<std::size_t> all = {0, 1, 2, 16, 17, 33, 129, 257, 530};
    static const std::vector<std::size_t> ends = {17, 530};
    return kHasThreadSanitizer ? ends : all;
}
constexpr std::uint32_t kWorkerStep = kHasThreadSanitizer ? 7 : 1;
constexpr int kPlanRounds = kHasThreadSanitizer ? 40 : 250;

bool is_list(const PairBuffer& pairs, const std::vector<IndexPair>& list) {
    return std::equal(pairs.begin(), pairs.end(), list.begin(), list.end());
}

// Settings that do not change the canonical list.
FindPairsSettings random_plan(Random& random) {
    FindPairsSettings settings;
    settings.algorithm = static_cast<PairAlgorithm>(random.below(4));
    settings.sweep_axis = static_cast<SweepAxis>(random.below(4));
    if (random.chance(2)) {
        const std::uint32_t most = random.chance(8) ? 40 : 9;
        settings.cell_counts = {1 + random.below(most), 1 + random.below(most), 1 + random.below(most)};
    }
    return settings;
}

}  // namespace

TEST_CASE("every algorithm on every ISA with one to eight workers gives one list, at awkward counts" *
          kLong) {
    BoxScratch scratch;
    PairBuffer pairs;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const std::size_t count : counts()) {
            INFO("count " << count);
            const std::vector<Aabb> list = make_scene(scene, count);
            const std::vector<IndexPair> expected = oracle_pairs(list);
            const GuardedBoxes boxes(list);
            for (const PairAlgorithm algorithm : kAlgorithms) {
                INFO("algorithm " << pair_algorithm_name(algorithm));
                FindPairsSettings settings = {.algorithm = algorithm, .order = PairOrder::by_algorithm};
                std::vector<IndexPair> one_list;
                for_each_isa([&](Isa isa) {
                    for (std::uint32_t worker_count = 1; worker_count <= 8; worker_count += kWorkerStep) {
                        const ShuffledRunner shuffled(count + worker_count, worker_count);
                        settings.runner = shuffled.runner();
                        REQUIRE(find_pairs(boxes.view(), settings, scratch, pairs).status == Status::ok);
                        if (isa == Isa::scalar && worker_count == 1) {
                            one_list.assign(pairs.begin(), pairs.end());
                            REQUIRE(sorted(one_list) == expected);
                        }
                        REQUIRE(is_list(pairs, one_list));
                    }
                });
            }
        }
    }
}

TEST_CASE("plans forced at random give the canonical list, within one set and between two") {
    BoxScratch scratch;
    PairBuffer pairs;
    Random random(61);
    for (int round = 0; round < kPlanRounds; ++round) {
        const PairScene& scene =
            pair_scenes()[random.below(static_cast<std::uint32_t>(pair_scenes().size()))];
        INFO("round " << round << ", scene " << scene.name);
        const std::vector<Aabb> list_a = make_scene(scene, random.below(300), 1);
        const std::vector<Aabb> list_b = make_scene(scene, random.below(300), 2);
        const std::vector<IndexPair> within = oracle_pairs(list_a);
        const std::vector<IndexPair> between = oracle_pairs(list_a, list_b);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        for (int plan = 0; plan < 4; ++plan) {
            FindPairsSettings settings = random_plan(random);
            const ShuffledRunner shuffled(random.next(), 1 + random.below(8));
            settings.runner = random.chance(2) ? shuffled.runner() : nullptr;
            INFO("algorithm " << pair_algorithm_name(settings.algorithm));
            for_each_isa([&](Isa) {
                REQUIRE(find_pairs(a.view(), settings, scratch, pairs).status == Status::ok);
                REQUIRE(is_list(pairs, within));
                REQUIRE(find_pairs(a.view(), b.view(), settings, scratch, pairs).status == Status::ok);
                REQUIRE(is_list(pairs, between));
            });
        }
    }
}

TEST_CASE("thousands of boxes: the algorithms agree on scenes made for their weak spots" * kLong *
          doctest::skip(kHasThreadSanitizer)) {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        if (scene.name == "all identical" || scene.name == "signed zeros" || scene.name == "one ulp")
            continue;
        if (scene.name == "lattice" || scene.name == "denormals") continue;
        INFO("scene " << scene.name);
        const std::size_t count = scene.name == "clusters" || scene.name == "infinite" ? 3000 : 7001;
        const GuardedBoxes boxes(make_scene(scene, count));
        PairBuffer by_sweep;
        PairBuffer pairs;
        REQUIRE(find_pairs(boxes.view(), {.algorithm = PairAlgorithm::sweep_and_prune}, scratch, by_sweep)
                    .status == Status::ok);
        for (const PairAlgorithm algorithm : {PairAlgorithm::automatic, PairAlgorithm::cells}) {
            REQUIRE(find_pairs(boxes.view(), {.algorithm = algorithm}, scratch, pairs).status == Status::ok);
            REQUIRE(std::equal(pairs.begin(), pairs.end(), by_sweep.begin(), by_sweep.end()));
        }
    }
}

TEST_CASE("more than 65,536 boxes at one point: all pairs are counted, and the first are written" * kLong *
          doctest::skip(kHasThreadSanitizer)) {
    const std::size_t count = 66001;
    const GuardedBoxes boxes(std::vector<Aabb>(count, Aabb{{1, 2, 3}, {4, 5, 6}}));
    BoxScratch scratch;
    std::vector<IndexPair> first(1000);
    const FindPairsSettings settings = {.algorithm = PairAlgorithm::cells, .order = PairOrder::by_algorithm};
    const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, std::span(first));
    CHECK(result.status == Status::capacity_exceeded);
    CHECK(result.written == first.size());
    CHECK(result.required == (count - 1) / 2 * count);
    for (const IndexPair& pair : first) CHECK(pair.first < pair.second);
}
