// TriangleMesh::first_overlaps: the first shape of a motion that asking every triangle finds.
#include "tests/narrowphase/mesh/mesh_cases.hpp"
#include "tests/support/motions.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/suites.hpp"

#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

template <class Shape>
void check_motions(Random& random, const MadeMesh& made, const std::vector<Shape>& list, float step,
                   std::size_t& state_later_count) {
    const TriangleMesh mesh = built(made);
    const auto shapes_per_state = 1 + random.below(3);
    const std::size_t state_count = random.below(random.chance(4) ? 38 : 20);
    constexpr std::size_t kMotions = 12;
    const std::vector<Shape> shapes = motion<Shape>(random, list, shapes_per_state, kMotions * state_count,
                                                    step, random.chance(4) ? 8 : 1000);
    std::vector<std::uint64_t> bits(shapes.size() / 64 + 1);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        for (std::uint32_t k = 0; k < made.triangle_count(); ++k) {
            if (!overlap(shapes[i], made.triangle(k))) continue;
            bits[i / 64] |= std::uint64_t{1} << i % 64;
            break;
        }
    }
    const std::vector<std::uint32_t> expected = first_bits(bits, shapes.size(), kMotions);
    for (const std::uint32_t i : expected)
        state_later_count += i != 0 && i < shapes.size() / kMotions ? 1 : 0;
    ShuffledRunner runner(random.next(), 3);
    for_each_isa([&](Isa) {
        for (const TaskRunner* with : {static_cast<const TaskRunner*>(nullptr), runner.runner()}) {
            std::vector<std::uint32_t> first(kMotions, 77);
            REQUIRE(mesh.first_overlaps(shapes, shapes_per_state, with, first).status == Status::ok);
            REQUIRE(first == expected);
        }
    });
}

}  // namespace

TEST_CASE("the first overlaps of motions with a mesh are those of asking every triangle") {
    Random random(3511);
    std::size_t later_count = 0;
    for (int round = 0; round < test_scale(); ++round) {
        for (const auto& [made, scale] : mesh_cases(random)) {
            std::vector<Sphere> spheres;
            std::vector<Capsule> capsules;
            std::vector<Aabb> boxes;
            std::vector<Obb> obbs;
            for (int i = 0; i < 30; ++i) {
                const auto size = [&, edge = scale] { return random.unit() * edge * 0.5f; };
                const Vec3 a = place_near(random, made, scale) + random_vector(random, 2.0f * scale);
                const Vec3 b = a + random_vector(random, scale);
                spheres.push_back({a, random.chance(6) ? 0.0f : size()});
                capsules.push_back({a, b, size()});
                boxes.push_back({min_keep(a, b), max_keep(a, b)});
                const float x = random.unit();
                const float y = std::sqrt(1 - x * x);
                obbs.push_back({a, {x, y, 0}, {-y, x, 0}, {0, 0, 1}, {}});
                obbs.back().half_extent = {size(), size(), size()};
                // Long ones, whose centers are far from what they overlap.
                if (random.chance(2)) obbs.back().half_extent.z *= 10.0f;
                if (random.chance(2)) obbs.back().center.z += 4.0f * scale;
            }
            spheres.push_back({{kNaN, 0, 0}, 1});
            spheres.push_back({{0, 0, 0}, kInfinity});
            capsules.push_back({{0, kInfinity, 0}, {0, 0, 0}, 1});
            boxes.push_back({{-kInfinity, -kInfinity, 0}, {kInfinity, 0, 0}});
            boxes.push_back({{1, 1, 1}, {0, 2, 2}});
            obbs.push_back(obbs[0]);
            obbs.back().half_extent.x = -1;
            const float step = scale * (random.chance(4) ? 1.0f : 0.1f);
            check_motions(random, made, spheres, step, later_count);
            check_motions(random, made, capsules, step, later_count);
            check_motions(random, made, boxes, step, later_count);
            check_motions(random, made, obbs, step, later_count);
        }
    }
    CHECK(later_count > 10);
}

// Of a triangle that large the test of oriented boxes calls touching what is apart, and distances are rounded.
TEST_CASE("the first overlaps of motions with far larger triangles are those of asking every triangle" *
          kLong) {
    Random random(3512);
    std::size_t later_count = 0;
    for (int round = 0; round < 10 * test_scale(); ++round) {
        MadeMesh made = heap(random, 60, 4.0f);
        for (int k = 0; k < 40; ++k) {
            Vec3& corner = made.vertices[random.below(static_cast<std::uint32_t>(made.vertices.size()))];
            const float size = std::ldexp(1.0f, static_cast<int>(random.below(58)));
            (random.chance(2) ? corner.x : random.chance(2) ? corner.y : corner.z) *= size;
        }
        std::vector<Sphere> spheres;
        std::vector<Capsule> capsules;
        std::vector<Obb> obbs;
        for (int i = 0; i < 30; ++i) {
            const Vec3 at = random_vector(random, 8.0f);
            spheres.push_back({at, random.unit() * 0.1f});
            capsules.push_back({at, at + random_vector(random, 1.0f), random.unit() * 0.1f});
            obbs.push_back({at, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {0.1f, random.unit(), 0.1f}});
        }
        check_motions(random, made, spheres, 0.1f, later_count);
        check_motions(random, made, capsules, 0.1f, later_count);
        check_motions(random, made, obbs, 0.1f, later_count);
    }
    CHECK(later_count > 5);
}

// Found by fuzzing: shapes that are apart from such triangles, and overlap them as the tests are rounded.
TEST_CASE("a motion overlaps a far larger triangle beside it as its shapes do one by one") {
    MadeMesh thin;
    thin.add({{-0x1.9f9f9ep+32f, -0x1.9f9f9ep+32f, -0x1.9f9f9ep+32f},
              {0x1.7p+2f, -0x1.04p+4f, -0x1.794b36p-2f},
              {-52, -52, -52}});
    const Capsule capsule = {{32, 23, 7}, {0, 0, 1}, 1};
    MadeMesh wide;
    wide.add({{0, 0, 4}, {0x1.b6b6b6p+55f, 0x1p-125f, 4}, {0, -49, 0}});
    wide.add({{0, -49, 0}, {0x1.b6b6b6p+55f, 0x1p-125f, 4}, {1, 1, 5}});
    const Obb obb = {{-2, -3, 1}, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {1, 1, 7}};
    for_each_isa([&](Isa) {
        std::uint32_t first = 9;
        CHECK(built(thin).any_overlap(capsule));
        REQUIRE(built(thin).first_overlaps(capsule, 1, {}, {&first, 1}).status == Status::ok);
        CHECK(first == 0);
        first = 9;
        CHECK(built(wide).any_overlap(obb));
        REQUIRE(built(wide).first_overlaps(obb, 1, {}, {&first, 1}).status == Status::ok);
        CHECK(first == 0);
    });
}

TEST_CASE("motions against a mesh are checked as motions in a tree are") {
    const TriangleMesh mesh = built(cube());
    const std::vector<Sphere> spheres(12);
    std::uint32_t first[2] = {9, 9};
    check_refused(
        {{"shapes_per_state: zero", [&] { return mesh.first_overlaps(spheres, 0, {}, first).status; }},
         {"shapes: more than an index can count",
          [&] {
              const std::span<const Sphere> endless(spheres.data(), 0xFFFFFFFFu);
              return mesh.first_overlaps(endless, 1, {}, first).status;
          }},
         {"out_first: states are not as many for each motion",
          [&] { return mesh.first_overlaps(spheres, 4, {}, first).status; }}});
    REQUIRE(TriangleMesh().first_overlaps(spheres, 2, {}, first).status == Status::ok);
    CHECK(first[0] == 6);
    CHECK(first[1] == 6);
}
