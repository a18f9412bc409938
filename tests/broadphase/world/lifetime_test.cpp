// Added and removed objects: handles that never resolve to another object, exhausted slots, pairs that end
// once.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/snapshot_editor.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"

#include <numeric>
#include <set>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("a stale handle never resolves to the newer object in its slot") {
    World world;
    const ObjectHandle neighbour = add_box(world, cube_at({0.5f, 0, 0}));
    const ObjectHandle old = add_box(world, cube_at({0, 0, 0}));
    update(world);
    REQUIRE(world.remove(old) == Status::ok);
    const ObjectHandle young = add_box(world, cube_at({0, 0, 0}));
    REQUIRE(young.slot() == old.slot());
    REQUIRE(young != old);
    // Neither before nor after the update that sees the removal.
    for (int round = 0; round < 2; ++round) {
        REQUIRE_FALSE(world.is_alive(old));
        REQUIRE(world.is_alive(young));
        REQUIRE(world.set_box(old, cube_at({9, 9, 9})) == Status::invalid_argument);
        REQUIRE(world.remove(old) == Status::invalid_argument);
        const ObjectHandle both[2] = {young, old};
        REQUIRE(world.set_kind(both, ObjectKind::fixed).status == Status::invalid_argument);
        REQUIRE(world.set_kind(both, ObjectKind::fixed).bad_index == 1);
        REQUIRE(world.set_filter(both, {}).bad_index == 1);
        REQUIRE(world.set_margin(both, 1).bad_index == 1);
        REQUIRE(world.set_user_data(both, 1).bad_index == 1);
        const GuardedBoxes boxes(std::vector<Aabb>(2, cube_at({9, 9, 9})));
        REQUIRE(world.set_boxes(both, boxes.view()).bad_index == 1);
        const float zeros[2] = {1, 1};
        REQUIRE(world.set_displacements(both, {zeros, zeros, zeros, 2}).bad_index == 1);
        REQUIRE(world.remove(both).bad_index == 1);
        REQUIRE(world.description(old).box == ObjectDescription{}.box);
        REQUIRE(world.description(young).box == cube_at({0, 0, 0}));
        REQUIRE(world.description(young).kind == ObjectKind::moving);
        REQUIRE_FALSE(world.boxes_overlap(old, neighbour));
        REQUIRE(world.boxes_overlap(young, neighbour));
        if (round == 0) update(world);
    }
    REQUIRE(copy_of(world.ended()) == std::vector<WorldPair>{{neighbour, old}});
    REQUIRE(copy_of(world.begun()) == std::vector<WorldPair>{{neighbour, young}});
    REQUIRE(world.pair_value(neighbour, old) == nullptr);
    REQUIRE(world.pair_value(neighbour, young) != nullptr);
}

TEST_CASE("handles that were never given out resolve to nothing") {
    World world;
    const ObjectHandle handle = add_box(world, cube_at({0, 0, 0}));
    for (const std::uint64_t value :
         {std::uint64_t{0}, handle.value ^ 1, handle.value + (std::uint64_t{1} << 32),
          handle.value - (std::uint64_t{1} << 32), ~std::uint64_t{0}, std::uint64_t{0xFFFFFFFF},
          handle.value | 0xFFFFFFFF}) {
        REQUIRE_FALSE(world.is_alive({value}));
        REQUIRE(world.remove(ObjectHandle{value}) == Status::invalid_argument);
        REQUIRE(world.pair_value({value}, handle) == nullptr);
    }
    REQUIRE(world.object_count() == 1);
}

TEST_CASE("a slot with exhausted generations is retired, and its last handle stays dead forever") {
    World world;
    const ObjectHandle other = add_box(world, cube_at({0.5f, 0, 0}));
    const ObjectHandle first = add_box(world, cube_at({0, 0, 0}));
    update(world);
    // The last generation but one of a living object, as if the slot had been used two thousand million
    // times.
    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    constexpr std::uint32_t kLastButOne = 0xFFFFFFFD;
    SnapshotEditor(bytes).set_generation(first.slot(), kLastButOne);
    REQUIRE(world.restore(bytes) == Status::ok);
    REQUIRE_FALSE(world.is_alive(first));
    const ObjectHandle late = {std::uint64_t{kLastButOne} << 32 | first.slot()};
    REQUIRE(world.is_alive(late));

    REQUIRE(world.remove(late) == Status::ok);
    const ObjectHandle last = add_box(world, cube_at({0, 0, 0}));
    REQUIRE(last.slot() == first.slot());
    REQUIRE(last.generation() == 0xFFFFFFFF);
    update(world);
    REQUIRE(copy_of(world.ended()) == std::vector<WorldPair>{{other, late}});
    REQUIRE(copy_of(world.begun()) == std::vector<WorldPair>{{other, last}});

    REQUIRE(world.remove(last) == Status::ok);
    std::set<std::uint32_t> slots;
    for (int k = 0; k < 10; ++k) slots.insert(add_box(world, cube_at({0, 0, 0})).slot());
    REQUIRE(slots.size() == 10);
    REQUIRE(slots.count(first.slot()) == 0);
    update(world);
    REQUIRE(copy_of(world.ended()) == std::vector<WorldPair>{{other, last}});
    for (const ObjectHandle dead : {first, late, last, ObjectHandle{first.slot()}}) {
        REQUIRE_FALSE(world.is_alive(dead));
    }
    REQUIRE(world.is_consistent());
    // A saved and restored world knows that a slot is retired.
    bytes.resize(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    World twin;
    REQUIRE(twin.restore(bytes) == Status::ok);
    REQUIRE(add_box(twin, cube_at({0, 0, 0})).slot() != first.slot());
    REQUIRE(twin.is_consistent());
}

TEST_CASE("objects may be removed in any order, and each removal ends its pairs once") {
    constexpr std::size_t kCount = 6;
    std::vector<std::size_t> order(kCount);
    std::iota(order.begin(), order.end(), std::size_t{0});
    do {
        World world;
        const std::vector<ObjectHandle> handles =
            add_boxes(world, std::vector<Aabb>(kCount, cube_at({0, 0, 0})));
        update(world);
        std::size_t alive = kCount;
        for (const std::size_t index : order) {
            REQUIRE(world.remove(handles[index]) == Status::ok);
            REQUIRE(update(world).ended_count == --alive);
            for (const EndedPair& pair : world.ended()) {
                REQUIRE((pair.a == handles[index] || pair.b == handles[index]));
            }
            REQUIRE(world.is_consistent());
        }
        REQUIRE(world.pair_count() == 0);
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a batch that removes an object twice, or a dead one, removes none") {
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, std::vector<Aabb>(4, cube_at({0, 0, 0})));
    update(world);
    const ObjectHandle twice[] = {handles[0], handles[1], handles[0]};
    REQUIRE(world.remove(twice).status == Status::invalid_argument);
    REQUIRE(world.remove(twice).bad_index == 2);
    for (const ObjectHandle handle : handles) REQUIRE(world.is_alive(handle));
    REQUIRE(update(world).path == UpdatePath::nothing);
    REQUIRE(world.remove(handles).status == Status::ok);
    REQUIRE(update(world).ended_count == 6);
}

TEST_CASE("objects added after a batch removal reuse its slots in its order") {
    World world;
    std::vector<ObjectHandle> handles;
    for (std::size_t i = 0; i < 100; ++i) handles.push_back(add_box(world, cube_at({0, 0, 0})));
    const std::vector<ObjectHandle> gone = {handles[7], handles[9], handles[8], handles[70], handles[0]};
    REQUIRE(world.remove(std::span<const ObjectHandle>(gone)).status == Status::ok);
    for (const ObjectHandle old : gone) CHECK(add_box(world, cube_at({0, 0, 0})).slot() == old.slot());
    CHECK(add_box(world, cube_at({0, 0, 0})).slot() == 100);
}

TEST_CASE("an object removed before its first update leaves no event") {
    World world;
    add_box(world, cube_at({0, 0, 0}));
    update(world);
    for (int round = 0; round < 3; ++round) {
        const ObjectHandle handle = add_box(world, cube_at({0, 0, 0}));
        REQUIRE(world.remove(handle) == Status::ok);
        const UpdateResult result = update(world);
        REQUIRE(result.begun_count + result.ended_count == 0);
    }
    REQUIRE(world.slot_count() == 2);
}

TEST_CASE("an object removed and added again in one frame ends and begins its pairs, each once") {
    for_each_isa([](Isa) {
        World world;
        std::vector<ObjectHandle> handles = add_boxes(world, make_scene(pair_scenes()[0], 500));
        update(world);
        const std::size_t pair_count = world.pair_count();
        REQUIRE(pair_count > 100);
        std::vector<std::size_t> begun;
        for (std::size_t i = 0; i < handles.size(); ++i) {
            std::size_t own = 0;
            for (const WorldPair& pair : world.pairs()) own += pair.a == handles[i] || pair.b == handles[i];
            if (own == 0) continue;
            const ObjectDescription same = world.description(handles[i]);
            REQUIRE(world.remove(handles[i]) == Status::ok);
            const ObjectHandle again = world.add(same);
            const UpdateResult result = update(world);
            REQUIRE(result.begun_count == own);
            REQUIRE(result.ended_count == own);
            for (const WorldPair& pair : world.begun()) REQUIRE((pair.a == again || pair.b == again));
            for (const EndedPair& pair : world.ended())
                REQUIRE((pair.a == handles[i] || pair.b == handles[i]));
            REQUIRE(world.pair_count() == pair_count);
            handles[i] = again;
            if (i > 60) break;
        }
    });
}

TEST_CASE("an object that moves away and back between two updates has no event") {
    World world;
    const ObjectHandle a = add_box(world, cube_at({0, 0, 0}));
    const ObjectHandle b = add_box(world, cube_at({0.5f, 0, 0}));
    update(world);
    *world.pair_value(a, b) = 42;
    REQUIRE(world.set_box(b, cube_at({100, 0, 0})) == Status::ok);
    REQUIRE(world.set_box(b, cube_at({0.6f, 0, 0})) == Status::ok);
    const UpdateResult result = update(world);
    REQUIRE(result.begun_count + result.ended_count == 0);
    REQUIRE(copy_of(world.persisting()) == std::vector<WorldPair>{{a, b}});
    REQUIRE(*world.pair_value(b, a) == 42);
}

TEST_CASE("a teleport takes one update: old pairs ended, new pairs begun") {
    for_each_isa([](Isa) {
        std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 600);
        for (std::size_t i = 300; i < 600; ++i) {
            boxes[i] = {boxes[i].min + Vec3{1e6f, 0, -1e6f}, boxes[i].max + Vec3{1e6f, 0, -1e6f}};
        }
        boxes.push_back(cube_at({3, 3, 3}, 2));
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        const ObjectHandle traveller = handles.back();
        update(world);
        std::vector<WorldPair> before = copy_of(world.pairs());
        for (const Vec3 goal :
             {Vec3{1e6f + 3, 3, -1e6f + 3}, Vec3{3, 3, 3}, Vec3{-1e30f, 0, 0}, Vec3{4, 4, 4}}) {
            boxes.back() = cube_at(goal, 2);
            REQUIRE(world.set_box(traveller, boxes.back()) == Status::ok);
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
            for (const WorldPair& pair : world.begun()) REQUIRE(pair.b == traveller);
            for (const EndedPair& pair : world.ended()) REQUIRE(pair.b == traveller);
            REQUIRE(world.ended().size() + world.pair_count() == before.size() + world.begun().size());
            before = copy_of(world.pairs());
        }
    });
}

TEST_CASE("the results of an update stay readable while objects are removed in response") {
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, std::vector<Aabb>(20, cube_at({0, 0, 0})));
    update(world);
    std::size_t removed = 0;
    const std::vector<WorldPair> before = copy_of(world.pairs());
    // Between finding pairs and working through them, and within the loop itself.
    for (const WorldPair& pair : world.begun()) {
        if (pair.a.slot() % 3 != 0 || !world.is_alive(pair.a)) continue;
        REQUIRE(world.pair_value(pair.a, pair.b) != nullptr);
        *world.pair_value(pair.a, pair.b) = 7;
        REQUIRE(world.remove(pair.a) == Status::ok);
        ++removed;
        add_box(world, cube_at({0, 0, 0}));
        REQUIRE(copy_of(world.pairs()) == before);
        REQUIRE(*world.pair_value(pair.a, pair.b) == 7);
    }
    REQUIRE(removed == 7);
    REQUIRE(world.begun().size() == 190);
    const UpdateResult result = update(world);
    // 13 objects stayed, and have the pairs of 13.
    REQUIRE(result.ended_count == 190 - 13 * 12 / 2);
    REQUIRE(result.begun_count == 190 - 13 * 12 / 2);
    std::size_t with_value = 0;
    for (const EndedPair& pair : world.ended()) with_value += pair.value == 7 ? 1u : 0u;
    REQUIRE(with_value == removed);
}

TEST_CASE("a batch of boxes equals single boxes set one after the other, in any order") {
    const std::vector<Aabb> before = make_scene(pair_scenes()[0], 400, 1);
    const std::vector<Aabb> after = make_scene(pair_scenes()[0], 400, 2);
    World batch;
    World single;
    const std::vector<ObjectHandle> handles = add_boxes(batch, before);
    REQUIRE(add_boxes(single, before) == handles);
    update(batch);
    update(single);
    const GuardedBoxes boxes(after);
    REQUIRE(batch.set_boxes(handles, boxes.view()).status == Status::ok);
    for (std::size_t i = handles.size(); i-- > 0;) {
        REQUIRE(single.set_box(handles[i], cube_at({9, 9, 9})) == Status::ok);
        REQUIRE(single.set_box(handles[i], after[i]) == Status::ok);
    }
    update(batch);
    update(single);
    REQUIRE(copy_of(batch.pairs()) == copy_of(single.pairs()));
    REQUIRE(copy_of(batch.begun()) == copy_of(single.begun()));
    REQUIRE(copy_of(batch.ended()) == copy_of(single.ended()));
    REQUIRE(batch.pairs_hash() == single.pairs_hash());
    // Different counts are refused.
    REQUIRE(batch.set_boxes(std::span(handles).first(3), boxes.view()).status == Status::invalid_argument);
    REQUIRE(batch.set_boxes(handles, BoxSoaView{.count = 400}).status == Status::invalid_argument);
}

TEST_CASE(
    "runs of handles of any length, at any slot, are set like single ones, and only different boxes count as "
    "changed") {
    Random random(21);
    constexpr std::size_t kCount = 1000;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount);
    World batch;
    World single;
    const std::vector<ObjectHandle> handles = add_boxes(batch, boxes);
    REQUIRE(add_boxes(single, boxes) == handles);
    update(batch);
    update(single);
    for (int step = 0; step < 60; ++step) {
        // Runs with gaps, of boxes that move, stay, change the sign of a zero, or are invalid.
        std::vector<ObjectHandle> named;
        std::vector<Aabb> values;
        for (std::size_t i = random.below(70); i < kCount; ++i) {
            if (random.chance(step % 3 == 0 ? 200 : 20)) i += random.below(100);
            if (i >= kCount) break;
            if (!random.chance(3)) boxes[i] = uniform_box(random, i, kCount);
            if (random.chance(100)) boxes[i] = adversarial_box(random);
            named.push_back(handles[i]);
            values.push_back(boxes[i]);
        }
        const GuardedBoxes view(values);
        REQUIRE(batch.set_boxes(named, view.view()).status == Status::ok);
        set_all(single, named, values);
        REQUIRE(update(batch).changed_count == update(single).changed_count);
        REQUIRE(copy_of(batch.pairs()) == expected_pairs(handles, boxes));
        REQUIRE(copy_of(batch.begun()) == copy_of(single.begun()));
        REQUIRE(copy_of(batch.ended()) == copy_of(single.ended()));
        REQUIRE(batch.is_consistent());
    }
}

TEST_CASE("resting objects that overlap fixed ones by the thousand cost an update nothing") {
    World world;
    constexpr std::size_t kCount = 3000;
    // A heap of fixed objects at one position, as in imported levels.
    add_boxes(world, std::vector<Aabb>(kCount, cube_at({0, 0, 0})), ObjectKind::fixed);
    const ObjectHandle walker = add_box(world, cube_at({50, 0, 0}));
    update(world);
    REQUIRE(world.pair_count() == 0);
    for (int step = 0; step < 20; ++step) {
        REQUIRE(world.set_box(walker, cube_at({50 + 0.1f * static_cast<float>(step + 1), 0, 0})) ==
                Status::ok);
        const UpdateResult result = update(world);
        REQUIRE(result.changed_count == 1);
        REQUIRE(result.pair_count == 0);
    }
    REQUIRE(update(world).path == UpdatePath::nothing);
    REQUIRE(world.set_box(walker, cube_at({0.5f, 0, 0})) == Status::ok);
    REQUIRE(update(world).begun_count == kCount);
}
