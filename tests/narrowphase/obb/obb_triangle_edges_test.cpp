// Results of oriented box against triangle in each case of docs/edge_semantics.md.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"

#include <doctest/doctest.h>

#include <broadside/obb_triangle_compat.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Obb kBox = world_box({0, 0, 0}, {1, 1, 1});
constexpr TriangleImpact kMiss = {};
constexpr TriangleImpact kAtStart = {0.0f, ContactAxis::initial};

TriangleImpact impact(const Obb& obb, const Triangle& triangle, Vec3 motion) {
    return first_impact(obb, {}, triangle, motion);
}

// Nearest to the box with the corner at (x, 0, 0).
Triangle pointing(float x) { return {{x, 0, 0}, {x + 1, 1, 0}, {x + 1, 0, 1}}; }

}  // namespace

TEST_CASE("edge obb_triangle/touching: a gap of 0 overlaps in face, edge and corner, one ulp more does not") {
    CHECK(overlap(kBox, pointing(1)));
    CHECK_FALSE(overlap(kBox, pointing(1 + FLT_EPSILON)));
    CHECK(overlap(kBox, {{3, -1, 0}, {-1, 3, 0}, {4, 4, 0.5f}}));
    CHECK_FALSE(overlap(kBox, {{3 + 0x1p-21f, -1, 0}, {-1, 3 + 0x1p-21f, 0}, {4, 4, 0.5f}}));
    CHECK(overlap(kBox, {{1, 1, 1}, {2, 1, 1}, {2, 2, 1}}));
    CHECK_FALSE(overlap(kBox, {{1 + FLT_EPSILON, 1, 1}, {2, 1, 1}, {2, 2, 1}}));
}

TEST_CASE("edge obb_triangle/inside: a triangle within the box overlaps, and one that cuts through it") {
    const Triangle inside = {{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}};
    CHECK(overlap(kBox, inside));
    CHECK(impact(kBox, inside, {1, 2, 3}) == kAtStart);
    CHECK(overlap(kBox, {{-50, -40, 0.5f}, {60, -30, 0.5f}, {0, 70, 0.5f}}));
}

TEST_CASE(
    "edge obb_triangle/parallel: a triangle in the plane of a face overlaps, also sliding; one ulp outside "
    "it does not") {
    const auto in_plane = [](float z) { return Triangle{{-5, -4, z}, {4, -3, z}, {0.5f, 6, z}}; };
    CHECK(overlap(kBox, in_plane(1)));
    CHECK_FALSE(overlap(kBox, in_plane(1 + FLT_EPSILON)));
    const auto beside = [](float z) { return Triangle{{4, -1, z}, {5, 1, z}, {6, 0, z}}; };
    CHECK(impact(kBox, beside(1), {-4, 0, 0}) == TriangleImpact{0.75f, ContactAxis::box_x});
    CHECK(impact(kBox, beside(1 + FLT_EPSILON), {-4, 0, 0}) == kMiss);
}

TEST_CASE("edge obb_triangle/zero length: without relative motion the impact is the static result") {
    CHECK(impact(kBox, pointing(1), {}) == kAtStart);
    CHECK(impact(kBox, pointing(1.5f), {}) == kMiss);
    CHECK(first_impact(kBox, {1, 2, 3}, pointing(1.5f), {1, 2, 3}) == kMiss);
    CHECK_FALSE(swept_overlap_7_axes(kBox, {1, 2, 3}, pointing(1.5f), {1, 2, 3}));
}

TEST_CASE("edge obb_triangle/zero size: segments and points, rectangles, rods and points") {
    const Vec3 p = {1, 1, 1};
    CHECK(overlap(kBox, {p, p, p}));
    CHECK(overlap(kBox, {{3, -1, 0}, {-1, 3, 0}, {-1, 3, 0}}));
    CHECK(overlap(world_box({0, 0, 0}, {2, 2, 0}), {{0, 0, -1}, {0, 0, 1}, {5, 5, 0}}));
    CHECK(overlap(world_box({0, 0, 0}, {2, 0, 0}), {{1, -1, -1}, {1, 2, -1}, {1, -1, 2}}));
    CHECK(overlap(world_box(p, {0, 0, 0}), {p, p, p}));
    CHECK_FALSE(overlap(world_box(p, {0, 0, 0}), {{1, 1, 2}, {2, 1, 2}, {1, 2, 2}}));
    CHECK(impact(world_box({0, 0, 0}, {0, 0, 0}), {{4, -1, -1}, {4, 3, -1}, {4, -1, 3}}, {-8, 0, 0}).toi ==
          0.5f);
}

TEST_CASE(
    "edge obb_triangle/t = 0: an overlap or touch at the start is an impact at 0, also when they part") {
    CHECK(impact(kBox, pointing(1), {-5, 0, 0}) == kAtStart);
    CHECK(impact(kBox, pointing(1), {5, 0, 0}) == kAtStart);
    CHECK(impact(kBox, pointing(1.0001f), {5, 0, 0}) == kMiss);
    CHECK(same_bits(impact(kBox, pointing(1), {-5, 0, 0}).toi, 0.0f));
}

TEST_CASE("edge obb_triangle/t = 1: a touch at the very end is an impact") {
    CHECK(impact(kBox, pointing(3), {-2, 0, 0}) == TriangleImpact{1.0f, ContactAxis::box_x});
    CHECK(impact(kBox, pointing(3), {-2 + 4 * FLT_EPSILON, 0, 0}) == kMiss);
    CHECK(swept_overlap(kBox, {2, 0, 0}, pointing(3), {}));
}

TEST_CASE("edge obb_triangle/tie of normals: the first axis in the order is named") {
    const Triangle corner = {{2, 2, 2}, {3, 2, 2}, {2, 3, 2}};
    CHECK(impact(kBox, corner, {-2, -2, -2}) == TriangleImpact{0.5f, ContactAxis::box_x});
    CHECK(impact(kBox, {{0, 2, 2}, {1, 3, 2}, {-1, 3, 3}}, {0, -2, -2}) ==
          TriangleImpact{0.5f, ContactAxis::box_y});
}

TEST_CASE("edge obb_triangle/NaN: nothing overlaps or meets with a NaN in any field") {
    const Triangle inside = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    Obb bad = kBox;
    for (float* number : {&bad.center.y, &bad.axis_x.z, &bad.axis_z.x, &bad.half_extent.z}) {
        const float before = *number;
        *number = kNaN;
        CHECK_FALSE(overlap(bad, inside));
        CHECK(impact(bad, inside, {1, 0, 0}) == kMiss);
        CHECK_FALSE(swept_overlap_7_axes(bad, {}, inside, {1, 0, 0}));
        *number = before;
    }
    CHECK_FALSE(overlap(kBox, {{0, kNaN, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}}));
    CHECK(impact(kBox, inside, {0, 0, kNaN}) == kMiss);
}

TEST_CASE("edge obb_triangle/infinity: as NaN, and so are sizes beyond kMaxReach") {
    const Triangle inside = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    for (const float value : {kInfinity, -kInfinity, 1e19f}) {
        CHECK_FALSE(overlap(kBox, {{0, value, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}}));
        CHECK(impact(kBox, inside, {0, value, 0}) == kMiss);
        CHECK_FALSE(overlap(world_box({0, 0, 0}, {value, 1, 1}), inside));
    }
    CHECK_FALSE(overlap(world_box({kInfinity, 0, 0}, {1, 1, 1}), inside));
}

TEST_CASE(
    "edge obb_triangle/inverted: a negative half extent overlaps nothing, and either winding is the same") {
    const Triangle inside = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    CHECK_FALSE(overlap(world_box({0, 0, 0}, {1, -1, 1}), inside));
    CHECK(impact(world_box({0, 0, 0}, {1, -1, 1}), inside, {1, 0, 0}) == kMiss);
    const Triangle t = pointing(3);
    CHECK(impact(kBox, {t.a, t.c, t.b}, {-4, 0, 0}) == impact(kBox, t, {-4, 0, 0}));
}

TEST_CASE("edge obb_triangle/denormal: tiny displacements are zero, tiny coordinates and -0 are ordinary") {
    CHECK(impact(kBox, pointing(1), {kDenormal, -0.0f, -kDenormal}) == kAtStart);
    CHECK(impact(kBox, pointing(1 + FLT_EPSILON), {-FLT_MIN / 2, 0, 0}) == kMiss);
    const Obb point = world_box({-0.0f, 0, 0}, {0, -0.0f, 0});
    CHECK(overlap(point, {{0, 0, 0}, {kDenormal, 0, 0}, {0, kDenormal, 0}}));
    CHECK(overlap(point, {{0, -1, -1}, {-0.0f, 1, -1}, {0, 0, 1}}));
    CHECK_FALSE(overlap(point, {{kDenormal, -1, -1}, {kDenormal, 1, -1}, {kDenormal, 0, 1}}));
}
