// Worlds in which a part moves, update after update: any motion, and any state kept of the movers.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/scenes/box_scene.hpp>

#include <algorithm>
#include <iterator>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr std::size_t kMoversCount = 800;
constexpr std::size_t kMoverShare = 10;
// As many as fill the world evenly: four to eight pairs a box, and many begin and end with every step.
constexpr std::size_t kMoversRoomCount = kMoversCount / 6;

// One in ten objects moves, in a way of its own.
struct Crowd {
    enum class Way { straight, turning, wandering, leaping, halting, trembling, breathing, mixed };
    static constexpr Way kWays[] = {Way::straight, Way::turning,   Way::wandering, Way::leaping,
                                    Way::halting,  Way::trembling, Way::breathing, Way::mixed};

    explicit Crowd(Way crowd_way) : way(crowd_way), random(static_cast<std::uint64_t>(crowd_way) + 1) {
        for (std::size_t i = 0; i < kMoversCount; ++i)
            boxes.push_back(uniform_box(random, i, kMoversRoomCount));
        for (std::size_t i = 0; i < kMoversCount; ++i) steps.push_back(random_vec3(random, -0.1f, 0.1f));
    }

    void step(std::size_t i, int frame) {
        const Way own = way == Way::mixed ? kWays[i / kMoverShare % 7] : way;
        const bool turns = (static_cast<std::size_t>(frame) + i) % 37 == 0;
        switch (own) {
            case Way::turning:
                if (turns) steps[i] = steps[i] * -1.0f;
                break;
            case Way::wandering:
                steps[i] = random_vec3(random, -0.3f, 0.3f);
                break;
            case Way::leaping:
                if (turns) boxes[i] = uniform_box(random, i, kMoversRoomCount);
                break;
            case Way::halting:
                if ((static_cast<std::size_t>(frame) / 3 + i) % 2 == 0) return;
                break;
            case Way::trembling:
                boxes[i] = moved(boxes[i], random_vec3(random, -0.002f, 0.002f));
                return;
            case Way::breathing:
                boxes[i] = expanded(boxes[i], frame % 10 < 5 ? 0.05f : -0.05f);
                return;
            default:
                break;
        }
        boxes[i] = moved(boxes[i], steps[i]);
    }

    Way way;
    Random random;
    std::vector<Aabb> boxes;
    std::vector<Vec3> steps;
};

// Sets the boxes of every mover and requires the pairs of the oracle.
GoodUpdate step(World& world, const std::vector<ObjectHandle>& handles, Crowd& crowd, int frame) {
    for (std::size_t i = 0; i < kMoversCount; i += kMoverShare) {
        crowd.step(i, frame);
        REQUIRE(world.set_box(handles[i], crowd.boxes[i]) == Status::ok);
    }
    const GoodUpdate result = update(world);
    REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, crowd.boxes));
    REQUIRE(world.is_consistent());
    return result;
}

}  // namespace

TEST_CASE("movers may go straight, turn, wander, jump, stop, jitter or change their size" * kLong) {
    for (const Crowd::Way way : Crowd::kWays) {
        INFO("way " << static_cast<int>(way));
        for_each_isa([&](Isa) {
            Crowd crowd(way);
            World world;
            const std::vector<ObjectHandle> handles = add_boxes(world, crowd.boxes);
            update(world);
            int by_movers = 0;
            for (int frame = 0; frame < 100; ++frame) {
                by_movers += step(world, handles, crowd, frame).path == UpdatePath::movers ? 1 : 0;
            }
            REQUIRE(by_movers >= 30);
        });
    }
}

// Cells of resting objects cost as much as some searches, so they must be of use for a while.
TEST_CASE(
    "no cells of resting objects are built while the movers change each time, nor while candidates begin") {
    constexpr std::size_t kObjectCount = 2000;
    constexpr std::size_t kObjectsPerMover = 20;
    Random random(3);
    for (const bool are_others : {true, false}) {
        INFO("others each time: " << are_others);
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < kObjectCount; ++i) boxes.push_back(uniform_box(random, i, kObjectCount));
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        update(world);
        int first_by_movers = 100;
        for (int frame = 0; frame < 60; ++frame) {
            const std::size_t first = are_others ? static_cast<std::size_t>(frame) % kObjectsPerMover : 0;
            for (std::size_t i = first; i < kObjectCount; i += kObjectsPerMover) {
                boxes[i] = moved(boxes[i], {0.01f, 0.005f, 0});
                REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
            }
            const bool is_by_movers = update(world).path == UpdatePath::movers;
            if (is_by_movers) first_by_movers = std::min(first_by_movers, frame);
            REQUIRE(is_by_movers == (frame >= first_by_movers));
        }
        CHECK(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        CHECK(first_by_movers >= 20);
        CHECK((first_by_movers < 60) == !are_others);
    }
}

TEST_CASE("objects that wake up and come to rest one after the other among movers miss no pair" * kLong) {
    Crowd crowd(Crowd::Way::turning);
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, crowd.boxes);
    update(world);
    for (int frame = 0; frame < 150; ++frame) {
        // Another one every frame, which moves for twelve; sometimes several at once.
        const int count = frame % 40 == 20 ? 12 : 1;
        for (int k = 0; k < 12 * count; ++k) {
            const std::size_t i = static_cast<std::size_t>(frame + k) * 3 % kMoversCount;
            crowd.step(i, frame);
            REQUIRE(world.set_box(handles[i], crowd.boxes[i]) == Status::ok);
        }
        step(world, handles, crowd, frame);
    }
}

TEST_CASE("a mover that was invalid, infinite or removed for a while has its pairs again afterwards" *
          kLong) {
    Crowd crowd(Crowd::Way::straight);
    World world;
    std::vector<ObjectHandle> handles = add_boxes(world, crowd.boxes);
    update(world);
    const Aabb odd[] = {{{kNaN, 0, 0}, {1, 1, 1}},
                        {{1, 1, 1}, {0, 0, 0}},
                        {{-kInfinity, 0, 0}, {kInfinity, 1, 1}},
                        {{kInfinity, kInfinity, kInfinity}, {kInfinity, kInfinity, kInfinity}}};
    const std::size_t i = 5 * kMoverShare;
    for (int frame = 0; frame < 120; ++frame) {
        step(world, handles, crowd, frame);
        if (frame % 6 == 2) {
            const Aabb known = crowd.boxes[i];
            crowd.boxes[i] = odd[frame / 6 % 4];
            REQUIRE(world.set_box(handles[i], crowd.boxes[i]) == Status::ok);
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, crowd.boxes));
            crowd.boxes[i] = known;
        }
        if (frame % 6 == 4) {
            REQUIRE(world.remove(handles[i]) == Status::ok);
            if (frame % 12 == 4) update(world);
            handles[i] = add_box(world, crowd.boxes[i]);
        }
    }
}

TEST_CASE("moved fixed objects pair with no other fixed object, at rest or in motion") {
    Crowd crowd(Crowd::Way::mixed);
    World world;
    std::vector<ObjectHandle> handles;
    const auto is_fixed = [](std::size_t i) { return i % 3 == 0; };
    for (std::size_t i = 0; i < kMoversCount; ++i) {
        handles.push_back(
            add_box(world, crowd.boxes[i], is_fixed(i) ? ObjectKind::fixed : ObjectKind::moving));
    }
    update(world);
    for (int frame = 0; frame < 60; ++frame) {
        for (std::size_t i = 0; i < kMoversCount; i += kMoverShare) {
            crowd.step(i, frame);
            REQUIRE(world.set_box(handles[i], crowd.boxes[i]) == Status::ok);
        }
        update(world);
        std::vector<WorldPair> expected = expected_pairs(handles, crowd.boxes);
        std::erase_if(expected, [&](const WorldPair& pair) {
            return is_fixed(pair.a.slot()) && is_fixed(pair.b.slot());
        });
        REQUIRE(copy_of(world.pairs()) == expected);
    }
}

namespace {

// Pairs of the first of two lists in canonical order that are not in the second.
std::vector<WorldPair> only_in_first(const std::vector<WorldPair>& a, const std::vector<WorldPair>& b) {
    std::vector<WorldPair> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only),
                        [](const WorldPair& x, const WorldPair& y) {
                            return std::pair(x.a.slot(), x.b.slot()) < std::pair(y.a.slot(), y.b.slot());
                        });
    return only;
}
std::uint64_t value_of(const WorldPair& pair) {
    return std::uint64_t{pair.a.slot()} << 32 | (pair.b.slot() + 1);
}

}  // namespace

TEST_CASE("thousands of movers split among workers have the lists of one thread, in every update" * kLong) {
    const scenes::BoxScene scene(scenes::find_scene("static90").value(), 40'000);
    const scenes::BoxScene all_moving(scenes::find_scene("uniform_moving").value(), 40'000);
    for (const scenes::BoxScene* each : {&scene, &all_moving}) {
        scenes::BoxFrame frame;
        each->frame(0, frame);
        World alone;
        World shared;
        const std::vector<ObjectHandle> handles = add_boxes(alone, frame.boxes);
        REQUIRE(add_boxes(shared, frame.boxes) == handles);
        ShuffledRunner runner(3, 4);
        std::vector<WorldPair> before;
        for (std::uint64_t index = 0; index < 24; ++index) {
            each->frame(index, frame);
            const GuardedBoxes boxes(frame.boxes);
            for (World* world : {&alone, &shared}) {
                REQUIRE(world->set_boxes(handles, boxes.view()).status == Status::ok);
                update(*world, world == &shared ? runner.runner() : nullptr);
            }
            REQUIRE(copy_of(alone.begun()) == copy_of(shared.begun()));
            REQUIRE(copy_of(alone.ended()) == copy_of(shared.ended()));
            REQUIRE(copy_of(alone.pairs()) == copy_of(shared.pairs()));
            REQUIRE(alone.pairs_hash() == shared.pairs_hash());
            const std::vector<WorldPair> now = copy_of(alone.pairs());
            REQUIRE(copy_of(alone.begun()) == only_in_first(now, before));
            std::vector<WorldPair> ended;
            for (const EndedPair& pair : alone.ended()) {
                ended.push_back({pair.a, pair.b});
                REQUIRE(pair.value == value_of({pair.a, pair.b}));
            }
            REQUIRE(ended == only_in_first(before, now));
            for (const WorldPair& pair : alone.begun()) {
                REQUIRE(*alone.pair_value(pair.a, pair.b) == 0);
                *alone.pair_value(pair.a, pair.b) = value_of(pair);
            }
            before = now;
        }
        // The hash of a list is that of its pairs, whatever its history.
        World anew;
        REQUIRE(add_boxes(anew, frame.boxes) == handles);
        update(anew);
        REQUIRE(anew.pairs_hash() == alone.pairs_hash());
        REQUIRE(runner.task_count() > 100);
        REQUIRE(shared.is_consistent());
    }
}

TEST_CASE("movers without memory are searched again later, and no pair is missed" * kLong) {
    std::size_t failure_count = 0;
    for (std::size_t budget = 0; budget < 40; ++budget) {
        Crowd crowd(Crowd::Way::turning);
        CountingAllocator allocator;
        World world({}, allocator.hook());
        const std::vector<ObjectHandle> handles = add_boxes(world, crowd.boxes);
        update(world);
        allocator.fail_after = allocator.allocation_count + budget;
        for (int frame = 0; frame < 40; ++frame) {
            for (std::size_t i = 0; i < kMoversCount; i += kMoverShare) {
                crowd.step(i, frame);
                REQUIRE(world.set_box(handles[i], crowd.boxes[i]) == Status::ok);
            }
            const UpdateResult result = world.update();
            if (result.status == Status::ok) continue;
            REQUIRE(result.status == Status::out_of_memory);
            ++failure_count;
            allocator.fail_after = static_cast<std::size_t>(-1);
        }
        // The list of pairs is made on demand.
        allocator.fail_after = static_cast<std::size_t>(-1);
        step(world, handles, crowd, 40);
    }
    REQUIRE(failure_count >= 20);
}
