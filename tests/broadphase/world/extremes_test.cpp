// World in the cases that broke other broadphases: far away, falling, huge, all in one slot, NaN. Each test
// is a lesson that users of other engines paid for.
#include "tests/broadphase/pair_scenes.hpp"
#include "tests/broadphase/world/support.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/suites.hpp"

using namespace broadside;
using namespace broadside::test;

TEST_CASE("an object moved to the end of the float range loses its pairs and disturbs no other") {
    for_each_isa([](Isa) {
        World world;
        const ObjectHandle ground = add_box(world, {{-100, -1, -100}, {100, 0, 100}}, ObjectKind::fixed);
        const ObjectHandle resting = add_box(world, cube_at({3, 0.25f, 3}));
        const ObjectHandle falling = add_box(world, cube_at({0, 0.25f, 0}));
        update(world);
        REQUIRE(world.pair_count() == 2);
        float height = -1;
        bool has_ended = false;
        while (height > -FLT_MAX) {
            height = max_keep(2 * height, -FLT_MAX);
            REQUIRE(world.set_box(falling, {{-0.5f, height, -0.5f}, {0.5f, height, 0.5f}}) == Status::ok);
            update(world);
            if (!world.ended().empty()) {
                REQUIRE_FALSE(has_ended);
                REQUIRE(copy_of(world.ended()) == std::vector<WorldPair>{{ground, falling}});
                has_ended = true;
            }
            REQUIRE(copy_of(world.pairs()).back() == WorldPair{ground, resting});
            REQUIRE(world.is_consistent());
        }
        REQUIRE(has_ended);
        REQUIRE(world.quarantined_objects({}) == 0);
        // Back in one step, whatever the distance.
        REQUIRE(world.set_box(falling, cube_at({0, 0.25f, 0})) == Status::ok);
        update(world);
        REQUIRE(copy_of(world.begun()) == std::vector<WorldPair>{{ground, falling}});
    });
}

TEST_CASE(
    "boxes that touch at a coordinate that is no exact cell border pair, and boxes one ulp apart do not") {
    for_each_isa([](Isa) {
        // A row long enough for a grid, in steps that are not exact in binary.
        constexpr std::size_t kCount = 4000;
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < kCount; ++i) {
            const float begin = static_cast<float>(i) * 3.6f;
            float end = static_cast<float>(i + 1) * 3.6f;
            if (i % 3 == 2) end = std::nextafterf(end, -kInfinity);
            boxes.push_back({{begin, 0, 0}, {end, 1, 1}});
        }
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        update(world);
        REQUIRE(world.pair_count() == kCount - 1 - kCount / 3);
        REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        // The same after a shift of the row anywhere, as movers among resting objects.
        for (std::size_t i = 0; i < kCount; i += 7) {
            boxes[i] = {{boxes[i].min.x, 1, 0}, {boxes[i].max.x, 2, 1}};
            REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
        }
        REQUIRE(update(world).ended_count == 0);
        REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
    });
}

TEST_CASE("half spaces, planes and boxes around everything pair with all that they overlap") {
    for_each_isa([](Isa) {
        Random random(4);
        constexpr std::size_t kCount = 3000;
        std::vector<Aabb> boxes;
        for (std::size_t i = 0; i < kCount; ++i) boxes.push_back(uniform_box(random, i, kCount));
        boxes.push_back({{-FLT_MAX / 2, -FLT_MAX / 2, -FLT_MAX / 2}, {FLT_MAX / 2, 5, FLT_MAX / 2}});
        boxes.push_back({{-kInfinity, 3, -kInfinity}, {kInfinity, 3, kInfinity}});
        boxes.push_back({{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}});
        boxes.push_back({{7, -FLT_MAX, -FLT_MAX}, {kInfinity, FLT_MAX, FLT_MAX}});
        World world;
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        update(world);
        REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        // Only huge objects move, then only the others.
        for (const bool huge_move : {true, false}) {
            for (std::size_t i = huge_move ? kCount : 0; i < (huge_move ? boxes.size() : kCount / 10); ++i) {
                boxes[i] = {boxes[i].min + Vec3{0, 1, 0}, boxes[i].max + Vec3{0, 1, 0}};
                REQUIRE(world.set_box(handles[i], boxes[i]) == Status::ok);
            }
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        }
    });
}

TEST_CASE("objects that fall without end do not grow the memory") {
    World world;
    constexpr std::size_t kCount = 2000;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount);
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    std::size_t warm_bytes = 0;
    float speed = 1;
    // The scene spreads, which takes another grid, but not a larger one.
    for (int step = 0; step < 300; ++step) {
        speed *= 1.2f;
        for (std::size_t i = 0; i < kCount; i += 2) {
            boxes[i].min.y -= speed;
            boxes[i].max.y -= speed;
        }
        set_all(world, handles, boxes);
        update(world);
        if (step == 150) warm_bytes = world.capacity_bytes();
    }
    REQUIRE(world.capacity_bytes() <= warm_bytes + warm_bytes / 2);
    REQUIRE(world.capacity_bytes() < 2000 * kCount);
    REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
}

TEST_CASE("an object as large as the world, or one that crosses it in a step, floods nothing") {
    constexpr std::size_t kCount = 3000;
    std::vector<Aabb> boxes = make_scene(pair_scenes()[0], kCount);
    const float edge = world_edge(kCount);
    World plain;
    add_boxes(plain, boxes);
    update(plain);

    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    const ObjectHandle giant = add_box(world, {{0, 0, 0}, {edge, edge, edge}});
    ObjectDescription fast = described(cube_at({-5, 3, 3}));
    fast.displacement = {1000 * edge, 0, 0};
    const ObjectHandle bullet = world.add(fast);
    update(world);
    boxes.push_back(world.description(giant).box);
    boxes.push_back(swept(fast.box, fast.displacement));
    std::vector<ObjectHandle> all = handles;
    all.push_back(giant);
    all.push_back(bullet);
    REQUIRE(copy_of(world.pairs()) == expected_pairs(all, boxes));
    // The lists grow with the number of pairs; the grid must not grow with the volume.
    const std::size_t more_pairs = world.pair_count() - plain.pair_count();
    REQUIRE(world.capacity_bytes() < 2 * plain.capacity_bytes() + 200 * more_pairs);
}

TEST_CASE("a large moving collider misses no overlap, aligned with the grid or not") {
    for_each_isa([](Isa) {
        constexpr int kSide = 10;
        std::vector<Aabb> boxes;
        for (int k = 0; k < kSide * kSide * kSide; ++k) {
            const Vec3 corner = {static_cast<float>(k % kSide), static_cast<float>(k / kSide % kSide),
                                 static_cast<float>(k / kSide / kSide)};
            boxes.push_back({corner, corner + Vec3{0.5f, 0.5f, 0.5f}});
        }
        World world;
        std::vector<ObjectHandle> handles = add_boxes(world, boxes, ObjectKind::resting);
        boxes.push_back({{-8, -8, -8}, {0, 0, 0}});
        handles.push_back(add_box(world, boxes.back()));
        for (int step = 0; step < 24; ++step) {
            const float by = step % 2 == 0 ? 1 : 0.3f;
            boxes.back() = {boxes.back().min + Vec3{by, by, by}, boxes.back().max + Vec3{by, by, by}};
            REQUIRE(world.set_box(handles.back(), boxes.back()) == Status::ok);
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
        }
    });
}

TEST_CASE("5,000 bodies at one point make all pairs, and none once they have left" * kLong) {
    constexpr std::size_t kCount = 5000;
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, std::vector<Aabb>(kCount, cube_at({1, 2, 3})));
    REQUIRE(update(world).begun_count == kCount * (kCount - 1) / 2);
    REQUIRE(world.begun().front() == WorldPair{handles[0], handles[1]});
    REQUIRE(world.begun().back() == WorldPair{handles[kCount - 2], handles[kCount - 1]});
    for (std::size_t i = 0; i < kCount; ++i) {
        REQUIRE(world.set_box(handles[i], cube_at({2 * static_cast<float>(i), 0, 0})) == Status::ok);
    }
    REQUIRE(update(world).ended_count == kCount * (kCount - 1) / 2);
    REQUIRE(world.pair_count() == 0);
    REQUIRE(world.pairs_hash() == World().pairs_hash());
}

TEST_CASE("more than 65,536 objects and pairs are counted right") {
    constexpr std::size_t kCount = 70001;
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < kCount; ++i) {
        boxes.push_back({{static_cast<float>(i), 0, 0}, {static_cast<float>(i + 1), 1, 1}});
    }
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
    REQUIRE(update(world).begun_count == kCount - 1);
    REQUIRE(world.begun().back() == WorldPair{handles[kCount - 2], handles[kCount - 1]});
    REQUIRE(world.remove(handles[65540]) == Status::ok);
    REQUIRE(update(world).ended_count == 2);
    REQUIRE(copy_of(world.ended()) ==
            std::vector<WorldPair>{{handles[65539], handles[65540]}, {handles[65540], handles[65541]}});
}

TEST_CASE("walls in any plane and lines along any axis have the pairs of the oracle" * kLong) {
    for_each_isa([](Isa) {
        for (const PairScene& scene : pair_scenes()) {
            INFO("scene " << scene.name);
            std::vector<Aabb> boxes = make_scene(scene, 700);
            World world;
            const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
            update(world);
            REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
            const std::vector<Aabb> others = make_scene(scene, 700, 2);
            // Few change, then many.
            for (const std::size_t one_in : {20u, 2u}) {
                for (std::size_t i = 0; i < boxes.size(); i += one_in) boxes[i] = others[i];
                set_all(world, handles, boxes);
                update(world);
                REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, boxes));
                REQUIRE(world.is_consistent());
            }
        }
    });
}

TEST_CASE(
    "a NaN box is reported by its handle as soon as it is set, pairs with nothing, and can be set again") {
    for_each_isa([](Isa) {
        const Aabb bad_boxes[] = {{{kNaN, 0, 0}, {1, 1, 1}},
                                  {{0, 0, 0}, {1, kNaN, 1}},
                                  {{1, 0, 0}, {0, 1, 1}},
                                  {{kInfinity, 0, 0}, {kInfinity, 1, 1}},
                                  {{0, 0, -kInfinity}, {1, 1, -kInfinity}},
                                  Aabb::empty()};
        for (const Aabb& bad : bad_boxes) {
            World world;
            const ObjectHandle all = add_box(world, {{-9, -9, -9}, {9, 9, 9}}, ObjectKind::fixed);
            const ObjectHandle good = add_box(world, cube_at({0, 0, 0}));
            const ObjectHandle victim = add_box(world, cube_at({0, 0, 0}));
            update(world);
            REQUIRE(world.pair_count() == 3);
            REQUIRE(world.set_box(victim, bad) == Status::ok);
            // Before any update: the caller that set it can find out at once.
            ObjectHandle named[3];
            REQUIRE(world.quarantined_objects(named) == 1);
            REQUIRE(named[0] == victim);
            REQUIRE(update(world).ended_count == 2);
            REQUIRE(copy_of(world.pairs()) == std::vector<WorldPair>{{all, good}});
            // Unaffected by updates in which others move, and by an origin shift.
            REQUIRE(world.set_box(good, cube_at({1, 0, 0})) == Status::ok);
            REQUIRE(world.shift_origin({0.5f, 0, 0}) == Status::ok);
            update(world);
            REQUIRE(world.quarantined_objects({}) == 1);
            REQUIRE(world.set_box(victim, cube_at({1, 0, 0})) == Status::ok);
            REQUIRE(update(world).begun_count == 2);
            REQUIRE(world.quarantined_objects({}) == 0);
            REQUIRE(world.is_consistent());
        }
    });
}

TEST_CASE("quarantined objects are listed in order, up to the buffer's size, and removed like others") {
    World world;
    std::vector<ObjectHandle> bad;
    for (int i = 0; i < 200; ++i) {
        const ObjectHandle handle = add_box(world, i % 5 == 0 ? Aabb::empty() : cube_at({0, 0, 0}));
        if (i % 5 == 0) bad.push_back(handle);
    }
    update(world);
    std::vector<ObjectHandle> named(100);
    REQUIRE(world.quarantined_objects(named) == bad.size());
    named.resize(bad.size());
    REQUIRE(named == bad);
    ObjectHandle two[3];
    REQUIRE(world.quarantined_objects(std::span(two, 2)) == bad.size());
    REQUIRE(two[1] == bad[1]);
    REQUIRE(two[2].is_null());
    REQUIRE(world.remove(bad).status == Status::ok);
    REQUIRE(world.quarantined_objects({}) == 0);
    REQUIRE(update(world).ended_count == 0);
}

TEST_CASE("a valid box stays out of quarantine with any margin, and an infinite margin meets everything") {
    for_each_isa([](Isa) {
        World world;
        const std::vector<Aabb> boxes = {cube_at({0, 0, 0}),
                                         cube_at({1e30f, -1e30f, 1e30f}),
                                         {{FLT_MAX, FLT_MAX, FLT_MAX}, {kInfinity, FLT_MAX, kInfinity}},
                                         {{-kInfinity, -FLT_MAX, -FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}},
                                         {{5, 5, 5}, {5, 5, 5}}};
        const std::vector<ObjectHandle> handles = add_boxes(world, boxes);
        const ObjectHandle quarantined = add_box(world, {{2, 0, 0}, {1, 1, 1}});
        update(world);
        REQUIRE(world.pair_count() == 0);
        for (const ObjectHandle& object : handles) {
            const std::span<const ObjectHandle> one(&object, 1);
            for (const float margin : {kInfinity, 0.0f, FLT_MAX, 1e38f, 1e19f, kDenormal}) {
                REQUIRE(world.set_margin(one, margin).status == Status::ok);
                update(world);
                std::vector<Aabb> grown = boxes;
                Aabb& box = grown[static_cast<std::size_t>(&object - handles.data())];
                box = expanded(box, margin);
                REQUIRE(copy_of(world.pairs()) == expected_pairs(handles, grown));
                if (margin == kInfinity) REQUIRE(world.pair_count() == boxes.size() - 1);
                ObjectHandle named;
                REQUIRE(world.quarantined_objects({&named, 1}) == 1);
                REQUIRE(named == quarantined);
            }
            // The functions that read the box alone ignore the margin.
            REQUIRE(world.set_margin(one, kInfinity).status == Status::ok);
            REQUIRE_FALSE(world.boxes_overlap(object, handles[&object == handles.data() ? 1 : 0]));
            REQUIRE(world.set_margin(one, 0).status == Status::ok);
        }
        // An invalid box meets nothing, whatever its margin.
        REQUIRE(world.set_margin({&quarantined, 1}, kInfinity).status == Status::ok);
        REQUIRE(update(world).pair_count == 0);
        REQUIRE(world.quarantined_objects({}) == 1);
        REQUIRE(world.is_consistent());
    });
}

TEST_CASE("a displacement as long as the float range sweeps a box to infinity, and not into quarantine") {
    for_each_isa([](Isa) {
        for (const float length : {1e19f, 1e38f, FLT_MAX}) {
            World world;
            const ObjectHandle bullet = add_box(world, {{1e38f, 0, 0}, {1e38f, 1, 1}});
            const ObjectHandle ahead = add_box(world, {{FLT_MAX, 0, 0}, {FLT_MAX, 1, 1}});
            const ObjectHandle behind = add_box(world, {{0, 0, 0}, {1, 1, 1}});
            const Vec3 displacements[] = {{length, 0, 0}, {-length, 0, 0}};
            for (const Vec3& way : displacements) {
                REQUIRE(world.set_displacements({&bullet, 1}, {&way.x, &way.y, &way.z, 1}).status ==
                        Status::ok);
                update(world);
                const bool meets_ahead = way.x > 0 && length == FLT_MAX;
                const bool meets_behind = way.x < 0 && length >= 1e38f;
                REQUIRE((world.pair_value(bullet, ahead) != nullptr) == meets_ahead);
                REQUIRE((world.pair_value(bullet, behind) != nullptr) == meets_behind);
                REQUIRE(world.quarantined_objects({}) == 0);
                REQUIRE(world.is_consistent());
            }
        }
    });
}

TEST_CASE("refused margins and displacements name their item and change nothing") {
    World world;
    const std::vector<ObjectHandle> handles = add_boxes(world, {cube_at({0, 0, 0}), cube_at({9, 0, 0})});
    update(world);
    for (const float margin : {kNaN, -kNaN, -1.0f, -kDenormal, -kInfinity}) {
        REQUIRE(world.set_margin(handles, margin).status == Status::invalid_argument);
        ObjectDescription refused = described(cube_at({0, 0, 0}));
        refused.margin = margin;
        REQUIRE(world.add(refused).is_null());
        const ObjectDescription descriptions[] = {described(cube_at({1, 0, 0})), refused};
        ObjectHandle out_handles[2];
        REQUIRE(world.add(descriptions, out_handles).bad_index == 1);
        const GuardedBoxes boxes(std::vector<Aabb>{cube_at({0, 0, 0})});
        REQUIRE(world.add(boxes.view(), refused, out_handles).status == Status::invalid_argument);
    }
    const float zeros[2] = {0, 0};
    for (const float length : {kNaN, -kNaN, kInfinity, -kInfinity}) {
        const float bad[2] = {1, length};
        for (const Vec3SoaView& view : {Vec3SoaView{bad, zeros, zeros, 2}, Vec3SoaView{zeros, bad, zeros, 2},
                                        Vec3SoaView{zeros, zeros, bad, 2}}) {
            const BatchResult result = world.set_displacements(handles, view);
            REQUIRE(result.status == Status::invalid_argument);
            REQUIRE(result.bad_index == 1);
            // A handle that resolves to nothing is named first if it comes first.
            const ObjectHandle dead[2] = {{}, handles[1]};
            REQUIRE(world.set_displacements(dead, view).bad_index == 0);
            ObjectDescription refused = described(cube_at({0, 0, 0}));
            refused.displacement = view[1];
            REQUIRE(world.add(refused).is_null());
            REQUIRE(world.shift_origin(view[1]) == Status::invalid_argument);
        }
    }
    REQUIRE(world.object_count() == 2);
    REQUIRE(world.slot_count() == 2);
    REQUIRE(world.quarantined_objects({}) == 0);
    REQUIRE(update(world).path == UpdatePath::nothing);
    for (const ObjectHandle handle : handles) {
        REQUIRE(world.description(handle).margin == 0);
        REQUIRE(world.description(handle).displacement == Vec3{});
    }
}
