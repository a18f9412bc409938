// World::queries: cost, refusals and promises. model_test.cpp runs queries after random operations.
#include "tests/broadphase/world/questions.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/shuffled_runner.hpp"

#include <broadside/world_query.hpp>

using namespace broadside;
using namespace broadside::test;

TEST_CASE("the trees of a world are built at the first query, and again only after a change") {
    World world;
    Random random(5);
    std::vector<ObjectDescription> objects(30000);
    for (ObjectDescription& object : objects) {
        object.box = random_box(random, 50, 2);
        object.kind = static_cast<ObjectKind>(random.below(3));
    }
    std::vector<ObjectHandle> handles(objects.size());
    REQUIRE(world.add(objects, handles).status == Status::ok);
    const std::size_t bytes_before = world.capacity_bytes();
    ShuffledRunner runner(3, 4);
    const auto tasks_of_queries = [&] {
        const std::size_t before = runner.task_count();
        CHECK(world.queries(runner.runner()).status() == Status::ok);
        return runner.task_count() - before;
    };
    CHECK(tasks_of_queries() > 0);
    CHECK(world.capacity_bytes() > bytes_before + 40 * objects.size());
    CHECK(tasks_of_queries() == 0);
    // An update sees only what the trees know already.
    REQUIRE(world.update().status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    // Setting the present value is no change, nor is setting other user data.
    REQUIRE(world.set_box(handles[7], objects[7].box) == Status::ok);
    REQUIRE(world.set_user_data({handles.data(), 1}, 4).status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    // A few objects: no tree is read as a whole.
    REQUIRE(world.set_box(handles[7], objects[8].box) == Status::ok);
    REQUIRE(world.set_kind({handles.data() + 100, 300}, ObjectKind::fixed).status == Status::ok);
    REQUIRE(world.remove({handles.data() + 500, 300}).status == Status::ok);
    REQUIRE(world.add({objects.data(), 200}, {handles.data() + 500, 200}).status == Status::ok);
    handles.erase(handles.begin() + 700, handles.begin() + 800);
    CHECK(tasks_of_queries() == 0);
    // A tenth of those of one kind: its tree is refitted, the others are unchanged.
    for (std::size_t i = 0; i < handles.size(); ++i) {
        const ObjectDescription object = world.description(handles[i]);
        if (object.kind != ObjectKind::moving || i % 3 == 0) continue;
        const Vec3 by = {0.25f, 0, 0};
        REQUIRE(world.set_box(handles[i], {object.box.min + by, object.box.max + by}) == Status::ok);
    }
    const std::size_t refit_count = tasks_of_queries();
    CHECK(refit_count > 0);
    CHECK(tasks_of_queries() == 0);
    REQUIRE(world.update().status == Status::ok);
    CHECK(tasks_of_queries() == 0);
    for (const ObjectHandle handle : handles) {
        const Aabb box = world.description(handle).box;
        REQUIRE(world.set_box(handle, {box.min + Vec3{1, 0, 0}, box.max + Vec3{1, 0, 0}}) == Status::ok);
    }
    CHECK(tasks_of_queries() > 2 * refit_count);
}

TEST_CASE("queries see changes before an update, boxes without margins, and nothing in quarantine") {
    World world;
    const ObjectHandle a = world.add({.box = {{0, 0, 0}, {1, 1, 1}}, .margin = 5, .displacement = {9, 0, 0}});
    const ObjectHandle b = world.add({.box = {{kNaN, 0, 0}, {1, 1, 1}}, .kind = ObjectKind::fixed});
    CHECK(world.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}) == WorldHit{a, 4, Face::min_x});
    CHECK(world.queries().closest_object({7, 0, 0}) == ClosestObject{36, a});
    REQUIRE(world.set_box(b, {{-2, 0, 0}, {-1, 1, 1}}) == Status::ok);
    CHECK(world.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}) == WorldHit{b, 2, Face::min_x});
    WorldQuerySettings settings;
    settings.kinds = kind_bit(ObjectKind::moving) | kind_bit(ObjectKind::resting);
    CHECK(world.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}, settings).target == a);
    REQUIRE(world.remove(b) == Status::ok);
    CHECK(world.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}).target == a);
    // The slot of b again: another object, another handle.
    const ObjectHandle c = world.add({.box = {{-3, 0, 0}, {-2, 1, 1}}, .kind = ObjectKind::fixed});
    CHECK(c.slot() == b.slot());
    CHECK(world.queries().closest_hit(SphereCast{{{-6, 0.5f, 0.5f}, 1}, {4, 0, 0}}) ==
          WorldHit{c, 0.5f, Face::min_x});
    CHECK(world.queries().any_overlap(Sphere{{-4, 0, 0}, 1}));
    CHECK_FALSE(world.queries().any_overlap(Sphere{{-4, 0, 0}, 0.5f}));

    std::vector<std::byte> bytes(world.snapshot_bytes());
    REQUIRE(world.save(bytes) == Status::ok);
    World restored;
    CHECK(restored.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}) == WorldHit{});
    REQUIRE(restored.restore(bytes) == Status::ok);
    CHECK(restored.queries().closest_hit(Ray{{-4, 0.5f, 0.5f}, {1, 0, 0}}) == WorldHit{c, 1, Face::min_x});
}

TEST_CASE("an object is found under its new kind at once, and the change is counted") {
    const Aabb box = {{0, 0, 0}, {1, 1, 1}};
    for (const std::uint32_t from : {0u, 1u, 2u}) {
        for (const std::uint32_t to : {0u, 1u, 2u}) {
            for (const bool is_updated_between : {false, true}) {
                INFO("from kind " << from << " to " << to << ", updated between " << is_updated_between);
                World world;
                const ObjectHandle object = world.add({.box = box, .kind = static_cast<ObjectKind>(from)});
                REQUIRE(world.update().changed_count == 1);
                REQUIRE(world.queries().any_overlap(box));
                REQUIRE(world.set_kind({&object, 1}, static_cast<ObjectKind>(to)).status == Status::ok);
                const std::size_t changed_count = from == to ? 0 : 1;
                if (is_updated_between) CHECK(world.update().changed_count == changed_count);
                for (std::uint32_t kind = 0; kind < 3; ++kind) {
                    WorldQuerySettings settings;
                    settings.kinds = 1u << kind;
                    CHECK(world.queries().any_overlap(box, settings) == (kind == to));
                }
                if (!is_updated_between) CHECK(world.update().changed_count == changed_count);
            }
        }
    }
}

TEST_CASE("queries see an object's own box even if its box for pairs stays the same") {
    constexpr Aabb kAt = {{0, 0, 0}, {1, 1, 1}};
    constexpr Vec3 kNone = {0, 0, 0};
    struct Shape {
        float margin;
        Vec3 displacement;
        float step;
    };
    const Shape shapes[] = {{0, kNone, 5},
                            {0.5f, kNone, 5},
                            {1e9f, kNone, 5},
                            {1e19f, kNone, 5},
                            {FLT_MAX, kNone, 5},
                            {kInfinity, kNone, 5},
                            {0, {1e19f, 1e19f, 1e19f}, 5},
                            {0, {-FLT_MAX, FLT_MAX, FLT_MAX}, 5},
                            {1, kNone, 1e-8f},
                            {kDenormal, {kDenormal, kDenormal, kDenormal}, 1e-8f}};
    for (const Shape& shape : shapes) {
        for (const bool is_batch : {false, true}) {
            for (const bool is_updated_between : {false, true}) {
                INFO("margin " << shape.margin << ", displacement " << shape.displacement.y << ", batch "
                               << is_batch << ", updated between " << is_updated_between);
                Aabb at = kAt;
                if (shape.step < 1) at = {{0, 0, 0}, {1e-9f, 1e-9f, 1e-9f}};
                const Vec3 by = {shape.step, shape.step, shape.step};
                const Aabb to = {at.min + by, at.max + by};
                World world;
                const ObjectHandle object =
                    world.add({.box = at, .margin = shape.margin, .displacement = shape.displacement});
                REQUIRE_FALSE(object.is_null());
                REQUIRE(world.update().status == Status::ok);
                REQUIRE(world.queries().any_overlap(at));
                if (is_batch) {
                    REQUIRE(world.set_boxes({&object, 1}, soa_of({to})).status == Status::ok);
                } else {
                    REQUIRE(world.set_box(object, to) == Status::ok);
                }
                if (is_updated_between) CHECK(world.update().changed_count == 1);
                CHECK(world.queries().any_overlap(to));
                CHECK_FALSE(world.queries().any_overlap(at));
                CHECK(world.queries().closest_object(to.min) == ClosestObject{0, object});
                if (!is_updated_between) CHECK(world.update().changed_count == 1);
                // Setting the present value is no change.
                REQUIRE(world.set_box(object, to) == Status::ok);
                REQUIRE(world.set_margin({&object, 1}, shape.margin).status == Status::ok);
                CHECK(world.update().changed_count == 0);
            }
        }
    }
}

TEST_CASE("any combination of masks, callback and kinds, for objects with and without categories") {
    for_each_isa([&](Isa) {
        Random random(53);
        World world;
        std::vector<ObjectHandle> handles;
        std::vector<Aabb> scene;
        for (int i = 0; i < 90; ++i) {
            scene.push_back(random_box(random, 12, 3));
            handles.push_back(world.add({.box = scene.back(), .kind = static_cast<ObjectKind>(i % 3)}));
        }
        // Without categories, with some, and without again.
        for (int stage = 0; stage < 3; ++stage) {
            WorldObjects objects;
            for (std::size_t i = 0; i < handles.size(); ++i) {
                const ObjectFilter filter = {stage == 1 && i % 3 != 0 ? i % 4 : ~std::uint64_t{0}, 3, 0, 0};
                REQUIRE(world.set_filter({&handles[i], 1}, stage == 1 ? filter : ObjectFilter{}).status ==
                        Status::ok);
                objects[handles[i]] = world.description(handles[i]);
            }
            for (unsigned choice = 0; choice < 8; ++choice) {
                INFO("stage " << stage << ", choice " << choice);
                WorldQuestions questions = make_world_questions(scene, 8, random);
                questions.is_masked = (choice & 1) != 0;
                questions.is_picky = (choice & 2) != 0;
                questions.kinds = (choice & 4) != 0 ? random.below(8) : kAllKinds;
                WorldInquiry(world, objects, WorldOrder::slot, questions, nullptr).ask_all();
            }
        }
    });
}

TEST_CASE("a query asks once for each layer that it meets, and any of the layers can be refused") {
    World world;
    constexpr std::uint32_t kLayers[] = {0, 1, 63, 64, 127, 1000, 40000, 65535};
    // Ten objects of each layer by turns, all in the same box.
    std::vector<std::uint32_t> layers;
    for (int round = 0; round < 10; ++round) {
        for (const std::uint32_t layer : kLayers) {
            const ObjectFilter filter = {.layer = static_cast<std::uint16_t>(layer)};
            REQUIRE_FALSE(world.add({.box = {{0, 0, 0}, {1, 1, 1}}, .filter = filter}).is_null());
            layers.push_back(layer);
        }
    }
    struct Asked {
        std::uint32_t refused;
        std::map<std::uint32_t, int> counts;
    };
    const Ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}};
    for_each_isa([&](Isa) {
        for (const std::uint32_t refused : {0u, 64u, 1000u, 65535u, 70000u}) {
            INFO("refused " << refused);
            Asked asked = {refused, {}};
            WorldQuerySettings settings;
            settings.user = &asked;
            settings.accepts_layer = [](void* user, std::uint32_t layer) noexcept {
                ++static_cast<Asked*>(user)->counts[layer];
                return layer != static_cast<Asked*>(user)->refused;
            };
            const auto check_found = [&](std::vector<std::uint32_t> slots) {
                std::sort(slots.begin(), slots.end());
                std::vector<std::uint32_t> expected;
                for (std::uint32_t slot = 0; slot < layers.size(); ++slot) {
                    if (layers[slot] != refused) expected.push_back(slot);
                }
                REQUIRE((slots == expected));
                REQUIRE(asked.counts.size() == std::size(kLayers));
                // 0, 64 and 40000 take turns, as do 63, 127 and 65535.
                for (const std::uint32_t layer : {1u, 1000u}) CHECK(asked.counts[layer] == 1);
                CHECK(asked.counts[0] <= 10);
                asked.counts.clear();
            };
            const WorldQueries queries = world.queries();
            std::vector<std::uint32_t> slots;
            REQUIRE(queries.visit_hits(ray, settings, [&](const WorldHit& hit) {
                slots.push_back(hit.target.slot());
                return kVisitAll;
            }) == Status::ok);
            check_found(slots);
            slots.clear();
            REQUIRE(queries.visit_overlaps(Vec3{0.5f, 0.5f, 0.5f}, settings, [&](ObjectHandle object) {
                slots.push_back(object.slot());
                return true;
            }) == Status::ok);
            check_found(slots);
            CHECK(queries.closest_hit(ray, settings).target.slot() == (refused == 0 ? 1 : 0));
            // Together with the bits, which know no layer from 64 on.
            settings.layers = 2;
            CHECK(queries.any_hit(ray, settings));
            settings.layers = std::uint64_t{1} << (refused % 64);
            CHECK(queries.any_hit(ray, settings) == (refused == 65535 || refused == 64));
        }
    });
}

TEST_CASE("visitors see hits from near to far over all kinds together, on every ISA") {
    constexpr int kRowCount = 60;
    World world;
    std::vector<ObjectHandle> handles;
    Random random(8);
    std::vector<int> order(kRowCount);
    for (int i = 0; i < kRowCount; ++i) order[static_cast<std::size_t>(i)] = i;
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
    // Leaves of one kind each, in a row: 16 boxes at one position.
    for (const int place : order) {
        const Vec3 min = {static_cast<float>(3 * place + 1), 0, 0};
        for (int i = 0; i < 16; ++i) {
            handles.push_back(world.add(
                {.box = {min, min + Vec3{1, 1, 1}}, .kind = static_cast<ObjectKind>(place / 2 % 3)}));
        }
    }
    const auto check = [&](const auto& query, float scale) {
        const WorldQueries queries = world.queries();
        std::vector<WorldHit> hits;
        REQUIRE(queries.visit_hits(query, {}, [&](const WorldHit& hit) {
            hits.push_back(hit);
            return kVisitAll;
        }) == Status::ok);
        REQUIRE(hits.size() == 16 * kRowCount);
        for (std::size_t i = 0; i < hits.size(); ++i) {
            INFO("hit " << i);
            REQUIRE(hits[i].t == static_cast<float>(3 * (i / 16) + 1) * scale);
            if (i % 16 != 0) REQUIRE(hits[i - 1].target.slot() < hits[i].target.slot());
        }
        // A visitor that clips at the first hit sees the hits at the same time, and nothing behind.
        std::size_t count = 0;
        REQUIRE(queries.visit_hits(query, {}, [&](const WorldHit& hit) {
            ++count;
            return hit.t;
        }) == Status::ok);
        REQUIRE(count == 16);
        REQUIRE(queries.closest_hit(query) == hits[0]);
    };
    for_each_isa([&](Isa) {
        check(Ray{{0, 0.5f, 0.5f}, {1, 0, 0}}, 1.0f);
        check(BoxCast{{{-1, 0.25f, 0.25f}, {0, 0.5f, 0.5f}}, {1024, 0, 0}}, 1.0f / 1024);
    });
}

TEST_CASE("queries of a world refuse invalid arguments before they write") {
    World world;
    REQUIRE_FALSE(world.add({.box = {{0, 0, 0}, {1, 1, 1}}}).is_null());
    const WorldQueries queries = world.queries();
    const Ray ray = {{-4, 0.5f, 0.5f}, {1, 0, 0}};
    WorldHit closest;
    const std::uint64_t masks[2] = {1, 1};
    WorldQuerySettings bad_masks;
    bad_masks.masks = masks;
    WorldQuerySettings bad_kinds;
    bad_kinds.kinds = 8;
    const TaskRunner no_function = {nullptr, nullptr, 1};
    WorldQuerySettings bad_runner;
    bad_runner.runner = &no_function;
    BoxScratch scratch;
    AlignedArray<Listed<WorldHit>> list;
    for (const WorldQuerySettings& settings : {bad_masks, bad_kinds, bad_runner}) {
        CHECK(queries.closest_hits(ray, settings, {&closest, 1}).status == Status::invalid_argument);
        CHECK(queries.find_hits(ray, settings, scratch, list).status == Status::invalid_argument);
    }
    CHECK(queries.closest_hits(ray, {}, {}).status == Status::capacity_exceeded);
    CHECK(queries.any_hit(ray, {}, {}).status == Status::capacity_exceeded);
    CHECK(world.queries(&no_function).status() == Status::invalid_argument);
    CHECK(world.queries(&no_function).closest_hit(ray) == WorldHit{});
    ClosestObject near;
    const Vec3 point;
    CHECK(queries.closest_objects(point, {65}, {}, {&near, 1}).status == Status::invalid_argument);
    CHECK(queries.closest_objects(point, {2}, {}, {&near, 1}).status == Status::capacity_exceeded);
    CHECK(closest == WorldHit{});
    CHECK(WorldQueries().closest_hit(ray) == WorldHit{});
}

TEST_CASE("a list fills a span as far as it fits, and goes to a function as a whole, in either order") {
    for (const WorldOrder order : {WorldOrder::slot, WorldOrder::user_data}) {
        World world(WorldSettings{.order = order});
        Random random(9);
        std::vector<Aabb> boxes;
        for (int i = 0; i < 300; ++i) {
            boxes.push_back(random_box(random, 20, 3));
            const auto kind = static_cast<ObjectKind>(i % 3);
            REQUIRE_FALSE(
                world.add({.box = boxes.back(), .kind = kind, .user_data = random.below(50)}).is_null());
        }
        const TreeQuestions questions = make_questions(boxes, 40, 1);
        const WorldQueries queries = world.queries();
        BoxScratch scratch;
        const auto check = [&](auto&& list, const auto& find) {
            const WriteResult all = find(list);
            REQUIRE(all.status == Status::ok);
            REQUIRE(list.size() > 20);
            using Item = std::remove_cvref_t<decltype(list[0])>;
            for (const std::size_t room :
                 {std::size_t{0}, std::size_t{1}, list.size() - 1, list.size(), list.size() + 1}) {
                std::vector<Item> some(room);
                const WriteResult result = find(std::span<Item>(some));
                const std::size_t written = std::min(room, list.size());
                CHECK(result.status == (room < list.size() ? Status::capacity_exceeded : Status::ok));
                CHECK(result.written == written);
                CHECK(result.required == list.size());
                CHECK(std::equal(list.begin(), list.begin() + written, some.begin()));
                if (room > list.size()) CHECK(some.back() == Item{});
            }
            std::vector<Item> passed;
            const WriteResult result = find(sink_into(passed));
            CHECK(result.status == Status::ok);
            CHECK(result.written == list.size());
            CHECK(result.required == list.size());
            CHECK(std::equal(list.begin(), list.end(), passed.begin(), passed.end()));
        };
        check(AlignedArray<Listed<WorldHit>>(), [&](auto&& out) {
            return queries.find_hits(questions.rays, {}, scratch, WorldHitOutput(out));
        });
        const auto find_overlaps = [&](auto&& out, PairOrder list_order) {
            return queries.find_overlaps(questions.spheres, {.order = list_order}, scratch,
                                         WorldOverlapOutput(out));
        };
        AlignedArray<Listed<ObjectHandle>> lists[2];
        check(lists[0], [&](auto&& out) { return find_overlaps(out, PairOrder::canonical); });
        check(lists[1], [&](auto&& out) { return find_overlaps(out, PairOrder::by_algorithm); });
        // The same objects query by query, sorted by the canonical order.
        REQUIRE(find_overlaps(lists[0], PairOrder::canonical).status == Status::ok);
        REQUIRE(find_overlaps(lists[1], PairOrder::by_algorithm).status == Status::ok);
        REQUIRE(lists[0].size() == lists[1].size());
        CHECK_FALSE(std::equal(lists[0].begin(), lists[0].end(), lists[1].begin()));
        CHECK(std::is_sorted(
            lists[1].begin(), lists[1].end(),
            [](const Listed<ObjectHandle>& a, const Listed<ObjectHandle>& b) { return a.query < b.query; }));
        const auto is_before = [](const Listed<ObjectHandle>& a, const Listed<ObjectHandle>& b) {
            return std::pair(a.query, a.found.value) < std::pair(b.query, b.found.value);
        };
        for (AlignedArray<Listed<ObjectHandle>>& list : lists) std::sort(list.begin(), list.end(), is_before);
        CHECK(std::equal(lists[0].begin(), lists[0].end(), lists[1].begin()));
    }
}

TEST_CASE("a warm world is queried without allocation, and reports a lack of memory until there is some") {
    CountingAllocator counter;
    World world({}, counter.hook());
    BoxScratch scratch(counter.hook());
    AlignedArray<Listed<WorldHit>> hits(counter.hook());
    AlignedArray<Listed<ObjectHandle>> overlaps(counter.hook());
    Random random(6);
    std::vector<ObjectHandle> handles;
    std::vector<Aabb> boxes;
    for (int i = 0; i < 2000; ++i) {
        boxes.push_back(random_box(random, 30, 3));
        handles.push_back(world.add({.box = boxes.back(), .kind = static_cast<ObjectKind>(i % 3)}));
    }
    const TreeQuestions questions = make_questions(boxes, 100, 1);
    const auto ask = [&] {
        for (Aabb& box : boxes) box = {box.min + Vec3{0.25f, 0, 0}, box.max + Vec3{0.25f, 0, 0}};
        REQUIRE(world.set_boxes(handles, soa_of(boxes)).status == Status::ok);
        const WorldQueries queries = world.queries();
        REQUIRE(queries.status() == Status::ok);
        REQUIRE(queries.find_hits(questions.rays, {}, scratch, hits).status == Status::ok);
        REQUIRE(queries.find_overlaps(questions.spheres, {}, scratch, overlaps).status == Status::ok);
        std::vector<WorldHit> closest(questions.casts.size());
        REQUIRE(queries.closest_hits({questions.casts, Touch::closed}, {}, closest).status == Status::ok);
    };
    for (int i = 0; i < 3; ++i) ask();
    const std::size_t before = counter.allocation_count;
    for (int i = 0; i < 10; ++i) ask();
    // Lists grow a little if boxes drift into each other; the trees never do.
    CHECK(counter.allocation_count <= before + 3);

    for (std::size_t allowed = 0;; ++allowed) {
        CountingAllocator scarce;
        World poor({}, scarce.hook());
        REQUIRE(poor.add(soa_of(boxes), {}, handles).status == Status::ok);
        scarce.fail_after = scarce.allocation_count + allowed;
        const Status status = poor.queries().status();
        if (status == Status::ok) break;
        REQUIRE(allowed < 40);
        CHECK(status == Status::out_of_memory);
        CHECK(poor.queries().closest_hit(questions.rays[0]) == WorldHit{});
        // The result of another world is not a list of this one.
        REQUIRE(hits.resize(1));
        REQUIRE(overlaps.resize(1));
        CHECK(poor.queries().find_hits(questions.rays, {}, scratch, hits).status == Status::out_of_memory);
        CHECK(poor.queries().find_overlaps(questions.spheres, {}, scratch, overlaps).status ==
              Status::out_of_memory);
        CHECK(hits.is_empty());
        CHECK(overlaps.is_empty());
        scarce.fail_after = ~std::size_t{0};
        const WorldQueries queries = poor.queries();
        REQUIRE(queries.status() == Status::ok);
        CHECK_FALSE(queries.closest_object({1, 2, 3}).target.is_null());
    }
}

TEST_CASE("batched rays are kept apart in every tree, and the first of equal hits may be in any tree") {
    for_each_isa([](Isa) {
        World world;
        // In twos at one position, of the three kinds in any order, so that the first is in any tree.
        std::vector<ObjectHandle> handles;
        std::vector<Ray> rays;
        std::vector<WorldHit> expected;
        for (int k = 0; k < 90; ++k) {
            const float y = 3.0f * static_cast<float>(k);
            // The rays' hits alternate between near and far.
            const float x = k % 2 == 0 ? 1.0f : 50.0f;
            const Aabb box = {{x, y, 0}, {x + 1, y + 1, 1}};
            for (const int kind : {k % 3, k / 3 % 3})
                handles.push_back(world.add({.box = box, .kind = static_cast<ObjectKind>(kind)}));
            rays.push_back({{0, y + 0.5f, 0.5f}, {1, 0, 0}});
            expected.push_back({handles[handles.size() - 2], x, Face::min_x});
        }
        std::vector<WorldHit> closest(rays.size());
        for (const WorldQuerySettings& settings : {WorldQuerySettings{}, WorldQuerySettings{.layers = 1}}) {
            REQUIRE(world.queries().closest_hits(rays, settings, closest).status == Status::ok);
            for (std::size_t i = 0; i < rays.size(); ++i) {
                REQUIRE(closest[i] == expected[i]);
                REQUIRE(world.queries().closest_hit(rays[i], settings) == expected[i]);
            }
        }
    });
}
