// Single queries: the results of batches; and visitors, which see the list up to where they stop.
#include "tests/broadphase/tree/alone_asker.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"

#include <broadside/world_query.hpp>

#include <cfenv>
#include <exception>
#include <functional>
#include <stdexcept>

using namespace broadside;
using namespace broadside::test;

TEST_CASE(
    "a single query returns the result of the batch, and visitors see its list, on every ISA in one order" *
    kLong) {
    std::size_t visit_count = 0;
    unsigned first_choice = 0;
    for (const PairScene& scene : pair_scenes()) {
        const std::vector<Aabb> boxes = make_scene(scene, 700);
        BoxTree tree;
        REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
        const TreeQuestions questions = make_questions(boxes, 12, 3);
        // Every combination of rules in one scene of three.
        for (unsigned choice = first_choice++ % 3; choice < kTreeRulesCount; choice += 3) {
            const auto inside = static_cast<Inside>(choice % 3);
            const auto touch = static_cast<Touch>(choice % 2);
            std::vector<std::uint32_t> expected_order;
            for_each_isa([&](Isa isa) {
                INFO(scene.name << ", rules " << choice);
                AloneAsker asker(tree, questions, tree_rules(choice));
                asker.ask(inside, touch);
                if (isa == Isa::scalar) expected_order = asker.order();
                REQUIRE((asker.order() == expected_order));
                visit_count += asker.order().size();
            });
        }
    }
    CHECK(visit_count > 100000);
}

TEST_CASE("hits of boxes in a row arrive from near to far, and equal t by index") {
    std::vector<Aabb> boxes;
    for (int i = 0; i < 2000; ++i) {
        // From the far end, each box twice.
        const auto x = static_cast<float>(2 * (1000 - i / 2));
        boxes.push_back({{x, 0, 0}, {x + 1, 1, 1}});
    }
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    const Ray ray = {{0, 0.5f, 0.5f}, {1, 0, 0}};
    const BoxCast cast = {{{0, 0, 0}, {1, 1, 1}}, {3000, 0, 0}};
    const SphereCast ball = {{{0, 0.5f, 0.5f}, 0.25f}, {3000, 0, 0}};
    for_each_isa([&](Isa) {
        std::vector<TreeHit> hits;
        const auto add = [&](const TreeHit& hit) {
            hits.push_back(hit);
            return kVisitAll;
        };
        const auto check = [&] {
            CHECK(hits.size() == boxes.size());
            CHECK(std::is_sorted(hits.begin(), hits.end(), is_before));
            hits.clear();
        };
        REQUIRE(tree.visit_hits(ray, {}, add) == Status::ok);
        check();
        REQUIRE(tree.visit_hits({cast, Touch::closed}, {}, add) == Status::ok);
        check();
        REQUIRE(tree.visit_hits(ball, {}, add) == Status::ok);
        check();
        // The nearest is enough: little else is visited.
        std::size_t count = 0;
        REQUIRE(tree.visit_hits(ray, {}, [&](const TreeHit& hit) {
            ++count;
            return hit.t;
        }) == Status::ok);
        CHECK(count == 2);
    });
}

TEST_CASE("a cast finds the boxes within its reach") {
    std::vector<Aabb> boxes;
    for (int i = 1; i <= 40; ++i) {
        const auto x = static_cast<float>(i);
        boxes.push_back({{x, 0, 0}, {x + 0.5f, 1, 1}});
    }
    BoxTree tree;
    REQUIRE(tree.build(soa_of(boxes)) == Status::ok);
    // Box i is met at (i + 1 - 0.5) / 64.
    BoxCast cast = {{{0, 0, 0}, {0.5f, 1, 1}}, {64, 0, 0}};
    SphereCast ball = {{{0.25f, 0.5f, 0.5f}, 0.25f}, {64, 0, 0}};
    BoxScratch scratch;
    AlignedArray<Listed<TreeHit>> hits;
    const auto count_within = [&](float t_max) {
        std::size_t count = 0;
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            count += (static_cast<float>(i) + 0.5f) / 64 <= t_max ? 1 : 0;
        }
        return count;
    };
    for_each_isa([&](Isa) {
        for (const float t_max :
             {kNaN, -1.0f, -0.0f, 0.0f, 0.5f / 64, 3.5f / 64, 3.4999f / 64, 0.25f, 1.0f, 2.0f, kInfinity}) {
            cast.t_max = t_max;
            ball.t_max = t_max;
            const std::size_t expected = t_max >= 0 ? count_within(t_max) : 0;
            INFO("t_max " << t_max);
            REQUIRE(tree.find_hits({cast, Touch::open}, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            REQUIRE(tree.find_hits({cast, Touch::closed}, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            REQUIRE(tree.find_hits(ball, {}, scratch, hits).status == Status::ok);
            CHECK(hits.size() == expected);
            CHECK((tree.closest_hit(cast).target == 0) == (expected != 0));
            CHECK((tree.closest_hit({cast, Touch::open}).target == 0) == (expected != 0));
            CHECK((tree.closest_hit(ball).target == 0) == (expected != 0));
        }
    });
}

TEST_CASE("the visitor of a query with invalid arguments is not called") {
    BoxTree tree;
    REQUIRE(tree.build(soa_of({{{0, 0, 0}, {1, 1, 1}}})) == Status::ok);
    const Ray ray = {{-1, 0.5f, 0.5f}, {1, 0, 0}};
    const auto no_hit = [](const TreeHit&) {
        FAIL("called");
        return kVisitAll;
    };
    const auto no_box = [](std::uint32_t) {
        FAIL("called");
        return true;
    };
    const std::vector<std::uint64_t> masks(2);
    TreeQuerySettings settings;
    settings.masks = masks;
    CHECK(tree.visit_hits(ray, settings, no_hit) == Status::invalid_argument);
    CHECK(tree.visit_hits({ray, RaySettings{static_cast<Inside>(3)}}, {}, no_hit) ==
          Status::invalid_argument);
    CHECK(tree.closest_hit({ray, RaySettings{static_cast<Inside>(3)}}) == TreeHit{});
    CHECK(tree.closest_hit(ray, settings) == TreeHit{});
    const BoxCast cast = {{{-2, 0, 0}, {-1, 1, 1}}, {4, 0, 0}};
    CHECK(tree.visit_hits({cast, static_cast<Touch>(2)}, {}, no_hit) == Status::invalid_argument);
    CHECK(tree.closest_hit({cast, static_cast<Touch>(2)}) == TreeHit{});
    CHECK(tree.visit_hits({cast, Touch::closed}, settings, no_hit) == Status::invalid_argument);
    const SphereCast ball = {{{-2, 0, 0}, 1}, {4, 0, 0}};
    CHECK(tree.visit_hits(ball, settings, no_hit) == Status::invalid_argument);
    CHECK(tree.closest_hit(ball, settings) == TreeHit{});
    CHECK(tree.visit_overlaps(Vec3{}, settings, no_box) == Status::invalid_argument);
    const auto no_near = [](const ClosePair&) {
        FAIL("called");
        return kVisitAll;
    };
    CHECK(tree.visit_close_boxes(Vec3{}, {}, settings, no_near) == Status::invalid_argument);
    CHECK(tree.visit_close_boxes(Aabb::empty(), {}, {}, no_near) == Status::ok);
    CHECK(tree.visit_close_boxes(Vec3{}, {.max_distance = kNaN}, {}, no_near) == Status::ok);
    // An invalid query finds nothing, and neither does one of an empty tree.
    CHECK(tree.visit_overlaps(Aabb::empty(), {}, no_box) == Status::ok);
    CHECK(tree.visit_hits(Ray{{kNaN, 0, 0}, {1, 0, 0}}, {}, no_hit) == Status::ok);
    tree.clear();
    CHECK(tree.visit_hits(ray, {}, no_hit) == Status::ok);
    CHECK(tree.visit_overlaps(Vec3{}, {}, no_box) == Status::ok);
    CHECK(tree.visit_close_boxes(Vec3{}, {}, {}, no_near) == Status::ok);
    CHECK(tree.closest_hit(ray) == TreeHit{});
}

// The advice of docs/embedding.md to a host whose code throws: nothing of the library is left half done.
TEST_CASE("an exception kept by a visitor ends the walk and continues after the call") {
    BoxSoa boxes;
    for (int i = 0; i < 300; ++i)
        REQUIRE(boxes.push_back({{static_cast<float>(i % 10), 0, 0},
                                 {static_cast<float>(i % 10) + 1, 1, 1}}) == Status::ok);
    BoxTree tree;
    REQUIRE(tree.build(boxes) == Status::ok);
    World world;
    std::vector<ObjectHandle> handles(boxes.count());
    REQUIRE(world.add(boxes, {}, handles).status == Status::ok);
    const Aabb all = {{-9, -9, -9}, {99, 9, 9}};
    const Ray along = {{-9, 0.5f, 0.5f}, {1, 0, 0}};
    const auto count_items = [&] {
        std::size_t count = 0;
        REQUIRE(tree.visit_overlaps(all, {}, [&](std::uint32_t) { return ++count != 0; }) == Status::ok);
        return count;
    };
    REQUIRE(count_items() == boxes.count());
    std::size_t seen = 0;
    std::exception_ptr thrown;
    // Throws at the third item; returns whether to continue.
    const auto host = [&] {
        try {
            if (++seen == 3) throw std::runtime_error("host");
            return true;
        } catch (...) {
            thrown = std::current_exception();
            return false;
        }
    };
    const std::function<Status()> walks[] = {
        [&] { return tree.visit_pairs({}, [&](const IndexPair&) { return host(); }); },
        [&] { return tree.visit_pairs(tree, {}, [&](const IndexPair&) { return host(); }); },
        [&] {
            return tree.visit_close_pairs(
                tree, 1, {}, [&](const ClosePair&) { return host() ? kVisitAll : kVisitNoMore; });
        },
        [&] { return tree.visit_overlaps(all, {}, [&](std::uint32_t) { return host(); }); },
        [&] {
            return tree.visit_close_boxes(
                all, {}, {}, [&](const ClosePair&) { return host() ? kVisitAll : kVisitNoMore; });
        },
        [&] {
            return world.queries().visit_close_objects(
                all, {}, {}, [&](const CloseObject&) { return host() ? kVisitAll : kVisitNoMore; });
        },
        [&] {
            return tree.visit_hits(along, {},
                                   [&](const TreeHit&) { return host() ? kVisitAll : kVisitNoMore; });
        },
        [&] { return world.queries().visit_overlaps(all, {}, [&](ObjectHandle) { return host(); }); },
        [&] {
            return world.queries().visit_hits(
                along, {}, [&](const WorldHit&) { return host() ? kVisitAll : kVisitNoMore; });
        },
    };
    const int rounding = std::fegetround();
    REQUIRE(std::fesetround(FE_UPWARD) == 0);
    for_each_isa([&](Isa) {
        for (const auto& walk : walks) {
            seen = 0;
            thrown = nullptr;
            const auto walk_and_throw = [&] {
                const Status status = walk();
                CHECK(status == Status::ok);
                if (thrown) std::rethrow_exception(thrown);
            };
            CHECK_THROWS_AS(walk_and_throw(), std::runtime_error);
            CHECK(seen == 3);
            // The caller's floating-point environment, the tree and the world stay unchanged.
            CHECK(std::fegetround() == FE_UPWARD);
            CHECK(count_items() == boxes.count());
            CHECK(world.is_consistent());
        }
    });
    REQUIRE(std::fesetround(rounding) == 0);
}
