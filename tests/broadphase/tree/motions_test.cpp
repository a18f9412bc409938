// BoxTree::first_overlaps and that of a World: the first shape of a motion that asking one by one finds.
#include "tests/support/motions.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/shuffled_runner.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/world_query.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// Whether one shape overlaps one box, by the functions that the page of BoxTree names.
bool is_overlap(const Aabb& query, const Aabb& box) { return overlap(query, box); }
bool is_overlap(Vec3 point, const Aabb& box) { return is_finite(point) && contains(box, point); }
bool is_overlap(const Sphere& sphere, const Aabb& box) { return overlap(sphere, box); }
bool is_overlap(const Capsule& capsule, const Aabb& box) { return overlap(capsule, box); }
bool is_overlap(const Obb& obb, const Aabb& box) { return decided_overlap(obb, box); }
bool is_overlap(const ConvexVolume& volume, const Aabb& box) { return overlap(volume, box); }

struct Case {
    std::size_t shapes_per_state;
    std::size_t state_count;
    std::size_t motion_count;
};

// How many motions there were of each kind.
struct Seen {
    std::size_t free = 0;
    std::size_t at_once = 0;
    std::size_t later = 0;

    void add(std::span<const std::uint32_t> first, std::size_t length) {
        for (const std::uint32_t i : first) ++(i == length ? free : i == 0 ? at_once : later);
    }
};

// Boxes few and far apart, in a heap, on a grid with many that touch, and any at all.
std::vector<Aabb> scene_of(Random& random, std::uint32_t kind, std::size_t count) {
    std::vector<Aabb> boxes;
    for (std::size_t i = 0; i < count; ++i) {
        boxes.push_back(kind == 0   ? random_box(random, 20.0f, 1.0f)
                        : kind == 1 ? random_box(random, 2.0f, 1.0f)
                        : kind == 2 ? grid_box(random, 6)
                                    : adversarial_box(random));
    }
    return boxes;
}

template <class Shape>
void check_motions(Random& random, const std::vector<Aabb>& boxes, const TreeQuestions& questions,
                   const std::vector<Shape>& list, const Case& c, const TreeRules& rules, Seen& state_seen) {
    std::vector<Shape> shapes;
    const float step = random.chance(8) ? 5.0f : random.uniform(0.0f, 0.3f);
    for (std::size_t motion_index = 0; motion_index < c.motion_count; ++motion_index) {
        const std::vector<Shape> next =
            motion<Shape>(random, list, c.shapes_per_state, c.state_count, step, random.chance(4) ? 8 : 1000);
        shapes.insert(shapes.end(), next.begin(), next.end());
    }
    TreeQuestions asked = questions;
    asked.masks.resize(shapes.size());
    for (std::uint64_t& mask : asked.masks) mask = std::uint64_t{1} << random.below(3);
    std::vector<std::uint64_t> bits(shapes.size() / 64 + 1);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        for (std::size_t k = 0; k < boxes.size(); ++k) {
            if (!is_overlap(shapes[i], boxes[k]) || !passes(asked, rules, i, k)) continue;
            bits[i / 64] |= std::uint64_t{1} << i % 64;
            break;
        }
    }
    const std::vector<std::uint32_t> expected = first_bits(bits, shapes.size(), c.motion_count);
    state_seen.add(expected, c.shapes_per_state * c.state_count);
    const BoxSoa soa = soa_of(boxes);
    ShuffledRunner runner(random.next(), 3);
    for_each_isa([&](Isa) {
        BoxTree tree;
        REQUIRE(tree.build(soa) == Status::ok);
        for (const TaskRunner* with : {static_cast<const TaskRunner*>(nullptr), runner.runner()}) {
            TreeQuerySettings settings = settings_of(asked, rules);
            settings.runner = with;
            std::vector<std::uint32_t> first(c.motion_count, 77);
            const auto sps = static_cast<std::uint32_t>(c.shapes_per_state);
            REQUIRE(tree.first_overlaps(shapes, sps, settings, first).status == Status::ok);
            REQUIRE(first == expected);
            std::vector<std::uint64_t> alone(bits.size());
            REQUIRE(tree.any_overlap(shapes, settings, alone).status == Status::ok);
            REQUIRE(first_bits(alone, shapes.size(), c.motion_count) == expected);
        }
    });
}

template <class Ask>
void for_each_shape(const TreeQuestions& questions, Ask&& ask) {
    ask(questions.boxes);
    ask(questions.points);
    ask(questions.spheres);
    ask(questions.obbs);
    ask(questions.capsules);
    ask(questions.volumes);
}

}  // namespace

TEST_CASE("the first overlaps of motions are those of asking every shape and box one by one") {
    Random random(3501);
    Seen seen;
    for (int round = 0; round < 30 * test_scale(); ++round) {
        const std::uint32_t kind = random.below(4);
        const std::size_t box_count = random.chance(8) ? random.below(3) : random.below(300);
        const std::vector<Aabb> boxes = scene_of(random, kind, box_count);
        const TreeQuestions questions = make_questions(boxes, 24, random.next());
        const TreeRules rules = tree_rules(random.chance(2) ? 0 : random.below(kTreeRulesCount));
        for_each_shape(questions, [&](const auto& list) {
            const Case c = {1 + random.below(12), random.below(40), 1 + random.below(4)};
            check_motions(random, boxes, questions, list, c, rules, seen);
        });
    }
    MESSAGE(seen.free << " free, " << seen.at_once << " at once, " << seen.later << " later");
    CHECK(seen.free > 40);
    CHECK(seen.at_once > 40);
    CHECK(seen.later > 40);
}

TEST_CASE("the first overlaps of motions are right for every number of states" * kLong) {
    Random random(3502);
    Seen seen;
    const std::vector<Aabb> boxes = scene_of(random, 0, 200);
    const TreeQuestions questions = make_questions(boxes, 40, 9);
    for (std::size_t state_count = 0; state_count <= 35; ++state_count) {
        for_each_shape(questions, [&](const auto& list) {
            check_motions(random, boxes, questions, list, {1 + state_count % 3, state_count, 2}, {}, seen);
        });
    }
    CHECK(seen.later > 20);
}

TEST_CASE("the first overlaps of motions among more boxes than are looked at as one are right") {
    Random random(3503);
    Seen seen;
    // All shapes of a run are near more than 64 boxes, most of which they do not overlap.
    for (int round = 0; round < 4 * test_scale(); ++round) {
        std::vector<Aabb> boxes;
        for (int i = 0; i < 2000; ++i) boxes.push_back(random_box(random, 3.0f, 0.02f));
        const TreeQuestions questions = make_questions(boxes, 40, random.next());
        std::vector<Sphere> spheres = questions.spheres;
        for (Sphere& sphere : spheres) sphere.radius *= 0.02f;
        check_motions(random, boxes, questions, spheres, {5, 40, 3}, {}, seen);
        check_motions(random, boxes, questions, questions.points, {5, 40, 3}, {}, seen);
    }
    CHECK(seen.later > 4);
}

TEST_CASE("a motion without shapes has its first overlap at 0, and no motion writes nothing") {
    BoxTree tree;
    REQUIRE(tree.build(soa_of({{{0, 0, 0}, {1, 1, 1}}})) == Status::ok);
    std::uint32_t first[3] = {9, 9, 9};
    REQUIRE(tree.first_overlaps(std::span<const Sphere>(), 5, {}, {first, 2}).status == Status::ok);
    CHECK(first[0] == 0);
    CHECK(first[1] == 0);
    CHECK(first[2] == 9);
    REQUIRE(tree.first_overlaps(std::span<const Sphere>(), 5, {}, {}).status == Status::ok);
}

TEST_CASE("motions of shapes that do not make whole states or equal motions are refused") {
    BoxTree tree;
    World world;
    const std::vector<Sphere> spheres(12);
    std::uint32_t first[13];
    const WorldQueries queries = world.queries();
    const auto each = [&](const char* message, std::uint32_t shapes_per_state, std::size_t motion_count) {
        const std::span<std::uint32_t> out_first(first, motion_count);
        check_refused(
            {{message, [&] { return tree.first_overlaps(spheres, shapes_per_state, {}, out_first).status; }},
             {message,
              [&] { return queries.first_overlaps(spheres, shapes_per_state, {}, out_first).status; }}});
    };
    each("shapes_per_state: zero", 0, 1);
    each("shapes: the last state is no whole one", 5, 1);
    each("out_first: states are not as many for each motion", 4, 2);
    each("out_first: states are not as many for each motion", 4, 0);
    each("out_first: states are not as many for each motion", 4, 6);
}

TEST_CASE("the first overlaps of motions in a world are the first bits of any_overlap") {
    Random random(3504);
    Seen seen;
    for (int round = 0; round < 10 * test_scale(); ++round) {
        World world;
        std::vector<ObjectDescription> objects(200);
        for (ObjectDescription& object : objects) {
            object.box = random.chance(8) ? adversarial_box(random) : random_box(random, 20, 2);
            object.kind = static_cast<ObjectKind>(random.below(3));
            object.filter.layer = static_cast<std::uint16_t>(random.below(4));
            object.filter.category = std::uint64_t{1} << random.below(3);
        }
        std::vector<ObjectHandle> handles(objects.size());
        REQUIRE(world.add(objects, handles).status == Status::ok);
        std::vector<Aabb> boxes;
        for (const ObjectDescription& object : objects) boxes.push_back(object.box);
        const TreeQuestions questions = make_questions(boxes, 24, random.next());
        WorldQuerySettings settings;
        if (random.chance(2)) settings.layers = 0b101;
        if (random.chance(2)) settings.kinds = random.below(8);
        const bool has_masks = random.chance(2);
        for_each_shape(questions, [&]<class Shape>(const std::vector<Shape>& list) {
            const auto shapes_per_state = 1 + random.below(9);
            const std::size_t length = shapes_per_state * (1 + random.below(40));
            const std::vector<Shape> shapes =
                motion<Shape>(random, list, shapes_per_state, 2 * length / shapes_per_state, 0.2f, 100);
            std::vector<std::uint64_t> masks(shapes.size());
            for (std::uint64_t& mask : masks) mask = std::uint64_t{1} << random.below(3);
            if (has_masks) settings.masks = masks;
            for_each_isa([&](Isa) {
                const WorldQueries queries = world.queries();
                std::vector<std::uint64_t> bits(bit_word_count(shapes.size()));
                REQUIRE(queries.any_overlap(shapes, settings, bits).status == Status::ok);
                std::uint32_t first[2];
                REQUIRE(queries.first_overlaps(shapes, shapes_per_state, settings, first).status ==
                        Status::ok);
                const std::vector<std::uint32_t> expected = first_bits(bits, shapes.size(), 2);
                REQUIRE(first[0] == expected[0]);
                REQUIRE(first[1] == expected[1]);
                seen.add(expected, length);
            });
        });
    }
    CHECK(seen.free > 20);
    CHECK(seen.later > 20);
}
