// Results of oriented box against oriented box in each case of docs/edge_semantics.md.
#include "tests/narrowphase/obb/obb_oracle.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Obb kObb = world_box({0, 0, 0}, {1, 1, 1});
constexpr ObbImpact kObbMiss = {};
constexpr ObbImpact kObbAtStart = {0.0f, ObbAxis::initial};
constexpr float kPastTwo = 2 + 2 * FLT_EPSILON;

ObbImpact obb_impact(const Obb& a, const Obb& b, Vec3 motion) { return first_impact(a, {}, b, motion); }
Obb unit_at(Vec3 center) { return world_box(center, {1, 1, 1}); }

}  // namespace

TEST_CASE("edge obb_obb/touching: a gap of 0 overlaps with depth 0, one ulp more does not") {
    CHECK(obb_contact(kObb, unit_at({2, 0, 0})) == ObbContact{0.0f, ObbAxis::a_x});
    CHECK(overlap(kObb, unit_at({2, 2, 0})));
    CHECK(overlap(kObb, unit_at({2, 2, 2})));
    CHECK_FALSE(overlap(kObb, unit_at({kPastTwo, 0, 0})));
    CHECK(obb_contact(kObb, unit_at({kPastTwo, 0, 0})) == ObbContact{});
    // An edge that stands on a face: axes of 3-4-5, so that the corner is exact to the last digits.
    const Obb turned = {{0, 0, 2.4f}, {0.6f, 0, 0.8f}, {0, 1, 0}, {-0.8f, 0, 0.6f}, {1, 1, 1}};
    CHECK(overlap(
        kObb, {turned.center - Vec3{0, 0, 1e-6f}, turned.axis_x, turned.axis_y, turned.axis_z, {1, 1, 1}}));
    CHECK_FALSE(overlap(
        kObb, {turned.center + Vec3{0, 0, 1e-6f}, turned.axis_x, turned.axis_y, turned.axis_z, {1, 1, 1}}));
}

TEST_CASE("edge obb_obb/inside: a box within a box overlaps, and its depth is the shortest way out") {
    const Obb small = world_box({0.5f, 0, 0}, {0.25f, 0.25f, 0.25f});
    CHECK(overlap(kObb, small));
    CHECK(obb_contact(kObb, small) == ObbContact{0.75f, ObbAxis::a_x});
    CHECK(obb_contact(small, kObb) == ObbContact{0.75f, ObbAxis::a_x});
    CHECK(contact_normal(kObb, small, ObbAxis::a_x) == Vec3{-1, 0, 0});
    CHECK(obb_impact(kObb, small, {5, 6, 7}) == kObbAtStart);
}

TEST_CASE("edge obb_obb/parallel: boxes of the same orientation, exactly or nearly, are decided by faces") {
    Random random(191);
    for (const float angle : {0.0f, 1e-9f, 1e-8f, 1e-7f, 1e-6f}) {
        for (int i = 0; i < 2000; ++i) {
            Obb a = random_obb(random, 1, 1);
            Obb b = turned_slightly(random, a, angle);
            b.half_extent = random_vec3(random, 0.5f) + Vec3{0.5f, 0.5f, 0.5f};
            b.center = a.center + a.axis_x * ((a.half_extent.x + b.half_extent.x) * 0.999f);
            REQUIRE(overlap(a, b));
            // Beyond that an edge pair may be less deep by more than the preference for faces.
            if (angle <= 1e-7f) REQUIRE(static_cast<int>(obb_contact(a, b).axis) < 6);
            b.center = a.center + a.axis_x * ((a.half_extent.x + b.half_extent.x) * 1.001f);
            REQUIRE_FALSE(overlap(a, b));
        }
    }
}

TEST_CASE("edge obb_obb/zero length: without relative motion the obb_impact is the static result") {
    CHECK(obb_impact(kObb, unit_at({2, 0, 0}), {}) == kObbAtStart);
    CHECK(obb_impact(kObb, unit_at({3, 0, 0}), {}) == kObbMiss);
    CHECK(first_impact(kObb, {4, 5, 6}, unit_at({3, 0, 0}), {4, 5, 6}) == kObbMiss);
}

TEST_CASE("edge obb_obb/zero size: rectangles, segments and points") {
    const Obb plate = world_box({0, 0, 1}, {1, 1, 0});
    const Obb rod = {{0, 0, 1}, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {5, 0, 0}};
    const Obb point = world_box({1, 1, 1}, {0, 0, 0});
    for (const Obb& thin : {plate, rod, point}) {
        CHECK(overlap(kObb, thin));
        CHECK(overlap(thin, kObb));
        CHECK(overlap(thin, thin));
        CHECK(obb_contact(kObb, thin).depth == 0.0f);
        Obb moved = thin;
        moved.center.z += 1;
        CHECK_FALSE(overlap(kObb, moved));
        CHECK_FALSE(overlap(thin, moved));
        CHECK(obb_impact(kObb, moved, {0, 0, -4}).toi == 0.25f);
    }
    CHECK(overlap(plate, rod));
    CHECK_FALSE(overlap(point, rod));
    CHECK(obb_contact(point, point) == ObbContact{0.0f, ObbAxis::a_x});
}

TEST_CASE("edge obb_obb/t = 0: an overlap or touch at the start is an obb_impact at 0, also when they part") {
    CHECK(obb_impact(kObb, unit_at({2, 0, 0}), {-5, 0, 0}) == kObbAtStart);
    CHECK(obb_impact(kObb, unit_at({2, 0, 0}), {5, 0, 0}) == kObbAtStart);
    CHECK(obb_impact(kObb, unit_at({kPastTwo, 0, 0}), {5, 0, 0}) == kObbMiss);
    CHECK(same_bits(obb_impact(kObb, unit_at({2, 0, 0}), {-5, 0, 0}).toi, 0.0f));
}

TEST_CASE("edge obb_obb/t = 1: a touch at the very end is an impact") {
    CHECK(obb_impact(kObb, unit_at({4, 0, 0}), {-2, 0, 0}) == ObbImpact{1.0f, ObbAxis::a_x});
    CHECK(obb_impact(kObb, unit_at({4, 0, 0}), {-2 + 4 * FLT_EPSILON, 0, 0}) == kObbMiss);
}

TEST_CASE("edge obb_obb/tie of normals: the first axis in the order is named") {
    CHECK(obb_impact(kObb, unit_at({3, 3, 3}), {-2, -2, -2}) == ObbImpact{0.5f, ObbAxis::a_x});
    CHECK(obb_impact(kObb, unit_at({0, 3, 3}), {0, -2, -2}) == ObbImpact{0.5f, ObbAxis::a_y});
    CHECK(obb_contact(kObb, kObb) == ObbContact{2.0f, ObbAxis::a_x});
    CHECK(obb_contact(kObb, unit_at({0, 1.5f, 1.5f})) == ObbContact{0.5f, ObbAxis::a_y});
}

TEST_CASE("edge obb_obb/NaN: nothing overlaps or meets with a NaN in any field") {
    Obb bad = kObb;
    for (float* number : {&bad.center.y, &bad.axis_x.z, &bad.axis_y.y, &bad.axis_z.x, &bad.half_extent.z}) {
        const float before = *number;
        *number = kNaN;
        for (const auto& [a, b] : {std::pair(kObb, bad), std::pair(bad, kObb), std::pair(bad, bad)}) {
            CHECK_FALSE(overlap(a, b));
            CHECK(obb_contact(a, b) == ObbContact{});
            CHECK(obb_impact(a, b, {1, 0, 0}) == kObbMiss);
        }
        *number = before;
    }
    CHECK(obb_impact(kObb, kObb, {0, kNaN, 0}) == kObbMiss);
}

TEST_CASE("edge obb_obb/infinity: as NaN, and so is a distance that overflows") {
    for (const float value : {kInfinity, -kInfinity}) {
        CHECK_FALSE(overlap(kObb, unit_at({value, 0, 0})));
        CHECK_FALSE(overlap(unit_at({value, 0, 0}), unit_at({value, 0, 0})));
        CHECK_FALSE(overlap(kObb, world_box({0, 0, 0}, {1, 1, value})));
        CHECK(obb_impact(kObb, kObb, {value, 0, 0}) == kObbMiss);
        CHECK(obb_impact(kObb, unit_at({0, value, 0}), {0, 1, 0}) == kObbMiss);
    }
    CHECK_FALSE(overlap(unit_at({-FLT_MAX, 0, 0}), unit_at({FLT_MAX, 0, 0})));
    CHECK(obb_impact(unit_at({-FLT_MAX, 0, 0}), unit_at({FLT_MAX, 0, 0}), {-1, 0, 0}) == kObbMiss);
}

TEST_CASE("edge obb_obb/inverted: a negative half extent overlaps nothing") {
    const Obb inverted = world_box({0, 0, 0}, {1, -1, 1});
    CHECK_FALSE(overlap(kObb, inverted));
    CHECK_FALSE(overlap(inverted, kObb));
    CHECK(obb_contact(kObb, inverted) == ObbContact{});
    CHECK(obb_impact(inverted, kObb, {1, 0, 0}) == kObbMiss);
}

TEST_CASE("edge obb_obb/denormal: tiny displacements are zero, tiny coordinates and -0 are ordinary") {
    CHECK(obb_impact(kObb, unit_at({2, 0, 0}), {kDenormal, -0.0f, -kDenormal}) == kObbAtStart);
    CHECK(obb_impact(kObb, unit_at({kPastTwo, 0, 0}), {-FLT_MIN / 2, 0, 0}) == kObbMiss);
    const Obb point = world_box({-0.0f, 0, 0}, {0, -0.0f, 0});
    CHECK(overlap(point, world_box({kDenormal, 0, 0}, {kDenormal, 0, 0})));
    CHECK_FALSE(overlap(point, world_box({kDenormal, 0, 0}, {0, 0, 0})));
    CHECK(same_bits(obb_contact(point, point).depth, 0.0f));
}
