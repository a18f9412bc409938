// A resting set returns the pairs of find_pairs with the same subset, whatever woke up or came to rest since.
#include <broadside/resting_boxes.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/bits.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// Each box with a chance of one in `one_in`, and garbage behind the last.
Bits random_bits(Random& random, std::size_t count, std::uint32_t one_in) {
    Bits bits(bit_word_count(count));
    for (std::size_t i = 0; i < bits.size() * 64; ++i) {
        if (random.chance(one_in)) bits[i / 64] |= std::uint64_t{1} << i % 64;
    }
    return bits;
}

std::vector<IndexPair> oracle_with_subset(const std::vector<Aabb>& boxes, const Bits& subset) {
    std::vector<IndexPair> pairs = oracle_pairs(boxes);
    std::erase_if(pairs, [&](const IndexPair& pair) {
        return !has_bit(subset, pair.first) && !has_bit(subset, pair.second);
    });
    return pairs;
}

FindPairsSettings of_subset(const Bits& subset) {
    FindPairsSettings settings;
    settings.filter.subset_bits = subset;
    return settings;
}

std::vector<IndexPair> plain_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                                   BoxScratch& scratch) {
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, settings, scratch, pairs).status == Status::ok);
    return {pairs.begin(), pairs.end()};
}

std::vector<IndexPair> pairs_of(const RestingBoxes& resting, const BoxSoaView& boxes,
                                const FindPairsSettings& settings, BoxScratch& scratch) {
    PairBuffer pairs;
    REQUIRE(resting.find_pairs(boxes, settings, scratch, pairs).status == Status::ok);
    return {pairs.begin(), pairs.end()};
}

}  // namespace

TEST_CASE("movers against a resting set give the pairs of a complete call, on every ISA and in one order") {
    BoxScratch scratch;
    Random random(77);
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const std::size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 129u, 400u}) {
            INFO("count " << count);
            const std::vector<Aabb> before = make_scene(scene, count, 1);
            const std::vector<Aabb> after = make_scene(scene, count, 2);
            // Built with some movers; since then some of those came to rest and other boxes woke up.
            const Bits movers = random_bits(random, count, 4);
            Bits subset = random_bits(random, count, 5);
            std::vector<Aabb> now = before;
            for (std::size_t i = 0; i < count; ++i) {
                if (has_bit(movers, i) || has_bit(subset, i)) now[i] = after[i];
            }
            const std::vector<IndexPair> expected = oracle_with_subset(now, subset);
            const GuardedBoxes boxes_before(before);
            const GuardedBoxes boxes_now(now);
            std::vector<IndexPair> on_scalar;
            for_each_isa([&](Isa isa) {
                RestingBoxes resting;
                REQUIRE(resting.build(boxes_before.view(), movers) == Status::ok);
                FindPairsSettings settings = of_subset(subset);
                REQUIRE(pairs_of(resting, boxes_now.view(), settings, scratch) == expected);
                settings.order = PairOrder::by_algorithm;
                const std::vector<IndexPair> as_found =
                    pairs_of(resting, boxes_now.view(), settings, scratch);
                REQUIRE(sorted(as_found) == expected);
                if (isa == Isa::scalar) on_scalar = as_found;
                REQUIRE(as_found == on_scalar);
            });
        }
    }
}

TEST_CASE("a resting set in which everything or nothing moves gives the right pairs") {
    BoxScratch scratch;
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 300);
    const GuardedBoxes boxes(list);
    const Bits none(bit_word_count(list.size()), 0);
    const Bits all(bit_word_count(list.size()), ~std::uint64_t{0});
    RestingBoxes resting;
    for (const Bits& built_with : {none, all}) {
        REQUIRE(resting.build(boxes.view(), built_with) == Status::ok);
        CHECK(resting.resting_count() == (built_with == none ? list.size() : 0));
        CHECK(pairs_of(resting, boxes.view(), of_subset(none), scratch).empty());
        CHECK(pairs_of(resting, boxes.view(), of_subset(all), scratch) == oracle_pairs(list));
    }
    REQUIRE(resting.build(boxes.view(), {}) == Status::ok);
    CHECK(resting.resting_count() == list.size());
}

// The scalar code leaves a walk with a full block in a way of its own.
TEST_CASE("a resting set of many cells gives one list for any worker count, with long walks and full blocks" *
          kLong) {
    for (const Isa isa : {Isa::scalar, supported_isas().back()}) {
        const ScopedIsa scoped_isa(isa);
        BoxScratch scratch;
        Random random(5);
        for (const std::size_t scene_index : {0u, 3u, 9u, 10u}) {
            const PairScene& scene = pair_scenes()[scene_index];
            INFO("scene " << scene.name);
            const std::size_t count = scene.name == "all identical" ? 3000 : 20000;
            const std::vector<Aabb> list = make_scene(scene, count);
            const GuardedBoxes boxes(list);
            const Bits subset = random_bits(random, count, scene.name == "all identical" ? 40 : 4);
            RestingBoxes resting;
            REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
            FindPairsSettings settings = of_subset(subset);
            CHECK(pairs_of(resting, boxes.view(), settings, scratch) ==
                  plain_pairs(boxes.view(), settings, scratch));
            settings.order = PairOrder::by_algorithm;
            const std::vector<IndexPair> as_found = pairs_of(resting, boxes.view(), settings, scratch);
            for (const std::uint32_t workers : {1u, 2u, 3u, 8u}) {
                INFO("workers " << workers);
                ShuffledRunner runner(workers, workers);
                settings.runner = runner.runner();
                RestingBoxes built_in_tasks;
                REQUIRE(built_in_tasks.build(boxes.view(), subset, runner.runner()) == Status::ok);
                // Twice: the first call may find its blocks too small.
                for (int call = 0; call < 2; ++call) {
                    CHECK(pairs_of(built_in_tasks, boxes.view(), settings, scratch) == as_found);
                }
                RestingBoxes built_in_scratch;
                REQUIRE(built_in_scratch.build(boxes.view(), subset, runner.runner(), scratch) == Status::ok);
                CHECK(pairs_of(built_in_scratch, boxes.view(), settings, scratch) == as_found);
                CHECK(built_in_scratch.capacity_bytes() < built_in_tasks.capacity_bytes());
            }
        }
    }
}

TEST_CASE("more than 65,535 records in one resting cell, all within the mover's reach") {
    BoxScratch scratch;
    const std::size_t count = 70000;
    const std::vector<Aabb> list(count, Aabb{{1, 2, 3}, {4, 5, 6}});
    const GuardedBoxes boxes(list);
    Bits subset(bit_word_count(count));
    subset[3] = 1;
    for_each_isa([&](Isa) {
        RestingBoxes resting;
        REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
        const std::vector<IndexPair> pairs = pairs_of(resting, boxes.view(), of_subset(subset), scratch);
        REQUIRE(pairs.size() == count - 1);
        CHECK(pairs.front() == IndexPair{0, 192});
        CHECK(pairs.back() == IndexPair{192, count - 1});
    });
}

TEST_CASE("a walk past more than 65,535 records, none of them a candidate, finds the one behind them") {
    BoxScratch scratch;
    const std::size_t count = 70000;
    // Flat boxes in one bin of y, so that the grid is one cell; the last one rises to the mover.
    std::vector<Aabb> list(count, Aabb{{0, 0, 0}, {1, 0, 1}});
    list[5] = {{0, 5, 0}, {1, 6, 1}};
    list.back().max.y = 5;
    const GuardedBoxes boxes(list);
    Bits subset(bit_word_count(count));
    subset[0] = 32;
    for_each_isa([&](Isa) {
        RestingBoxes resting;
        REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
        const std::vector<IndexPair> pairs = pairs_of(resting, boxes.view(), of_subset(subset), scratch);
        CHECK(pairs == std::vector<IndexPair>{{5, count - 1}});
    });
}

TEST_CASE("all rules of a filter apply between movers and resting boxes") {
    BoxScratch scratch;
    Random random(9);
    const std::size_t count = 500;
    const std::vector<Aabb> list = make_scene(pair_scenes()[9], count);
    const GuardedBoxes boxes(list);
    std::vector<std::uint64_t> categories(count);
    std::vector<std::uint64_t> masks(count);
    std::vector<std::uint32_t> groups(count);
    for (std::size_t i = 0; i < count; ++i) {
        categories[i] = std::uint64_t{1} << random.below(3);
        masks[i] = random.below(8);
        groups[i] = random.below(40);
    }
    const Bits movers = random_bits(random, count, 6);
    const Bits subset = random_bits(random, count, 6);
    FindPairsSettings settings;
    settings.filter = {categories, masks, groups, subset};
    const std::vector<IndexPair> expected = plain_pairs(boxes.view(), settings, scratch);
    REQUIRE(!expected.empty());
    RestingBoxes resting;
    REQUIRE(resting.build(boxes.view(), movers) == Status::ok);
    CHECK(pairs_of(resting, boxes.view(), settings, scratch) == expected);
}

TEST_CASE("invalid boxes are counted and reported once, whether they rest, move, wake up or come to rest") {
    BoxScratch scratch;
    Random random(13);
    for (int round = 0; round < 20; ++round) {
        const std::size_t count = 90;
        std::vector<Aabb> list = make_scene(pair_scenes()[12], count, static_cast<std::uint64_t>(round));
        const GuardedBoxes boxes(list);
        const Bits movers = random_bits(random, count, 3);
        const Bits subset = random_bits(random, count, 3);
        PairBuffer pairs;
        const FindPairsSettings settings = of_subset(subset);
        const FindPairsResult complete = find_pairs(boxes.view(), settings, scratch, pairs);
        RestingBoxes resting;
        REQUIRE(resting.build(boxes.view(), movers) == Status::ok);
        const FindPairsResult result = resting.find_pairs(boxes.view(), settings, scratch, pairs);
        CHECK(result.invalid.count == complete.invalid.count);
        CHECK(result.invalid.first_index == complete.invalid.first_index);
    }
}

TEST_CASE("find_moved_box returns the first box that moved although declared resting") {
    std::vector<Aabb> list = make_scene(pair_scenes()[0], 2000);
    list[7].min.x = kNaN;
    RestingBoxes resting;
    Bits movers(bit_word_count(list.size()), 0);
    movers[0] = 1;
    CHECK(resting.find_moved_box(GuardedBoxes(list).view(), movers) == kNoIndex);
    REQUIRE(resting.build(GuardedBoxes(list).view(), movers) == Status::ok);
    list[0].min.x -= 1;
    CHECK(resting.find_moved_box(GuardedBoxes(list).view(), movers) == kNoIndex);
    list[1999].max.z = std::nextafterf(list[1999].max.z, kInfinity);
    CHECK(resting.find_moved_box(GuardedBoxes(list).view(), movers) == 1999);
    list[7] = list[8];
    CHECK(resting.find_moved_box(GuardedBoxes(list).view(), movers) == 7);
    movers[0] |= std::uint64_t{1} << 7;
    CHECK(resting.find_moved_box(GuardedBoxes(list).view(), movers) == 1999);
}

TEST_CASE("misuse of a resting set is invalid_argument, and nothing is written") {
    BoxScratch scratch;
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 100);
    const GuardedBoxes boxes(list);
    const Bits subset(2, 1);
    RestingBoxes resting;
    PairBuffer pairs;
    const auto status_of = [&](const FindPairsSettings& settings, const BoxSoaView& view) {
        return resting.find_pairs(view, settings, scratch, pairs).status;
    };
    CHECK(status_of(of_subset(subset), boxes.view()) == Status::invalid_argument);
    REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
    CHECK(status_of(of_subset(subset), boxes.view()) == Status::ok);
    REQUIRE(plain_pairs(boxes.view(), of_subset(subset), scratch).size() == pairs.size());
    const std::size_t pair_count = pairs.size();
    CHECK(status_of(of_subset(subset), boxes.view().part(0, 99)) == Status::invalid_argument);
    CHECK(status_of(of_subset({}), boxes.view()) == Status::invalid_argument);
    CHECK(status_of(of_subset(Bits(3, 1)), boxes.view()) == Status::invalid_argument);
    CHECK(resting.find_pairs(boxes.view(), of_subset(subset), scratch, PairSink{}).status ==
          Status::invalid_argument);
    CHECK(pairs.size() == pair_count);
    CHECK(resting.build(boxes.view(), Bits(3, 0)) == Status::invalid_argument);
    CHECK(!resting.is_built());
    CHECK(resting.build({.count = 3}, {}) == Status::invalid_argument);
}

TEST_CASE("a warm resting set and its calls allocate nothing, and out of memory leaves it unbuilt") {
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 5000);
    const GuardedBoxes boxes(list);
    Random random(3);
    const Bits subset = random_bits(random, list.size(), 10);
    CountingAllocator allocator;
    {
        RestingBoxes resting(allocator.hook());
        BoxScratch scratch(allocator.hook());
        PairBuffer pairs(allocator.hook());
        const auto frame = [&] {
            REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
            REQUIRE(resting.find_pairs(boxes.view(), of_subset(subset), scratch, pairs).status == Status::ok);
        };
        frame();
        const std::size_t warm = allocator.allocation_count;
        frame();
        CHECK(allocator.allocation_count == warm);
        CHECK(allocator.live_bytes >= resting.capacity_bytes() + scratch.capacity_bytes());
    }
    CHECK(allocator.live_bytes == 0);
    for (std::size_t fail_after = 0; fail_after < 4; ++fail_after) {
        CountingAllocator failing;
        failing.fail_after = fail_after;
        RestingBoxes resting(failing.hook());
        CHECK(resting.build(boxes.view(), subset) == Status::out_of_memory);
        CHECK(!resting.is_built());
        failing.fail_after = static_cast<std::size_t>(-1);
        CHECK(resting.build(boxes.view(), subset) == Status::ok);
    }
}
