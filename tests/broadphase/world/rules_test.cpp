// Pairs allowed by kinds, masks, groups and layers, and the effect of any change of them on living pairs.
#include "tests/broadphase/world/support.hpp"
#include "tests/support/generators.hpp"

#include <set>

using namespace broadside;
using namespace broadside::test;

namespace {

// Two objects that overlap, and the state of their pair.
struct Couple {
    World world;
    ObjectHandle a;
    ObjectHandle b;

    explicit Couple(const WorldSettings& settings = {})
        : world(settings), a(add_box(world, cube_at({0, 0, 0}))), b(add_box(world, cube_at({0.5f, 0, 0}))) {
        update(world);
        REQUIRE(is_pair());
    }
    bool is_pair() { return world.pair_count() == 1; }
    void expect_ended() {
        const UpdateResult result = update(world);
        REQUIRE(result.begun_count == 0);
        REQUIRE(copy_of(world.ended()) == std::vector<WorldPair>{{a, b}});
        REQUIRE_FALSE(is_pair());
        expect_calm();
    }
    void expect_begun() {
        const UpdateResult result = update(world);
        REQUIRE(result.ended_count == 0);
        REQUIRE(copy_of(world.begun()) == std::vector<WorldPair>{{a, b}});
        REQUIRE(is_pair());
        expect_calm();
    }
    void expect_calm() {
        const UpdateResult result = update(world);
        REQUIRE(result.begun_count + result.ended_count == 0);
        REQUIRE(world.is_consistent());
    }
    void set(ObjectHandle handle, const ObjectFilter& filter) {
        REQUIRE(world.set_filter(std::span(&handle, 1), filter).status == Status::ok);
    }
    void set(ObjectHandle handle, ObjectKind kind) {
        REQUIRE(world.set_kind(std::span(&handle, 1), kind).status == Status::ok);
    }
};

}  // namespace

TEST_CASE("a change of category or mask affects a living pair even if nothing moves") {
    Couple couple;
    couple.set(couple.a, {.mask = 0});
    couple.expect_ended();
    couple.set(couple.a, {.mask = 1});
    couple.expect_begun();
    couple.set(couple.b, {.category = 2});
    couple.expect_ended();
    couple.set(couple.a, {.mask = 3});
    couple.expect_begun();
    couple.set(couple.a, ObjectFilter{});
    couple.set(couple.b, ObjectFilter{});
    couple.expect_calm();
    // Highest bits count too.
    couple.set(couple.a, {.category = std::uint64_t{1} << 63});
    couple.set(couple.b, {.mask = ~(std::uint64_t{1} << 63)});
    couple.expect_ended();
}

TEST_CASE("rules are applied to thousands of pairs in parts, which are compacted after removals") {
    constexpr std::uint32_t kObjectCount = 200;
    World world;
    std::vector<ObjectHandle> handles;
    for (std::uint32_t i = 0; i < kObjectCount; ++i) handles.push_back(add_box(world, cube_at({0, 0, 0})));
    // 19,900 pairs, of which the rules keep those whose objects have one remainder; another divisor each
    // time.
    for (const std::uint32_t divisor : {3u, 1u, 7u}) {
        INFO("divisor " << divisor);
        for (std::uint32_t i = 0; i < kObjectCount; ++i) {
            const std::uint64_t bit = std::uint64_t{1} << i % divisor;
            REQUIRE(world.set_filter(std::span(&handles[i], 1), {.category = bit, .mask = bit}).status ==
                    Status::ok);
        }
        std::vector<WorldPair> expected;
        for (std::uint32_t i = 0; i < kObjectCount; ++i) {
            for (std::uint32_t k = i + 1; k < kObjectCount; ++k) {
                if (i % divisor == k % divisor) expected.push_back({handles[i], handles[k]});
            }
        }
        update(world);
        REQUIRE(world.pair_count() == expected.size());
        CHECK((copy_of(world.pairs()) == expected));
        REQUIRE(world.is_consistent());
    }
}

TEST_CASE("the masks of both sides must agree") {
    Couple couple;
    couple.set(couple.a, {.category = 1, .mask = 2});
    couple.set(couple.b, {.category = 2, .mask = 4});
    couple.expect_ended();
    couple.set(couple.b, {.category = 2, .mask = 1});
    couple.expect_begun();
    couple.set(couple.a, {.category = 1, .mask = 4});
    couple.expect_ended();
}

TEST_CASE("a common group overrides the masks, a negative one forbids, and other groups change nothing") {
    Couple couple;
    couple.set(couple.a, {.mask = 0, .group = 5});
    couple.expect_ended();
    couple.set(couple.b, {.group = 5});
    couple.expect_begun();
    couple.set(couple.b, {.group = -5});
    couple.expect_ended();
    couple.set(couple.a, {.group = -5});
    couple.expect_calm();
    REQUIRE_FALSE(couple.is_pair());
    couple.set(couple.a, {.group = -6});
    couple.expect_begun();
    couple.set(couple.a, {.group = -5});
    couple.expect_ended();
    couple.set(couple.a, ObjectFilter{});
    couple.expect_begun();
}

TEST_CASE("layers pair as the matrix says, in both directions, and a change of it affects all pairs") {
    Couple couple;
    couple.set(couple.a, ObjectFilter{.layer = 3});
    couple.set(couple.b, ObjectFilter{.layer = 63});
    couple.expect_calm();
    REQUIRE(couple.world.set_layers_pair(63, 3, false) == Status::ok);
    REQUIRE_FALSE(couple.world.layers_pair(3, 63));
    REQUIRE_FALSE(couple.world.layers_pair(63, 3));
    REQUIRE(couple.world.layers_pair(3, 3));
    couple.expect_ended();
    REQUIRE(couple.world.set_layers_pair(3, 63, true) == Status::ok);
    couple.expect_begun();
    REQUIRE(couple.world.set_layers_pair(3, 3, false) == Status::ok);
    couple.expect_calm();
    couple.set(couple.b, ObjectFilter{.layer = 3});
    couple.expect_ended();
    // A group does not override a layer.
    couple.set(couple.a, {.group = 1, .layer = 3});
    couple.set(couple.b, {.group = 1, .layer = 3});
    couple.expect_calm();
    REQUIRE_FALSE(couple.is_pair());
    couple.set(couple.b, {.group = 1});
    couple.expect_begun();
}

TEST_CASE("all 65,536 layers can have rules, any number of them, and lose them again") {
    Couple couple;
    Random random(14);
    std::set<std::pair<std::uint32_t, std::uint32_t>> forbidden;
    for (int i = 0; i < 3000; ++i) {
        const std::uint32_t a = random.chance(2) ? random.below(40) : random.below(kLayerCount);
        const std::uint32_t b = random.chance(2) ? random.below(40) : random.below(kLayerCount);
        const bool may_pair = random.chance(3);
        REQUIRE(couple.world.set_layers_pair(a, b, may_pair) == Status::ok);
        const auto key = std::minmax(a, b);
        may_pair ? (void)forbidden.erase(key) : (void)forbidden.insert(key);
    }
    REQUIRE(forbidden.size() > 1000);
    for (std::uint32_t a = 0; a < 50; ++a) {
        for (std::uint32_t b = 0; b < 50; ++b) {
            REQUIRE(couple.world.layers_pair(a, b) == (forbidden.count(std::minmax(a, b)) == 0));
        }
    }
    for (const auto& [a, b] : forbidden) REQUIRE_FALSE(couple.world.layers_pair(b, a));
    std::vector<std::byte> bytes(couple.world.snapshot_bytes());
    REQUIRE(couple.world.save(bytes) == Status::ok);
    World restored;
    REQUIRE(restored.restore(bytes) == Status::ok);
    for (const auto& [a, b] : forbidden) {
        REQUIRE_FALSE(restored.layers_pair(a, b));
        REQUIRE(couple.world.set_layers_pair(b, a, true) == Status::ok);
        REQUIRE(couple.world.layers_pair(a, b));
    }
    couple.expect_calm();
    // Without a rule there is nothing more to keep.
    REQUIRE(couple.world.snapshot_bytes() == bytes.size() - forbidden.size() * 4);
}

TEST_CASE("a rule for two layers affects their objects and no others") {
    Couple couple;
    couple.set(couple.a, ObjectFilter{.layer = 65535});
    couple.set(couple.b, ObjectFilter{.layer = 64});
    couple.expect_calm();
    REQUIRE(couple.world.set_layers_pair(7, 8, false) == Status::ok);
    REQUIRE(update(couple.world).path == UpdatePath::nothing);
    REQUIRE(couple.world.set_layers_pair(65535, 8, false) == Status::ok);
    REQUIRE(update(couple.world).changed_count == 1);
    REQUIRE(couple.world.set_layers_pair(64, 65535, false) == Status::ok);
    couple.expect_ended();
}

TEST_CASE("a moved fixed object begins and ends pairs with objects that are not fixed, and with no others") {
    for (const bool fixed_objects_pair : {false, true}) {
        WorldSettings settings;
        settings.fixed_objects_pair = fixed_objects_pair;
        World world(settings);
        const ObjectHandle wall = world.add(described(cube_at({0, 0, 0}), ObjectKind::fixed));
        const ObjectHandle other_wall = world.add(described(cube_at({5, 0, 0}), ObjectKind::fixed));
        const ObjectHandle body = world.add(described(cube_at({5, 0, 0}), ObjectKind::resting));
        REQUIRE(update(world).begun_count == 1);
        REQUIRE(world.set_box(wall, cube_at({5, 0.1f, 0})) == Status::ok);
        REQUIRE(update(world).begun_count == (fixed_objects_pair ? 2 : 1));
        REQUIRE(world.set_box(wall, cube_at({-5, 0, 0})) == Status::ok);
        REQUIRE(update(world).ended_count == (fixed_objects_pair ? 2 : 1));
        REQUIRE(world.pair_value(other_wall, body) != nullptr);
        REQUIRE(world.pair_count() == 1);
    }
}

TEST_CASE("margins and displacements are rounded outwards, so no pair within them is missed") {
    // Floats there are even, so half a step beyond rounds to nearest back to the box.
    constexpr float kFar = 16777216;
    for (const bool is_swept : {false, true}) {
        for (const float side : {1.0f, -1.0f}) {
            const float near = kFar * side;
            const float next = (kFar + 2) * side;
            ObjectDescription grown = described({{std::min(near, 0.0f), 0, 0}, {std::max(near, 0.0f), 1, 1}});
            if (is_swept) {
                grown.displacement = {0.5f * side, 0, 0};
            } else {
                grown.margin = 0.5f;
            }
            World world;
            (void)world.add(grown);
            add_box(world, {{std::min(next, 2 * next), 0, 0}, {std::max(next, 2 * next), 1, 1}});
            REQUIRE(update(world).pair_count == 1);
            REQUIRE(world.is_consistent());
        }
    }
}

TEST_CASE("a layer out of range is refused, and nothing changes") {
    Couple couple;
    REQUIRE(couple.world.set_layers_pair(65536, 0, false) == Status::invalid_argument);
    REQUIRE(couple.world.set_layers_pair(0, 65536, false) == Status::invalid_argument);
    REQUIRE_FALSE(couple.world.layers_pair(65536, 0));
    REQUIRE_FALSE(couple.world.layers_pair(0, 65536));
    const ObjectHandle both[2] = {couple.a, couple.b};
    REQUIRE(couple.world.set_kind(both, static_cast<ObjectKind>(3)).status == Status::invalid_argument);
    ObjectDescription bad[2] = {described(cube_at({0, 0, 0})), described(cube_at({0, 0, 0}))};
    ObjectHandle handles[2];
    bad[1].margin = -1;
    REQUIRE(couple.world.add(bad, handles).bad_index == 1);
    REQUIRE(couple.world.add(bad, std::span(handles).first(1)).status == Status::capacity_exceeded);
    REQUIRE(couple.world.object_count() == 2);
    REQUIRE(update(couple.world).path == UpdatePath::nothing);
}

TEST_CASE(
    "an object that becomes fixed loses its pairs with fixed ones, and regains them when it is no longer "
    "fixed") {
    Couple couple;
    couple.set(couple.a, ObjectKind::fixed);
    couple.expect_calm();
    REQUIRE(couple.is_pair());
    couple.set(couple.b, ObjectKind::fixed);
    couple.expect_ended();
    couple.set(couple.a, ObjectKind::resting);
    couple.expect_begun();
    couple.set(couple.a, ObjectKind::moving);
    couple.expect_calm();
    couple.set(couple.b, ObjectKind::resting);
    couple.set(couple.a, ObjectKind::resting);
    couple.expect_calm();
    REQUIRE(couple.is_pair());
}

TEST_CASE("fixed objects pair with each other if the settings say so, and then by the other rules") {
    WorldSettings settings;
    settings.fixed_objects_pair = true;
    Couple couple(settings);
    couple.set(couple.a, ObjectKind::fixed);
    couple.set(couple.b, ObjectKind::fixed);
    couple.expect_calm();
    REQUIRE(couple.is_pair());
    couple.set(couple.a, {.group = -1});
    couple.set(couple.b, {.group = -1});
    couple.expect_ended();
}

TEST_CASE("fixed and resting objects may be moved like any other") {
    for (const ObjectKind kind : {ObjectKind::fixed, ObjectKind::resting}) {
        World world;
        const ObjectHandle wall = add_box(world, cube_at({10, 0, 0}), kind);
        const ObjectHandle sphere = add_box(world, cube_at({0, 0, 0}));
        update(world);
        REQUIRE(world.set_box(wall, cube_at({0.5f, 0, 0})) == Status::ok);
        REQUIRE(update(world).begun_count == 1);
        REQUIRE(world.set_box(wall, cube_at({10, 0, 0})) == Status::ok);
        REQUIRE(update(world).ended_count == 1);
        REQUIRE(world.is_alive(sphere));
    }
}
