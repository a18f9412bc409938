// find_pairs with filters: categories and masks, groups, and a subset that pairs must involve.
#include <broadside/find_pairs.hpp>
#include <broadside/overlap.hpp>

#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {}  // namespace

TEST_CASE("filters drop exactly the forbidden pairs, in every algorithm, order and kind of call" * kLong) {
    Random random(31);
    const ShuffledRunner shuffled(5, 3);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list_a = make_scene(scene, 257, 1);
        const std::vector<Aabb> list_b = make_scene(scene, 130, 2);
        const GuardedBoxes a(list_a);
        const GuardedBoxes b(list_b);
        Rules rules_a(random, list_a.size());
        Rules rules_b(random, list_b.size());
        for (unsigned which = 0; which < 16; ++which) {
            FindPairsSettings settings;
            settings.filter = rules_a.filter(which);
            settings.filter_b = rules_b.filter(which ^ (which >> 1));
            settings.runner = which % 3 == 0 ? shuffled.runner() : nullptr;
            settings.order = which % 2 == 0 ? PairOrder::canonical : PairOrder::by_algorithm;
            const std::vector<IndexPair> complete =
                only_allowed(oracle_pairs(list_a), settings.filter, settings.filter);
            const std::vector<IndexPair> between =
                only_allowed(oracle_pairs(list_a, list_b), settings.filter, settings.filter_b);
            for_each_isa([&](Isa) {
                for (const PairAlgorithm algorithm : kAlgorithms) {
                    settings.algorithm = algorithm;
                    PairBuffer pairs;
                    REQUIRE(find_pairs(a.view(), settings, pairs).required == complete.size());
                    REQUIRE(sorted({pairs.begin(), pairs.end()}) == complete);
                    REQUIRE(find_pairs(a.view(), b.view(), settings, pairs).required == between.size());
                    REQUIRE(sorted({pairs.begin(), pairs.end()}) == between);
                }
            });
        }
    }
}

TEST_CASE("boxes far from a small subset are skipped; no pair is lost and every invalid box is counted" *
          kLong) {
    Random random(32);
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        const std::vector<Aabb> list = make_scene(scene, 1300);
        const std::vector<IndexPair> all_pairs = oracle_pairs(list);
        const GuardedBoxes boxes(list);
        std::vector<std::uint32_t> groups(list.size());
        for (std::uint32_t& group : groups) group = random.below(4);
        std::size_t invalid_count = 0;
        for (const Aabb& box : list) invalid_count += is_valid(box) ? 0 : 1;
        for (const std::uint32_t subset_count : {0u, 1u, 13u, 54u}) {
            GuardedArray<std::uint64_t> subset(bit_word_count(list.size()));
            for (std::uint64_t& word : subset.span()) word = 0;
            for (std::uint32_t i = 0; i < subset_count; ++i) {
                const std::uint32_t index = random.below(static_cast<std::uint32_t>(list.size()));
                subset[index / 64] |= std::uint64_t{1} << (index % 64);
            }
            FindPairsSettings settings;
            settings.filter.subset_bits = subset.span();
            settings.filter.groups = groups;
            const std::vector<IndexPair> expected = only_allowed(all_pairs, settings.filter, settings.filter);
            for (const PairAlgorithm algorithm : kAlgorithms) {
                settings.algorithm = algorithm;
                std::vector<IndexPair> by_algorithm;
                for_each_isa([&](Isa isa) {
                    PairBuffer pairs;
                    settings.order = PairOrder::canonical;
                    const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, pairs);
                    REQUIRE(std::vector<IndexPair>(pairs.begin(), pairs.end()) == expected);
                    REQUIRE(result.invalid.count == invalid_count);
                    REQUIRE(result.invalid.first_index == find_invalid_box(boxes.view()));
                    if (scene.name == "uniform" && subset_count < 20) CHECK(result.plan.left_out_count > 900);
                    settings.order = PairOrder::by_algorithm;
                    REQUIRE(find_pairs(boxes.view(), settings, scratch, pairs).status == Status::ok);
                    if (isa == Isa::scalar) by_algorithm.assign(pairs.begin(), pairs.end());
                    REQUIRE(std::equal(pairs.begin(), pairs.end(), by_algorithm.begin(), by_algorithm.end()));
                    REQUIRE(sorted({pairs.begin(), pairs.end()}) == expected);
                });
            }
        }
    }
}

TEST_CASE("a filter of the wrong length is refused") {
    const GuardedBoxes boxes(std::vector<Aabb>(65, Aabb{{0, 0, 0}, {1, 1, 1}}));
    const std::vector<std::uint64_t> words(66);
    const std::vector<std::uint32_t> groups(66);
    const auto status_of = [&](const BoxFilter& filter) {
        FindPairsSettings settings;
        settings.filter = filter;
        PairBuffer pairs;
        return find_pairs(boxes.view(), settings, pairs).status;
    };
    CHECK(status_of({}) == Status::ok);
    CHECK(status_of({.categories = words, .masks = {}, .groups = {}, .subset_bits = {}}) ==
          Status::invalid_argument);
    CHECK(status_of({.categories = {}, .masks = words, .groups = {}, .subset_bits = {}}) ==
          Status::invalid_argument);
    CHECK(status_of({.categories = {}, .masks = {}, .groups = groups, .subset_bits = {}}) ==
          Status::invalid_argument);
    const std::span<const std::uint64_t> one_word = std::span(words).first(1);
    const std::span<const std::uint64_t> two_words = std::span(words).first(2);
    CHECK(status_of({.categories = {}, .masks = {}, .groups = {}, .subset_bits = one_word}) ==
          Status::invalid_argument);
    CHECK(status_of({.categories = {}, .masks = {}, .groups = {}, .subset_bits = two_words}) == Status::ok);
}
