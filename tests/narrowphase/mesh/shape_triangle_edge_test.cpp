// The rows of docs/edge_semantics.md about boxes, spheres and capsules against a triangle, at rest and
// moving.
#include "tests/support/generators.hpp"

#include <broadside/shape_triangle.hpp>
#include <broadside/sphere_overlap.hpp>

#include <doctest/doctest.h>

#include <cfloat>
#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Triangle kFlat = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};

// The impact of a sphere and of a capsule of one point, which are equal.
ShapeImpact sphere_impact(Vec3 center, float radius, Vec3 way, const Triangle& triangle = kFlat) {
    const ShapeImpact impact = first_impact(Sphere{center, radius}, way, triangle);
    CHECK(first_impact(Capsule{center, center, radius}, way, triangle) == impact);
    return impact;
}
bool is_apart(const ShapeImpact& impact) { return impact == ShapeImpact{}; }
// At that time, or at most two floats earlier.
bool is_at(const ShapeImpact& impact, float toi) {
    return impact.toi <= toi && impact.toi >= next_down(next_down(toi));
}

}  // namespace

TEST_CASE("edge shape_triangle/touching: a touch overlaps, an ulp beside does not") {
    CHECK(overlap(Aabb{{2, 2, 0}, {3, 3, 1}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{next_up(2.0f), 2, 0}, {3, 3, 1}}, kFlat));
    CHECK(overlap(Aabb{{1, 1, -1}, {2, 2, 0}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{1, 1, -1}, {2, 2, next_down(0.0f)}}, kFlat));
    CHECK(overlap(Capsule{{1, 1, 1}, {1, 1, 3}, 1}, kFlat));
    CHECK_FALSE(overlap(Capsule{{1, 1, next_up(1.0f)}, {1, 1, 3}, 1}, kFlat));
    CHECK(overlap(Sphere{{1, -1, 0}, 1}, kFlat));
    CHECK_FALSE(overlap(Sphere{{1, next_down(-1.0f), 0}, 1}, kFlat));
    // A pass at exactly the radius meets, a clearly wider one does not.
    const ShapeImpact graze = sphere_impact({2, -3, 1}, 1, {0, 8, 0});
    CHECK(graze.toi <= 0.375f);
    CHECK(graze.toi > 0.37499f);
    CHECK(is_apart(sphere_impact({2, -3, 1.0001f}, 1, {0, 8, 0})));
}

TEST_CASE(
    "edge shape_triangle/inside: a shape that holds all of the triangle overlaps it, and meets it at 0") {
    CHECK(overlap(Aabb{{-1, -1, -1}, {9, 9, 1}}, kFlat));
    CHECK(overlap(Capsule{{1, 1, -9}, {1, 1, 9}, 9}, kFlat));
    CHECK(sphere_impact({1, 1, 2}, 9, {0, 0, 5}).toi == 0.0f);
    CHECK(first_impact(Capsule{{1, 1, -9}, {1, 1, 9}, 9}, {1, 0, 0}, kFlat).toi == 0.0f);
}

TEST_CASE(
    "edge shape_triangle/parallel: a shape moving along the plane, further away than its radius, meets "
    "nothing") {
    CHECK(is_apart(sphere_impact({-9, 1, 2}, 1, {20, 0, 0})));
    // Nearer it meets the edge, also if the edge is in its plane.
    CHECK(is_at(sphere_impact({-5, 1, 0}, 1, {8, 0, 0}), 0.5f));
    CHECK(is_at(sphere_impact({-4, 1, 0}, 0, {8, 0, 0}), 0.5f));
    const ShapeImpact lying = first_impact(Capsule{{1, 1, 3}, {2, 1, 3}, 1}, {0, 0, -4}, kFlat);
    CHECK(is_at(lying, 0.5f));
    CHECK(lying.normal == Vec3{0, 0, 1});
}

TEST_CASE(
    "edge shape_triangle/zero length: without motion an overlap is an impact at 0, else there is none") {
    CHECK(sphere_impact({1, 1, 1}, 1, {0, 0, 0}).toi == 0.0f);
    CHECK(is_apart(sphere_impact({1, 1, 2}, 1, {0, 0, 0})));
    CHECK(overlap(Capsule{{1, 1, 1}, {1, 1, 1}, 1}, kFlat));
    CHECK_FALSE(overlap(Capsule{{1, 1, 2}, {1, 1, 2}, 1}, kFlat));
}

TEST_CASE(
    "edge shape_triangle/zero size: points and segments are shapes, and so are triangles without area") {
    CHECK(overlap(Aabb{{1, 1, 0}, {1, 1, 0}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{1, 1, 1}, {1, 1, 1}}, kFlat));
    CHECK(overlap(Capsule{{1, 1, -1}, {1, 1, 1}, 0}, kFlat));
    CHECK(is_at(sphere_impact({1, 1, 1}, 0, {0, 0, -2}), 0.5f));
    const Triangle segment = {{0, 0, 0}, {4, 0, 0}, {2, 0, 0}};
    const Triangle point = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    CHECK(overlap(Aabb{{3, 0, 0}, {5, 1, 1}}, segment));
    CHECK(overlap(Sphere{{1, 1, 1}, 1}, point));
    CHECK(is_at(sphere_impact({1, 1, 3}, 1, {0, 0, -4}, point), 0.5f));
    CHECK(is_at(sphere_impact({3, 0, 3}, 1, {0, 0, -4}, segment), 0.5f));
}

TEST_CASE("edge shape_triangle/t = 0: an overlap at the start is an impact at 0, even when parting") {
    const ShapeImpact away = sphere_impact({1, 1, 1}, 1, {0, 0, 5});
    CHECK(away.toi == 0.0f);
    CHECK_FALSE(std::signbit(away.toi));
    CHECK(away.normal == Vec3{0, 0, 1});
    // A segment that passes through has no defined way out.
    CHECK(sphere_impact({1, 1, 0}, 1, {0, 0, 5}).toi == 0.0f);
    const ShapeImpact through = first_impact(Capsule{{1, 1, -1}, {1, 1, 1}, 1}, {0, 0, 5}, kFlat);
    CHECK(through.toi == 0.0f);
    CHECK(through.normal == Vec3{});
}

TEST_CASE("edge shape_triangle/t = 1: a touch at the very end of the step is an impact") {
    CHECK(is_at(sphere_impact({1, 1, 3}, 1, {0, 0, -2}), 1.0f));
    CHECK(is_apart(sphere_impact({1, 1, 3}, 1, {0, 0, -1.9999f})));
}

TEST_CASE(
    "edge shape_triangle/tie of normals: a corner is met along the line to the center, a face along its "
    "normal") {
    const ShapeImpact corner = sphere_impact({-3, 0, 0}, 1, {4, 0, 0});
    CHECK(is_at(corner, 0.5f));
    CHECK(corner.normal == Vec3{-1, 0, 0});
    CHECK(corner.point == Vec3{0, 0, 0});
    CHECK(sphere_impact({1, 1, -3}, 1, {0, 0, 4}).normal == Vec3{0, 0, -1});
}

TEST_CASE("edge shape_triangle/NaN: no overlap and no impact with a NaN in any field") {
    CHECK_FALSE(overlap(Aabb{{0, 0, kNaN}, {1, 1, 1}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{0, 0, 0}, {1, 1, 1}}, Triangle{{0, 0, 0}, {4, kNaN, 0}, {0, 4, 0}}));
    CHECK_FALSE(overlap(Capsule{{0, 0, 0}, {kNaN, 1, 1}, 1}, kFlat));
    CHECK_FALSE(overlap(Capsule{{0, 0, 0}, {1, 1, 1}, kNaN}, kFlat));
    CHECK(is_apart(first_impact(Sphere{{1, 1, 0}, kNaN}, {0, 0, 1}, kFlat)));
    CHECK(is_apart(sphere_impact({1, 1, 0}, 1, {0, kNaN, 1})));
}

TEST_CASE("edge shape_triangle/infinity: boxes may have infinite sides, all else must be finite") {
    CHECK(overlap(Aabb{{-kInfinity, 1, -1}, {kInfinity, 2, 1}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{-kInfinity, 1, 1}, {kInfinity, 2, 2}}, kFlat));
    CHECK_FALSE(overlap(Aabb{{0, 0, 0}, {1, 1, 1}}, Triangle{{0, 0, 0}, {kInfinity, 0, 0}, {0, 4, 0}}));
    CHECK_FALSE(overlap(Capsule{{0, 0, 0}, {1, 1, 1}, kInfinity}, kFlat));
    CHECK(is_apart(sphere_impact({1, 1, 1}, 1, {0, 0, -kInfinity})));
    CHECK(is_at(sphere_impact({1, 1, 0.25f * FLT_MAX}, 0, {0, 0, -0.5f * FLT_MAX}), 0.5f));
}

TEST_CASE("edge shape_triangle/inverted: an inverted box and a negative radius meet nothing") {
    CHECK_FALSE(overlap(Aabb{{1, 1, 1}, {0, 2, -1}}, kFlat));
    CHECK_FALSE(overlap(Capsule{{1, 1, 0}, {1, 1, 1}, -FLT_TRUE_MIN}, kFlat));
    CHECK(is_apart(first_impact(Sphere{{1, 1, 0}, -1}, {0, 0, 1}, kFlat)));
}

TEST_CASE("edge shape_triangle/denormal: denormal numbers are ordinary, -0 is 0 and is never returned") {
    constexpr float kTiny = FLT_TRUE_MIN;
    const Triangle small = {{0, 0, 0}, {4 * kTiny, 0, 0}, {0, 4 * kTiny, 0}};
    CHECK(overlap(Aabb{{2 * kTiny, 2 * kTiny, 0}, {1, 1, 1}}, small));
    CHECK_FALSE(overlap(Aabb{{3 * kTiny, 2 * kTiny, 0}, {1, 1, 1}}, small));
    CHECK(overlap(Capsule{{kTiny, kTiny, 2 * kTiny}, {0, 0, 1}, 2 * kTiny}, small));
    CHECK_FALSE(overlap(Capsule{{kTiny, kTiny, 3 * kTiny}, {0, 0, 1}, 2 * kTiny}, small));
    CHECK(is_at(sphere_impact({kTiny, kTiny, 4 * kTiny}, 0, {-0.0f, 0, -8 * kTiny}, small), 0.5f));
    const ShapeImpact start = sphere_impact({1, 1, -0.0f}, 0, {-0.0f, 0, -0.0f});
    CHECK(start.toi == 0.0f);
    for (const float number : {start.toi, start.point.z, start.normal.x, start.normal.z})
        CHECK_FALSE(std::signbit(number));
}
