// Outputs of find_pairs: every kind, too small, without memory, and refused.
#include <broadside/resting_boxes.hpp>

#include "tests/broadphase/find_pairs/settings.hpp"
#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

// All algorithms in both orders.
std::vector<FindPairsSettings> settings_in_both_orders() {
    std::vector<FindPairsSettings> all;
    for (const PairAlgorithm algorithm : kAlgorithms) {
        for (const PairOrder order : kOrders) all.push_back({.algorithm = algorithm, .order = order});
    }
    return all;
}

// Some hundreds of pairs, with giants and invalid boxes.
std::vector<Aabb> mixed_boxes(std::size_t count) {
    std::vector<Aabb> list;
    Random random(11);
    for (std::size_t i = 0; i < count; ++i) {
        list.push_back(i % 3 == 0 ? giant_box(random, i, count) : adversarial_box(random));
    }
    return list;
}

std::vector<IndexPair> list_of(const BoxSoaView& boxes, const FindPairsSettings& settings) {
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes, settings, pairs).status == Status::ok);
    return {pairs.begin(), pairs.end()};
}

// A sink that stores its pairs.
struct Collector {
    std::vector<IndexPair> pairs;
    std::size_t block_count = 0;
    bool had_empty_block = false;

    PairSink sink() { return {&take, this}; }
    static bool take(void* user, std::span<const IndexPair> block) noexcept {
        auto& self = *static_cast<Collector*>(user);
        self.had_empty_block = self.had_empty_block || block.empty();
        ++self.block_count;
        self.pairs.insert(self.pairs.end(), block.begin(), block.end());
        return true;
    }
};

bool is_prefix(std::span<const IndexPair> prefix, const std::vector<IndexPair>& list) {
    return prefix.size() <= list.size() && std::equal(prefix.begin(), prefix.end(), list.begin());
}

}  // namespace

TEST_CASE(
    "a short array gets the beginning of the list and the full count, and nothing behind it is written") {
    const GuardedBoxes boxes(mixed_boxes(200));
    for (const FindPairsSettings& settings : settings_in_both_orders()) {
        const std::vector<IndexPair> list = list_of(boxes.view(), settings);
        REQUIRE(list.size() > 100);
        for (const std::size_t room : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100},
                                       list.size() - 1, list.size(), list.size() + 9}) {
            INFO("room for " << room << " of " << list.size());
            for_each_isa([&](Isa) {
                BoxScratch scratch;
                GuardedArray<IndexPair> pairs(room);
                const IndexPair untouched = {0xABCD, 0xEF};
                std::fill(pairs.span().begin(), pairs.span().end(), untouched);
                const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, pairs.span());
                CHECK(result.status == (room < list.size() ? Status::capacity_exceeded : Status::ok));
                CHECK(result.required == list.size());
                REQUIRE(result.written == std::min(room, list.size()));
                CHECK(is_prefix(pairs.span().first(result.written), list));
                for (std::size_t i = result.written; i < room; ++i) CHECK(pairs[i] == untouched);
            });
        }
    }
}

TEST_CASE("a capped growing array holds the beginning of the list, and the cap is reported") {
    const GuardedBoxes boxes(mixed_boxes(200));
    for (const FindPairsSettings& settings : settings_in_both_orders()) {
        const std::vector<IndexPair> list = list_of(boxes.view(), settings);
        for (const std::size_t cap : {std::size_t{0}, std::size_t{1}, std::size_t{50}, list.size()}) {
            PairBuffer pairs;
            BoxScratch scratch;
            const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, {pairs, cap});
            CHECK(result.status == (cap < list.size() ? Status::capacity_exceeded : Status::ok));
            CHECK(result.required == list.size());
            CHECK(result.written == cap);
            REQUIRE(pairs.size() == cap);
            CHECK(is_prefix(pairs, list));
        }
    }
}

TEST_CASE("between two sets, overflow also leaves the beginning of the list") {
    const GuardedBoxes a(mixed_boxes(90));
    const GuardedBoxes b(mixed_boxes(130));
    for (const FindPairsSettings& settings : settings_in_both_orders()) {
        PairBuffer all;
        REQUIRE(find_pairs(a.view(), b.view(), settings, all).status == Status::ok);
        const std::vector<IndexPair> list(all.begin(), all.end());
        REQUIRE(list.size() > 60);
        GuardedArray<IndexPair> pairs(60);
        const FindPairsResult result = find_pairs(a.view(), b.view(), settings, pairs.span());
        CHECK(result.status == Status::capacity_exceeded);
        CHECK(result.required == list.size());
        CHECK(result.written == 60);
        CHECK(is_prefix(pairs.span(), list));
    }
}

TEST_CASE("a sink gets the same list in blocks, on the calling thread and in order") {
    std::vector<Aabb> dense(300, Aabb{{0, 0, 0}, {1, 1, 1}});
    const std::vector<Aabb> mixed = mixed_boxes(200);
    const ShuffledRunner shuffled(12, 4);
    for (const std::vector<Aabb>* boxes_list : {&mixed, static_cast<const std::vector<Aabb>*>(&dense)}) {
        const GuardedBoxes boxes(*boxes_list);
        for (FindPairsSettings settings : settings_in_both_orders()) {
            const std::vector<IndexPair> list = list_of(boxes.view(), settings);
            for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                settings.runner = runner;
                Collector collector;
                BoxScratch scratch;
                const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, collector.sink());
                CHECK(result.status == Status::ok);
                CHECK(result.written == list.size());
                CHECK(result.required == list.size());
                CHECK(collector.block_count > 0);
                CHECK_FALSE(collector.had_empty_block);
                CHECK(collector.pairs == list);
            }
        }
    }
}

TEST_CASE("by_algorithm streams to a sink through a few kilobytes, for any number of pairs") {
    CountingAllocator allocator;
    const std::size_t count = 2000;
    const GuardedBoxes boxes(std::vector<Aabb>(count, Aabb{{0, 0, 0}, {1, 1, 1}}));
    BoxScratch scratch(allocator.hook());
    std::size_t pair_count = 0;
    const PairSink counter = {[](void* user, std::span<const IndexPair> pairs) noexcept {
                                  *static_cast<std::size_t*>(user) += pairs.size();
                                  return true;
                              },
                              &pair_count};
    FindPairsSettings settings = {.algorithm = PairAlgorithm::sweep_and_prune,
                                  .order = PairOrder::by_algorithm};
    const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, counter);
    CHECK(result.status == Status::ok);
    CHECK(pair_count == count * (count - 1) / 2);
    // 44 bytes a box, a block of 4,096 pairs, and the rest for padding and alignment.
    CHECK(allocator.live_bytes <= 44 * count + 32768 + 4096);
    CHECK(allocator.live_bytes == scratch.capacity_bytes());
    scratch.release();
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("a runner with very many workers costs memory per task, not per worker") {
    CountingAllocator allocator;
    const GuardedBoxes boxes(mixed_boxes(700));
    const ShuffledRunner runner(15, 1000000);
    BoxScratch scratch(allocator.hook());
    PairBuffer pairs;
    const FindPairsSettings settings = {.algorithm = PairAlgorithm::sweep_and_prune,
                                        .order = PairOrder::by_algorithm,
                                        .runner = runner.runner()};
    REQUIRE(find_pairs(boxes.view(), settings, scratch, pairs).status == Status::ok);
    CHECK(runner.task_count() > 2);
    CHECK(allocator.live_bytes <= 44 * 700 + (32768 + 256) * runner.task_count() + 4096);
}

TEST_CASE("canonical order uses the documented memory") {
    CountingAllocator allocator;
    const std::size_t count = 1000;
    const GuardedBoxes boxes(std::vector<Aabb>(count, Aabb{{0, 0, 0}, {1, 1, 1}}));
    BoxScratch scratch(allocator.hook());
    PairBuffer pairs;
    const FindPairsResult result =
        find_pairs(boxes.view(), {.algorithm = PairAlgorithm::sweep_and_prune}, scratch, pairs);
    REQUIRE(result.required == count * (count - 1) / 2);
    // 60 bytes a box, 12 a pair; the list grows by halves, so up to half as much again of its 8.
    CHECK(allocator.live_bytes <= 60 * count + (12 + 4) * result.required + 32768 + 4096);
}

TEST_CASE("canonical order to a sink keeps the list and its sort buffer once, in the scratch only") {
    constexpr std::size_t kCount = 6000;
    // Short rows, and long ones, which are sorted in other ways.
    struct Chain {
        std::size_t box_count;
        float step;
        // The list and its sort buffer.
        std::size_t bytes_per_pair;
    };
    for (const Chain& chain : {Chain{kCount, 0.9f, 8 + 12}, Chain{kCount, 0.1f, 8 + 4}}) {
        CAPTURE(chain.step);
        std::vector<Aabb> list;
        for (std::size_t i = 0; i < chain.box_count; ++i) {
            const float x = static_cast<float>(i) * chain.step;
            list.push_back({{x, 0, 0}, {x + 1, 1, 1}});
        }
        const GuardedBoxes boxes(list);
        CountingAllocator allocator;
        BoxScratch scratch(allocator.hook());
        Collector collector;
        const FindPairsResult result = find_pairs(boxes.view(), {.algorithm = PairAlgorithm::sweep_and_prune},
                                                  scratch, collector.sink());
        REQUIRE(result.status == Status::ok);
        REQUIRE(result.required + 100 >= chain.box_count);
        CHECK(collector.pairs == list_of(boxes.view(), {}));
        // 60 bytes a box and a block, 16 bytes a box for sorting; the list grows by halves.
        const std::size_t pair_bytes = (chain.bytes_per_pair + 4) * result.required;
        CHECK(allocator.live_bytes <= 76 * chain.box_count + pair_bytes + 32768 + 4096);
        CHECK(allocator.live_bytes == scratch.capacity_bytes());
    }
}

TEST_CASE("a scratch counts, frees and moves every array, after any use") {
    CountingAllocator allocator;
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 6000));
    std::vector<Aabb> with_large = make_scene(pair_scenes()[0], 20000);
    for (std::size_t i = 0; i < with_large.size(); i += 1000) with_large[i].max.x += 40;
    const GuardedBoxes large(with_large);
    std::vector<std::uint64_t> subset(bit_word_count(6000));
    subset[5] = 0xFF;
    const ShuffledRunner shuffled(16, 3);
    {
        BoxScratch used(allocator.hook());
        PairBuffer pairs;
        for (FindPairsSettings settings : settings_in_both_orders()) {
            settings.runner = shuffled.runner();
            REQUIRE(find_pairs(boxes.view(), settings, used, pairs).status == Status::ok);
        }
        REQUIRE(find_pairs(large.view(), {.algorithm = PairAlgorithm::cells}, used, pairs).status ==
                Status::ok);
        FindPairsSettings settings;
        settings.filter.subset_bits = subset;
        REQUIRE(find_pairs(boxes.view(), settings, used, pairs).plan.left_out_count != 0);
        RestingBoxes resting;
        REQUIRE(resting.build(boxes.view(), subset) == Status::ok);
        REQUIRE(resting.find_pairs(boxes.view(), settings, used, pairs).status == Status::ok);
        REQUIRE(used.pairs.movers.capacity() != 0);
        CHECK(allocator.live_bytes == used.capacity_bytes());

        const std::size_t allocation_count = allocator.allocation_count;
        BoxScratch scratch = std::move(used);
        CHECK(used.capacity_bytes() == 0);
        CHECK(allocator.live_bytes == scratch.capacity_bytes());
        REQUIRE(resting.find_pairs(boxes.view(), settings, scratch, pairs).status == Status::ok);
        CHECK(allocator.allocation_count == allocation_count);
        scratch.release();
        CHECK(allocator.live_bytes == 0);
        REQUIRE(find_pairs(boxes.view(), settings, used, pairs).status == Status::ok);
        CHECK(allocator.live_bytes == used.capacity_bytes());
    }
    CHECK(allocator.live_bytes == 0);
}

TEST_CASE("warm calls of any kind in turn do not allocate") {
    CountingAllocator allocator;
    BoxScratch scratch(allocator.hook());
    PairBuffer pairs(allocator.hook());
    const GuardedBoxes boxes(mixed_boxes(700));
    const GuardedBoxes others(mixed_boxes(500));
    const ShuffledRunner shuffled(13, 4);
    const auto frame = [&] {
        for (FindPairsSettings settings : settings_in_both_orders()) {
            for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                settings.runner = runner;
                REQUIRE(find_pairs(boxes.view(), settings, scratch, pairs).status == Status::ok);
                REQUIRE(find_pairs(boxes.view(), others.view(), settings, scratch, pairs).status ==
                        Status::ok);
            }
        }
    };
    frame();
    const std::size_t allocation_count = allocator.allocation_count;
    for (int repeat = 0; repeat < 3; ++repeat) frame();
    CHECK(allocator.allocation_count == allocation_count);
}

TEST_CASE("out of memory at any allocation is reported and leaves a prefix, and the next call works") {
    const std::vector<Aabb> list = mixed_boxes(300);
    const GuardedBoxes boxes(list);
    const GuardedBoxes others(mixed_boxes(200));
    const ShuffledRunner shuffled(14, 2);
    for (const bool is_bipartite : {false, true}) {
        for (FindPairsSettings settings : settings_in_both_orders()) {
            settings.runner = shuffled.runner();
            const auto call = [&](BoxScratch& scratch, PairBuffer& pairs) {
                return is_bipartite ? find_pairs(boxes.view(), others.view(), settings, scratch, pairs)
                                    : find_pairs(boxes.view(), settings, scratch, pairs);
            };
            BoxScratch scratch_for_expected;
            PairBuffer expected;
            REQUIRE(call(scratch_for_expected, expected).status == Status::ok);
            const std::vector<IndexPair> expected_list(expected.begin(), expected.end());
            std::size_t fail_after = 0;
            for (bool is_done = false; !is_done; ++fail_after) {
                INFO("failing after " << fail_after << " allocations");
                CountingAllocator allocator;
                allocator.fail_after = fail_after;
                {
                    BoxScratch scratch(allocator.hook());
                    PairBuffer pairs(allocator.hook());
                    const FindPairsResult result = call(scratch, pairs);
                    is_done = result.status == Status::ok;
                    CHECK((is_done || result.status == Status::out_of_memory));
                    CHECK(result.written == pairs.size());
                    CHECK(is_prefix(pairs, expected_list));
                    allocator.fail_after = static_cast<std::size_t>(-1);
                    REQUIRE(call(scratch, pairs).status == Status::ok);
                    REQUIRE(pairs.size() == expected_list.size());
                    CHECK(is_prefix(pairs, expected_list));
                }
                CHECK(allocator.live_bytes == 0);
            }
            CHECK(fail_after > 3);
        }
    }
}

TEST_CASE("without memory to skip boxes the buffer holds no list") {
    const GuardedBoxes boxes(make_scene(pair_scenes()[0], 2000));
    std::vector<std::uint64_t> subset(bit_word_count(2000));
    subset[5] = 0x00FF00FF00FF00FF;
    FindPairsSettings settings;
    settings.filter.subset_bits = subset;
    BoxScratch scratch;
    PairBuffer pairs;
    const FindPairsResult expected = find_pairs(boxes.view(), settings, scratch, pairs);
    REQUIRE(expected.status == Status::ok);
    REQUIRE(expected.plan.left_out_count > 0);
    REQUIRE(pairs.size() > 10);
    CountingAllocator failing;
    failing.fail_after = 0;
    BoxScratch no_memory(failing.hook());
    const FindPairsResult result = find_pairs(boxes.view(), settings, no_memory, pairs);
    CHECK(result.status == Status::out_of_memory);
    CHECK(result.written == 0);
    CHECK(pairs.size() == 0);
    failing.fail_after = static_cast<std::size_t>(-1);
    const FindPairsResult after = find_pairs(boxes.view(), settings, no_memory, pairs);
    CHECK(after.status == Status::ok);
    CHECK(after.written == expected.written);
}

TEST_CASE("a buffer with old contents holds only the new list, even an empty one") {
    PairBuffer pairs;
    const GuardedBoxes boxes(mixed_boxes(100));
    REQUIRE(find_pairs(boxes.view(), pairs).status == Status::ok);
    REQUIRE(pairs.size() > 0);
    REQUIRE(find_pairs(BoxSoaView{}, pairs).status == Status::ok);
    CHECK(pairs.size() == 0);
    const FindPairsResult result = find_pairs(BoxSoaView{}, boxes.view(), pairs);
    CHECK(result.status == Status::ok);
    CHECK(result.required == 0);
}

TEST_CASE("invalid arguments are refused before the output is written") {
    const GuardedBoxes boxes(std::vector<Aabb>(3, Aabb{{0, 0, 0}, {1, 1, 1}}));
    BoxScratch scratch;
    PairBuffer pairs;
    REQUIRE(find_pairs(boxes.view(), pairs).status == Status::ok);
    REQUIRE(pairs.size() == 3);
    const auto is_refused = [&](const FindPairsResult& result) {
        return result.status == Status::invalid_argument && result.written == 0 && pairs.size() == 3;
    };
    BoxSoaView unreadable = boxes.view();
    unreadable.max_y = nullptr;
    CHECK(is_refused(find_pairs(unreadable, pairs)));
    CHECK(is_refused(find_pairs(unreadable, boxes.view(), pairs)));
    CHECK(is_refused(find_pairs(boxes.view(), unreadable, pairs)));
    BoxSoaView too_many = boxes.view();
    too_many.count = kMaxBoxCount + 1;
    CHECK(is_refused(find_pairs(too_many, pairs)));
    CHECK(is_refused(find_pairs(boxes.view(), too_many, pairs)));
    CHECK(is_refused(find_pairs(boxes.view(), PairSink{})));
    FindPairsSettings settings;
    settings.algorithm = static_cast<PairAlgorithm>(77);
    CHECK(is_refused(find_pairs(boxes.view(), settings, scratch, pairs)));
    settings = {};
    settings.order = static_cast<PairOrder>(77);
    CHECK(is_refused(find_pairs(boxes.view(), settings, scratch, pairs)));
    settings = {};
    settings.sweep_axis = static_cast<SweepAxis>(77);
    CHECK(is_refused(find_pairs(boxes.view(), settings, scratch, pairs)));
    settings = {};
    const TaskRunner no_runner = {nullptr, nullptr, 1};
    settings.runner = &no_runner;
    CHECK(is_refused(find_pairs(boxes.view(), settings, scratch, pairs)));
}
