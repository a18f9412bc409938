// Begun, persisting and ended pairs: complete, each event once, in one order; margins, swept boxes, origin
// shifts.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <map>
#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

bool is_in_order(const std::vector<WorldPair>& pairs) {
    return std::is_sorted(pairs.begin(), pairs.end(), [](const WorldPair& x, const WorldPair& y) {
        return std::pair(x.a.slot(), x.b.slot()) <= std::pair(y.a.slot(), y.b.slot());
    });
}

}  // namespace

TEST_CASE("the pairs alive are always the sum of begun and ended pairs; each event comes once") {
    for_each_isa([](Isa) {
        Random random(9);
        constexpr std::size_t kCount = 800;
        std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount);
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        std::set<std::pair<std::uint64_t, std::uint64_t>> followed;
        for (int step = 0; step < 60; ++step) {
            // Few move, all move, a few jump.
            const std::uint32_t one_in = step % 3 == 0 ? 1 : step % 3 == 1 ? 10 : 100;
            for (Aabb& box : boxes) {
                if (!random.chance(one_in)) continue;
                const Vec3 by = random_vec3(random, -0.2f, 0.2f) * (step % 3 == 2 ? 50.0f : 1.0f);
                box = {box.min + by, box.max + by};
            }
            set_all(world, handles, boxes);
            update(world);
            for (const WorldPair& pair : world.begun()) {
                REQUIRE(followed.emplace(pair.a.value, pair.b.value).second);
            }
            for (const EndedPair& pair : world.ended()) {
                REQUIRE(followed.erase({pair.a.value, pair.b.value}) == 1);
            }
            REQUIRE(followed.size() == world.pair_count());
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
            REQUIRE(world.persisting().size() + world.begun().size() == world.pairs().size());
            for (const auto& list : {copy_of(world.begun()), copy_of(world.persisting()),
                                     copy_of(world.ended()), copy_of(world.pairs())}) {
                REQUIRE(is_in_order(list));
            }
        }
    });
}

TEST_CASE("touching pairs begin, and end one ulp further apart") {
    World world;
    const ObjectHandle a = add_box(world, {{0, 0, 0}, {1, 1, 1}});
    const ObjectHandle b = add_box(world, {{1, 1, 1}, {2, 2, 2}});
    REQUIRE(update(world).begun_count == 1);
    REQUIRE(world.set_box(b, {{std::nextafterf(1, 2), 1, 1}, {2, 2, 2}}) == Status::ok);
    REQUIRE(update(world).ended_count == 1);
    REQUIRE(world.set_box(b, {{1, 1, 1}, {1, 1, 1}}) == Status::ok);
    REQUIRE(update(world).begun_count == 1);
    REQUIRE(world.boxes_overlap(a, b));
}

TEST_CASE("an object whose box is not set keeps its position, and setting the same box is no change") {
    World world;
    const ObjectHandle a = add_box(world, cube_at({0, 0, 0}));
    update(world);
    REQUIRE(update(world).path == UpdatePath::nothing);
    REQUIRE(world.set_box(a, cube_at({0, 0, 0})) == Status::ok);
    REQUIRE(update(world).changed_count == 0);
    // Minus zero is another box, with the same pairs.
    REQUIRE(world.set_box(a, {{0, 0, 0}, {1, 1, 1}}) == Status::ok);
    const ObjectHandle b = add_box(world, {{-1, -1, -1}, {-0.0f, -0.0f, -0.0f}});
    REQUIRE(update(world).begun_count == 1);
    REQUIRE(world.set_box(b, {{-1, -1, -1}, {0, 0, 0}}) == Status::ok);
    const UpdateResult result = update(world);
    REQUIRE(result.begun_count + result.ended_count == 0);
}

TEST_CASE("a resize counts as a change, like a motion") {
    for_each_isa([](Isa) {
        std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 300);
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        for (const float growth : {0.0f, 3.0f, -3.0f, 20.0f, -20.1f, 0.2f}) {
            for (std::size_t i = 0; i < boxes.size(); i += 13) boxes[i] = expanded(boxes[i], growth);
            set_all(world, handles, boxes);
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        }
    });
}

TEST_CASE(
    "pairs are found with their margins: near contacts are pairs, and the tight test tells them apart") {
    World world;
    ObjectDescription description = described(cube_at({0, 0, 0}));
    description.margin = 0.25f;
    const ObjectHandle a = world.add(description);
    description.box = cube_at({1.5f, 0, 0});
    const ObjectHandle b = world.add(description);
    REQUIRE(update(world).begun_count == 1);
    REQUIRE_FALSE(world.boxes_overlap(a, b));
    REQUIRE(world.set_box(b, cube_at({1, 0, 0})) == Status::ok);
    update(world);
    REQUIRE(world.boxes_overlap(a, b));
    REQUIRE(world.set_box(b, cube_at({1.625f, 0, 0})) == Status::ok);
    REQUIRE(update(world).ended_count == 1);
    const ObjectHandle both[2] = {a, b};
    REQUIRE(world.set_margin(both, 0.5f).status == Status::ok);
    REQUIRE(update(world).begun_count == 1);
    REQUIRE(world.description(a).margin == 0.5f);
    REQUIRE(world.description(b).box == cube_at({1.625f, 0, 0}));
}

TEST_CASE("a pair within its margin does not end and begin again while its objects jitter") {
    World world;
    ObjectDescription description = described(cube_at({0, 0, 0}));
    description.margin = 0.125f;
    const ObjectHandle a = world.add(description);
    description.box = cube_at({1, 0, 0});
    const ObjectHandle b = world.add(description);
    REQUIRE(update(world).begun_count == 1);
    // Reading does not start the keeping of values.
    REQUIRE(std::as_const(world).pair_value(a, b) == nullptr);
    *world.pair_value(a, b) = 99;
    REQUIRE(std::as_const(world).pair_value(b, a) == world.pair_value(a, b));
    REQUIRE(std::as_const(world).pair_value(a, a) == nullptr);
    for (int step = 0; step < 50; ++step) {
        // Apart and together in turns, by less than the margins.
        REQUIRE(world.set_box(b, cube_at({step % 2 == 0 ? 1.2f : 0.9f, 0, 0})) == Status::ok);
        const UpdateResult result = update(world);
        REQUIRE(result.begun_count + result.ended_count == 0);
        REQUIRE(*world.pair_value(a, b) == 99);
        REQUIRE(world.boxes_overlap(a, b) == (step % 2 == 1));
    }
}

TEST_CASE(
    "a swept box pairs with everything that it passes in the step, at any speed, and with nothing beside its "
    "path") {
    for_each_isa([](Isa) {
        std::vector<Aabb> posts;
        for (int k = 0; k < 2000; ++k) posts.push_back(cube_at({3 * static_cast<float>(k), 0, 0}, 0.1f));
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, posts, ObjectKind::fixed);
        ObjectDescription fast = described(cube_at({-1, 0, 0}));
        fast.displacement = {3000, 0, 0};
        const ObjectHandle bullet = world.add(fast);
        // The sweep ends at 2999 + 0.5.
        REQUIRE(update(world).begun_count == 1000);
        REQUIRE_FALSE(world.boxes_overlap(bullet, handles[0]));
        const float back[1] = {-3000};
        const float zero[1] = {0};
        REQUIRE(world.set_displacements(std::span(&bullet, 1), {back, zero, zero, 1}).status == Status::ok);
        REQUIRE(update(world).ended_count == 1000);
        REQUIRE(world.set_box(bullet, cube_at({2999, 0, 0})) == Status::ok);
        REQUIRE(update(world).begun_count == 1000);
        REQUIRE(world.set_box(bullet, cube_at({2999, 2, 0})) == Status::ok);
        REQUIRE(update(world).ended_count == 1000);
    });
}

TEST_CASE("values stay with their pairs while other pairs come and go") {
    Random random(3);
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], 400);
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> values;
    for (int step = 0; step < 40; ++step) {
        update(world);
        for (const EndedPair& pair : world.ended()) {
            REQUIRE(values.at({pair.a.value, pair.b.value}) == pair.value);
            values.erase({pair.a.value, pair.b.value});
        }
        for (const WorldPair& pair : world.begun()) {
            REQUIRE(*world.pair_value(pair.a, pair.b) == 0);
            const std::uint64_t value = random.next();
            *world.pair_value(pair.b, pair.a) = value;
            values[{pair.a.value, pair.b.value}] = value;
        }
        for (const WorldPair& pair : world.pairs()) {
            REQUIRE(*world.pair_value(pair.a, pair.b) == values.at({pair.a.value, pair.b.value}));
        }
        for (Aabb& box : boxes) {
            const Vec3 by = random_vec3(random, -0.3f, 0.3f);
            box = {box.min + by, box.max + by};
        }
        set_all(world, handles, boxes);
    }
    REQUIRE(world.pair_value(handles[0], handles[0]) == nullptr);
    REQUIRE(world.pair_value({}, handles[0]) == nullptr);
}

TEST_CASE("an origin shift without rounding changes no pair and has no event") {
    for_each_isa([](Isa) {
        const std::vector<Aabb> boxes = make_scene(pair_scenes()[1], 600);
        World world;
        add_boxes(world, boxes);
        const ObjectHandle sky =
            add_box(world, {{-kInfinity, 3, -kInfinity}, {kInfinity, kInfinity, kInfinity}});
        ObjectDescription shaped = described(cube_at({2, 2, 2}));
        shaped.margin = 0.5f;
        shaped.displacement = {1, 0, -1};
        const ObjectHandle swept_one = world.add(shaped);
        update(world);
        const std::vector<WorldPair> before = copy_of(world.pairs());
        const std::uint64_t hash = world.pairs_hash();
        for (const Vec3 offset : {Vec3{1024, -512, 4096}, Vec3{-1024, 512, -4096}, Vec3{0, 0, 0}}) {
            REQUIRE(world.shift_origin(offset) == Status::ok);
            const UpdateResult result = update(world);
            REQUIRE(result.begun_count + result.ended_count == 0);
            REQUIRE(copy_of(world.pairs()) == before);
            REQUIRE(world.pairs_hash() == hash);
        }
        REQUIRE(world.description(swept_one).box == shaped.box);
        REQUIRE(world.description(sky).box.min.y == 3);
        REQUIRE(world.is_consistent());
    });
}

TEST_CASE("an update without changes begins nothing, ends nothing, and keeps the pairs") {
    World world;
    add_boxes(world, make_scene(pair_scenes()[0], 500));
    update(world);
    const std::vector<WorldPair> pairs = copy_of(world.pairs());
    for (int round = 0; round < 3; ++round) {
        const UpdateResult result = update(world);
        REQUIRE(result.path == UpdatePath::nothing);
        REQUIRE(world.begun().empty());
        REQUIRE(world.ended().empty());
        REQUIRE(copy_of(world.persisting()) == pairs);
        REQUIRE(copy_of(world.pairs()) == pairs);
    }
}

TEST_CASE("a world that is empty, or was emptied, returns nothing") {
    World world;
    for (int round = 0; round < 2; ++round) {
        REQUIRE(update(world).pair_count == 0);
        REQUIRE(world.object_count() == 0);
        REQUIRE(world.pairs().empty());
        REQUIRE(world.pairs_hash() == 0);
        REQUIRE(world.is_consistent());
        REQUIRE(world.remove(std::span<const ObjectHandle>()).status == Status::ok);
        if (round == 0) {
            const std::vector<ObjectHandle> handles =
                add_boxes(world, std::vector<Aabb>(100, cube_at({0, 0, 0})));
            update(world);
            REQUIRE(world.remove(handles).status == Status::ok);
            REQUIRE(update(world).ended_count == 4950);
        }
    }
}

TEST_CASE("begun pairs report the user data of their objects at the first call, even if a slot is reused") {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        World world({.order = order});
        const ObjectHandle first = world.add({.box = cube_at({0, 0, 0}), .user_data = 5});
        const ObjectHandle second = world.add({.box = cube_at({0, 0, 0}), .user_data = 6});
        REQUIRE(update(world).begun_count == 1);
        REQUIRE(world.set_user_data(first, 50) == Status::ok);
        REQUIRE(world.remove(second) == Status::ok);
        REQUIRE(world.add({.user_data = 7}).slot() == second.slot());
        REQUIRE(world.begun_user_data().size() == 1);
        CHECK(world.begun_user_data()[0] == PairUserData{50, 6});
        REQUIRE(world.set_user_data(first, 51) == Status::ok);
        CHECK(world.begun_user_data()[0] == PairUserData{50, 6});
    }
}

TEST_CASE("ended pairs report the user data of their objects, even if their slots are reused" * kLong) {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        WorldSettings settings;
        settings.order = order;
        World world(settings);
        Random random(5);
        std::map<std::uint64_t, std::uint64_t> data_of;
        std::vector<ObjectHandle> handles;
        std::size_t ended_count = 0;
        for (int step = 0; step < 400; ++step) {
            // User data at the last update, and as set since then.
            const std::map<std::uint64_t, std::uint64_t> data_before = data_of;
            for (std::uint32_t k = random.below(step % 3 == 0 ? 60 : 4); k > 0 && handles.size() > 20; --k) {
                std::swap(handles[random.below(static_cast<std::uint32_t>(handles.size()))], handles.back());
                if (random.chance(2)) {
                    data_of[handles.back().value] = random.below(1000);
                    REQUIRE(world.set_user_data(handles.back(), data_of[handles.back().value]) == Status::ok);
                }
                REQUIRE(world.remove(handles.back()) == Status::ok);
                handles.pop_back();
            }
            while (handles.size() < 150) {
                const std::uint64_t data = random.below(1000);
                handles.push_back(world.add({.box = random_box(random, 4, 2), .user_data = data}));
                data_of[handles.back().value] = data;
            }
            for (int k = 0; k < 5; ++k) {
                const ObjectHandle handle = handles[random.below(150)];
                REQUIRE(world.set_box(handle, random_box(random, 4, 2)) == Status::ok);
                data_of[handle.value] = random.below(1000);
                REQUIRE(world.set_user_data(handle, data_of[handle.value]) == Status::ok);
            }
            (void)update(world);
            const std::span<const PairUserData> data = world.ended_user_data();
            REQUIRE(data.size() == world.ended().size());
            const auto& expected = order == WorldOrder::slot ? data_of : data_before;
            for (std::size_t k = 0; k < data.size(); ++k, ++ended_count) {
                const EndedPair& pair = world.ended()[k];
                const bool is_known =
                    data[k] == PairUserData{expected.at(pair.a.value), expected.at(pair.b.value)};
                if (!is_known) REQUIRE(is_known);
            }
            if (step % 50 == 0) world.shrink();
        }
        CHECK(ended_count > 1000);
    }
}
