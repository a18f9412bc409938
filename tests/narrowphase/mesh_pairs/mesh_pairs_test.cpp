// Mesh against mesh: the results of a loop over all pairs of triangles, on every ISA and by both kinds of
// trees.
#include "tests/narrowphase/mesh/made_meshes.hpp"
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/counting_allocator.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_array.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/mesh_pairs.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// The mesh with its oriented boxes, or without.
PlacedMesh with_obbs(PlacedMesh mesh, bool has_obbs) {
    if (!has_obbs) mesh.obb_tree = nullptr;
    return mesh;
}

std::vector<TrianglePair> all_pairs(const PlacedMesh& a, const PlacedMesh& b) {
    std::vector<TrianglePair> pairs;
    for (std::uint32_t i = 0; i < a.mesh->triangle_count(); ++i) {
        for (std::uint32_t k = 0; k < b.mesh->triangle_count(); ++k) {
            const TrianglePairKind kind = triangle_pair(placed(a.world_from_mesh, a.mesh->triangle(i)),
                                                        placed(b.world_from_mesh, b.mesh->triangle(k)));
            if (kind != TrianglePairKind::disjoint) pairs.push_back({i, k, kind});
        }
    }
    return pairs;
}

// The distance of two triangles, from a grid of points on both, refined near the minimum: an upper bound.
double sampled_distance(const Triangle& a, const Triangle& b) {
    double least = 1e300;
    const int n = 40;
    for (int i = 0; i <= n; ++i) {
        for (int k = 0; i + k <= n; ++k) {
            const float u = static_cast<float>(i) / n, v = static_cast<float>(k) / n;
            for (const bool is_a : {true, false}) {
                const Triangle& from = is_a ? a : b;
                const Vec3 point = from.a * (1 - u - v) + from.b * u + from.c * v;
                least = std::min(least, static_cast<double>(closest_point(is_a ? b : a, point).distance_sq));
            }
        }
    }
    return std::sqrt(least);
}
Triangle moved(const Triangle& t, Vec3 by) { return {t.a + by, t.b + by, t.c + by}; }

}  // namespace

TEST_CASE("B31, B32: two meshes meet in the pairs of triangles that meet one by one") {
    Random random(1671);
    std::size_t pair_count = 0;
    std::size_t empty_count = 0;
    for (PlacedCase& test : placed_cases(random, 120 * test_scale())) {
        const PlacedMesh b = test.second();
        const std::vector<TrianglePair> expected = all_pairs(test.first(), b);
        pair_count += expected.size();
        empty_count += expected.empty() ? 1 : 0;
        PairSearchCounts counts[2];
        for_each_isa([&](Isa isa) {
            for (const bool has_obbs : {false, true}) {
                const PlacedMesh a = with_obbs(test.first(), has_obbs);
                MeshScratch scratch;
                GuardedArray<TrianglePair> pairs(expected.size());
                PairSearchCounts work;
                const WriteResult result = find_triangle_pairs(a, b, scratch, pairs.span(), &work);
                REQUIRE(result.status == Status::ok);
                REQUIRE(result.required == expected.size());
                for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(pairs[i] == expected[i]);
                const AnyPairResult any = any_triangle_pair(a, b);
                REQUIRE(any.status == Status::ok);
                REQUIRE(any.found == !expected.empty());
                CHECK(any.counts.triangle_tests <= work.triangle_tests);
                PairSearchCounts& of_first = counts[has_obbs ? 1 : 0];
                if (isa == Isa::scalar) of_first = work;
                CHECK(work == of_first);
                if (expected.size() < 2) continue;
                const WriteResult too_few =
                    find_triangle_pairs(a, b, scratch, pairs.span().first(expected.size() - 1));
                CHECK(too_few.status == Status::capacity_exceeded);
                CHECK(too_few.written == expected.size() - 1);
                CHECK(too_few.required == expected.size());
            }
        });
    }
    CHECK(pair_count > 2000);
    CHECK(empty_count > 2);
}

TEST_CASE(
    "B32: subtrees that are apart are not descended: fewer boxes are tested the further meshes are apart") {
    const TriangleMesh mesh = built(sphere(4));
    ObbTree obbs;
    REQUIRE(obbs.build(mesh) == Status::ok);
    for (const bool has_obbs : {false, true}) {
        std::uint64_t last = ~std::uint64_t{0};
        for (const float distance : {3.99f, 4.01f, 4.5f, 40.0f}) {
            const Transform aside = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {distance, 0, 0}};
            const PairSearchCounts counts =
                any_triangle_pair(with_obbs({&mesh, {}, &obbs}, has_obbs), {&mesh, aside, &obbs}).counts;
            if (distance < 4) continue;
            CHECK(counts.triangle_tests == 0);
            CHECK(counts.node_tests <= last);
            last = counts.node_tests;
        }
        CHECK(last <= 2);
    }
}

TEST_CASE(
    "moving meshes meet at the earliest time of all pairs of triangles, on every ISA and by both trees") {
    Random random(1672);
    std::size_t impact_count = 0, start_count = 0;
    for (PlacedCase& test : placed_cases(random, 120 * test_scale())) {
        const PlacedMesh a = test.first();
        const PlacedMesh b = test.second();
        const float reach = test.size;
        const Vec3 of_a = random.chance(3) ? Vec3{} : random_vector(random, 6 * reach);
        const Vec3 of_b = random.chance(8)   ? of_a
                          : random.chance(3) ? grid_vector(random, 3) * reach
                                             : random_vector(random, 6 * reach);
        // The result of meshes of one triangle, whose trees are single leaves, for each pair of triangles.
        MeshPairImpact expected;
        for (std::uint32_t i = 0; i < a.mesh->triangle_count(); ++i) {
            const TriangleMesh one = mesh_of({a.mesh->triangle(i)});
            for (std::uint32_t k = 0; k < b.mesh->triangle_count(); k += 16) {
                std::vector<Triangle> some;
                for (std::uint32_t m = k; m < std::min<std::size_t>(k + 16, b.mesh->triangle_count()); ++m)
                    some.push_back(b.mesh->triangle(m));
                const TriangleMesh others = mesh_of(some);
                const MeshPairImpact impact =
                    first_impact({&one, a.world_from_mesh}, of_a, {&others, b.world_from_mesh}, of_b);
                REQUIRE(impact.status == Status::ok);
                if (impact.toi < expected.toi) expected = {Status::ok, impact.toi, i, k + impact.b};
            }
        }
        impact_count += expected.a != kNoTriangle ? 1 : 0;
        start_count += expected.toi == 0 ? 1 : 0;
        CHECK((expected.toi == 0) == any_triangle_pair(a, b).found);
        for_each_isa([&](Isa) {
            for (const bool has_obbs : {false, true}) {
                const MeshPairImpact impact = first_impact(with_obbs(a, has_obbs), of_a, b, of_b);
                REQUIRE(impact.status == Status::ok);
                REQUIRE(same_bits(impact.toi, expected.toi));
                REQUIRE(impact.a == expected.a);
                REQUIRE(impact.b == expected.b);
            }
        });
    }
    CHECK(impact_count > 15);
    CHECK(start_count > 3);
}

TEST_CASE(
    "of triangles that are met at the same time the first is found, unless another is one float earlier") {
    const auto plate = [](float z) { return Triangle{{0, 0, z}, {1, 0, z}, {0, 1, z}}; };
    const TriangleMesh flat = mesh_of({plate(0)});
    for (std::uint32_t earliest = 0; earliest < 7; ++earliest) {
        std::vector<Triangle> plates(6, plate(0.5f));
        if (earliest < 6) plates[earliest] = plate(next_down(0.5f));
        const TriangleMesh others = mesh_of(plates);
        for_each_isa([&](Isa) {
            const MeshPairImpact impact = first_impact({&flat}, {0, 0, 1}, {&others}, {});
            CHECK(impact.b == earliest % 6);
            CHECK(impact.toi == (earliest < 6 ? next_down(0.5f) : 0.5f));
            CHECK(first_impact({&others}, {0, 0, -1}, {&flat}, {}).a == earliest % 6);
        });
    }
    for (const int count : {3, 17, 48}) {
        const TriangleMesh around = mesh_of(fan(count, 0.25f, 0.5f));
        const TriangleMesh above = mesh_of(fan(count, -0.25f, 0.0f));
        for_each_isa([&](Isa) {
            const MeshPairImpact impact = first_impact(
                {&around}, {0, 0, 4}, {&above, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 2}}}, {});
            CHECK(impact.toi == 0.375f);
            CHECK(impact.a == 0);
            CHECK(impact.b == 0);
        });
    }
}

TEST_CASE("a moving triangle is not met before its time, and is at distance zero then") {
    Random random(1673);
    int met_count = 0, missed_count = 0;
    for (int i = 0; i < 600 * test_scale(); ++i) {
        Triangle a = adversarial_triangle(random, 1.0f);
        Triangle b = moved(adversarial_triangle(random, 1.0f), random_vector(random, 3.0f));
        if (random.chance(6)) b = moved(b, {0, 0, -b.a.z}), b.b.z = b.c.z = 0, a.a.z = a.b.z = a.c.z = 0;
        if (random.chance(6)) a.b = a.a;
        if (random.chance(8)) b.c = b.a;
        const Vec3 motion = b.a.z == 0 && b.b.z == 0
                                ? Vec3{random.uniform(-5, 5), random.uniform(-5, 5), 0}
                                : (a.a - b.a) * random.uniform(0.2f, 2.0f) + random_vector(random, 0.5f);
        const TriangleMesh mesh_a = mesh_of({a});
        const TriangleMesh mesh_b = mesh_of({b});
        const MeshPairImpact impact = first_impact({&mesh_a}, {}, {&mesh_b}, motion);
        REQUIRE(impact.status == Status::ok);
        const float end = impact.a == kNoTriangle ? 1.0f : impact.toi;
        (impact.a == kNoTriangle ? missed_count : met_count) += 1;
        if (impact.a != kNoTriangle) {
            INFO(i << ": " << impact.toi);
            // A grid of forty steps is this near to every point.
            CHECK(sampled_distance(a, moved(b, motion * impact.toi)) < 0.2);
        }
        for (int step = 0; step < 20; ++step) {
            const float t = end * (static_cast<float>(step) / 20.0f) * 0.999f;
            if (t <= 0) continue;
            CHECK(triangle_pair(a, moved(b, motion * t)) == TrianglePairKind::disjoint);
        }
    }
    CHECK(met_count > 60);
    CHECK(missed_count > 60);
}

TEST_CASE("a triangle of zero size meets another on its line when it arrives, and none on another line") {
    for (const Vec3 along : {Vec3{1, 0, 0}, Vec3{0, 2, 0}, Vec3{0, 0, 1}, Vec3{1, -1, 2}}) {
        INFO("along " << along.x << " " << along.y << " " << along.z);
        const TriangleMesh mesh_a = mesh_of({{along * -1.0f, along * 1.0f, along * 0.0f}});
        const TriangleMesh mesh_b = mesh_of({{along * 5.0f, along * 7.0f, along * 6.0f}});
        const TriangleMesh point = mesh_of({{along * 5.0f, along * 5.0f, along * 5.0f}});
        const Vec3 beside = cross(along, {3, 5, 7});
        for (const TriangleMesh* mesh : {&mesh_b, &point}) {
            const MeshPairImpact met = first_impact({&mesh_a}, {}, {mesh}, along * -8.0f);
            CHECK(met.a == 0);
            CHECK(met.toi == doctest::Approx(0.5f));
            CHECK(first_impact({&mesh_a}, {}, {mesh}, along * -3.0f).a == kNoTriangle);
            CHECK(first_impact({&mesh_a}, {}, {mesh}, along * 8.0f).a == kNoTriangle);
            CHECK(first_impact({&mesh_a}, {}, {mesh}, beside).a == kNoTriangle);
        }
    }
}

TEST_CASE("the relation of two meshes is told by their positions") {
    const TriangleMesh box = built(cube());
    const TriangleMesh ball = built(sphere(2));
    const auto at = [](Vec3 place, float scale = 1) {
        return Transform{{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}, place};
    };
    const auto relation = [&](const TriangleMesh& a, const Transform& place_a, const TriangleMesh& b,
                              const Transform& place_b, const MeshRelationSettings& settings = {}) {
        const MeshRelationResult answer = mesh_relation({&a, place_a}, {&b, place_b}, settings);
        CHECK(answer.status == Status::ok);
        return answer.found;
    };
    for_each_isa([&](Isa) {
        CHECK(relation(box, {}, box, at({3, 0, 0})) == MeshRelation::apart);
        CHECK(relation(box, {}, box, at({3, 0, 0}), {.clearance = 0.99f}) == MeshRelation::apart);
        CHECK(relation(box, {}, box, at({3, 0, 0}), {.clearance = 1.0f}) == MeshRelation::near);
        CHECK(relation(box, {}, box, at({3, 3, 0}), {.clearance = 1.4f}) == MeshRelation::apart);
        CHECK(relation(box, {}, box, at({3, 3, 0}), {.clearance = 1.5f}) == MeshRelation::near);
        CHECK(relation(box, {}, box, at({2, 0, 0})) == MeshRelation::touching);
        CHECK(relation(box, {}, box, at({2, 2, 2})) == MeshRelation::touching);
        CHECK(relation(box, {}, box, at({next_up(2.0f), 0, 0})) == MeshRelation::apart);
        CHECK(relation(box, {}, box, at({1, 0.5f, 0.25f})) == MeshRelation::intersecting);
        CHECK(relation(box, {}, box, {}) == MeshRelation::duplicate);
        CHECK(relation(box, at({5, 6, 7}), box, at({5, 6, 7})) == MeshRelation::duplicate);
        // Told without a search.
        CHECK((mesh_relation({&ball}, {&ball}).counts == PairSearchCounts{}));
        CHECK(relation(box, {}, ball, at({0, 0, 0}, 0.25f)) == MeshRelation::b_in_a);
        CHECK(relation(ball, at({0, 0, 0}, 0.25f), box, {}) == MeshRelation::a_in_b);
        CHECK(relation(box, {}, ball, at({0, 0, 0}, 0.25f), {.find_contained = false}) ==
              MeshRelation::apart);
        CHECK(relation(box, {}, ball, at({0, 0, 0}, 0.25f), {.clearance = 0.6f, .find_contained = false}) ==
              MeshRelation::near);
        // A tiny bit inside: positions in the other's space are rounded, decisions are not.
        const float almost = next_down(1.0f);
        CHECK(relation(box, {}, box, at({0, 0, 0}, almost)) == MeshRelation::b_in_a);
        CHECK(relation(box, {}, box, at({1000, 0, 0}, almost)) == MeshRelation::apart);
    });
}

TEST_CASE("fine meshes within a clearance of each other are near after tests of few triangles") {
    const TriangleMesh ball = built(sphere(5));
    // All of two faces are equally near.
    const TriangleMesh cube = built(fine_cube(5));
    const auto at = [](const TriangleMesh& mesh, Vec3 place) {
        return PlacedMesh{&mesh, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, place}};
    };
    const PlacedMesh others[] = {at(ball, {4.0625f, 0, 0.25f}), at(cube, {2.0625f, 0.125f, 0})};
    for_each_isa([&](Isa) {
        for (const PlacedMesh& other : others) {
            for (const float clearance : {0.125f, 1.0f}) {
                const MeshRelationResult result =
                    mesh_relation({other.mesh}, other, {.clearance = clearance});
                CHECK(result.found == MeshRelation::near);
                CHECK(result.counts.triangle_tests < other.mesh->triangle_count() / 8);
            }
        }
    });
}

TEST_CASE("a mesh beside an open one is not inside it, whatever the clearance") {
    const TriangleMesh small = mesh_of({{{0, 0, 0}, {0.125f, 0, 0}, {0, 0.125f, 0}}});
    // Met by a ray from there that tells inside from outside.
    const TriangleMesh wall = mesh_of({{{2, -4, -4}, {2, 8, -4}, {2, -4, 8}}});
    for (const float clearance : {0.0f, 1.0f, 1.75f}) {
        CHECK(mesh_relation({&small}, {&wall}, {clearance}).found == MeshRelation::apart);
        CHECK(mesh_relation({&wall}, {&small}, {clearance}).found == MeshRelation::apart);
    }
    CHECK(mesh_relation({&small}, {&wall}, {2.0f}).found == MeshRelation::near);
}

TEST_CASE("a mesh of several pieces is inside another if each piece is") {
    // A small ball at each position, its triangles in a row or interleaved, and each with corners of its own.
    const auto balls = [](const std::vector<Vec3>& places, bool in_turns, bool shares_corners) {
        const MadeMesh ball = sphere(1);
        MadeMesh made;
        const auto add = [&](std::size_t place, std::uint32_t triangle) {
            const auto corner = [&](Vec3 vertex) { return vertex * 0.125f + places[place]; };
            const Triangle t = ball.triangle(triangle);
            made.add({corner(t.a), corner(t.b), corner(t.c)});
        };
        if (shares_corners) {
            for (const Vec3 place : places) {
                const auto first = static_cast<std::uint32_t>(made.vertices.size());
                for (const Vec3 vertex : ball.vertices) made.vertices.push_back(vertex * 0.125f + place);
                for (const std::uint32_t index : ball.indices) made.indices.push_back(first + index);
            }
        } else if (in_turns) {
            for (std::uint32_t i = 0; i < ball.triangle_count(); ++i) {
                for (std::size_t place = 0; place < places.size(); ++place) add(place, i);
            }
        } else {
            for (std::size_t place = 0; place < places.size(); ++place) {
                for (std::uint32_t i = 0; i < ball.triangle_count(); ++i) add(place, i);
            }
        }
        return built(made);
    };
    const TriangleMesh box = built(cube());
    const Vec3 in_one = {0.5f, 0.5f, 0.5f}, in_another = {-0.5f, 0, 0}, out_one = {9, 0, 0},
               out_another = {0, -5, 0};
    for_each_isa([&](Isa) {
        for (const int form : {0, 1, 2}) {
            const auto relation = [&](const std::vector<Vec3>& places) {
                const TriangleMesh made = balls(places, form == 1, form == 2);
                CHECK(made.component_triangles().size() == places.size());
                const MeshRelation forwards = mesh_relation({&made}, {&box}).found;
                const MeshRelation backwards = mesh_relation({&box}, {&made}).found;
                CHECK((forwards == MeshRelation::a_in_b) == (backwards == MeshRelation::b_in_a));
                CHECK((forwards == MeshRelation::apart) == (backwards == MeshRelation::apart));
                return forwards;
            };
            CHECK(relation({in_one}) == MeshRelation::a_in_b);
            CHECK(relation({in_one, in_another}) == MeshRelation::a_in_b);
            CHECK(relation({in_one, out_one}) == MeshRelation::apart);
            CHECK(relation({out_one, in_one}) == MeshRelation::apart);
            CHECK(relation({in_one, in_another, out_another}) == MeshRelation::apart);
            CHECK(relation({out_another, out_one}) == MeshRelation::apart);
        }
    });
    // A mesh in the wall of a hollow ball is inside it; one in the hollow is not.
    const MadeMesh outer = sphere(2);
    MadeMesh hollow = outer;
    const auto first = static_cast<std::uint32_t>(hollow.vertices.size());
    for (const Vec3 vertex : outer.vertices) hollow.vertices.push_back(vertex * 0.5f);
    for (std::uint32_t i = 0; i < outer.triangle_count(); ++i) {
        hollow.add(first + outer.indices[3 * i], first + outer.indices[3 * i + 2],
                   first + outer.indices[3 * i + 1]);
    }
    const TriangleMesh holder = built(hollow);
    CHECK(mesh_relation({&holder}, {&box, {{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}, {}}}).found ==
          MeshRelation::apart);
    CHECK(mesh_relation({&holder}, {&box, {{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}, {1.5f, 0, 0}}}).found ==
          MeshRelation::b_in_a);
    // A piece in the wall and one in the hollow are not both inside.
    const TriangleMesh two = [&] {
        MadeMesh made;
        for (const Vec3 place : {Vec3{1.5f, 0, 0}, Vec3{0, 0, 0}}) {
            const auto begin = static_cast<std::uint32_t>(made.vertices.size());
            for (const Vec3 vertex : cube().vertices) made.vertices.push_back(vertex * 0.1f + place);
            for (const std::uint32_t index : cube().indices) made.indices.push_back(begin + index);
        }
        return built(made);
    }();
    CHECK(mesh_relation({&holder}, {&two}).found == MeshRelation::apart);
}

TEST_CASE("a warm search of pairs does not allocate") {
    const TriangleMesh mesh = built(sphere(3));
    CountingAllocator counting;
    MeshScratch scratch(counting.hook());
    std::vector<TrianglePair> pairs(100000);
    const Transform aside = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5f, 0, 0}};
    REQUIRE(find_triangle_pairs({&mesh}, {&mesh, aside}, scratch, pairs).required > 10);
    const auto before = counting.allocation_count;
    for (int i = 0; i < 3; ++i)
        CHECK(find_triangle_pairs({&mesh}, {&mesh, aside}, scratch, pairs).required > 10);
    CHECK(counting.allocation_count == before);
}

TEST_CASE("an invalid placed mesh is refused, and an empty mesh meets nothing") {
    const TriangleMesh mesh = built(cube());
    const TriangleMesh empty = built({});
    ObbTree other_tree;
    REQUIRE(other_tree.build(built(sphere(1))) == Status::ok);
    const PlacedMesh good = {&mesh};
    PlacedMesh null, skewed = good, tiny = good, far = good, other = good;
    skewed.world_from_mesh.row_x.y = 0.5f;
    tiny.world_from_mesh = {{1e-20f, 0, 0}, {0, 1e-20f, 0}, {0, 0, 1e-20f}, {}};
    far.world_from_mesh.translation.x = FLT_MAX;
    other.obb_tree = &other_tree;
    const char* const no_mesh = "mesh: there is none";
    const char* const no_placement = "world_from_mesh: no rotation times a scale";
    const char* const no_tree = "obb_tree: none of the triangles of the mesh";
    check_refused({
        {no_mesh, [&] { return any_triangle_pair(null, good).status; }},
        {no_mesh, [&] { return mesh_relation(good, null).status; }},
        {no_placement, [&] { return any_triangle_pair(skewed, good).status; }},
        {no_placement, [&] { return any_triangle_pair(good, tiny).status; }},
        {"world_from_mesh: out of the range of floats", [&] { return any_triangle_pair(far, good).status; }},
        {no_tree, [&] { return any_triangle_pair(other, good).status; }},
        {no_tree, [&] { return any_triangle_pair(good, other).status; }},
        {"displacements: one is not finite",
         [&] {
             return first_impact(good, {kNaN, 0, 0}, good, {}).status;
         }},
        {"clearance: negative or not finite",
         [&] { return mesh_relation(good, good, {.clearance = -1.0f}).status; }},
        {"clearance: negative or not finite",
         [&] { return mesh_relation(good, good, {.clearance = kInfinity}).status; }},
    });
    CHECK(is_placement({}));
    CHECK(!is_placement(skewed.world_from_mesh));
    const AnyPairResult answer = any_triangle_pair({&empty}, good);
    CHECK(answer.status == Status::ok);
    CHECK(!answer.found);
    CHECK(mesh_relation(good, {&empty}).found == MeshRelation::apart);
    CHECK(first_impact(good, {}, {&empty}, {}).toi == kNoIntersection);
    CHECK(placed_bounds({&empty}) == Aabb::empty());
}
