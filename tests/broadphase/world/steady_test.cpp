// Worlds in which everything moves a little in every update, with interruptions.
#include "tests/broadphase/world/checked_world.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <algorithm>
#include <cfloat>
#include <iterator>
#include <utility>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kSteadyCount = 300;
constexpr std::size_t kSteadyRoomCount = kSteadyCount / 6;

// Moves all boxes a step, each in a direction of its own; few are fast, and sometimes one jumps, turns round,
// is invalid for a while or fills all of space.
struct SteadyMotion {
    explicit SteadyMotion(CheckedWorld& checked_in) : checked(checked_in) {
        for (std::size_t i = 0; i < checked.boxes.size(); ++i) {
            const float length = i % 100 == 0 ? 0.3f : 0.01f;
            steps.push_back(random_vec3(checked.random, -length, length));
        }
        true_boxes = checked.boxes;
    }
    void step() {
        Random& random = checked.random;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (random.chance(100)) steps[i] = steps[i] * -1.0f;
            if (random.chance(1000)) true_boxes[i] = uniform_box(random, i, kSteadyRoomCount);
            true_boxes[i] = {true_boxes[i].min + steps[i], true_boxes[i].max + steps[i]};
            Aabb box = true_boxes[i];
            if (random.chance(2000)) box = Aabb::empty();
            if (random.chance(2000)) box.min.x = kNaN;
            if (random.chance(4000)) box = {{-FLT_MAX, -FLT_MAX, -FLT_MAX}, {FLT_MAX, FLT_MAX, FLT_MAX}};
            checked.set(i, box);
        }
    }

    CheckedWorld& checked;
    std::vector<Vec3> steps;
    std::vector<Aabb> true_boxes;
};

}  // namespace

TEST_CASE("everything may move for a long time, and pairs, events and values match the oracle") {
    for_each_isa([](Isa) {
        for (std::uint32_t seed = 1; seed <= 3; ++seed) {
            INFO("seed " << seed);
            Random random(seed);
            ShuffledRunner runner(4, seed);
            CheckedWorld checked(random, kSteadyCount, kSteadyRoomCount);
            // Values from the middle on, from the beginning, never.
            checked.has_values = seed == 2;
            checked.check();
            SteadyMotion motion(checked);
            for (int frame = 0; frame < 150; ++frame) {
                if (seed == 1 && frame == 100) checked.has_values = true;
                motion.step();
                checked.check(frame % 3 == 0 ? runner.runner() : nullptr);
            }
        }
    });
}

TEST_CASE(
    "an object that is quarantined when it comes, or gets other rules, has its pairs once it has a box") {
    for (const bool comes : {true, false}) {
        INFO("comes " << comes);
        Random random(7);
        CheckedWorld checked(random, kSteadyCount, kSteadyRoomCount);
        checked.has_values = false;
        SteadyMotion motion(checked);
        for (int frame = 0; frame < 150; ++frame) {
            // Brings back the objects of the frame before to where they were, and a step further.
            motion.step();
            for (int k = frame < 80 ? 3 : 0; k < 3; ++k) {
                const std::size_t i = random.below(kSteadyCount);
                ObjectHandle& handle = checked.handles[i];
                if (comes) {
                    REQUIRE(checked.world.remove(handle) == Status::ok);
                    handle = add_box(checked.world, Aabb::empty());
                } else {
                    const auto layer = static_cast<std::uint16_t>(frame);
                    REQUIRE(checked.world.set_filter(handle, {.layer = layer}) == Status::ok);
                }
                checked.set(i, Aabb::empty());
            }
            checked.check();
        }
    }
}

TEST_CASE("regions are rebuilt one after the other, and no pair between them is lost" * kLong) {
    constexpr std::size_t kManyCount = 2200;
    for_each_isa([](Isa) {
        Random random(21);
        ShuffledRunner runner(4, 21);
        CheckedWorld checked(random, kManyCount, kManyCount);
        checked.has_values = false;
        checked.check();
        SteadyMotion motion(checked);
        // Enough for every region to be rebuilt several times.
        for (int frame = 0; frame < 90; ++frame) {
            motion.step();
            const std::size_t i = random.below(kManyCount);
            if (frame % 7 == 3) {
                REQUIRE(checked.world.remove(checked.handles[i]) == Status::ok);
                checked.handles[i] = add_box(checked.world, checked.boxes[i]);
            }
            if (frame == 60) checked.has_values = true;
            checked.check(frame % 3 == 0 ? runner.runner() : nullptr);
        }
    });
}

TEST_CASE("lasting motion is split among workers, and the events are those of one thread" * kLong) {
    constexpr std::size_t kManyCount = 14'000;
    for_each_isa([](Isa) {
        for (const std::size_t mover_share : {1u, 8u}) {
            for (const std::uint32_t workers : {2u, 8u}) {
                INFO("one in " << mover_share << " moves, workers " << workers);
                Random random(31);
                ShuffledRunner runner(workers, workers);
                std::vector<Aabb> boxes;
                std::vector<Vec3> steps;
                for (std::size_t i = 0; i < kManyCount; ++i) {
                    boxes.push_back(uniform_box(random, i, kManyCount));
                    steps.push_back(random_vec3(random, -0.04f, 0.04f));
                }
                World alone;
                World shared;
                std::vector<ObjectHandle> handles = add_boxes(alone, boxes);
                REQUIRE(add_boxes(shared, boxes) == handles);
                std::size_t event_count = 0;
                // Enough for each region to be rebuilt twice.
                for (int frame = 0; frame < 52; ++frame) {
                    for (std::size_t i = 0; i < kManyCount; i += mover_share) {
                        Aabb& box = boxes[i];
                        if (random.chance(40)) steps[i] = steps[i] * -1.0f;
                        box = {box.min + steps[i], box.max + steps[i]};
                        if (random.chance(2000)) box = uniform_box(random, i, kManyCount);
                        // For a while it is invalid, or far larger than others.
                        if (random.chance(4000)) box = Aabb::empty();
                        if (random.chance(9000)) box.max = box.min + Vec3{9, 9, 9};
                    }
                    for (World* world : {&alone, &shared}) {
                        if (frame % 9 == 8) {
                            const std::size_t i = static_cast<std::size_t>(frame) * 17;
                            REQUIRE(world->remove({&handles[i], 20}).status == Status::ok);
                        }
                    }
                    for (std::size_t i = static_cast<std::size_t>(frame) * 17, end = i + 20;
                         i < end && frame % 9 == 8; ++i) {
                        handles[i] = add_box(alone, boxes[i]);
                        REQUIRE(add_box(shared, boxes[i]) == handles[i]);
                    }
                    std::vector<ObjectHandle> moved;
                    std::vector<Aabb> moved_boxes;
                    for (std::size_t i = 0; i < kManyCount; i += mover_share) {
                        moved.push_back(handles[i]);
                        moved_boxes.push_back(boxes[i]);
                    }
                    const GuardedBoxes guarded(moved_boxes);
                    REQUIRE(alone.set_boxes(moved, guarded.view()).status == Status::ok);
                    REQUIRE(shared.set_boxes(moved, guarded.view(), runner.runner()).status == Status::ok);
                    update(alone);
                    update(shared, runner.runner());
                    REQUIRE(copy_of(alone.begun()) == copy_of(shared.begun()));
                    REQUIRE(copy_of(alone.ended()) == copy_of(shared.ended()));
                    REQUIRE(alone.pairs_hash() == shared.pairs_hash());
                    event_count += alone.begun().size() + alone.ended().size();
                }
                REQUIRE(event_count > 10'000);
                REQUIRE(runner.task_count() > 1000);
                World anew;
                (void)add_boxes(anew, boxes);
                update(anew);
                REQUIRE(anew.pair_count() == shared.pair_count());
                REQUIRE(copy_of(alone.pairs()) == copy_of(shared.pairs()));
                REQUIRE(shared.is_consistent());
            }
        }
    });
}

TEST_CASE("few may move for a long time among many that rest, wake up, come to rest and cross regions" *
          kLong) {
    constexpr std::size_t kManyCount = 1200;
    constexpr std::size_t kMoverShare = 8;
    for_each_isa([](Isa) {
        for (const bool has_fixed : {false, true}) {
            INFO("fixed " << has_fixed);
            Random random(has_fixed ? 22 : 23);
            ShuffledRunner runner(4, 22);
            CheckedWorld checked(random, kManyCount, kManyCount / 3);
            checked.has_values = false;
            std::vector<Vec3> steps;
            std::vector<bool> moves;
            for (std::size_t i = 0; i < kManyCount; ++i) {
                steps.push_back(random_vec3(random, -0.06f, 0.06f));
                moves.push_back(i % kMoverShare == 0);
                if (has_fixed && i % kMoverShare != 0) checked.fix(i);
            }
            checked.check();
            // Enough for every region to be rebuilt many times, and to be put into leaves anew.
            for (int frame = 0; frame < 120; ++frame) {
                for (std::size_t i = 0; i < kManyCount; ++i) {
                    if (random.chance(moves[i] ? 150 : 3000))
                        moves[i] = !moves[i] && (!has_fixed || i % 16 == 0);
                    if (!moves[i]) continue;
                    if (random.chance(150)) steps[i] = steps[i] * -1.0f;
                    checked.set(i, {checked.boxes[i].min + steps[i], checked.boxes[i].max + steps[i]});
                }
                const std::size_t i = random.below(kManyCount);
                if (frame % 11 == 3 && !has_fixed) {
                    REQUIRE(checked.world.remove(checked.handles[i]) == Status::ok);
                    checked.handles[i] = add_box(checked.world, checked.boxes[i]);
                }
                if (frame % 50 == 20) checked.set(i, uniform_box(random, i, kManyCount / 3));
                if (frame == 90) checked.has_values = true;
                checked.check(frame % 3 == 0 ? runner.runner() : nullptr);
            }
        }
    });
}

TEST_CASE("other operations between updates of everything change no pair" * kLong) {
    for_each_isa([](Isa) {
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            INFO("seed " << seed);
            Random random(seed);
            CheckedWorld checked(random, kSteadyCount, kSteadyRoomCount);
            checked.has_values = false;
            checked.check();
            SteadyMotion motion(checked);
            World& world = checked.world;
            for (int frame = 0; frame < 200; ++frame) {
                const std::size_t i = random.below(kSteadyCount);
                switch (random.chance(4) ? random.below(8) : 99) {
                    case 0:
                        // Only a few move.
                        checked.set(i, uniform_box(random, i, kSteadyRoomCount));
                        break;
                    case 1:
                        // Another object in the slot.
                        REQUIRE(world.remove(checked.handles[i]) == Status::ok);
                        checked.handles[i] = add_box(world, checked.boxes[i]);
                        break;
                    case 2: {
                        std::vector<std::byte> bytes(world.snapshot_bytes());
                        REQUIRE(world.save(bytes) == Status::ok);
                        REQUIRE(world.restore(bytes) == Status::ok);
                        break;
                    }
                    case 3: {
                        // A rule that forbids nothing, and is removed again later.
                        const bool has_rule = random.chance(2);
                        REQUIRE(
                            world.set_filter({&checked.handles[i], 1}, {.category = has_rule ? 1u : ~0ull})
                                .status == Status::ok);
                        break;
                    }
                    case 4:
                        // A kind without effect while no object is fixed.
                        REQUIRE(world
                                    .set_kind({&checked.handles[i], 1},
                                              random.chance(2) ? ObjectKind::resting : ObjectKind::moving)
                                    .status == Status::ok);
                        break;
                    case 5: {
                        const std::vector<WorldPair> expected = copy_of(world.pairs());
                        std::size_t half_count = 0;
                        for (const ObjectHandle handle : checked.handles) {
                            for (const ObjectHandle other : world.pairs_of(handle)) {
                                const WorldPair pair = {std::min(handle, other), std::max(handle, other)};
                                half_count += std::count(expected.begin(), expected.end(), pair) == 1 ? 1 : 0;
                            }
                        }
                        // Pairs of the last update: a newer object has none yet.
                        REQUIRE(half_count <= 2 * expected.size());
                        break;
                    }
                    default:
                        motion.step();
                        break;
                }
                // In one update with it, too.
                if (random.chance(2)) motion.step();
                checked.check();
            }
        }
    });
}

TEST_CASE("pairs of fixed objects stay excluded while everything else moves") {
    Random random(9);
    World world;
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < kSteadyCount; ++i) boxes.push_back(uniform_box(random, i, kSteadyRoomCount));
    std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    std::vector<bool> is_fixed(kSteadyCount);
    for (int frame = 0; frame < 120; ++frame) {
        if (frame % 20 == 10) {
            const std::size_t i = random.below(kSteadyCount);
            is_fixed[i] = !is_fixed[i];
            const ObjectKind kind = is_fixed[i] ? ObjectKind::fixed : ObjectKind::moving;
            REQUIRE(world.set_kind({&handles[i], 1}, kind).status == Status::ok);
        }
        for (std::size_t i = 0; i < kSteadyCount; ++i) {
            // The first ones leave their grown boxes repeatedly.
            const Vec3 by = random_vec3(random, -0.01f, 0.01f) * (i < 4 ? 20.0f : 1.0f);
            boxes[i] = {boxes[i].min + by, boxes[i].max + by};
            REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
        }
        update(world);
        std::vector<WorldPair> expected;
        for (const WorldPair& pair : expected_pairs(handles, boxes)) {
            if (!is_fixed[pair.a.slot()] || !is_fixed[pair.b.slot()]) expected.push_back(pair);
        }
        REQUIRE(copy_of(world.pairs()) == expected);
        REQUIRE(world.is_consistent());
    }
}

TEST_CASE("a change of one object's rules while all or few move begins and ends only its pairs" * kLong) {
    constexpr std::size_t kManyCount = 900;
    for_each_isa([](Isa) {
        int run = 0;
        for (const std::size_t mover_share : {1u, 1u, 8u}) {
            INFO("one in " << mover_share << " moves");
            // With values at the second time.
            const bool has_values = run++ == 1;
            Random random(41);
            World world;
            std::vector<Aabb> boxes;
            for (std::size_t i = 0; i < kManyCount; ++i)
                boxes.push_back(uniform_box(random, i, kManyCount / 3));
            std::vector<ObjectHandle> handles = add_boxes(world, boxes);
            std::vector<Vec3> steps;
            for (std::size_t i = 0; i < kManyCount; ++i)
                steps.push_back(random_vec3(random, -0.01f, 0.01f) * (i % 90 == 0        ? 20.0f
                                                                      : mover_share == 1 ? 1.0f
                                                                                         : 6.0f));
            std::vector<bool> is_fixed(kManyCount);
            std::vector<bool> is_alone(kManyCount);
            const auto is_before = [](const WorldPair& x, const WorldPair& y) {
                return std::pair(x.a.value, x.b.value) < std::pair(y.a.value, y.b.value);
            };
            std::vector<WorldPair> before;
            std::size_t ruled_count = 0;
            for (int frame = 0; frame < 150; ++frame) {
                // Often enough to hit pairs across regions one of which is being rebuilt.
                const std::size_t change_count = mover_share != 1 ? 12
                                                 : frame % 3 == 0 ? 1 + random.below(3)
                                                                  : 0;
                for (std::size_t k = 0; k < change_count; ++k) {
                    const std::size_t i = random.below(kManyCount);
                    switch (random.below(4)) {
                        case 0: {
                            is_fixed[i] = !is_fixed[i];
                            const ObjectKind kind = is_fixed[i] ? ObjectKind::fixed : ObjectKind::moving;
                            REQUIRE(world.set_kind({&handles[i], 1}, kind).status == Status::ok);
                            break;
                        }
                        case 1:
                            // Back and forth is no change, nor is a change without effect.
                            for (const std::uint64_t mask : {std::uint64_t{0}, ~std::uint64_t{1}}) {
                                const ObjectFilter filter = {.category = 2, .mask = mask};
                                REQUIRE(world.set_filter({&handles[i], 1}, filter).status == Status::ok);
                            }
                            is_alone[i] = false;
                            break;
                        case 2:
                            // Another object in the slot, after a change and before one.
                            (void)world.set_kind({&handles[i], 1}, ObjectKind::fixed);
                            REQUIRE(world.remove(handles[i]) == Status::ok);
                            handles[i] = add_box(world, boxes[i]);
                            is_fixed[i] = false;
                            [[fallthrough]];
                        default:
                            is_alone[i] = random.chance(2);
                            const ObjectFilter filter = {.mask = is_alone[i] ? 0 : ~std::uint64_t{0}};
                            REQUIRE(world.set_filter({&handles[i], 1}, filter).status == Status::ok);
                            break;
                    }
                }
                ruled_count += change_count;
                for (std::size_t i = 0; i < kManyCount; i += mover_share) {
                    if (random.chance(150)) steps[i] = steps[i] * -1.0f;
                    boxes[i] = {boxes[i].min + steps[i], boxes[i].max + steps[i]};
                    REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
                }
                update(world);
                std::vector<WorldPair> now;
                for (const WorldPair& pair : expected_pairs(handles, boxes)) {
                    const std::uint32_t a = pair.a.slot();
                    const std::uint32_t b = pair.b.slot();
                    if (!is_alone[a] && !is_alone[b] && (!is_fixed[a] || !is_fixed[b])) now.push_back(pair);
                }
                std::sort(now.begin(), now.end(), is_before);
                std::vector<WorldPair> begun;
                std::vector<WorldPair> ended;
                std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                                    std::back_inserter(begun), is_before);
                std::set_difference(before.begin(), before.end(), now.begin(), now.end(),
                                    std::back_inserter(ended), is_before);
                std::vector<WorldPair> told_begun = copy_of(world.begun());
                std::vector<WorldPair> told_ended;
                for (const EndedPair& pair : world.ended()) told_ended.push_back({pair.a, pair.b});
                std::sort(told_begun.begin(), told_begun.end(), is_before);
                std::sort(told_ended.begin(), told_ended.end(), is_before);
                REQUIRE(told_begun == begun);
                REQUIRE(told_ended == ended);
                REQUIRE(world.pair_count() == now.size());
                if (has_values && frame == 90 && !now.empty())
                    REQUIRE(world.pair_value(now[0].a, now[0].b) != nullptr);
                before = now;
            }
            REQUIRE(ruled_count > 50);
            REQUIRE(world.pairs().size() == before.size());
            REQUIRE(world.is_consistent());
        }
    });
}

TEST_CASE("out of memory in steady motion leaves the pairs as they were, and a later update catches up" *
          kLong) {
    std::size_t failure_count = 0;
    // Many: an update without memory for candidates finds its pairs without them.
    for (std::size_t budget = 0; budget < 72; ++budget) {
        CountingAllocator allocator;
        Random random(budget);
        CheckedWorld checked(random, kSteadyCount, kSteadyRoomCount, allocator.hook());
        checked.has_values = false;
        checked.check();
        SteadyMotion motion(checked);
        for (int frame = 0; frame < 60; ++frame) {
            const std::vector<WorldPair> before = copy_of(checked.world.pairs());
            const std::uint64_t hash = checked.world.pairs_hash();
            motion.step();
            if (frame % 3 == 2) {
                allocator.fail_after = allocator.allocation_count + budget % 4;
                const UpdateResult result = checked.world.update();
                allocator.fail_after = static_cast<std::size_t>(-1);
                if (result.status == Status::ok) {
                    // Its result is checked with that of the next update.
                    checked.before = keys_of(copy_of(checked.world.pairs()));
                    continue;
                }
                ++failure_count;
                REQUIRE(result.status == Status::out_of_memory);
                REQUIRE(checked.world.is_consistent());
                REQUIRE(copy_of(checked.world.pairs()) == before);
                REQUIRE(checked.world.pairs_hash() == hash);
            }
            checked.check();
        }
    }
    REQUIRE(failure_count > 10);
}

TEST_CASE("steady motion in a warm world allocates nothing" * kLong) {
    CountingAllocator allocator;
    World world({}, allocator.hook());
    Random random(11);
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < 2000; ++i) boxes.push_back(uniform_box(random, i, 500));
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    std::size_t warm_count = 0;
    for (int frame = 0; frame < 800; ++frame) {
        if (frame == 600) warm_count = allocator.allocation_count;
        // Back and forth, so that memory needed once is all that is ever needed.
        const float way = 0.004f * static_cast<float>(frame % 50 < 25 ? frame % 50 : 50 - frame % 50);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            const Vec3 by = {i % 3 == 0 ? way : -way, i % 2 == 0 ? way : 0, 0};
            REQUIRE(world.set_box(handles[i], {boxes[i].min + by, boxes[i].max + by}) == Status::ok);
        }
        update(world);
    }
    REQUIRE(allocator.allocation_count == warm_count);
}
