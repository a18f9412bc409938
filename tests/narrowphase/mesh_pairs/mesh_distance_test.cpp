// The closest triangles of two meshes: the result of a loop over all pairs, on every ISA.
#include "tests/narrowphase/mesh_pairs/placed_meshes.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

#include <broadside/mesh_distance.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

Triangle placed_triangle(const PlacedMesh& mesh, std::uint32_t index) {
    return placed(mesh.world_from_mesh, mesh.mesh->triangle(index));
}

// The first pair with the smallest distance. Any pair that meets, at distance 0.
struct LoopAnswer {
    float distance = kInfinity;
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
};
LoopAnswer closest_of_all(const PlacedMesh& a, const PlacedMesh& b) {
    std::vector<Triangle> of_b;
    for (std::uint32_t k = 0; k < b.mesh->triangle_count(); ++k) of_b.push_back(placed_triangle(b, k));
    LoopAnswer answer;
    for (std::uint32_t i = 0; i < a.mesh->triangle_count(); ++i) {
        const Triangle of_a = placed_triangle(a, i);
        for (std::uint32_t k = 0; k < of_b.size(); ++k) {
            const float distance = closest_points(of_a, of_b[k]).distance;
            if (answer.a == kNoTriangle || distance < answer.distance) answer = {distance, i, k};
        }
    }
    return answer;
}

void check_same(const ClosestTrianglePair& answer, const ClosestTrianglePair& expected) {
    REQUIRE(answer.status == Status::ok);
    REQUIRE(answer.a == expected.a);
    REQUIRE(answer.b == expected.b);
    REQUIRE(same_bits(answer.closest.distance, expected.closest.distance));
    REQUIRE(answer.closest == expected.closest);
    REQUIRE(answer.counts == expected.counts);
}
// The whole contract, on every ISA.
void check_distance(const PlacedMesh& a, const PlacedMesh& b) {
    const LoopAnswer expected = closest_of_all(a, b);
    ClosestTrianglePair of_scalar[6];
    for_each_isa([&](Isa isa) {
        const auto ask = [&](int form, float max_distance) {
            const ClosestTrianglePair answer = closest_triangle_pair(a, b, max_distance);
            if (isa == Isa::scalar) of_scalar[form] = answer;
            check_same(answer, of_scalar[form]);
            return answer;
        };
        const ClosestTrianglePair answer = ask(0, kInfinity);
        if (expected.a == kNoTriangle) {
            CHECK(answer.a == kNoTriangle);
            CHECK(answer.b == kNoTriangle);
            CHECK(answer.closest == ClosestTrianglePoints{});
            return;
        }
        REQUIRE(answer.a != kNoTriangle);
        REQUIRE(answer.closest == closest_points(placed_triangle(a, answer.a), placed_triangle(b, answer.b)));
        const float distance = answer.closest.distance;
        REQUIRE(same_bits(distance, expected.distance));
        if (distance > 0) {
            REQUIRE(answer.a == expected.a);
            REQUIRE(answer.b == expected.b);
            CHECK(ask(1, next_down(distance)).a == kNoTriangle);
            CHECK(ask(2, 0.0f).a == kNoTriangle);
        }
        // A limit that keeps a pair in may change which of those that meet it is.
        const ClosestTrianglePair within = ask(3, distance);
        REQUIRE(same_bits(within.closest.distance, distance));
        if (distance > 0) REQUIRE(within.a == answer.a);
        if (distance > 0) REQUIRE(within.b == answer.b);
        CHECK(ask(4, -1.0f).a == kNoTriangle);
        CHECK(ask(5, kNaN).a == kNoTriangle);
    });
}

Transform at(Vec3 place, float scale = 1.0f) { return {{scale, 0, 0}, {0, scale, 0}, {0, 0, scale}, place}; }

}  // namespace

TEST_CASE("two meshes are closest where a loop over all pairs of triangles finds it, on every ISA") {
    Random random(4201);
    std::size_t apart_count = 0;
    for (PlacedCase& test : placed_cases(random, 150 * test_scale())) {
        // Near each other, in turn far away.
        if (random.chance(2)) {
            const float far = random.chance(4) ? 1000.0f : 6.0f;
            test.place[0].translation = test.place[0].translation + random_vector(random, far * test.size);
        }
        check_distance(test.first(), test.second());
        apart_count += any_triangle_pair(test.first(), test.second()).found ? 0 : 1;
    }
    CHECK(apart_count > 40);
}

TEST_CASE("of pairs of triangles that are equally near, the first by index is found") {
    Random random(4202);
    const TriangleMesh plates[2] = {built(fine_cube(2)), built(fine_cube(1))};
    for (int i = 0; i < 30 * test_scale(); ++i) {
        const Vec3 aside = {2.0f + static_cast<float>(1 + random.below(3)) * 0.25f,
                            static_cast<float>(random.below(5)) * 0.25f, static_cast<float>(random.below(3))};
        const Vec3 turned[3] = {aside, {aside.y, aside.x, aside.z}, {-aside.z, aside.y, -aside.x}};
        const TriangleMesh& a = plates[random.below(2)];
        const TriangleMesh& b = plates[random.below(2)];
        check_distance({&a}, {&b, at(turned[random.below(3)])});
    }
    // Far away in the space of the mesh and placed back, so that boxes along a direction are rounded coarsely.
    for (int i = 0; i < 30 * test_scale(); ++i) {
        const Vec3 far = grid_vector(random, 3) * 16384.0f + Vec3{16384.0f, 0, 0};
        MadeMesh made = fine_cube(2);
        for (Vec3& vertex : made.vertices) vertex = vertex + far;
        const TriangleMesh shifted_plate = built(made);
        Transform back = any_rotation(random);
        back.translation = -placed(back, far);
        Transform aside = back;
        aside.translation = back.translation + back.row_x * 3.0f + random_vector(random, 1.0f);
        check_distance({&shifted_plate, back}, {&shifted_plate, aside});
        check_distance({&shifted_plate, at(-far)}, {&shifted_plate, at(Vec3{2.5f, 0.25f, 0} - far)});
    }
    // The same triangle three times, in both meshes.
    const Triangle one = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const TriangleMesh thrice = mesh_of({{{0, 0, -9}, {1, 0, -9}, {0, 1, -9}}, one, one, one});
    const TriangleMesh again = mesh_of({{{0, 0, 9}, {1, 0, 9}, {0, 1, 9}}, one, one, one});
    const ClosestTrianglePair answer = closest_triangle_pair({&thrice}, {&again, at({0, 0, 2})});
    CHECK(answer.a == 1);
    CHECK(answer.b == 1);
    CHECK(answer.closest.distance == 2);
}

TEST_CASE("all triangles around two corners may be equally near: the first are found, and few are measured") {
    Random random(4210);
    for (const int count : {3, 17, 48}) {
        for (const float height : {0.0f, 1.0f, -0.25f}) {
            const TriangleMesh below = mesh_of(fan(count, height, 0.0f));
            const TriangleMesh above = mesh_of(fan(count, -height, 0.001f));
            check_distance({&below}, {&above, at({0, 0, 2.5f})});
            Transform turned = any_rotation(random);
            Transform aside = turned;
            aside.translation = turned.row_x * 0.01f + random_vector(random, 0.01f) + Vec3{5, 0, 0};
            check_distance({&below, turned}, {&above, aside});
        }
        const TriangleMesh flat = mesh_of(fan(count, 0.0f, 0.0f));
        const ClosestTrianglePair answer = closest_triangle_pair({&flat}, {&flat, at({0, 0, 2.5f})});
        CHECK(answer.a == 0);
        CHECK(answer.b == 0);
        CHECK(answer.counts.triangle_tests < 4 * static_cast<std::uint64_t>(count));
    }
}

TEST_CASE("a pair that is nearer by one float is the closest, wherever it is in the lists") {
    // Far from each other, so that the search begins at another pair than the nearest.
    const auto plates_at = [](float z) {
        std::vector<Triangle> plates;
        for (float x = 0; x < 60; x += 10) plates.push_back({{x, 0, z}, {x + 1, 0, z}, {x, 1, z}});
        return plates;
    };
    const TriangleMesh flat = mesh_of(plates_at(0));
    for (const float z : {0.5f, 1.0f, 1.5f}) {
        for (std::uint32_t nearest = 0; nearest < 6; ++nearest) {
            std::vector<Triangle> plates = plates_at(z);
            plates[nearest] = plates_at(next_down(z))[nearest];
            const TriangleMesh others = mesh_of(plates);
            check_distance({&flat}, {&others});
            CHECK(closest_triangle_pair({&flat}, {&others}).b == nearest);
            check_distance({&others}, {&flat});
            CHECK(closest_triangle_pair({&others}, {&flat}).a == nearest);
        }
    }
}

TEST_CASE("of pairs of triangles that are further apart than any float, the first by index is found") {
    const auto plates_at = [](float x, int count) {
        std::vector<Triangle> plates;
        for (int i = 0; i < count; ++i) {
            const float y = static_cast<float>(i * 7 % count) * 1e37f;
            plates.push_back({{x, y, 0}, {x, y + 1e36f, 0}, {x, y, 1e36f}});
        }
        return plates;
    };
    for (const int count : {1, 3, 20}) {
        const TriangleMesh left = mesh_of(plates_at(-3e38f, count));
        const TriangleMesh right = mesh_of(plates_at(3e38f, count));
        check_distance({&left}, {&right});
        CHECK(closest_triangle_pair({&left}, {&right}).closest.distance == kInfinity);
    }
}

TEST_CASE("meshes in each other, touching and far apart have the distance of their surfaces") {
    Random random(4203);
    const TriangleMesh ball = built(sphere(2));
    const TriangleMesh small = built(sphere(1));
    const TriangleMesh box = built(cube());
    for (int i = 0; i < 12 * test_scale(); ++i) {
        // Inside, with different gaps around.
        Transform inside = any_rotation(random);
        const float scale = random.uniform(0.2f, 0.85f);
        for (Vec3* row : {&inside.row_x, &inside.row_y, &inside.row_z}) *row = *row * scale;
        inside.translation = random_vector(random, 0.2f);
        check_distance({&ball}, {&small, inside});
        check_distance({&small, inside}, {&ball});
        // So far away that all distances are almost the same.
        Transform far = any_rotation(random);
        far.translation = random_vector(random, 1e5f);
        check_distance({&ball}, {&small, far});
        check_distance({&ball, at(far.translation)}, {&small, far});
    }
    const auto distance_at = [&](Vec3 place) {
        return closest_triangle_pair({&box}, {&box, at(place)}).closest.distance;
    };
    for_each_isa([&](Isa) {
        CHECK(distance_at({2, 0, 0}) == 0);
        CHECK(distance_at({2, 2, 2}) == 0);
        CHECK(distance_at({next_up(2.0f), 0, 0}) == next_up(2.0f) - 2.0f);
        CHECK(distance_at({5, 0, 0}) == 3);
        CHECK(distance_at({5, 6, 0}) == 5);
        CHECK(distance_at({3, 4, 4}) == 3);
        CHECK(distance_at({0, 0, 0}) == 0);
        CHECK(closest_triangle_pair({&box}, {&box, at({}, 0.5f)}).closest.distance == 0.5f);
    });
}

TEST_CASE("meshes of points, segments and slivers, of huge and tiny triangles, have a distance" * kLong) {
    Random random(4204);
    for (int i = 0; i < 60 * test_scale(); ++i) {
        const auto make = [&](float size) {
            std::vector<Triangle> triangles;
            const std::uint32_t count = 1 + random.below(60);
            while (triangles.size() < count) {
                const Vec3 from = random_vector(random, size);
                const Vec3 to = random.chance(2) ? from + random_vector(random, size * 0x1p-20f)
                                                 : random_vector(random, size);
                const Vec3 between = from * 0.5f + to * 0.5f;
                triangles.push_back(random.chance(3)   ? Triangle{from, from, from}
                                    : random.chance(2) ? Triangle{from, between, to}
                                                       : Triangle{from, to, random_vector(random, size)});
            }
            return mesh_of(triangles);
        };
        const float sizes[6] = {1.0f, 1e-30f, 1e30f, 1e-40f, 0x1p-70f, 1e18f};
        const float size = sizes[random.below(6)];
        const TriangleMesh a = make(size);
        const TriangleMesh b = make(random.chance(3) ? size * 0x1p-12f : size);
        check_distance({&a}, {&b, at(random_vector(random, random.chance(2) ? size : 3 * size))});
        // Placements that are not quite rotations, as far as they may.
        Transform skewed = any_rotation(random);
        skewed.row_x = skewed.row_x * (1 + 0x1p-13f);
        skewed.row_y = skewed.row_y + skewed.row_x * 0x1p-13f;
        skewed.translation = random_vector(random, 40 * size);
        check_distance({&a, skewed}, {&b});
        check_distance({&a}, {&b, skewed});
    }
}

TEST_CASE("little work finds meshes that meet, and meshes beyond a limit") {
    const TriangleMesh mesh = built(sphere(3));
    const ClosestTrianglePair apart = closest_triangle_pair({&mesh}, {&mesh, at({4.5f, 0, 0})});
    CHECK(apart.closest.distance > 0);
    CHECK(apart.counts.triangle_tests < 100);
    const ClosestTrianglePair meeting = closest_triangle_pair({&mesh}, {&mesh, at({3, 0, 0})});
    CHECK(meeting.closest.distance == 0);
    CHECK(meeting.counts.leaf_pairs < 40);
    // A limit ends the search of meshes that are further apart at once.
    CHECK(closest_triangle_pair({&mesh}, {&mesh, at({9, 0, 0})}, 1.0f).counts.node_tests < 2);
}

TEST_CASE("the distance of an invalid placed mesh is refused, and an empty mesh has none") {
    const TriangleMesh mesh = built(cube());
    const TriangleMesh empty = built({});
    const PlacedMesh good = {&mesh};
    PlacedMesh skewed = good, far = good;
    skewed.world_from_mesh.row_x.y = 0.5f;
    far.world_from_mesh.translation.x = FLT_MAX;
    check_refused({
        {"mesh: there is none", [&] { return closest_triangle_pair({}, good).status; }},
        {"world_from_mesh: no rotation times a scale",
         [&] { return closest_triangle_pair(good, skewed).status; }},
        {"world_from_mesh: out of the range of floats",
         [&] { return closest_triangle_pair(far, good).status; }},
    });
    const ClosestTrianglePair answer = closest_triangle_pair(good, {&empty});
    CHECK(answer.status == Status::ok);
    CHECK(answer.a == kNoTriangle);
    CHECK(answer.b == kNoTriangle);
    CHECK(answer.closest.distance == kInfinity);
}
