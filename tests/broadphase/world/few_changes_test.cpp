// Worlds in which few objects change among many, and other operations before and after such updates.
#include "broadphase/src/world/pairs/object_pairs.hpp"
#include "tests/broadphase/world/checked_world.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/world_view.hpp>

#include <cfloat>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kFewChangesCount = 600;
// Some ten pairs a box.
constexpr std::size_t kFewChangesRoomCount = kFewChangesCount / 8;

}  // namespace

TEST_CASE("one, few, many and all objects may change in any order, and pairs keep their values" * kLong) {
    for_each_isa([](Isa) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Random random(seed);
            ShuffledRunner runner(3, static_cast<std::uint32_t>(seed));
            CheckedWorld checked(random, kFewChangesCount, kFewChangesRoomCount);
            checked.has_values = seed == 1;
            checked.check();
            std::size_t changed_count = 1;
            for (int frame = 0; frame < 120; ++frame) {
                constexpr std::size_t kCounts[] = {0, 1, 1, 2, 5, 12, 60, kFewChangesCount};
                if (seed == 2 && frame == 60) checked.has_values = true;
                // Several of a kind in a row.
                if (random.chance(4)) changed_count = kCounts[random.below(std::size(kCounts))];
                for (std::size_t k = 0; k < changed_count; ++k) {
                    const std::size_t i =
                        changed_count == kFewChangesCount ? k : random.below(kFewChangesCount);
                    const bool leaps = random.chance(10);
                    checked.set(i, leaps ? uniform_box(random, i, kFewChangesRoomCount)
                                         : moved(checked.boxes[i], random_vec3(random, -0.2f, 0.2f)));
                }
                if (random.chance(6)) {
                    // Replaced at the same position, or elsewhere.
                    const std::size_t i = random.below(kFewChangesCount);
                    const bool stays = random.chance(2);
                    REQUIRE(checked.world.remove(checked.handles[i]) == Status::ok);
                    if (!stays) checked.boxes[i] = uniform_box(random, i, kFewChangesRoomCount);
                    checked.handles[i] = add_box(checked.world, checked.boxes[i]);
                }
                checked.check(frame % 2 == 0 ? runner.runner() : nullptr);
            }
        }
    });
}

// The tree for searches of few is built over some updates, if no other operation interrupts.
TEST_CASE("few changes for a long or short time, between updates in which all move, miss no pair" * kLong) {
    for_each_isa([](Isa) {
        for (std::uint64_t seed = 1; seed <= 2; ++seed) {
            Random random(seed);
            CheckedWorld checked(random, kFewChangesCount, kFewChangesRoomCount);
            for (int phase = 0; phase < 10; ++phase) {
                const std::uint32_t update_count = 1 + random.below(22);
                for (std::uint32_t update_index = 0; update_index < update_count; ++update_index) {
                    for (std::uint32_t k = random.below(4); k != 0; --k) {
                        const std::size_t i = random.below(kFewChangesCount);
                        const bool leaps = random.chance(5);
                        checked.set(i, leaps ? uniform_box(random, i, kFewChangesRoomCount)
                                             : moved(checked.boxes[i], random_vec3(random, -0.2f, 0.2f)));
                    }
                    if (random.chance(4)) {
                        const std::size_t i = random.below(kFewChangesCount);
                        REQUIRE(checked.world.remove(checked.handles[i]) == Status::ok);
                        checked.boxes[i] =
                            random.chance(3) ? Aabb::empty() : uniform_box(random, i, kFewChangesRoomCount);
                        checked.handles[i] = add_box(checked.world, checked.boxes[i]);
                    }
                    checked.check();
                }
                // No change, a jump of all, or steady motion with candidates.
                const std::uint32_t moving_count = random.chance(3) ? 0 : random.chance(2) ? 1 : 45;
                for (std::uint32_t k = 0; k < moving_count; ++k) {
                    for (std::size_t i = 0; i < kFewChangesCount; ++i)
                        checked.set(i, moved(checked.boxes[i], {0.01f, 0.005f, 0}));
                    checked.check();
                }
            }
        }
    });
}

TEST_CASE(
    "few changes in a world that is sometimes queried, with all kinds, held views and a margin, miss no "
    "pair" *
    kLong) {
    for_each_isa([](Isa) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
            Random random(seed);
            CheckedWorld checked(random, kFewChangesCount, kFewChangesRoomCount);
            checked.has_values = seed == 1;
            World& world = checked.world;
            std::vector<WorldView> views;
            for (std::size_t i = 0; i < kFewChangesCount; i += 3)
                REQUIRE(world.set_kind(checked.handles[i], ObjectKind::resting) == Status::ok);
            // Two alone, which pair while the first has its margin.
            const Aabb lonely = {{1024, 0, 0}, {1025, 1, 1}};
            checked.set(0, lonely);
            checked.set(1, moved(lonely, {1.25f, 0, 0}));
            bool is_asked = false;
            for (int frame = 0; frame < 150; ++frame) {
                if (frame % 10 == 0) is_asked = seed == 2 || random.chance(2);
                for (std::uint32_t k = random.below(12); k > 0; --k) {
                    const std::size_t i = 2 + random.below(kFewChangesCount - 2);
                    checked.set(i, random.chance(10)
                                       ? uniform_box(random, i, kFewChangesRoomCount)
                                       : moved(checked.boxes[i], random_vec3(random, -0.2f, 0.2f)));
                    if (is_asked && random.chance(3)) {
                        REQUIRE(world.queries().any_overlap(checked.boxes[i]) == is_valid(checked.boxes[i]));
                    }
                }
                if (random.chance(6)) {
                    const std::size_t i = 2 + random.below(kFewChangesCount - 2);
                    REQUIRE(world.remove(checked.handles[i]) == Status::ok);
                    checked.handles[i] = add_box(world, checked.boxes[i]);
                }
                if (random.chance(10)) {
                    const float margin = random.chance(2) ? 0.5f : 0.0f;
                    REQUIRE(world.set_margin(checked.handles[0], margin) == Status::ok);
                    checked.boxes[0] = expanded(lonely, margin);
                }
                if (random.chance(2)) checked.set(1, moved(lonely, {1.25f, random.uniform(0, 0.5f), 0}));
                if (is_asked && random.chance(3)) REQUIRE(world.queries().status() == Status::ok);
                if (is_asked && random.chance(4)) views.push_back(world.view());
                if (!views.empty() && random.chance(4)) views.erase(views.begin());
                checked.check();
            }
        }
    });
}

TEST_CASE("a box that grows over the others one by one has all pairs, and none once it has shrunk") {
    Random random(4);
    CheckedWorld checked(random, kFewChangesCount, kFewChangesRoomCount);
    checked.check();
    const Aabb small = checked.boxes[7];
    for (int frame = 0; frame < 40; ++frame) {
        checked.set(7, expanded(checked.boxes[7], 0.5f));
        checked.check();
    }
    REQUIRE(checked.world.pair_count() >= kFewChangesCount - 1);
    checked.set(7, small);
    checked.check();
    checked.set(7, Aabb::empty());
    checked.check();
    checked.set(7, {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}});
    checked.check();
}

TEST_CASE(
    "many and few changes alternate, with a query before each update, and few changes stay on the path for "
    "few") {
    Random random(8);
    // Some pairs a box: the promise does not hold for many.
    CheckedWorld checked(random, kFewChangesCount, kFewChangesCount / 2);
    for (int frame = 0; frame < 60; ++frame) {
        const std::size_t step = frame % 3 == 0 ? 2 : 100;
        for (std::size_t i = 0; i < kFewChangesCount; i += step)
            checked.set(i, moved(checked.boxes[i], random_vec3(random, -0.2f, 0.2f)));
        REQUIRE(checked.world.queries().status() == Status::ok);
        const UpdatePath path = checked.check();
        // The first updates must test all objects.
        if (frame > 2) CHECK(path == (step == 2 ? UpdatePath::complete : UpdatePath::movers));
    }
}

TEST_CASE("few changes in a warm world allocate nothing") {
    CountingAllocator allocator;
    World world({}, allocator.hook());
    Random random(5);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < 4000; ++i) boxes.push_back(uniform_box(random, i, 1000));
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    update(world);
    std::size_t warm_count = 0;
    for (int round = 0; round < 40; ++round) {
        if (round == 20) warm_count = allocator.allocation_count;
        for (std::size_t step = 0; step < 50; ++step) {
            const std::size_t i = step * 79 % boxes.size();
            const Vec3 by = {step % 2 == 0 ? 0.1f : -0.1f, 0, 0};
            REQUIRE(world.set_box(handles[i], round % 2 == 0 ? moved(boxes[i], by) : boxes[i]) == Status::ok);
            REQUIRE(update(world).path == UpdatePath::movers);
        }
    }
    REQUIRE(allocator.allocation_count == warm_count);
}

TEST_CASE("ObjectPairs holds the pairs that were inserted and not removed") {
    using broadphase::ObjectPairs;
    Random random(6);
    CountingAllocator allocator;
    constexpr std::uint32_t kSlots = 50;
    const std::vector<std::uint32_t> generations(kSlots, 3);
    const auto handle = [](std::uint32_t slot) { return ObjectHandle{std::uint64_t{3} << 32 | slot}; };
    ObjectPairs pairs(allocator.hook());
    std::map<IndexPair, std::uint64_t> expected;
    const std::vector<IndexPair> first = {{0, 1}, {0, 7}, {1, 7}, {3, 49}};
    const std::vector<std::uint64_t> first_values = {5, 6, 7, 8};
    REQUIRE(pairs.build(generations, first, false, nullptr));
    REQUIRE(pairs.value({0, 1}) == nullptr);
    REQUIRE(pairs.keep_values());
    REQUIRE(*pairs.value({3, 49}) == 0);
    REQUIRE(pairs.build(generations, first, true, first_values.data()));
    for (std::size_t i = 0; i < first.size(); ++i) expected[first[i]] = first_values[i];
    std::size_t failure_count = 0;
    for (int step = 0; step < 3000; ++step) {
        // Sometimes many at slot 0; the other way round from time to time.
        std::set<IndexPair> batch;
        for (std::uint32_t k = random.below(12); k > 0; --k) {
            const std::uint32_t a = random.chance(3) ? 0 : random.below(kSlots);
            const std::uint32_t b = random.below(kSlots);
            if (a != b) batch.insert({std::min(a, b), std::max(a, b)});
        }
        const bool inserts = step / 100 % 2 == 0;
        std::vector<IndexPair> changed;
        for (const IndexPair& pair : batch)
            if (expected.contains(pair) != inserts) changed.push_back(pair);
        if (inserts) {
            allocator.fail_after =
                random.chance(3) ? allocator.allocation_count : static_cast<std::size_t>(-1);
            const bool has_memory = pairs.reserve(changed);
            allocator.fail_after = static_cast<std::size_t>(-1);
            failure_count += has_memory ? 0 : 1;
            if (!has_memory) REQUIRE(pairs.is_consistent());
            if (!has_memory) continue;
        }
        for (const IndexPair& pair : changed) {
            if (inserts) {
                pairs.insert(pair, handle(pair.first), handle(pair.second));
                REQUIRE(*pairs.value(pair) == 0);
                expected[pair] = *pairs.value(pair) = random.below(1000);
            } else {
                pairs.remove(pair);
                expected.erase(pair);
                REQUIRE(pairs.value(pair) == nullptr);
            }
        }
        REQUIRE(pairs.pair_count() == expected.size());
        REQUIRE(pairs.is_consistent());
        auto next = expected.begin();
        pairs.for_each([&](const IndexPair& pair, std::uint64_t value) {
            const bool is_same = next != expected.end() && next->first == pair && next->second == value;
            if (!is_same) REQUIRE(is_same);
            ++next;
        });
        REQUIRE(next == expected.end());
    }
    REQUIRE(failure_count > 0);
}

TEST_CASE("values are zero until first accessed, also across a snapshot") {
    Random random(7);
    CheckedWorld checked(random, kFewChangesCount, kFewChangesRoomCount);
    checked.has_values = false;
    for (const std::size_t stride : {std::size_t{1}, kFewChangesCount, kFewChangesCount, std::size_t{1}}) {
        for (std::size_t i = 0; i < kFewChangesCount; i += stride)
            checked.set(i, moved(checked.boxes[i], random_vec3(random, -0.2f, 0.2f)));
        checked.check();
        std::vector<std::byte> bytes(checked.world.snapshot_bytes());
        REQUIRE(checked.world.save(bytes) == Status::ok);
        World twin;
        REQUIRE(twin.restore(bytes) == Status::ok);
        const WorldPair pair = twin.pairs()[3];
        REQUIRE(*twin.pair_value(pair.a, pair.b) == 0);
        *twin.pair_value(pair.a, pair.b) = 77;
        bytes.resize(twin.snapshot_bytes());
        REQUIRE(twin.save(bytes) == Status::ok);
        World third;
        REQUIRE(third.restore(bytes) == Status::ok);
        REQUIRE(*third.pair_value(pair.b, pair.a) == 77);
        REQUIRE(*third.pair_value(twin.pairs()[0].a, twin.pairs()[0].b) == 0);
    }
}

TEST_CASE("a world without memory for values reports it and keeps its pairs") {
    for (const std::size_t changed_count : {std::size_t{0}, std::size_t{1}}) {
        CountingAllocator allocator;
        World world({}, allocator.hook());
        Random random(8);
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < kFewChangesCount; ++i)
            boxes.push_back(uniform_box(random, i, kFewChangesRoomCount));
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        update(world);
        for (std::size_t i = 0; i < changed_count; ++i) {
            REQUIRE(world.set_box(handles[i], uniform_box(random, i, kFewChangesRoomCount)) == Status::ok);
            update(world);
        }
        const WorldPair pair = world.pairs()[5];
        allocator.fail_after = allocator.allocation_count;
        REQUIRE(world.pair_value(pair.a, pair.b) == nullptr);
        allocator.fail_after = static_cast<std::size_t>(-1);
        REQUIRE(world.is_consistent());
        REQUIRE(world.pair_value(pair.a, pair.b) != nullptr);
        REQUIRE(*world.pair_value(pair.a, pair.b) == 0);
    }
}
