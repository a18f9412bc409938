// Pairs of boxes by distance, and boxes near boxes, against integers of any size.
#include <broadside/box_tree.hpp>
#include <broadside/world_query.hpp>

#include "tests/broadphase/find_pairs/filter_oracle.hpp"
#include "tests/broadphase/tree/box_tree_oracle.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/exact_squares.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <algorithm>
#include <optional>

using namespace broadside;
using namespace broadside::test;

namespace {

using Boxes = std::vector<Aabb>;

// Boxes of one set, or of two.
struct CloseScene {
    Boxes a;
    std::optional<Boxes> b;

    const Boxes& second() const { return b ? *b : a; }
};

struct ExactPair {
    mpz_class distance_sq;
    IndexPair pair;
};

// All allowed pairs, in order, by the definition.
std::vector<ExactPair> exact_pairs(const CloseScene& scene, const BoxFilter& of_a, const BoxFilter& of_b) {
    std::vector<ExactPair> pairs;
    const Boxes& second = scene.second();
    for (std::uint32_t i = 0; i < scene.a.size(); ++i) {
        for (std::uint32_t j = scene.b ? 0 : i + 1; j < second.size(); ++j) {
            if (!is_valid(scene.a[i]) || !is_valid(second[j])) continue;
            if (!may_pair(of_a, i, scene.b ? of_b : of_a, j)) continue;
            pairs.push_back({exact_distance_sq(scene.a[i], second[j]), {i, j}});
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const ExactPair& a, const ExactPair& b) {
        return a.distance_sq != b.distance_sq ? a.distance_sq < b.distance_sq : a.pair < b.pair;
    });
    return pairs;
}

bool is_within(const mpz_class& distance_sq, float distance) {
    return distance == kInfinity || distance_sq <= exact_square(distance);
}
bool is_float_above(float reported, const mpz_class& distance_sq) {
    if (!is_within(distance_sq, reported)) return false;
    return reported == 0.0f || !is_within(distance_sq, next_down(reported));
}

// A possible distance of bodies in the boxes: no less than that of the boxes.
float body_distance(const ClosePair& near) {
    const std::uint32_t mixed = (near.target.first * 2654435761u) ^ (near.target.second * 40503u);
    return near.distance + near.distance * static_cast<float>(mixed % 1000) * 0.001f +
           static_cast<float>(mixed % 7);
}

template <class Visitor>
Status visit(const BoxTree& a, const BoxTree* b, float max_distance, const FindPairsSettings& settings,
             Visitor&& visitor) {
    return b != nullptr ? a.visit_close_pairs(*b, max_distance, settings, visitor)
                        : a.visit_close_pairs(max_distance, settings, visitor);
}
ClosePair closest(const BoxTree& a, const BoxTree* b, float max_distance, const FindPairsSettings& settings) {
    return b != nullptr ? a.closest_pair(*b, max_distance, settings) : a.closest_pair(max_distance, settings);
}

// All queries of the trees, which hold the boxes of the scene. Returns the order of the walk.
std::vector<IndexPair> check_trees(const CloseScene& scene, const BoxTree& a, const BoxTree* b,
                                   float max_distance, const FindPairsSettings& settings) {
    std::vector<ExactPair> expected = exact_pairs(scene, settings.filter, settings.filter_b);
    const auto end = std::partition_point(expected.begin(), expected.end(), [&](const ExactPair& pair) {
        return is_within(pair.distance_sq, max_distance);
    });
    expected.erase(max_distance >= 0.0f ? end : expected.begin(), expected.end());
    const ClosePair found = closest(a, b, max_distance, settings);
    if (expected.empty()) {
        REQUIRE(found == ClosePair{});
    } else {
        REQUIRE(found.target == expected[0].pair);
        REQUIRE(is_float_above(found.distance, expected[0].distance_sq));
    }

    // All of them, each once.
    std::vector<IndexPair> order;
    std::vector<ClosePair> seen;
    REQUIRE(visit(a, b, max_distance, settings, [&](const ClosePair& near) {
                order.push_back(near.target);
                seen.push_back(near);
                return kVisitAll;
            }) == Status::ok);
    REQUIRE(seen.size() == expected.size());
    std::sort(seen.begin(), seen.end(),
              [](const ClosePair& x, const ClosePair& y) { return x.target < y.target; });
    std::sort(expected.begin(), expected.end(),
              [](const ExactPair& x, const ExactPair& y) { return x.pair < y.pair; });
    for (std::size_t i = 0; i < seen.size(); ++i) {
        REQUIRE(seen[i].target == expected[i].pair);
        REQUIRE(is_float_above(seen[i].distance, expected[i].distance_sq));
    }

    // The closest bodies, with a bound that shrinks. No pair beyond the bound is visited.
    float best = kInfinity;
    for (const ClosePair& near : seen) best = std::min(best, body_distance(near));
    float bound = max_distance;
    float found_best = kInfinity;
    REQUIRE(visit(a, b, max_distance, settings, [&](const ClosePair& near) {
                REQUIRE(near.distance <= bound);
                found_best = std::min(found_best, body_distance(near));
                bound = std::min(bound, found_best);
                return found_best;
            }) == Status::ok);
    REQUIRE(found_best == best);

    // Stops at the second.
    for (const float enough : {kVisitNoMore, -1.0f, kNaN}) {
        std::size_t count = 0;
        REQUIRE(visit(a, b, max_distance, settings,
                      [&](const ClosePair&) { return ++count == 2 ? enough : kVisitAll; }) == Status::ok);
        REQUIRE(count == std::min<std::size_t>(seen.size(), 2));
    }
    return order;
}

void check_scene(const CloseScene& scene, float max_distance, const FindPairsSettings& settings) {
    const BoxSoa soa_a = soa_of(scene.a);
    const BoxSoa soa_b = soa_of(scene.second());
    std::optional<std::vector<IndexPair>> first_order;
    for_each_isa([&](Isa) {
        BoxTree a;
        BoxTree b;
        REQUIRE(a.build(soa_a) == Status::ok);
        REQUIRE(b.build(soa_b) == Status::ok);
        const std::vector<IndexPair> order =
            check_trees(scene, a, scene.b ? &b : nullptr, max_distance, settings);
        if (first_order) CHECK(order == *first_order);
        first_order = order;
    });
}

// Nearly equal distances: whole diagonals of any size between boxes that are off by a few of the smallest
// floats, or by a small part of the size.
Boxes diagonal_boxes(Random& random, const WholeDiagonal& diagonal, float scale, bool is_far) {
    Boxes boxes;
    const float dust = random.chance(2) ? std::numeric_limits<float>::denorm_min() : scale * 0x1p-40f;
    for (int i = 0; i < 10; ++i) {
        Vec3 corner = is_far ? diagonal.sides * scale : Vec3{};
        if (is_far && random.chance(2)) corner = {corner.y, corner.z, corner.x};
        if (is_far && random.chance(3)) corner = {0, diagonal.length * scale, 0};
        if (!is_far || random.chance(3)) corner = corner + Vec3{random.grid(-2, 2) * dust, 0, 0};
        if (random.chance(2)) corner.z = moved_by_ulps(random, corner.z);
        boxes.push_back({corner, corner});
    }
    return boxes;
}

CloseScene any_pair_scene(Random& random) {
    CloseScene scene;
    const auto draw = [&](std::uint32_t kind, std::size_t count) {
        Boxes boxes;
        for (std::size_t i = 0; i < count; ++i) {
            boxes.push_back(kind == 0   ? adversarial_box(random)
                            : kind == 1 ? vast_box(random)
                            : kind == 2 ? grid_box(random, 12)
                            : kind == 3 ? random_box(random, 20.0f, 1.0f)
                                        : Aabb{{0, 0, 0}, {1, 1, 1}});
        }
        return boxes;
    };
    const std::uint32_t kind = random.below(6);
    const auto any_count = [&] { return random.chance(3) ? random.below(3) : random.below(40); };
    if (kind == 5) {
        const WholeDiagonal diagonal = any_whole_diagonal(random);
        const float scale = any_power_of_two(random);
        scene.a = diagonal_boxes(random, diagonal, scale, false);
        scene.b = diagonal_boxes(random, diagonal, scale, true);
    } else {
        scene.a = draw(kind, any_count());
        if (random.chance(2)) scene.b = draw(random.chance(4) ? random.below(5) : kind, any_count());
    }
    // Some that are never found, and some that are near everything.
    Boxes& last = scene.b ? *scene.b : scene.a;
    if (random.chance(3)) last.push_back({{kNaN, 0, 0}, {1, 1, 1}});
    if (random.chance(3)) last.push_back({{1, 0, 0}, {-1, 1, 1}});
    if (random.chance(6)) last.push_back({{-kInfinity, 30, -kInfinity}, {kInfinity, 31, kInfinity}});
    if (random.chance(8))
        last.push_back({{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}});
    return scene;
}

// The distance of some pair, or a float more or less.
float any_reach(Random& random, const CloseScene& scene, const BoxFilter& of_a, const BoxFilter& of_b) {
    if (random.chance(3)) return kInfinity;
    if (random.chance(12)) return random.chance(2) ? 0.0f : random.chance(2) ? -1.0f : kNaN;
    const std::vector<ExactPair> pairs = exact_pairs(scene, of_a, of_b);
    if (pairs.empty()) return 1.0f;
    const std::size_t some =
        random.below(static_cast<std::uint32_t>(std::min<std::size_t>(pairs.size(), 30)));
    const mpz_class root = sqrt(pairs[some].distance_sq);
    const double distance = std::ldexp(root.get_d(), -149);
    const float rounded = distance < static_cast<double>(FLT_MAX) ? static_cast<float>(distance) : FLT_MAX;
    return max_keep(moved_by_ulps(random, rounded), 0.0f);
}

}  // namespace

TEST_CASE("close pairs match exact arithmetic, in its order, with rules and reach, on every ISA" * kLong) {
    Random random(201);
    for (int round = 0; round < 250 * test_scale(); ++round) {
        INFO("round " << round);
        const CloseScene scene = any_pair_scene(random);
        Rules rules_a(random, scene.a.size());
        Rules rules_b(random, scene.second().size());
        FindPairsSettings settings;
        if (random.chance(2)) settings.filter = rules_a.filter(random.below(Rules::kChoices));
        if (random.chance(2)) settings.filter_b = rules_b.filter(random.below(Rules::kChoices));
        check_scene(scene, any_reach(random, scene, settings.filter, settings.filter_b), settings);
    }
}

TEST_CASE("close pairs of trees of any height, apart or overlapping, match exact arithmetic" * kLong) {
    Random random(202);
    for (int round = 0; round < 12 * test_scale(); ++round) {
        INFO("round " << round);
        const auto draw = [&](std::size_t count, float edge, Vec3 at) {
            Boxes boxes;
            for (std::size_t i = 0; i < count; ++i) {
                const Aabb box = random_box(random, 10.0f, edge);
                boxes.push_back({box.min + at, box.max + at});
            }
            return boxes;
        };
        const float edge = round % 3 == 0 ? 0.02f : 0.5f;
        CloseScene scene = {draw(300 + random.below(200), edge, {}), {}};
        if (round % 2 == 0)
            scene.b = draw(random.chance(2) ? 5 : 400, random.chance(2) ? edge : 6.0f,
                           {random.grid(0, 2) * 11, 0, random.grid(0, 1)});
        check_scene(scene, random.chance(2) ? 0.5f : 40.0f, {});
    }
}

TEST_CASE("the closest of overlapping pairs is the first of find_pairs, however many there are") {
    Random random(203);
    for (int round = 0; round < 120 * test_scale(); ++round) {
        INFO("round " << round);
        const DrawnThresholds drawn(static_cast<std::uint64_t>(round));
        // Boxes so thin that the first overlapping pair is anywhere, or missing.
        Boxes boxes[2];
        const int reach = 4 + static_cast<int>(random.below(40));
        for (Boxes& some : boxes)
            for (std::uint32_t i = 0, count = 200 + random.below(300); i < count; ++i)
                some.push_back(grid_box(random, reach));
        Rules rules(random, boxes[0].size());
        const BoxFilter filter = rules.filter(random.below(Rules::kChoices));
        for_each_isa([&](Isa) {
            BoxTree a;
            BoxTree b;
            REQUIRE(a.build(soa_of(boxes[0])) == Status::ok);
            REQUIRE(b.build(soa_of(boxes[1])) == Status::ok);
            BoxScratch scratch;
            PairBuffer pairs;
            REQUIRE(a.find_pairs({.filter = filter}, scratch, pairs).status == Status::ok);
            const ClosePair one = a.closest_pair(kInfinity, {.filter = filter});
            if (!pairs.is_empty()) CHECK(one == ClosePair{0.0f, pairs[0]});
            CHECK((one.distance == 0.0f) == !pairs.is_empty());
            REQUIRE(a.find_pairs(b, {.filter = filter}, scratch, pairs).status == Status::ok);
            const ClosePair two = a.closest_pair(b, kInfinity, {.filter = filter});
            if (!pairs.is_empty()) CHECK(two == ClosePair{0.0f, pairs[0]});
            CHECK((two.distance == 0.0f) == !pairs.is_empty());
        });
    }
}

TEST_CASE("the closest pair does not depend on the trees' history" * kLong) {
    Random random(204);
    for (int round = 0; round < 20 * test_scale(); ++round) {
        INFO("round " << round);
        CloseScene scene;
        scene.b.emplace();
        BoxTree trees[2];
        Boxes* const boxes[2] = {&scene.a, &*scene.b};
        const auto any_box = [&] {
            return random.chance(8) ? adversarial_box(random) : grid_box(random, 15);
        };
        for (int k = 0; k < 2; ++k) {
            for (std::uint32_t i = 0, count = random.below(150); i < count; ++i)
                boxes[k]->push_back(any_box());
            REQUIRE(trees[k].build(soa_of(*boxes[k])) == Status::ok);
            for (std::uint32_t change = 0; change < 60; ++change) {
                if (boxes[k]->empty()) break;
                const std::uint32_t index = random.below(static_cast<std::uint32_t>(boxes[k]->size()));
                Aabb& box = (*boxes[k])[index];
                if (random.chance(4)) {
                    if (trees[k].remove_box(index) == Status::ok) box = {{1, 1, 1}, {-1, -1, -1}};
                } else {
                    box = any_box();
                    REQUIRE(trees[k].set_box(index, box) == Status::ok);
                }
            }
            if (random.chance(2)) {
                // A non-member has no box.
                for (std::uint32_t i = 0; i < boxes[k]->size(); ++i) {
                    if (is_empty(trees[k].box(i))) continue;
                    (*boxes[k])[i] = any_box();
                }
                REQUIRE(trees[k].refit(soa_of(*boxes[k])) == Status::ok);
            }
        }
        const float max_distance = random.chance(2) ? 1.0f : kInfinity;
        (void)check_trees(scene, trees[0], &trees[1], max_distance, {});
        (void)check_trees({scene.a, {}}, trees[0], nullptr, max_distance, {});
    }
}

TEST_CASE("close pairs at the ends of the float range match exact arithmetic") {
    for_each_isa([](Isa) {
        const float tiny = std::numeric_limits<float>::denorm_min();
        const auto at = [](float x) { return Aabb{{x, 0, 0}, {x, 0, 0}}; };
        const auto distance = [&](float x, float y) {
            BoxTree tree;
            REQUIRE(tree.build(soa_of({at(x), at(y)})) == Status::ok);
            return tree.closest_pair().distance;
        };
        CHECK(distance(0, tiny) == tiny);
        CHECK(distance(-tiny, tiny) == 2 * tiny);
        CHECK(distance(1, -tiny) == next_up(1.0f));
        CHECK(distance(0, FLT_MAX) == FLT_MAX);
        CHECK(distance(-tiny, FLT_MAX) == kInfinity);
        CHECK(distance(-FLT_MAX, FLT_MAX) == kInfinity);
        BoxTree tree;
        REQUIRE(tree.build(soa_of({at(-FLT_MAX), at(FLT_MAX)})) == Status::ok);
        CHECK(tree.closest_pair() == ClosePair{kInfinity, {0, 1}});
        CHECK(tree.closest_pair(FLT_MAX) == ClosePair{});
        // None, and one.
        const BoxTree empty;
        CHECK(empty.closest_pair() == ClosePair{});
        CHECK(empty.closest_pair(tree) == ClosePair{});
        CHECK(tree.closest_pair(empty) == ClosePair{});
        REQUIRE(tree.build(soa_of({at(1)})) == Status::ok);
        CHECK(tree.closest_pair() == ClosePair{});
        CHECK(tree.closest_pair(tree) == ClosePair{0, {0, 0}});
        REQUIRE(tree.build(soa_of({at(kNaN), at(kNaN)})) == Status::ok);
        CHECK(tree.closest_pair() == ClosePair{});
        CHECK(tree.closest_pair(tree) == ClosePair{});
    });
}

namespace {

// The part of the expected list within reach that `visit(visitor)` sees: all, the closest bodies, none after
// a stop. Returns the order.
template <class Visit>
void check_visits(std::vector<ExactPair> expected, float reach, Visit&& visit) {
    std::erase_if(expected, [&](const ExactPair& pair) {
        return !(reach >= 0.0f) || !is_within(pair.distance_sq, reach);
    });
    std::vector<ClosePair> seen;
    REQUIRE(visit([&](const ClosePair& near) {
                seen.push_back(near);
                return kVisitAll;
            }) == Status::ok);
    REQUIRE(seen.size() == expected.size());
    std::sort(seen.begin(), seen.end(),
              [](const ClosePair& a, const ClosePair& b) { return a.target < b.target; });
    std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.pair < b.pair; });
    float best = kInfinity;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        REQUIRE(seen[i].target == expected[i].pair);
        REQUIRE(is_float_above(seen[i].distance, expected[i].distance_sq));
        best = std::min(best, body_distance(seen[i]));
    }
    // With a shrinking bound no pair beyond it is visited.
    float bound = reach;
    float found_best = kInfinity;
    REQUIRE(visit([&](const ClosePair& near) {
                REQUIRE(near.distance <= bound);
                found_best = std::min(found_best, body_distance(near));
                bound = std::min(bound, found_best);
                return found_best;
            }) == Status::ok);
    REQUIRE(found_best == best);
    for (const float enough : {kVisitNoMore, -1.0f, kNaN}) {
        std::size_t count = 0;
        REQUIRE(visit([&](const ClosePair&) { return ++count == 2 ? enough : kVisitAll; }) == Status::ok);
        REQUIRE(count == std::min<std::size_t>(seen.size(), 2));
    }
}

}  // namespace

TEST_CASE("the boxes closest to a box match exact arithmetic, in a tree and in a world; a point is a box" *
          kLong) {
    Random random(205);
    for (int round = 0; round < 300 * test_scale(); ++round) {
        INFO("round " << round);
        CloseScene scene = any_pair_scene(random);
        if (!scene.b) scene.b.emplace(1, adversarial_box(random));
        const Boxes& queries = *scene.b;
        const std::uint32_t count = 1 + random.below(5);
        const float reach = any_reach(random, scene, {}, {});
        World world;
        for (const Aabb& box : scene.a)
            REQUIRE_FALSE(
                world.add({.box = box, .kind = static_cast<ObjectKind>(random.below(3))}).is_null());
        for_each_isa([&](Isa) {
            BoxTree tree;
            REQUIRE(tree.build(soa_of(scene.a)) == Status::ok);
            std::vector<ClosestBox> found(queries.size() * count, ClosestBox{7, 7});
            REQUIRE(tree.closest_boxes(queries, {count, reach}, {}, found).status == Status::ok);
            std::vector<ClosestObject> objects(queries.size() * count);
            REQUIRE(world.queries().closest_objects(queries, {count, reach}, {}, objects).status ==
                    Status::ok);
            for (std::uint32_t query = 0; query < queries.size(); ++query) {
                const std::vector<ExactPair> expected = exact_pairs({{queries[query]}, scene.a}, {}, {});
                for (std::uint32_t k = 0; k < count; ++k) {
                    const ClosestBox& near = found[query * count + k];
                    const ClosestObject& object = objects[query * count + k];
                    const bool is_any =
                        reach >= 0.0f && k < expected.size() && is_within(expected[k].distance_sq, reach);
                    REQUIRE(near.target == (is_any ? expected[k].pair.second : kNoBox));
                    REQUIRE(object.target.is_null() == !is_any);
                    if (!is_any) continue;
                    REQUIRE(object.target.slot() == near.target);
                    REQUIRE(object.distance_sq == near.distance_sq);
                    const double square = expected[k].distance_sq.get_d() * 0x1p-298;
                    const float nearest = static_cast<float>(std::min<double>(square, FLT_MAX));
                    REQUIRE(next_down(nearest) <= near.distance_sq);
                    REQUIRE(near.distance_sq <= next_up(nearest));
                }
                const ClosestBox alone = tree.closest_box(queries[query], {.max_distance = reach});
                REQUIRE(alone == found[query * count]);
                REQUIRE(world.queries().closest_object(queries[query], {.max_distance = reach}) ==
                        objects[query * count]);
                const Vec3 point = queries[query].min;
                REQUIRE(tree.closest_box(Aabb{point, point}) == tree.closest_box(point));
                check_visits(expected, reach, [&](auto&& visitor) {
                    return tree.visit_close_boxes(queries[query], {.max_distance = reach}, {}, visitor);
                });
                check_visits(expected, reach, [&](auto&& visitor) {
                    const auto of_object = [&](const CloseObject& near) {
                        return visitor({near.distance, {0, near.target.slot()}});
                    };
                    return world.queries().visit_close_objects(queries[query], {.max_distance = reach}, {},
                                                               of_object);
                });
            }
        });
    }
}
