// A cache never changes a list: it finds the pairs of find_pairs, whatever boxes do between calls.
#include <broadside/pair_cache.hpp>

#include "tests/broadphase/pair_oracle.hpp"
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <string_view>

using namespace broadside;
using namespace broadside::test;

namespace {

struct Found {
    std::vector<IndexPair> pairs;
    FindPairsResult result;
};

Found find_plainly(const std::vector<Aabb>& list, const FindPairsSettings& settings, BoxScratch& scratch) {
    const GuardedBoxes boxes(list);
    PairBuffer pairs;
    const FindPairsResult result = find_pairs(boxes.view(), settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    return {{pairs.begin(), pairs.end()}, result};
}

Found find(PairCache& cache, const std::vector<Aabb>& list, const FindPairsSettings& settings,
           BoxScratch& scratch) {
    const GuardedBoxes boxes(list);
    PairBuffer pairs;
    const FindPairsResult result = cache.find_pairs(boxes.view(), settings, scratch, pairs);
    REQUIRE(result.status == Status::ok);
    return {{pairs.begin(), pairs.end()}, result};
}

Aabb moved(const Aabb& box, Vec3 by) { return {box.min + by, box.max + by}; }

// All boxes a little, some far away, some to an empty box and back.
void move(std::vector<Aabb>& state_boxes, const std::vector<Aabb>& others, Random& random, float step,
          std::uint32_t one_in_far) {
    for (std::size_t i = 0; i < state_boxes.size(); ++i) {
        state_boxes[i] = moved(state_boxes[i], random_vec3(random, -step, step));
        if (random.chance(one_in_far))
            state_boxes[i] = others[random.below(static_cast<std::uint32_t>(others.size()))];
        if (random.chance(8 * one_in_far)) state_boxes[i].max.y = kNaN;
    }
}

}  // namespace

TEST_CASE(
    "a cache returns the list of an uncached call, frame by frame, on every ISA, for any margin and motion" *
    kLong) {
    BoxScratch scratch;
    for (const PairScene& scene : pair_scenes()) {
        INFO("scene " << scene.name);
        for (const std::size_t count : {1u, 17u, 64u, 230u}) {
            for (const float margin : {0.0f, 0.1f, 2.0f, FLT_MAX, kInfinity}) {
                // Grown boxes that all overlap make many pairs.
                if (count > 64 && margin > 2) continue;
                INFO("count " << count << " margin " << margin);
                for_each_isa([&](Isa) {
                    Random random(count);
                    std::vector<Aabb> boxes = make_scene(scene, count, 1);
                    const std::vector<Aabb> others = make_scene(scene, count, 2);
                    PairCache cache(margin);
                    for (int frame = 0; frame < 6; ++frame) {
                        const Found found = find(cache, boxes, {}, scratch);
                        REQUIRE(found.pairs == oracle_pairs(boxes));
                        const Found plain = find_plainly(boxes, {}, scratch);
                        REQUIRE(found.result.invalid.count == plain.result.invalid.count);
                        REQUIRE(found.result.invalid.first_index == plain.result.invalid.first_index);
                        move(boxes, others, random, 0.02f, frame % 2 == 0 ? 60 : 1000);
                    }
                });
            }
        }
    }
}

TEST_CASE(
    "boxes that leave their grown boxes are searched again, the rest is reused, and all worker counts "
    "agree") {
    BoxScratch scratch;
    const std::size_t count = 40000;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], count);
    const std::vector<Aabb> others = make_scene(pair_scenes()[0], count, 2);
    PairCache alone(0.2f);
    PairCache shared(0.2f);
    ShuffledRunner runner(3, 8);
    Random random(8);
    for (int frame = 0; frame < 8; ++frame) {
        INFO("frame " << frame);
        const Found plain = find_plainly(boxes, {}, scratch);
        const Found found = find(alone, boxes, {}, scratch);
        REQUIRE(found.pairs == plain.pairs);
        CHECK(found.result.plan.cache_use == (frame == 0 ? CacheUse::found_anew : CacheUse::reused));
        CHECK(found.result.plan.box_count == count);
        const char* use = frame == 0 ? "cache: found anew" : "cache: reused";
        CHECK(std::string_view(explain(found.result.plan).c_str()).find(use) != std::string_view::npos);
        CHECK((found.result.plan.escaped_count != 0) == (frame != 0));
        REQUIRE(find(shared, boxes, {.runner = runner.runner()}, scratch).pairs == plain.pairs);
        move(boxes, others, random, 0.01f, 1000);
    }
    std::reverse(boxes.begin(), boxes.end());
    const Found after = find(alone, boxes, {}, scratch);
    CHECK(after.result.plan.cache_use == CacheUse::found_anew);
    CHECK(after.pairs == find_plainly(boxes, {}, scratch).pairs);
}

TEST_CASE("a cache that does not pay lets more and more calls bypass it, and resumes when boxes rest") {
    BoxScratch scratch;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 500);
    PairCache cache(0.1f);
    Random random(2);
    int anew = 0;
    for (int frame = 0; frame < 100; ++frame) {
        const Found found = find(cache, boxes, {}, scratch);
        REQUIRE(found.pairs == oracle_pairs(boxes));
        anew += found.result.plan.cache_use == CacheUse::found_anew;
        for (Aabb& box : boxes) box = moved(box, random_vec3(random, -1, 1));
    }
    CHECK(anew < 10);
    int reused = 0;
    for (int frame = 0; frame < 60; ++frame) {
        reused += find(cache, boxes, {}, scratch).result.plan.cache_use == CacheUse::reused;
    }
    CHECK(reused > 20);
    cache.clear();
    CHECK(find(cache, boxes, {}, scratch).result.plan.cache_use == CacheUse::found_anew);
    boxes.pop_back();
    CHECK(find(cache, boxes, {}, scratch).pairs == oracle_pairs(boxes));
}

TEST_CASE("filters and forced plans may change from call to call with a cache" * kLong) {
    BoxScratch scratch;
    Random random(6);
    std::vector<Aabb> boxes = make_scene(pair_scenes()[9], 700);
    const std::vector<Aabb> others = make_scene(pair_scenes()[9], 700, 2);
    PairCache cache(0.1f);
    for (int frame = 0; frame < 12; ++frame) {
        std::vector<std::uint32_t> groups(boxes.size());
        for (std::uint32_t& group : groups) group = random.below(6);
        std::vector<std::uint64_t> subset(bit_word_count(boxes.size()));
        for (std::uint64_t& word : subset) word = random.chance(2) ? 0x5555555555555555u : 1;
        FindPairsSettings settings;
        settings.filter.groups = groups;
        if (frame % 3 == 0) settings.filter.subset_bits = subset;
        settings.algorithm = static_cast<PairAlgorithm>(random.below(4));
        const Found plain = find_plainly(boxes, settings, scratch);
        settings.order = PairOrder::by_algorithm;
        CHECK(find(cache, boxes, settings, scratch).pairs == plain.pairs);
        move(boxes, others, random, 0.01f, 200);
    }
}

TEST_CASE("a filter declared stable is applied once, and again only to boxes that left their grown box") {
    BoxScratch scratch;
    Random random(16);
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 900);
    const std::vector<Aabb> others = make_scene(pair_scenes()[0], 900, 2);
    std::vector<std::uint64_t> subset(bit_word_count(boxes.size()), 0x1111000011110000u);
    FindPairsSettings settings;
    settings.filter.subset_bits = subset;
    PairCache every_time(0.2f);
    PairCache once(0.2f);
    once.set_stable_filter(true);
    CHECK(once.has_stable_filter());
    int reused_count = 0;
    for (int frame = 0; frame < 8; ++frame) {
        const Found plain = find_plainly(boxes, settings, scratch);
        const Found tested_often = find(every_time, boxes, settings, scratch);
        const Found found = find(once, boxes, settings, scratch);
        REQUIRE(found.pairs == plain.pairs);
        REQUIRE(tested_often.pairs == plain.pairs);
        const bool is_reused = found.result.plan.cache_use == CacheUse::reused &&
                               tested_often.result.plan.cache_use == CacheUse::reused;
        reused_count += is_reused ? 1 : 0;
        if (is_reused) CHECK(found.result.plan.tested_count < tested_often.result.plan.tested_count);
        move(boxes, others, random, 0.01f, 100);
    }
    CHECK(reused_count > 3);
}

TEST_CASE("a cached list that does not fit is cut to a prefix, and its whole length is returned") {
    BoxScratch scratch;
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 600);
    const GuardedBoxes boxes(list);
    const std::vector<IndexPair> expected = oracle_pairs(list);
    PairCache cache(0.1f);
    for (int call = 0; call < 3; ++call) {
        std::vector<IndexPair> room(expected.size() / 3);
        const FindPairsResult result =
            cache.find_pairs(boxes.view(), {}, scratch, std::span<IndexPair>(room));
        CHECK(result.status == Status::capacity_exceeded);
        CHECK(result.required == expected.size());
        CHECK(std::equal(room.begin(), room.end(), expected.begin()));
    }
}

TEST_CASE("a cache refuses the same arguments as find_pairs, writes no output then, and returns its margin") {
    BoxScratch scratch;
    const std::vector<Aabb> list = make_scene(pair_scenes()[0], 60);
    const GuardedBoxes boxes(list);
    PairCache cache(0.1f);
    PairBuffer pairs;
    REQUIRE(cache.find_pairs(boxes.view(), {}, scratch, pairs).status == Status::ok);
    const std::size_t pair_count = pairs.size();
    REQUIRE(pair_count != 0);
    const auto is_refused = [&](const FindPairsResult& result) {
        return result.status == Status::invalid_argument && result.written == 0 && pairs.size() == pair_count;
    };
    CHECK(is_refused(cache.find_pairs({.count = 3}, {}, scratch, pairs)));
    CHECK(is_refused(cache.find_pairs(boxes.view(), {}, scratch, PairSink{})));
    const std::uint64_t bits_of_another_set[2] = {1, 1};
    FindPairsSettings settings;
    settings.filter.subset_bits = bits_of_another_set;
    CHECK(is_refused(cache.find_pairs(boxes.view(), settings, scratch, pairs)));
    settings = {.algorithm = static_cast<PairAlgorithm>(77)};
    CHECK(is_refused(cache.find_pairs(boxes.view(), settings, scratch, pairs)));
    CHECK(cache.find_pairs(boxes.view(), {}, scratch, pairs).plan.cache_use == CacheUse::reused);
    CHECK(PairCache(-1.0f).margin() == 0);
    CHECK(PairCache(kNaN).margin() == 0);
}

TEST_CASE("a warm cache allocates nothing, and starts again after a call that ran out of memory") {
    BoxScratch plain_scratch;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 4000);
    const std::vector<Aabb> others = make_scene(pair_scenes()[0], 4000, 2);
    CountingAllocator allocator;
    {
        PairCache cache(0.3f, allocator.hook());
        BoxScratch scratch(allocator.hook());
        PairBuffer pairs(allocator.hook());
        std::size_t warm = 0;
        Random random(1);
        for (int frame = 0; frame < 20; ++frame) {
            const GuardedBoxes guarded(boxes);
            REQUIRE(cache.find_pairs(guarded.view(), {}, scratch, pairs).status == Status::ok);
            if (frame == 6) warm = allocator.allocation_count;
            boxes[static_cast<std::size_t>(frame % 3)] = others[0];
            for (Aabb& box : boxes) box = moved(box, random_vec3(random, -0.001f, 0.001f));
        }
        CHECK(allocator.allocation_count == warm);
        CHECK(allocator.live_bytes >= cache.capacity_bytes());
    }
    CHECK(allocator.live_bytes == 0);
    const GuardedBoxes guarded(boxes);
    const Found expected = find_plainly(boxes, {}, plain_scratch);
    for (std::size_t fail_after = 0; fail_after < 12; ++fail_after) {
        CountingAllocator failing;
        failing.fail_after = fail_after;
        PairCache cache(0.3f, failing.hook());
        PairBuffer pairs;
        BoxScratch scratch;
        const FindPairsResult result = cache.find_pairs(guarded.view(), {}, scratch, pairs);
        CHECK((result.status == Status::ok || result.status == Status::out_of_memory));
        failing.fail_after = static_cast<std::size_t>(-1);
        CHECK(find(cache, boxes, {}, plain_scratch).pairs == expected.pairs);
    }
}
