// Small worlds that switch between algorithms: an update never trusts data that updates by other algorithms
// have made stale.
#include "tests/broadphase/world/checked_world.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/faulty_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

Aabb shifted(const Aabb& box, Vec3 by) { return {box.min + by, box.max + by}; }

/// Removes some objects and adds others elsewhere, which reuse those slots in any order, or moves the same
/// ones and changes their kind.
void replace_some(CheckedWorld& state, std::size_t count) {
    std::vector<std::size_t> items;
    for (std::size_t k = 0; k < count; ++k)
        items.push_back(state.random.below(static_cast<std::uint32_t>(state.boxes.size())));
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
    const bool are_new = state.random.chance(2);
    for (const std::size_t i : items) {
        const ObjectKind kind = state.world.description(state.handles[i]).kind;
        const bool is_moving = kind == ObjectKind::moving;
        if (are_new) {
            REQUIRE(state.world.remove(state.handles[i]) == Status::ok);
        } else {
            const ObjectKind other = is_moving ? ObjectKind::resting : ObjectKind::moving;
            REQUIRE(state.world.set_kind({&state.handles[i], 1}, other).status == Status::ok);
        }
    }
    for (const std::size_t i : items) {
        state.boxes[i] = uniform_box(state.random, i, state.boxes.size());
        if (are_new) {
            state.handles[i] = add_box(state.world, state.boxes[i]);
        } else {
            REQUIRE(state.world.set_box(state.handles[i], state.boxes[i]) == Status::ok);
        }
    }
}

}  // namespace

TEST_CASE("R1: new objects anywhere among drifting ones have all their pairs, at any thresholds") {
    std::size_t movers_updates = 0;
    for_each_isa([&](Isa) {
        for (int round = 0; round < 12 * test_scale(); ++round) {
            INFO("round " << round);
            const DrawnThresholds drawn(static_cast<std::uint64_t>(round));
            Random random(900 + static_cast<std::uint64_t>(round));
            CheckedWorld checked(random, 60 + random.below(140), 60 + random.below(100));
            checked.has_values = random.chance(3);
            const std::uint32_t objects_per_mover = 1 + random.below(30);
            std::vector<Vec3> steps;
            for (std::size_t i = 0; i < checked.boxes.size(); ++i)
                steps.push_back(random_vec3(random, -0.02f, 0.02f));
            for (int update_count = 0; update_count < 60; ++update_count) {
                for (std::size_t i = 0; i < checked.boxes.size(); i += objects_per_mover)
                    checked.set(i, shifted(checked.boxes[i], steps[i]));
                if (update_count % 7 == 6) replace_some(checked, 1 + random.below(8));
                movers_updates += checked.check() == UpdatePath::movers ? 1u : 0u;
            }
        }
    });
    CHECK(movers_updates > 100);
}

TEST_CASE(
    "R1: objects that become fixed among drifting ones lose the pairs that rules forbid, at any thresholds") {
    for_each_isa([&](Isa) {
        for (int round = 0; round < 20 * test_scale(); ++round) {
            INFO("round " << round);
            const DrawnThresholds drawn(static_cast<std::uint64_t>(round));
            // Regions are rebuilt object by object, and often.
            tested_thresholds().candidates.members_per_stale = 1;
            tested_thresholds().candidates.life_min = tested_thresholds().candidates.life_max = 4;
            Random random(800 + static_cast<std::uint64_t>(round));
            const std::size_t count = 60 + random.below(60);
            CheckedWorld checked(random, count, count / 3);
            checked.has_values = random.chance(3);
            std::vector<Vec3> steps;
            for (std::size_t i = 0; i < count; ++i) steps.push_back(random_vec3(random, -0.02f, 0.02f));
            for (int update_count = 0; update_count < 40; ++update_count) {
                for (std::size_t i = 0; i < count; ++i) checked.set(i, shifted(checked.boxes[i], steps[i]));
                if (random.chance(2)) checked.fix(random.below(static_cast<std::uint32_t>(count)));
                (void)checked.check();
            }
        }
    });
}

TEST_CASE(
    "R1: a world that grows while objects drift and are replaced has no extra pair, at any thresholds") {
    for_each_isa([&](Isa) {
        for (int round = 0; round < 20 * test_scale(); ++round) {
            INFO("round " << round);
            const DrawnThresholds drawn(static_cast<std::uint64_t>(round));
            // Candidates of removed objects stay in their lists for long.
            tested_thresholds().candidates.life_max = 64;
            tested_thresholds().candidates.use_count_min = 1;
            Random random(600 + static_cast<std::uint64_t>(round));
            CheckedWorld checked(random, 110, 100);
            checked.has_values = random.chance(3);
            for (int update_count = 0; update_count < 90; ++update_count) {
                for (std::size_t i = 0; i < checked.boxes.size(); ++i)
                    checked.set(i, shifted(checked.boxes[i], {0.001f, 0, 0}));
                if (update_count % 5 == 4) replace_some(checked, 1 + random.below(3));
                if (random.chance(4)) {
                    checked.boxes.push_back(uniform_box(random, checked.boxes.size(), 100));
                    checked.handles.push_back(add_box(checked.world, checked.boxes.back()));
                }
                (void)checked.check();
            }
        }
    });
}

TEST_CASE("R2: a tree that missed an update is not used by queries, at any thresholds") {
    for_each_isa([&](Isa) {
        for (int round = 0; round < 300 * test_scale(); ++round) {
            INFO("round " << round);
            const DrawnThresholds drawn(static_cast<std::uint64_t>(round));
            Random random(700 + static_cast<std::uint64_t>(round));
            CheckedWorld checked(random, 20 + random.below(80), 60);
            checked.has_values = random.chance(3);
            const auto any = [&] {
                return std::size_t{random.below(static_cast<std::uint32_t>(checked.boxes.size()))};
            };
            (void)checked.check();
            // Few change for a while: a separate tree, or cells of resting objects, may be built.
            const std::size_t mover = any();
            for (std::uint32_t k = random.below(14); k > 0; --k) {
                checked.set(mover, uniform_box(random, mover, 60));
                (void)checked.check();
            }
            // An update by the trees of queries.
            const std::size_t leaper = any();
            const Aabb before = checked.boxes[leaper];
            if (!random.chance(4)) (void)checked.world.pairs_of(checked.handles[leaper]);
            checked.set(leaper, cube_at({500, 500, 500}));
            if (!random.chance(4)) REQUIRE(checked.world.queries().status() == Status::ok);
            (void)checked.check();
            // From the first margin on these trees are useless. It is too small to change a pair.
            const bool is_near = random.chance(2);
            for (int k = 0; k < 4; ++k) {
                const std::size_t next = random.chance(2) ? mover : any();
                checked.set(next, is_near ? cube_at({500.5f, 500, 500})
                                          : shifted(before, random_vec3(random, 0, 0.1f)));
                REQUIRE(checked.world.set_margin({&checked.handles[next], 1}, 1e-30f).status == Status::ok);
                (void)checked.check();
            }
        }
    });
}

TEST_CASE(
    "a change of user data under living pairs changes the hash and no pair, or the update reports out of "
    "memory") {
    for_each_isa([](Isa) {
        FaultyAllocator allocator;
        World world({.order = WorldOrder::user_data}, allocator.hook());
        World same({.order = WorldOrder::user_data});
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < 40; ++i) boxes.push_back(cube_at({0.8f * static_cast<float>(i), 0, 0}));
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        REQUIRE(add_boxes(same, boxes) == handles);
        std::size_t refused_count = 0;
        for (int k = 0; k < 120; ++k) {
            for (Aabb& box : boxes) box = shifted(box, {0.001f, 0, 0});
            set_all(world, handles, boxes);
            set_all(same, handles, boxes);
            // Not before pairs are stored as bits of candidates.
            if (k > 60 && k % 10 == 0) {
                for (World* const each : {&world, &same}) {
                    REQUIRE(each->set_user_data({&handles[2], 1}, static_cast<std::uint64_t>(k + 1)).status ==
                            Status::ok);
                }
                allocator.fail_first = allocator.request_count;
                allocator.fail_count = ~std::size_t{0};
            }
            const Status status = world.update().status;
            allocator.fail_first = ~std::size_t{0};
            REQUIRE((status == Status::ok || status == Status::out_of_memory));
            refused_count += status == Status::ok ? 0u : 1u;
            if (status != Status::ok) REQUIRE(world.update().status == Status::ok);
            REQUIRE(same.update().status == Status::ok);
            REQUIRE(world.pair_count() == 39);
            REQUIRE(world.pairs_hash() == same.pairs_hash());
            REQUIRE(world.is_consistent());
        }
        REQUIRE(refused_count != 0);
    });
}

TEST_CASE("values are kept beside objects that had no pair when few began to change") {
    for_each_isa([](Isa) {
        World world;
        std::vector<ObjectHandle> handles;
        const auto box_at = [](float x) { return cube_at({x, 0, 0}); };
        for (int i = 0; i < 40; ++i) handles.push_back(add_box(world, box_at(10.0f * static_cast<float>(i))));
        REQUIRE(world.set_box(handles[1], box_at(0.5f)) == Status::ok);
        update(world);
        *world.pair_value(handles[0], handles[1]) = 42;
        REQUIRE(world.set_box(handles[1], box_at(5)) == Status::ok);
        update(world);
        world.shrink();
        for (int k = 0; k < 30; ++k) {
            REQUIRE(world.set_box(handles[2], box_at(20 + 0.1f * static_cast<float>(k))) == Status::ok);
            update(world);
        }
        REQUIRE(world.set_box(handles[2], box_at(30.5f)) == Status::ok);
        update(world);
        REQUIRE(world.pair_value(handles[2], handles[3]) != nullptr);
        REQUIRE(*world.pair_value(handles[2], handles[3]) == 0);
        REQUIRE(world.set_box(handles[2], box_at(20)) == Status::ok);
        REQUIRE(update(world).ended_count == 1);
    });
}
