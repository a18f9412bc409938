// Boxes, spheres and capsules against meshes: the results of a loop over all triangles, on every ISA.
#include "tests/narrowphase/mesh/hit_checks.hpp"
#include "tests/narrowphase/mesh/mesh_cases.hpp"
#include "tests/support/refusals.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace broadside;
using namespace broadside::test;

namespace {

template <class Shape>
Shape shape_near(Random& random, const MadeMesh& mesh, float scale);
template <>
Capsule shape_near(Random& random, const MadeMesh& mesh, float scale) {
    const Vec3 a = place_near(random, mesh, scale);
    const Vec3 b = random.chance(3) ? a : a + random_vector(random, scale);
    return {a, b, random.chance(6) ? 0.0f : random.unit() * scale * (random.chance(4) ? 3.0f : 0.5f)};
}
template <>
Sphere shape_near(Random& random, const MadeMesh& mesh, float scale) {
    const auto [a, b, radius] = shape_near<Capsule>(random, mesh, scale);
    return {a, radius};
}
template <>
Aabb shape_near(Random& random, const MadeMesh& mesh, float scale) {
    const Vec3 size = absolute(random_vector(random, scale));
    const Vec3 place = place_near(random, mesh, scale);
    return {place, random.chance(6) ? place : place + size};
}

template <class Shape>
void check_overlaps_near(std::uint64_t seed, const std::vector<Shape>& invalid) {
    Random random(seed);
    std::size_t pair_count = 0;
    for (const auto& [made, scale] : mesh_cases(random)) {
        std::vector<Shape> shapes = invalid;
        for (int i = 0; i < 130 * test_scale(); ++i) shapes.push_back(shape_near<Shape>(random, made, scale));
        pair_count += check_overlaps(made, shapes);
    }
    CHECK(pair_count > 1000);
}

template <class Shape>
void check_casts(std::uint64_t seed, const std::vector<Shape>& invalid) {
    Random random(seed);
    std::size_t impact_count = 0;
    for (const auto& [made, scale] : mesh_cases(random)) {
        const TriangleMesh mesh = built(made);
        std::vector<Shape> shapes = invalid;
        for (int i = 0; i < 130 * test_scale(); ++i) shapes.push_back(shape_near<Shape>(random, made, scale));
        std::vector<Vec3> displacements;
        std::vector<Cast<Shape>> casts;
        std::vector<MeshImpact> expected;
        std::vector<Listed<MeshImpact>> all;
        for (std::size_t i = 0; i < shapes.size(); ++i) {
            displacements.push_back(random.chance(8)   ? Vec3{}
                                    : random.chance(3) ? grid_vector(random, 3) * scale
                                                       : random_vector(random, 8.0f * scale));
            if (i == 7) displacements.back().y = kNaN;
            if (i == 9) displacements.back() = {1e-42f, -1e-40f, 0};
            casts.push_back({shapes[i], displacements[i], some_t_max(random)});
            MeshImpact first;
            for (std::uint32_t k = 0; k < made.triangle_count(); ++k) {
                const ShapeImpact impact = first_impact(shapes[i], displacements[i], made.triangle(k));
                if (impact.toi == kNoIntersection || !(impact.toi <= casts.back().t_max)) continue;
                const MeshImpact hit = {impact.toi, k, impact.point, impact.normal};
                if (hit.t < first.t) first = hit;
                all.push_back({static_cast<std::uint32_t>(i), hit});
            }
            expected.push_back(first);
            impact_count += first.target != kNoTriangle ? 1 : 0;
        }
        for_each_isa([&](Isa) {
            ShuffledRunner shuffled(3, 4);
            for (const TaskRunner* runner : {static_cast<const TaskRunner*>(nullptr), shuffled.runner()}) {
                GuardedArray<MeshImpact> impacts(shapes.size());
                REQUIRE(mesh.closest_hits(casts, runner, impacts.span()).status == Status::ok);
                for (std::size_t i = 0; i < shapes.size(); ++i) REQUIRE(impacts[i] == expected[i]);
            }
            check_casts_alone(mesh, casts, expected);
        });
        sort_by_time(all);
        check_cast_hits<MeshScratch>(mesh, casts, all);
    }
    CHECK(impact_count > 200);
}

}  // namespace

TEST_CASE("boxes overlap the same triangles in a mesh as one by one") {
    check_overlaps_near<Aabb>(1661,
                              {Aabb::empty(), {{kNaN, 0, 0}, {1, 1, 1}}, {{0, 0, 0}, {kInfinity, 1, 1}}});
}
TEST_CASE("capsules overlap the same triangles in a mesh as one by one") {
    check_overlaps_near<Capsule>(1662, {{{kNaN, 0, 0}, {}, 1}, {{}, {}, -1}, {{}, {FLT_MAX, 0, 0}, FLT_MAX}});
}
TEST_CASE("B3: a moving sphere first touches in a mesh what it first touches of all triangles") {
    check_casts<Sphere>(1663, {{{kNaN, 0, 0}, 1}, {{}, -1}});
}
TEST_CASE("B3: a moving capsule first touches in a mesh what it first touches of all triangles") {
    check_casts<Capsule>(1664, {{{0, kInfinity, 0}, {}, 1}, {{}, {}, -1}});
}

TEST_CASE("a reach of -0 finds what is met at the start, like one of 0") {
    Random random(2210);
    const TriangleMesh mesh = built(heap(random, 200, 2.0f));
    const auto check = [&](const auto& shape) {
        using CastOfShape = Cast<std::remove_cvref_t<decltype(shape)>>;
        const CastOfShape whole = {shape, {1, 0, 0}};
        std::size_t counts[2] = {};
        for (const float reach : {0.0f, -0.0f}) {
            std::size_t& count = counts[std::signbit(reach) ? 1 : 0];
            const CastOfShape cast = {shape, {1, 0, 0}, reach};
            // To those who ask for all, and for no more than that.
            REQUIRE(mesh.visit_hits(cast, [&](const MeshImpact&) {
                ++count;
                return kVisitAll;
            }) == Status::ok);
            REQUIRE(mesh.visit_hits(whole, [&](const MeshImpact& impact) {
                count += impact.t == 0.0f ? 1000 : 0;
                return reach;
            }) == Status::ok);
            MeshImpact first;
            REQUIRE(mesh.closest_hits(std::span(&cast, 1), {}, {&first, 1}).status == Status::ok);
            REQUIRE(first == mesh.closest_hit(whole));
        }
        CHECK(counts[0] > 20);
        CHECK(counts[0] == counts[1]);
    };
    for_each_isa([&](Isa) {
        check(Sphere{{0, 0, 0}, 1.0f});
        check(Capsule{{0, 0, 0}, {0, 1, 0}, 1.0f});
        check(Obb{.half_extent = {1, 1, 1}});
    });
}
TEST_CASE("casts against meshes refuse invalid arguments") {
    const TriangleMesh mesh = built(cube());
    const std::vector<SphereCast> spheres(2);
    const std::vector<Capsule> capsules(2);
    std::vector<MeshImpact> impacts(2);
    std::vector<std::uint64_t> bits(1);
    const TaskRunner none = {nullptr, nullptr, 2};
    const TaskRunner* const bad = &none;
    const char* const runner = "runner: parallel_for is null";
    check_refused({
        {runner, [&] { return mesh.closest_hits(spheres, bad, impacts).status; }},
        {runner, [&] { return mesh.any_hit(spheres, bad, bits).status; }},
        {runner, [&] { return mesh.any_overlap(capsules, bad, bits).status; }},
    });
    CHECK(mesh.closest_hits(spheres, {}, std::span(impacts).first(1)).status == Status::capacity_exceeded);
    CHECK(mesh.any_hit(spheres, {}, {}).status == Status::capacity_exceeded);
    CHECK(mesh.any_overlap(capsules, {}, {}).status == Status::capacity_exceeded);
}

TEST_CASE("a touch of a huge triangle is also one in its mesh, however small the shape") {
    // The tolerance of a touch is a part of the sizes; for a huge triangle it exceeds the shape's distance.
    const std::vector<Triangle> triangles = {
        {{-0x1.0f161ap-2f, -0x1.a152d6p-3f, -0x1.a0555ep+0f},
         {0x1.2p+3f, 0x1.8003p-132f, 0x1.0804p-97f},
         {-0x1.0002p+123f, -0x1p+1f, 0x1.8p+1f}},
        // A floor of a kilometre under a speck.
        {{0, 0, -1000}, {0, 0, 1000}, {-1000, 0, 0}},
    };
    const std::vector<std::pair<Sphere, Vec3>> casts = {
        {{{0x1.0a000ap-119f, 0x1.8p+0f, 0x1.d0702p-129f}, 0}, {0x1p+1f, 0x1.0206p-119f, 0x1.0e080ep-115f}},
        {{{-0x1p-30f, 0x1p-30f, 0}, 0x1p-40f}, {-0x1p-30f, 0, 0}},
        {{{-0x1p-30f, 0x1p-31f, 0}, 0}, {-0x1p-30f, 0x1p-34f, 0}},
    };
    std::size_t touch_count = 0;
    for (const Triangle& triangle : triangles) {
        MadeMesh made;
        made.add(triangle);
        const TriangleMesh mesh = built(made);
        for (const auto& [sphere, displacement] : casts) {
            const ShapeImpact expected = first_impact(sphere, displacement, triangle);
            touch_count += expected.toi <= 1 ? 1 : 0;
            for_each_isa([&](Isa) {
                const MeshImpact impact = mesh.closest_hit(SphereCast{sphere, displacement});
                CHECK(impact.t == expected.toi);
                CHECK(impact.point == expected.point);
                CHECK(impact.normal == expected.normal);
            });
        }
    }
    CHECK(touch_count >= 3);
}
