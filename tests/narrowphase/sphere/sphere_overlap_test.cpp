// Spheres at rest against every shape: every ISA against the specification, and that against 113-bit
// arithmetic.
#include "tests/narrowphase/obb/guarded_triangles.hpp"
#include "tests/narrowphase/sphere/closest_point_oracle.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/guarded_boxes.hpp"
#include "tests/support/guarded_columns.hpp"
#include "tests/support/suites.hpp"

#include <broadside/moving_sphere.hpp>
#include <broadside/ray_sphere.hpp>
#include <broadside/sphere_overlap.hpp>

using namespace broadside;
using namespace broadside::test;
using namespace broadside::test::solids;

namespace {

using Bits = GuardedArray<std::uint64_t>;

// Requires that bit i of the batch is expected(i), and that the bits past the last are zero.
template <class Expected>
bool holds(Bits& bits, std::size_t count, Expected expected) {
    for (std::size_t i = 0; i < bits.size() * 64; ++i) {
        if ((bits[i / 64] >> (i % 64) & 1) != (i < count && expected(i) ? 1u : 0u)) return false;
    }
    return true;
}

constexpr Sphere kUnit = {{0, 0, 0}, 1};
constexpr Triangle kLargeTriangle = {{-4, -4, 0}, {4, -4, 0}, {0, 8, 0}};
constexpr Triangle kNoTriangle = {{kNaN, 0, 0}, {1, 0, 0}, {0, 1, 0}};

// A quarter turn, because a 3-4-5 rotation has no exact axes in floats.
Obb turned(Vec3 center, Vec3 half_extent) { return {center, {0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, half_extent}; }

}  // namespace

TEST_CASE("one sphere against many shapes has the bits of the single function on every ISA and count") {
    for_each_isa([](Isa) {
        Random random(1);
        for (const std::size_t count : awkward_counts()) {
            const std::vector<Sphere> spheres = list_of<Sphere>(random, count, adversarial_sphere);
            const std::vector<Aabb> boxes = list_of<Aabb>(random, count, adversarial_box);
            const std::vector<Triangle> triangles = list_of<Triangle>(random, count, adversarial_triangle);
            const std::vector<Obb> obb_list = list_of<Obb>(random, count, adversarial_obb);
            const GuardedArray<Obb> obbs(obb_list);
            const GuardedSpheres sphere_arrays(spheres);
            const GuardedBoxes box_arrays(boxes);
            const GuardedTriangles triangle_arrays(triangles);
            const Sphere s = adversarial_sphere(random);
            Bits bits(bit_word_count(count));
            REQUIRE(overlaps(s, sphere_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(s, spheres[i]); }));
            REQUIRE(overlaps(s, box_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(s, boxes[i]); }));
            REQUIRE(overlaps(s, triangle_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(s, triangles[i]); }));
            REQUIRE(overlaps(s, {obbs.data(), count}, bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(s, obb_list[i]); }));
            if (count == 0) continue;
            REQUIRE(overlaps(boxes[0], sphere_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(spheres[i], boxes[0]); }));
            REQUIRE(overlaps(obb_list[0], sphere_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(spheres[i], obb_list[0]); }));
            REQUIRE(overlaps(triangles[0], sphere_arrays.view(), bits.span()).status == Status::ok);
            REQUIRE(holds(bits, count, [&](std::size_t i) { return overlap(spheres[i], triangles[0]); }));
        }
    });
}

TEST_CASE("touches that doubles cannot tell from misses are decided in every lane of a batch") {
    for_each_isa([](Isa) {
        Random random(5);
        constexpr std::size_t kCount = 203;
        std::vector<Aabb> boxes;
        std::vector<Sphere> spheres;
        std::vector<bool> touches;
        for (std::size_t i = 0; i < kCount; ++i) {
            touches.push_back(random.chance(2));
            // 1 + 2^-60 is no double.
            const float off = touches[i] ? 0.0f : 0x1p-30f;
            boxes.push_back({{1, off, 0}, {2, 3, 3}});
            spheres.push_back({{-1, -off, 0}, 1});
        }
        const GuardedBoxes box_arrays(boxes);
        const GuardedSpheres sphere_arrays(spheres);
        Bits bits(bit_word_count(kCount));
        REQUIRE(overlaps(kUnit, box_arrays.view(), bits.span()).status == Status::ok);
        REQUIRE(holds(bits, kCount, [&](std::size_t i) { return touches[i]; }));
        REQUIRE(overlaps(Aabb{{0, 0, 0}, {9, 9, 9}}, sphere_arrays.view(), bits.span()).status == Status::ok);
        REQUIRE(holds(bits, kCount, [&](std::size_t i) { return touches[i]; }));
    });
}

TEST_CASE("a batch split at any index gives the bits of the whole") {
    for_each_isa([](Isa) {
        Random random(2);
        const std::vector<Sphere> list = list_of<Sphere>(random, 200, adversarial_sphere);
        const GuardedSpheres spheres(list);
        for (const std::size_t begin : {1u, 3u, 7u, 64u, 101u}) {
            Bits bits(bit_word_count(200 - begin));
            REQUIRE(overlaps(kUnit, spheres.view().part(begin, 200 - begin), bits.span()).status ==
                    Status::ok);
            REQUIRE(holds(bits, 200 - begin, [&](std::size_t i) { return overlap(kUnit, list[begin + i]); }));
        }
    });
}

TEST_CASE("sphere batches write nothing if their arguments are invalid") {
    std::vector<std::uint64_t> bits(1, 42);
    const SphereSoaView missing = {nullptr, nullptr, nullptr, nullptr, 5};
    CHECK(overlaps(kUnit, missing, bits).status == Status::invalid_argument);
    Random random(3);
    const GuardedSpheres spheres(list_of<Sphere>(random, 65, adversarial_sphere));
    CHECK(overlaps(kUnit, spheres.view(), bits).status == Status::capacity_exceeded);
    CHECK(bits[0] == 42);
}

TEST_CASE("spheres overlap boxes and triangles exactly if 113-bit arithmetic says so, at every scale" *
          kLong) {
    Random random(4);
    int touch_count = 0;
    for (int round = 0; round < 200000; ++round) {
        // Integers, so that a touch is exact, times a power of two.
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(9)) * 20 - 80);
        const Sphere sphere = {grid_vector(random, 6) * scale, random.grid(0, 6) * scale};
        const Quad radius_sq = static_cast<Quad>(sphere.radius) * sphere.radius;
        const auto check = [&](const auto& shape, bool has_whole_feet) {
            const QuadClosest truth = quad_closest(shape, sphere.center);
            const Quad beyond = truth.distance_sq - radius_sq;
            // The nearest point on a triangle's edge is a fraction, so neither side can be sure of a touch
            // there.
            const Quad slack = static_cast<Quad>(1e-25) * scale * scale;
            if (has_whole_feet || beyond > slack || beyond < -slack)
                REQUIRE(overlap(sphere, shape) == (beyond <= 0));
            touch_count += has_whole_feet && beyond == 0 && radius_sq > 0 ? 1 : 0;
        };
        const Vec3 corner = grid_vector(random, 5) * scale;
        check(Aabb{corner, corner + Vec3{random.grid(0, 4), random.grid(0, 4), random.grid(0, 4)} * scale},
              true);
        check(turned(corner, Vec3{random.grid(0, 4), random.grid(0, 4), random.grid(0, 4)} * scale), true);
        check(Triangle{corner, grid_vector(random, 5) * scale, grid_vector(random, 5) * scale}, false);
    }
    CHECK(touch_count > 5000);
}

TEST_CASE("B4: a sphere meets a box, an oriented box and a triangle at the closest point or not at all") {
    CHECK(overlap(kUnit, Aabb{{1, 0, 0}, {2, 1, 1}}));
    // The corner (0.8, 0.8, 0.8) of the box is 1.39 away although each slab is within the radius.
    CHECK_FALSE(overlap(kUnit, Aabb{{0.8f, 0.8f, 0.8f}, {2, 2, 2}}));
    CHECK(overlap(Sphere{{3, 4, 12}, 13}, Aabb{{-1, -1, -1}, {0, 0, 0}}));
    CHECK(overlap(Sphere{{0, 0, 5}, 5}, kLargeTriangle));
    CHECK_FALSE(overlap(Sphere{{0, 0, 5}, std::nextafterf(5, 0)}, kLargeTriangle));
}

TEST_CASE("edge sphere/touching: a distance of exactly the radius is an overlap, one ulp more is not") {
    const float past = std::nextafterf(2.0f, 3.0f);
    CHECK(overlap(kUnit, Sphere{{2, 0, 0}, 1}));
    CHECK_FALSE(overlap(kUnit, Sphere{{past, 0, 0}, 1}));
    CHECK(overlap(kUnit, Aabb{{1, -1, -1}, {2, 1, 1}}));
    CHECK_FALSE(overlap(kUnit, Aabb{{std::nextafterf(1, 2), -1, -1}, {2, 1, 1}}));
    CHECK(overlap(kUnit, turned({2, 0, 0}, {5, 1, 5})));
    CHECK_FALSE(overlap(kUnit, turned({past, 0, 0}, {5, 1, 5})));
    CHECK(overlap(Sphere{{0, 0, 1}, 1}, kLargeTriangle));
    CHECK_FALSE(overlap(Sphere{{0, 0, std::nextafterf(1, 2)}, 1}, kLargeTriangle));
    CHECK(ray_sphere({{-3, 1, 0}, {1, 0, 0}}, kUnit).has_hit);
    CHECK_FALSE(ray_sphere({{-3, std::nextafterf(1, 2), 0}, {1, 0, 0}}, kUnit).has_hit);
    CHECK(ray_sphere({{-3, 1, 0}, {1, 0, 0}}, kUnit).t_enter == 3.0f);
}

TEST_CASE("edge sphere/inside: shapes are solid, and a ray from inside follows its policy") {
    CHECK(overlap(kUnit, Sphere{{0, 0, 0}, 9}));
    CHECK(overlap(kUnit, Aabb{{-9, -9, -9}, {9, 9, 9}}));
    CHECK(overlap(kUnit, turned({0, 0, 0}, {9, 9, 9})));
    CHECK(overlap(Sphere{{0, 0, 0}, 99}, kLargeTriangle));
    CHECK(time_of_impact(kUnit, {{0, 0, 0}, 9}, {}, {99, 0, 0}) == 0.0f);
    const Ray ray = {{0.5f, 0, 0}, {1, 0, 0}};
    CHECK(ray_sphere(ray, kUnit, {Inside::zero}) == RaySolidHit{0, 0.5f, true});
    CHECK(ray_sphere(ray, kUnit, {Inside::negative_t}) == RaySolidHit{-1.5f, 0.5f, true});
    CHECK(ray_sphere(ray, kUnit, {Inside::miss}) == RaySolidHit{});
}

TEST_CASE("edge sphere/parallel: motion at right angles to the line of the centers is no impact") {
    CHECK(time_of_impact(kUnit, {{3, 0, 0}, 1}, {}, {0, 5, 0}) == kNoIntersection);
    CHECK(time_of_impact(kUnit, {{2, 0, 0}, 1}, {}, {0, 5, 0}) == 0.0f);
    // With the same motion for both nothing changes.
    CHECK(time_of_impact(kUnit, {{3, 0, 0}, 1}, {7, 7, 7}, {7, 7, 7}) == kNoIntersection);
    // A ray along a tangent, from the touching point.
    CHECK(ray_sphere({{0, 1, 0}, {1, 0, 0}}, kUnit) == RaySolidHit{0, 0, true});
}

TEST_CASE(
    "edge sphere/zero length: without motion the result is the static one, a ray without length is a point") {
    CHECK(time_of_impact(kUnit, {{2, 0, 0}, 1}, {}, {}) == 0.0f);
    CHECK(time_of_impact(kUnit, {{2.5f, 0, 0}, 1}, {}, {}) == kNoIntersection);
    CHECK(ray_sphere({{1, 0, 0}, {0, 0, 0}, 4}, kUnit) == RaySolidHit{0, 4, true});
    CHECK(ray_sphere({{1, 0, 0}, {0, 0, 0}, 4}, kUnit, {Inside::negative_t}) ==
          RaySolidHit{-FLT_MAX, 4, true});
    CHECK(ray_sphere({{1, 0, 0}, {0, 0, 0}, 4}, kUnit, {Inside::miss}) == RaySolidHit{});
    CHECK(ray_sphere({{1.5f, 0, 0}, {0, 0, 0}}, kUnit) == RaySolidHit{});
}

TEST_CASE("edge sphere/zero size: a sphere of radius 0 is a point, on any shape") {
    const Sphere point = {{1, 1, 0}, 0};
    CHECK(overlap(point, Sphere{{1, 1, 0}, 0}));
    CHECK(overlap(point, Aabb{{1, 1, 0}, {1, 1, 0}}));
    CHECK(overlap(point, turned({1, 1, 0}, {0, 0, 0})));
    CHECK(overlap(point, Triangle{{1, 1, 0}, {1, 1, 0}, {1, 1, 0}}));
    CHECK(overlap(point, kLargeTriangle));
    CHECK_FALSE(overlap(Sphere{{1, 1, 0x1p-149f}, 0}, kLargeTriangle));
    CHECK(time_of_impact(point, {{3, 1, 0}, 0}, {}, {-4, 0, 0}) == 0.5f);
    CHECK(ray_sphere({{0, 0, 0}, {1, 1, 0}}, point) == RaySolidHit{1, 1, true});
}

TEST_CASE("edge sphere/t = 0: a touch at the start is an impact at 0, even when parting") {
    CHECK(time_of_impact(kUnit, {{2, 0, 0}, 1}, {}, {1, 0, 0}) == 0.0f);
    const Ray outward = {{1, 0, 0}, {1, 0, 0}};
    const Ray inward = {{1, 0, 0}, {-1, 0, 0}};
    CHECK(ray_sphere(outward, kUnit) == RaySolidHit{0, 0, true});
    CHECK(ray_sphere(outward, kUnit, {Inside::miss}) == RaySolidHit{});
    CHECK(ray_sphere(outward, kUnit, {Inside::negative_t}) == RaySolidHit{-2, 0, true});
    for (const Inside inside : {Inside::zero, Inside::miss, Inside::negative_t})
        CHECK(ray_sphere(inward, kUnit, {inside}) == RaySolidHit{0, 2, true});
}

TEST_CASE("edge sphere/t = 1: a touch at the very end of the step or of the ray counts") {
    CHECK(time_of_impact(kUnit, {{4, 0, 0}, 1}, {}, {-2, 0, 0}) == 1.0f);
    CHECK(time_of_impact(kUnit, {{4, 0, 0}, 1}, {}, {std::nextafterf(-2, 0), 0, 0}) == kNoIntersection);
    CHECK(ray_sphere({{3, 0, 0}, {-2, 0, 0}, 1}, kUnit) == RaySolidHit{1, 1, true});
    CHECK(ray_sphere({{3, 0, 0}, {-2, 0, 0}, std::nextafterf(1, 0)}, kUnit) == RaySolidHit{});
}

TEST_CASE("edge sphere/tie of normals: of the spheres entered at the same t the smallest index is closest") {
    const GuardedSpheres spheres({{{5, 0, 0}, 1}, {{3, 0, 0}, 1}, {{3, 0, 0}, 1}, {{4, 0, 0}, 2}});
    for_each_isa([&](Isa) {
        TreeHit closest[1];
        const Ray ray = {{0, 0, 0}, {1, 0, 0}};
        REQUIRE(closest_hits({&ray, 1}, spheres.view(), {}, closest).status == Status::ok);
        CHECK(closest[0] == TreeHit{1, 2});
    });
}

TEST_CASE("edge sphere/NaN: a NaN anywhere means no overlap, no impact and no hit") {
    for (const Sphere& bad : {Sphere{{0, kNaN, 0}, 1}, Sphere{{0, 0, 0}, kNaN}}) {
        CHECK_FALSE(overlap(bad, kUnit));
        CHECK_FALSE(overlap(bad, Aabb{{-1, -1, -1}, {1, 1, 1}}));
        CHECK_FALSE(overlap(bad, turned({0, 0, 0}, {1, 1, 1})));
        CHECK_FALSE(overlap(bad, kLargeTriangle));
        CHECK(time_of_impact(kUnit, bad, {}, {}) == kNoIntersection);
        CHECK(ray_sphere({{-3, 0, 0}, {1, 0, 0}}, bad) == RaySolidHit{});
    }
    CHECK_FALSE(overlap(kUnit, Aabb{{-1, -1, -1}, {1, kNaN, 1}}));
    CHECK_FALSE(overlap(kUnit, turned({0, 0, kNaN}, {1, 1, 1})));
    CHECK_FALSE(overlap(kUnit, kNoTriangle));
    CHECK(time_of_impact(kUnit, kUnit, {kNaN, 0, 0}, {}) == kNoIntersection);
    CHECK(ray_sphere({{0, 0, kNaN}, {1, 0, 0}}, kUnit) == RaySolidHit{});
    CHECK(ray_sphere({{0, 0, 0}, {1, 0, 0}, kNaN}, kUnit) == RaySolidHit{});
}

TEST_CASE("edge sphere/infinity: spheres and rays must be finite, boxes may have infinite sides") {
    CHECK_FALSE(overlap(Sphere{{0, 0, 0}, kInfinity}, kUnit));
    CHECK_FALSE(overlap(Sphere{{kInfinity, 0, 0}, 1}, Aabb{{-1, -1, -1}, {kInfinity, 1, 1}}));
    CHECK(overlap(kUnit, Aabb{{1, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}}));
    CHECK_FALSE(overlap(kUnit, Aabb{{1.5f, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}}));
    CHECK(time_of_impact(kUnit, kUnit, {kInfinity, 0, 0}, {}) == kNoIntersection);
    CHECK(ray_sphere({{-3, 0, 0}, {kInfinity, 0, 0}}, kUnit) == RaySolidHit{});
    CHECK(ray_sphere({{-3, 0, 0}, {1, 0, 0}, kInfinity}, kUnit) == RaySolidHit{2, 4, true});
    CHECK(overlap(Sphere{{FLT_MAX, 0, 0}, FLT_MAX}, Sphere{{-FLT_MAX, 0, 0}, FLT_MAX}));
}

TEST_CASE("edge sphere/inverted: a negative radius or half extent, or an inverted box, overlaps nothing") {
    const Sphere bad = {{0, 0, 0}, -1};
    CHECK_FALSE(overlap(bad, Sphere{{0, 0, 0}, 9}));
    CHECK_FALSE(overlap(bad, Aabb{{-1, -1, -1}, {1, 1, 1}}));
    CHECK_FALSE(overlap(kUnit, Aabb{{1, 0, 0}, {-1, 1, 1}}));
    CHECK_FALSE(overlap(kUnit, turned({0, 0, 0}, {-1, 1, 1})));
    CHECK(time_of_impact(kUnit, bad, {}, {}) == kNoIntersection);
    CHECK(ray_sphere({{-3, 0, 0}, {1, 0, 0}}, bad) == RaySolidHit{});
    CHECK(ray_sphere({{0, 0, 0}, {1, 0, 0}, -1}, kUnit) == RaySolidHit{});
}

TEST_CASE("edge sphere/denormal: denormal spheres are ordinary, denormal ray directions zero, and -0 is 0") {
    const float tiny = 0x1p-149f;
    CHECK(overlap(Sphere{{0, 0, 0}, tiny}, Sphere{{2 * tiny, 0, 0}, tiny}));
    CHECK_FALSE(overlap(Sphere{{0, 0, 0}, tiny}, Sphere{{3 * tiny, 0, 0}, tiny}));
    CHECK(
        overlap(Sphere{{0, 0, 2 * tiny}, 2 * tiny}, Triangle{{0, 0, 0}, {4 * tiny, 0, 0}, {0, 4 * tiny, 0}}));
    CHECK(time_of_impact({{0, 0, 0}, 0}, {{4 * tiny, 0, 0}, 0}, {}, {-8 * tiny, 0, 0}) == 0.5f);
    CHECK(ray_sphere({{-2, 0, 0}, {kDenormal, 0, 0}}, kUnit) == RaySolidHit{});
    CHECK(ray_sphere({{-0.0f, -0.0f, 0}, {-0.0f, kDenormal, 0}, 4}, kUnit) == RaySolidHit{0, 4, true});
    CHECK(same_bits(ray_sphere({{1, -0.0f, 0}, {-1, -0.0f, 0}}, kUnit).t_enter, 0.0f));
    CHECK(same_bits(time_of_impact(kUnit, kUnit, {-0.0f, 0, 0}, {}), 0.0f));
}
