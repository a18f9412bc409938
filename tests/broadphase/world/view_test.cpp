// World::view: stable results while the world changes, their cost, and their lifetime.
#include <broadside/world_view.hpp>

#include "tests/broadphase/world/life.hpp"
#include "tests/broadphase/world/questions.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <optional>

using namespace broadside;
using namespace broadside::test;

namespace {

// A view, and the objects at its creation.
struct HeldView {
    WorldView view;
    WorldObjects objects;
};

void check_objects(const HeldView& held, const std::vector<ObjectHandle>& dead) {
    for (const auto& [handle, known] : held.objects) {
        const bool is_known = held.view.is_alive(handle) && is_same_box(held.view.box(handle), known.box) &&
                              held.view.user_data(handle) == known.user_data;
        if (!is_known) REQUIRE(is_known);
    }
    for (const ObjectHandle handle : dead) {
        if (held.objects.count(handle) != 0) continue;
        REQUIRE_FALSE(held.view.is_alive(handle));
        REQUIRE(held.view.box(handle) == Aabb::empty());
        REQUIRE(held.view.user_data(handle) == 0);
    }
}

// Random operations with up to four views of any age, which are held, copied and released.
void live_with_views(std::uint64_t seed, WorldOrder order, int step_count) {
    Random random(seed);
    WorldLife life({.order = order}, random, 40);
    ShuffledRunner runner(seed, 4);
    std::optional<HeldView> held[4];
    for (int step = 0; step < step_count; ++step) {
        for (std::uint32_t k = random.below(8); k > 0; --k) life.operate();
        if (random.chance(3)) {
            life.model.update();
            REQUIRE(life.world.update(random.chance(2) ? runner.runner() : nullptr).status == Status::ok);
        }
        std::optional<HeldView>& one = held[random.below(4)];
        const std::optional<HeldView>& other = held[random.below(4)];
        switch (random.below(5)) {
            case 0:
            case 1:
                one = HeldView{life.world.view(random.chance(2) ? runner.runner() : nullptr),
                               life.model.objects()};
                REQUIRE(one->view.status() == Status::ok);
                break;
            case 2:
                one = other;
                break;
            case 3:
                one.reset();
                break;
            default:
                break;
        }
        const auto ask = [&](const WorldQueries& queries, const WorldObjects& objects) {
            std::vector<Aabb> scene = life.touched_boxes;
            for (const auto& [handle, known] : objects) {
                if (scene.size() < 6 && random.chance(3)) scene.push_back(known.box);
            }
            const WorldQuestions questions = make_world_questions(scene, 6, random);
            WorldInquiry inquiry(queries, objects, order, questions, nullptr);
            for (int i = 0; i < 2; ++i) inquiry.ask(random.below(WorldInquiry::kSubjectCount));
        };
        for (const std::optional<HeldView>& view : held) {
            if (!view.has_value() || !random.chance(2)) continue;
            check_objects(*view, life.dead);
            ask(view->view.queries(), view->objects);
        }
        if (random.chance(3)) ask(life.world.queries(), life.model.objects());
    }
}

}  // namespace

TEST_CASE("views show the state at their creation, whatever the world does later" * kLong) {
    for_each_isa([](Isa isa) {
        // All instruction sets walk the same trees; the stored data does not depend on them.
        const int step_count = (isa == Isa::scalar ? 500 : 120) * test_scale();
        for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
            for (std::uint64_t seed = 0; seed < 3; ++seed) live_with_views(seed, order, step_count);
        }
    });
}

TEST_CASE("a view outlives its world, and an empty view finds nothing") {
    CountingAllocator memory;
    const Aabb box = {{0, 0, 0}, {1, 1, 1}};
    WorldView view;
    CHECK(view.status() == Status::out_of_memory);
    CHECK_FALSE(view->any_overlap(box));
    CHECK_FALSE(view.is_alive({}));
    ObjectHandle object;
    {
        World world({}, memory.hook());
        CHECK(world.view().status() == Status::ok);
        object = world.add({.box = box, .user_data = 9});
        view = world.view();
        CHECK(world.view(nullptr)->any_overlap(box));
        TaskRunner no_function;
        CHECK(world.view(&no_function).status() == Status::invalid_argument);
        REQUIRE(world.remove(object) == Status::ok);
        CHECK_FALSE(world.queries().any_overlap(box));
    }
    CHECK(memory.live_bytes > 0);
    CHECK(view->closest_object({2, 0, 0}) == ClosestObject{1, object});
    CHECK(view.user_data(object) == 9);
    WorldView moved = std::move(view);
    CHECK(view.status() == Status::out_of_memory);
    WorldView copy = moved;
    moved.release();
    CHECK_FALSE(moved.is_alive(object));
    CHECK(copy.is_alive(object));
    copy = std::move(copy);
    const WorldView& same = copy;
    copy = same;
    CHECK(copy.box(object) == box);
    CHECK(memory.live_bytes > 0);
    copy = WorldView();
    CHECK(memory.live_bytes == 0);
}

TEST_CASE("the bounds of a world, and of its view, enclose everything that can be found") {
    World world;
    CHECK(world.queries().bounds() == Aabb::empty());
    CHECK(WorldQueries().bounds() == Aabb::empty());
    const ObjectHandle a = world.add({.box = {{0, 0, 0}, {1, 1, 1}}, .kind = ObjectKind::fixed, .margin = 4});
    const ObjectHandle b = world.add({.box = {{-1, 2, 0}, {0, 3, 1}}});
    (void)world.add({.box = {{kNaN, 9, 9}, {10, 10, 10}}});
    const WorldView view = world.view();
    CHECK(view->bounds() == Aabb{{-1, 0, 0}, {1, 3, 1}});
    REQUIRE(world.set_box(a, {{5, 0, 0}, {6, 1, 1}}) == Status::ok);
    REQUIRE(world.remove(b) == Status::ok);
    CHECK(world.queries().bounds() == Aabb{{5, 0, 0}, {6, 1, 1}});
    CHECK(view->bounds() == Aabb{{-1, 0, 0}, {1, 3, 1}});
}

TEST_CASE("a restored world leaves the views of its former state intact") {
    World world;
    const ObjectHandle object = world.add({.box = {{0, 0, 0}, {1, 1, 1}}});
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    REQUIRE(world.set_box(object, {{5, 0, 0}, {6, 1, 1}}) == Status::ok);
    const WorldView before = world.view();
    REQUIRE(world.restore(bytes) == Status::ok);
    const WorldView after = world.view();
    CHECK(before.box(object).min.x == 5);
    CHECK(after.box(object).min.x == 0);
    CHECK(before->any_overlap(Vec3{5, 0, 0}));
    CHECK_FALSE(after->any_overlap(Vec3{5, 0, 0}));
}

TEST_CASE("a restored world has no latest view until it publishes one") {
    World world;
    (void)world.add({.box = {{0, 0, 0}, {1, 1, 1}}});
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    REQUIRE(world.publish() == Status::ok);
    const WorldView before = world.latest();
    REQUIRE(world.restore(bytes) == Status::ok);
    CHECK(world.latest().status() == Status::out_of_memory);
    CHECK(before->any_overlap(Vec3{0.5f, 0.5f, 0.5f}));
    REQUIRE(world.publish() == Status::ok);
    CHECK(world.latest()->any_overlap(Vec3{0.5f, 0.5f, 0.5f}));
}

TEST_CASE("views allocate until there are as many copies as are held at once, and share what is equal") {
    CountingAllocator memory;
    World world({}, memory.hook());
    Random random(3);
    std::vector<ObjectDescription> objects(2000);
    for (ObjectDescription& object : objects) {
        object.box = random_box(random, 30, 1);
        object.kind = static_cast<ObjectKind>(random.below(3));
    }
    std::vector<ObjectHandle> handles(objects.size());
    REQUIRE(world.add(objects, handles).status == Status::ok);
    const auto move = [&](std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint32_t index = random.below(2000);
            const Vec3 by = random_vec3(random, -1, 1);
            const Aabb& home = objects[index].box;
            REQUIRE(world.set_box(handles[index], {home.min + by, home.max + by}) == Status::ok);
        }
        REQUIRE(world.update().status == Status::ok);
    };
    // Allocates the buffers of updates.
    move(0);
    (void)world.queries();
    const std::size_t bytes_of_one = world.capacity_bytes();
    WorldView views[3];
    // Nothing changes in between: one copy serves all.
    for (WorldView& view : views) view = world.view();
    (void)world.queries();
    CHECK(world.capacity_bytes() == bytes_of_one);
    move(1);
    CHECK(world.queries().status() == Status::ok);
    const std::size_t bytes_of_two = world.capacity_bytes();
    CHECK(bytes_of_two > bytes_of_one);
    // The cost of a held view as its header states it.
    CHECK(bytes_of_two - bytes_of_one < 450 * objects.size());
    const auto play = [&](int frame_count) {
        for (int frame = 0; frame < frame_count; ++frame) {
            // The same motion repeatedly, so that lists of pairs have been as long before.
            random = Random(static_cast<std::uint64_t>(frame % 40));
            move(frame % 8 == 0 ? 1500 : 20);
            if (frame % 11 == 0) REQUIRE(world.set_kind(handles[7], ObjectKind::fixed) == Status::ok);
            views[frame % 3] = world.view();
            if (frame % 5 == 0) views[(frame + 1) % 3].release();
            (void)world.queries();
        }
    };
    // Long enough for every tree to be rebuilt, beside the degraded one.
    play(2400);
    const std::size_t warm = memory.allocation_count;
    const std::size_t warm_bytes = world.capacity_bytes();
    play(200);
    CHECK(memory.allocation_count == warm);
    CHECK(world.capacity_bytes() == warm_bytes);
    MESSAGE("bytes of two copies: " << bytes_of_two << ", of one: " << bytes_of_one
                                    << ", warm: " << warm_bytes);
}

TEST_CASE("making a view costs only what has changed") {
    World world;
    Random random(4);
    std::vector<ObjectDescription> objects(20000);
    for (ObjectDescription& object : objects) object.box = random_box(random, 100, 1);
    std::vector<ObjectHandle> handles(objects.size());
    REQUIRE(world.add(objects, handles).status == Status::ok);
    ShuffledRunner runner(1, 4);
    // Whole trees are built in tasks, single objects are not.
    const auto tasks_of_view = [&](WorldView& out_view) {
        const std::size_t before = runner.task_count();
        out_view = world.view(runner.runner());
        REQUIRE(out_view.status() == Status::ok);
        return runner.task_count() - before;
    };
    WorldView views[2];
    CHECK(tasks_of_view(views[0]) > 0);
    CHECK(tasks_of_view(views[1]) == 0);
    const auto change = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i)
            REQUIRE(world.set_box(handles[i], random_box(random, 100, 1)) == Status::ok);
    };
    change(0, 1);
    CHECK(tasks_of_view(views[0]) > 0);
    // From here on there are two copies.
    views[1].release();
    for (std::size_t frame = 0; frame < 100; ++frame) {
        change(200 * frame, 200);
        CHECK(tasks_of_view(views[frame % 2]) == 0);
        views[(frame + 1) % 2].release();
    }
    // A view unused for long has missed many changes.
    change(0, 1);
    WorldView old = views[0].status() == Status::ok ? views[0] : views[1];
    views[0].release();
    views[1].release();
    for (std::size_t frame = 0; frame < 50; ++frame) {
        change(200 * frame, 200);
        CHECK(tasks_of_view(views[0]) == 0);
        views[0].release();
    }
    views[0] = world.view();
    old.release();
    change(0, 1);
    CHECK(tasks_of_view(views[1]) > 0);
}

TEST_CASE("without memory for another copy a view reports it, and the world and its views continue") {
    const Aabb box = {{0, 0, 0}, {1, 1, 1}};
    for (std::size_t allowed = 0; allowed < 30; ++allowed) {
        CountingAllocator memory;
        World world({}, memory.hook());
        std::vector<ObjectHandle> handles(70);
        for (ObjectHandle& handle : handles) handle = world.add({.box = box});
        const WorldView before = world.view();
        REQUIRE(before.status() == Status::ok);
        REQUIRE(world.set_box(handles[3], {{4, 0, 0}, {5, 1, 1}}) == Status::ok);
        memory.fail_after = memory.allocation_count + allowed;
        const WorldView refused = world.view();
        const bool is_refused = refused.status() != Status::ok;
        if (is_refused) CHECK(refused.status() == Status::out_of_memory);
        CHECK(is_refused != refused->any_overlap(Vec3{4, 0, 0}));
        CHECK_FALSE(before->any_overlap(Vec3{4, 0, 0}));
        CHECK(before.is_alive(handles[69]));
        memory.fail_after = static_cast<std::size_t>(-1);
        CHECK(world.queries().any_overlap(Vec3{4, 0, 0}));
        const WorldView after = world.view();
        CHECK(after->closest_object({9, 0, 0}).target == handles[3]);
        CHECK_FALSE(before->any_overlap(Vec3{4, 0, 0}));
        if (!is_refused) CHECK(allowed > 4);
    }
}
