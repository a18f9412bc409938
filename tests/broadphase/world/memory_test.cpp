// Memory of a World: no allocation once warm, bounded under churn, reported to the byte, caps, and its state
// when memory runs out.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"

#include <broadside/scenes/box_scene.hpp>
#include <broadside/world_view.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

using broadside::scenes::BoxFrame;
using broadside::scenes::BoxScene;

// Frames back and forth, so that memory needed once is all that is ever needed.
std::vector<std::vector<Aabb>> frames_of(const char* name, std::size_t count, std::size_t frame_count) {
    const BoxScene scene(scenes::find_scene(name).value(), count);
    std::vector<std::vector<Aabb>> frames;
    for (std::size_t index = 0; index < frame_count; ++index) {
        BoxFrame frame;
        scene.frame(4 * index, frame);
        frames.push_back(frame.boxes);
    }
    return frames;
}

// The pairs and lists of a world.
struct Seen {
    std::vector<WorldPair> begun;
    std::vector<WorldPair> ended;
    std::vector<WorldPair> pairs;
    std::uint64_t hash;

    friend bool operator==(const Seen&, const Seen&) = default;
};

Seen seen(World& world) {
    return {copy_of(world.begun()), copy_of(world.ended()), copy_of(world.pairs()), world.pairs_hash()};
}

}  // namespace

TEST_CASE("a warm world allocates nothing, whatever moves" * kLong) {
    for (const char* name : {"uniform_moving", "static90", "pile_moving", "mixed_moving", "wall_moving"}) {
        INFO("scene " << std::string(name));
        const auto frames = frames_of(name, 2000, 10);
        CountingAllocator allocator;
        World world({}, allocator.hook());
        const std::vector<ObjectHandle> handles = add_boxes(world, frames[0]);
        std::size_t warm_count = 0;
        for (int round = 0; round < 40; ++round) {
            if (round == 30) warm_count = allocator.allocation_count;
            for (const std::vector<Aabb>& frame : frames) {
                const GuardedBoxes boxes(frame);
                REQUIRE(world.set_boxes(handles, boxes.view()).status == Status::ok);
                update(world);
                REQUIRE(world.pairs().size() == world.persisting().size() + world.begun().size());
            }
        }
        REQUIRE(allocator.allocation_count == warm_count);
    }
}

TEST_CASE("added objects reuse the slots of removed ones: memory is that of the peak count") {
    CountingAllocator allocator;
    {
        World world({}, allocator.hook());
        Random random(8);
        constexpr std::size_t kCount = 500;
        std::vector<ObjectHandle> handles;
        for (std::size_t i = 0; i < kCount; ++i)
            handles.push_back(add_box(world, uniform_box(random, i, kCount)));
        update(world);
        std::size_t warm_bytes = 0;
        std::size_t cycle_count = 0;
        for (int frame = 0; cycle_count < 100'000; ++frame) {
            // Sometimes half of all at once, otherwise a few.
            const std::uint32_t churn = frame % 10 == 0 ? kCount / 2 : 20;
            for (std::uint32_t k = 0; k < churn; ++k, ++cycle_count) {
                ObjectHandle& handle = handles[random.below(kCount)];
                REQUIRE(world.remove(handle) == Status::ok);
                handle = add_box(world, uniform_box(random, 0, kCount));
            }
            update(world);
            if (frame == 200) warm_bytes = allocator.live_bytes;
        }
        REQUIRE(world.slot_count() == kCount);
        REQUIRE(world.object_count() == kCount);
        REQUIRE(allocator.live_bytes <= warm_bytes + warm_bytes / 4);
        REQUIRE(world.is_consistent());
    }
    REQUIRE(allocator.live_bytes == 0);
}

TEST_CASE("a world reports its memory to the byte") {
    for (const char* name : {"uniform_moving", "static90", "mixed_moving"}) {
        CountingAllocator allocator;
        World world({}, allocator.hook());
        REQUIRE(world.capacity_bytes() == allocator.live_bytes);
        const auto frames = frames_of(name, 3000, 8);
        const std::vector<ObjectHandle> handles = add_boxes(world, frames[0]);
        WorldView view;
        for (const std::vector<Aabb>& frame : frames) {
            set_all(world, handles, frame);
            update(world);
            REQUIRE(world.pairs().size() == world.pair_count());
            REQUIRE(world.capacity_bytes() == allocator.live_bytes);
            // A second copy of the trees while it holds the one of the frame before.
            view = world.view();
            REQUIRE(view.status() == Status::ok);
            REQUIRE(world.capacity_bytes() == allocator.live_bytes);
        }
    }
}

TEST_CASE(
    "a world in steady motion holds its documented memory: 450 bytes an object at three pairs an object" *
    kLong) {
    struct Subject {
        const char* scene;
        /// Boxes larger than those of the scene.
        float factor;
        float bytes_per_object;
    };
    constexpr std::size_t kCount = 10'000;
    for (const Subject& subject : {Subject{"uniform_moving", 1.53f, 450}, Subject{"wall_moving", 1, 400},
                                   Subject{"mixed_moving", 1, 500}, Subject{"pile_moving", 1, 650}}) {
        INFO("scene " << std::string(subject.scene));
        const BoxScene scene(scenes::find_scene(subject.scene).value(), kCount);
        CountingAllocator allocator;
        World world({}, allocator.hook());
        std::vector<ObjectHandle> handles;
        for (std::size_t index = 0; index < 60; ++index) {
            BoxFrame frame;
            scene.frame(index, frame);
            for (Aabb& box : frame.boxes) {
                const Vec3 half = (box.max - box.min) * (0.5f * subject.factor);
                box = {center(box) - half, center(box) + half};
            }
            if (index == 0) handles = add_boxes(world, frame.boxes);
            set_all(world, handles, frame.boxes);
            update(world);
        }
        const auto bytes = static_cast<float>(allocator.live_bytes);
        const auto pairs_per_object = static_cast<float>(world.pair_count()) / kCount;
        INFO("pairs an object " << pairs_per_object << ", bytes " << bytes / kCount);
        if (subject.factor != 1) CHECK((pairs_per_object > 2.9f && pairs_per_object < 3.2f));
        CHECK(bytes <= subject.bytes_per_object * kCount);
        CHECK(bytes <= (320 + 70 * pairs_per_object) * kCount);
    }
}

TEST_CASE("shrink frees all but objects, pairs and events, and changes no result" * kLong) {
    for (const char* name : {"uniform_moving", "pile_moving", "static90"}) {
        INFO("scene " << std::string(name));
        const auto frames = frames_of(name, 3000, 8);
        CountingAllocator allocator;
        World world({}, allocator.hook());
        World same;
        const std::vector<ObjectHandle> handles = add_boxes(world, frames[0]);
        REQUIRE(add_boxes(same, frames[0]) == handles);
        for (std::size_t index = 0; index < 40; ++index) {
            const std::vector<Aabb>& frame = frames[index % frames.size()];
            const std::size_t moved = index < 20 ? frame.size() : 5;
            const GuardedBoxes boxes(
                std::vector<Aabb>(frame.begin(), frame.begin() + static_cast<long>(moved)));
            for (World* each : {&world, &same}) {
                REQUIRE(each->set_boxes(std::span(handles).first(moved), boxes.view()).status == Status::ok);
                // Changes before an update, and after.
                if (each == &world && index % 7 == 3) world.shrink();
                (void)update(*each);
                if (index % 5 == 1) *each->pair_value(each->pairs()[0].a, each->pairs()[0].b) = index;
            }
            REQUIRE(seen(world) == seen(same));
            if (index % 3 != 0) continue;
            const WorldQueries queries = world.queries();
            REQUIRE(queries.status() == Status::ok);
            const Seen before = seen(world);
            const std::size_t live_bytes = allocator.live_bytes;
            world.shrink();
            REQUIRE(world.capacity_bytes() == allocator.live_bytes);
            REQUIRE(allocator.live_bytes < live_bytes);
            // The documented size of the lists.
            const std::size_t events = world.begun().size() + world.ended().size();
            const std::size_t slots = world.slot_count() + world.slot_count() / 8 + 64;
            const std::size_t pair_bytes = index > 1 ? 16 : 8;
            REQUIRE(allocator.live_bytes <=
                    84 * slots + pair_bytes * world.pair_count() + 40 * events + 16384);
            REQUIRE(seen(world) == before);
            REQUIRE(world.is_consistent());
            world.shrink();
        }
    }
}

TEST_CASE("a shrunk world holds its documented memory, if it has few objects or many layer rules, too") {
    for (const std::uint32_t rule_count : {0u, 1u, 3000u}) {
        for (const std::size_t object_count : {0u, 1u, 100u}) {
            CountingAllocator allocator;
            World world({}, allocator.hook());
            for (std::size_t i = 0; i < object_count; ++i) (void)add_box(world, cube_at({0, 0, 0}));
            for (std::uint32_t layer = 0; layer < rule_count; ++layer)
                REQUIRE(world.set_layers_pair(layer, layer + 1, false) == Status::ok);
            world.shrink();
            REQUIRE(world.capacity_bytes() == allocator.live_bytes);
            REQUIRE(allocator.live_bytes <= 84 * object_count + 4 * rule_count + 32768);
        }
    }
}

TEST_CASE("shrink keeps an array that it has no memory to move") {
    const auto frames = frames_of("uniform_moving", 1000, 3);
    for (std::size_t budget = 0; budget < 40; ++budget) {
        CountingAllocator allocator;
        World world({}, allocator.hook());
        const std::vector<ObjectHandle> handles = add_boxes(world, frames[0]);
        update(world);
        set_all(world, handles, frames[1]);
        update(world);
        const Seen before = seen(world);
        allocator.fail_after = allocator.allocation_count + budget;
        world.shrink();
        allocator.fail_after = static_cast<std::size_t>(-1);
        REQUIRE(world.capacity_bytes() == allocator.live_bytes);
        REQUIRE(seen(world) == before);
        REQUIRE(world.is_consistent());
        set_all(world, handles, frames[2]);
        update(world);
        REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, frames[2]));
    }
}

TEST_CASE("the cap of objects is reported and changes nothing; a removal makes room") {
    WorldSettings settings;
    settings.max_object_count = 3;
    World world(settings);
    std::vector<ObjectHandle> handles = add_boxes(world, std::vector<Aabb>(2, cube_at({0, 0, 0})));
    update(world);
    const std::vector<ObjectDescription> two(2, described(cube_at({0, 0, 0})));
    ObjectHandle more[2];
    REQUIRE(world.add(two, more).status == Status::capacity_exceeded);
    REQUIRE(more[0].is_null());
    REQUIRE(world.object_count() == 2);
    REQUIRE(update(world).path == UpdatePath::nothing);
    REQUIRE_FALSE(world.add(two[0]).is_null());
    REQUIRE(world.add(two[0]).is_null());
    REQUIRE(world.remove(handles[0]) == Status::ok);
    REQUIRE_FALSE(world.add(two[0]).is_null());
    REQUIRE(update(world).pair_count == 3);
}

TEST_CASE("the cap of pairs is reported and changes nothing; the next update catches up") {
    for_each_isa([](Isa) {
        WorldSettings settings;
        settings.max_pair_count = 10;
        World world(settings);
        const std::vector<ObjectHandle> handles = add_boxes(world, std::vector<Aabb>(5, cube_at({0, 0, 0})));
        REQUIRE(update(world).begun_count == 10);
        const Seen before = seen(world);
        const ObjectHandle sixth = add_box(world, cube_at({0, 0, 0}));
        for (int round = 0; round < 2; ++round) {
            const UpdateResult result = world.update();
            REQUIRE(result.status == Status::capacity_exceeded);
            REQUIRE(result.pair_count == 10);
            REQUIRE(result.begun_count + result.ended_count == 0);
            REQUIRE(seen(world) == before);
            REQUIRE(world.is_consistent());
        }
        REQUIRE(world.remove(handles[0]) == Status::ok);
        const UpdateResult result = update(world);
        REQUIRE(result.begun_count == 4);
        REQUIRE(result.ended_count == 4);
        REQUIRE(world.pair_value(sixth, handles[1]) != nullptr);
    });
}

TEST_CASE("out of memory at any allocation leaves the pairs as they were, and the next update catches up") {
    constexpr std::size_t kCount = 400;
    std::vector<Aabb> first = make_scene(pair_scenes()[0], kCount, 1);
    const std::vector<Aabb> second = make_scene(pair_scenes()[0], kCount, 2);
    // Everything changes, or little, or next to nothing, among resting objects.
    for (const std::size_t one_in : {1u, 20u, 200u}) {
        std::vector<Aabb> after = first;
        for (std::size_t i = 0; i < kCount; i += one_in) after[i] = second[i];
        std::size_t failure_count = 0;
        for (std::size_t budget = 0;; ++budget) {
            CountingAllocator allocator;
            World world({}, allocator.hook());
            const std::vector<ObjectHandle> handles = add_boxes(world, first);
            update(world);
            const Seen before = seen(world);
            set_all(world, handles, after);
            allocator.fail_after = allocator.allocation_count + budget;
            const UpdateResult result = world.update();
            if (result.status == Status::ok) break;
            REQUIRE(result.status == Status::out_of_memory);
            ++failure_count;
            REQUIRE(world.begun().size() == before.begun.size());
            REQUIRE(world.ended().size() == before.ended.size());
            REQUIRE(copy_of(world.pairs()) == before.pairs);
            REQUIRE(world.pairs_hash() == before.hash);
            REQUIRE(world.is_consistent());
            allocator.fail_after = static_cast<std::size_t>(-1);
            REQUIRE(update(world).changed_count == (kCount + one_in - 1) / one_in);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, after));
            REQUIRE(world.is_consistent());
        }
        REQUIRE(failure_count >= 3);
    }
}

TEST_CASE("out of memory during an addition adds no object, and a world without memory can be queried") {
    const std::vector<ObjectDescription> descriptions(300, described(cube_at({0, 0, 0})));
    std::vector<ObjectHandle> handles(descriptions.size());
    std::size_t failure_count = 0;
    for (std::size_t budget = 0;; ++budget) {
        CountingAllocator allocator;
        allocator.fail_after = budget;
        World world({}, allocator.hook());
        const Status status = world.add(descriptions, handles).status;
        if (status == Status::ok) break;
        ++failure_count;
        REQUIRE(status == Status::out_of_memory);
        REQUIRE(world.object_count() == 0);
        REQUIRE(world.slot_count() == 0);
        REQUIRE(world.add(descriptions[0]).is_null());
        if (budget == 0) {
            REQUIRE(world.update().status == Status::out_of_memory);
            REQUIRE(world.remove(ObjectHandle{1}) == Status::out_of_memory);
            REQUIRE(world.save({}) == Status::capacity_exceeded);
            REQUIRE(world.restore({}) == Status::out_of_memory);
            REQUIRE(world.pairs().empty());
            REQUIRE(world.quarantined_objects({}) == 0);
            REQUIRE(world.shift_origin({1, 1, 1}) == Status::out_of_memory);
            continue;
        }
        allocator.fail_after = static_cast<std::size_t>(-1);
        REQUIRE(world.add(descriptions, handles).status == Status::ok);
        REQUIRE(update(world).pair_count == 300 * 299 / 2);
    }
    REQUIRE(failure_count > 5);
}

TEST_CASE("without memory for tasks one thread sets the boxes") {
    constexpr std::size_t kBoxCount = 20'000;
    const std::vector<Aabb> before(kBoxCount, cube_at({0, 0, 0}));
    const std::vector<Aabb> after(kBoxCount, cube_at({9, 9, 9}));
    const GuardedBoxes boxes(after);
    const ShuffledRunner runner(3, 4);
    for (std::size_t budget = 0; budget < 2; ++budget) {
        CountingAllocator allocator;
        World world({}, allocator.hook());
        const std::vector<ObjectHandle> handles = add_boxes(world, before);
        allocator.fail_after = allocator.allocation_count + budget;
        const std::size_t task_count = runner.task_count();
        REQUIRE(world.set_boxes(handles, boxes.view(), runner.runner()).status == Status::ok);
        // The parts.
        REQUIRE((runner.task_count() != task_count) == (budget == 1));
        for (const ObjectHandle handle : {handles.front(), handles.back()})
            REQUIRE(world.description(handle).box == after[0]);
        allocator.fail_after = static_cast<std::size_t>(-1);
    }
}

TEST_CASE("out of memory during a restore leaves the world as it was") {
    World saved;
    add_boxes(saved, make_scene(pair_scenes()[0], 200));
    update(saved);
    std::vector<std::byte> bytes(saved.snapshot_bytes());
    REQUIRE(saved.save(bytes) == Status::ok);
    std::size_t failure_count = 0;
    for (std::size_t budget = 0;; ++budget) {
        CountingAllocator allocator;
        World world({}, allocator.hook());
        const ObjectHandle own = add_box(world, cube_at({0, 0, 0}));
        update(world);
        const std::size_t live_bytes = allocator.live_bytes;
        allocator.fail_after = allocator.allocation_count + budget;
        const Status status = world.restore(bytes);
        if (status == Status::ok) break;
        ++failure_count;
        REQUIRE(status == Status::out_of_memory);
        REQUIRE(allocator.live_bytes == live_bytes);
        REQUIRE(world.is_alive(own));
        REQUIRE(world.object_count() == 1);
    }
    REQUIRE(failure_count > 5);
}
