// Oriented box against triangle, static: each axis on its own, touching, degenerate and invalid input,
// scales.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/narrowphase/obb/sole_separator.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Obb kUnitBox = world_box({0, 0, 0}, {1, 1, 1});

}  // namespace

TEST_CASE("each of the 13 axes is the only one to separate some triangle, and does") {
    Random random(21);
    for (std::uint8_t axis = 0; axis < 13; ++axis) {
        INFO("axis " << int{axis});
        for (int i = 0; i < 20; ++i) {
            const SoleSeparator s = make_sole_separator(random, static_cast<ContactAxis>(axis));
            CHECK_FALSE(overlap(s.obb, s.triangle));
            CHECK(overlap(s.obb, moved(s.triangle, s.towards_box)));
        }
    }
}

TEST_CASE("C1: a triangle touches a box in a face, an edge, a corner, and from every side") {
    // Axes of the box turned by the 3-4-5 angle, so that the result does not depend on the world's axes. 0.6
    // and 0.8 are no floats, so a touch is told from a gap to some digits only.
    const Obb turned = {{1, 2, 3}, {0.6f, 0.8f, 0}, {-0.8f, 0.6f, 0}, {0, 0, 1}, {5, 10, 1}};
    CHECK(overlap(turned, {{1, 2, 3.9999f}, {2, 2, 9}, {2, 3, 9}}));
    CHECK_FALSE(overlap(turned, {{1, 2, 4.0001f}, {2, 2, 9}, {2, 3, 9}}));
    // 5·axis_x is (3, 4, 0).
    CHECK(overlap(turned, {{1 + 2.99f, 2 + 3.99f, 3}, {30, 30, 3}, {31, 30, 3}}));
    CHECK_FALSE(overlap(turned, {{1 + 3.01f, 2 + 4.01f, 3}, {30, 30, 3}, {31, 30, 3}}));
    for (const float side : {1.0f, -1.0f}) {
        CHECK(overlap(kUnitBox, {{side, 0, 0}, {3 * side, 1, 0}, {3 * side, 0, 1}}));
        CHECK(overlap(kUnitBox, {{side, side, 0}, {3 * side, side, 0}, {2 * side, 2 * side, 0}}));
        CHECK(overlap(kUnitBox, {{side, side, side}, {2 * side, side, side}, {2 * side, 2 * side, side}}));
    }
}

TEST_CASE("a triangle in the plane of a face touches at gap 0 and one ulp inside, not one ulp outside") {
    const float inside = std::nextafterf(1.0f, 0.0f);
    const float outside = std::nextafterf(1.0f, 2.0f);
    for (const float side : {1.0f, -1.0f}) {
        const auto at = [&](float z) {
            return Triangle{{-5, -4, side * z}, {4, -3, side * z}, {0.5f, 6, side * z}};
        };
        CHECK(overlap(kUnitBox, at(1.0f)));
        CHECK(overlap(kUnitBox, at(inside)));
        CHECK_FALSE(overlap(kUnitBox, at(outside)));
    }
}

TEST_CASE("an edge of the box and an edge of the triangle touch at gap 0 and not one ulp apart") {
    // Along (1, 1, 0)/√2 the box extends to x + y = 2; the triangle's edge ab lies in that plane, along z ×
    // the axis.
    const auto at = [](float shift) {
        return Triangle{{1 + shift, 1 + shift, -4}, {1 + shift, 1 + shift, 4}, {4, 4, 0}};
    };
    CHECK(overlap(kUnitBox, at(0.0f)));
    CHECK_FALSE(overlap(kUnitBox, at(FLT_EPSILON)));
    CHECK(overlap(kUnitBox, {{3, -1, 0}, {-1, 3, 0}, {4, 4, 0.5f}}));
    CHECK_FALSE(overlap(kUnitBox, {{3 + 0x1p-21f, -1, 0}, {-1, 3 + 0x1p-21f, 0}, {4, 4, 0.5f}}));
}

TEST_CASE("a triangle inside the box overlaps, and so does one that cuts through the box") {
    CHECK(overlap(kUnitBox, {{0.1f, 0, 0}, {0, 0.1f, 0}, {0, 0, 0.1f}}));
    const Obb small = world_box({0, 0, 0}, {1e-3f, 1e-3f, 1e-3f});
    CHECK(overlap(small, {{-50, -40, 0}, {60, -30, 0}, {0, 70, 0}}));
    CHECK_FALSE(overlap(small, {{-50, -40, 2e-3f}, {60, -30, 2e-3f}, {0, 70, 2e-3f}}));
}

TEST_CASE("points, segments and collinear triangles are ordinary") {
    const Vec3 p = {1, 1, 1};
    CHECK(overlap(kUnitBox, {p, p, p}));
    CHECK_FALSE(overlap(kUnitBox, {{1, 1, 1.0001f}, {1, 1, 1.0001f}, {1, 1, 1.0001f}}));
    const Vec3 from = {3, -1, 0};
    const Vec3 to = {-1, 3, 0};
    for (const Triangle& t : {Triangle{from, to, to}, Triangle{from, to, from}, Triangle{from, from, to},
                              Triangle{from, {1, 1, 0}, to}}) {
        CHECK(overlap(kUnitBox, t));
        CHECK_FALSE(overlap(kUnitBox, moved(t, {0.001f, 0, 0})));
    }
}

TEST_CASE("boxes without thickness: rectangles, segments and points") {
    const Obb plate = world_box({0, 0, 0}, {2, 2, 0});
    CHECK(overlap(plate, {{0, 0, -1}, {0, 0, 1}, {5, 5, 0}}));
    CHECK(overlap(plate, {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}));
    CHECK_FALSE(overlap(plate, {{-9, -9, 1e-6f}, {9, -9, 1e-6f}, {0, 9, 1e-6f}}));
    const Obb rod = world_box({0, 0, 0}, {2, 0, 0});
    CHECK(overlap(rod, {{1, -1, -1}, {1, 2, -1}, {1, -1, 2}}));
    CHECK_FALSE(overlap(rod, {{2.001f, -1, -1}, {2.001f, 2, -1}, {2.001f, -1, 2}}));
    const Obb point = world_box({0.25f, 0.25f, 0}, {0, 0, 0});
    CHECK(overlap(point, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
    CHECK_FALSE(overlap(point, {{0, 0, 0}, {1, 0, 0}, {0, 0.2f, 0}}));
    CHECK(overlap(point, {point.center, point.center, point.center}));
}

TEST_CASE("invalid boxes and non-finite triangles overlap nothing") {
    const Triangle inside = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    REQUIRE(overlap(kUnitBox, inside));
    Obb bad = kUnitBox;
    for (float* number : {&bad.center.x, &bad.axis_x.y, &bad.axis_z.z, &bad.half_extent.y}) {
        const float before = *number;
        for (const float value : {kNaN, kInfinity, -kInfinity}) {
            *number = value;
            CHECK_FALSE(overlap(bad, inside));
        }
        *number = before;
    }
    bad.half_extent.z = -1e-30f;
    CHECK_FALSE(overlap(bad, inside));
    const Obb huge = world_box({0, 0, 0}, {1e18f, 1e18f, 1e18f});
    REQUIRE(overlap(huge, inside));
    // Every set of non-finite numbers, against a box that holds every finite triangle.
    for (unsigned places = 1; places < 512; ++places) {
        for (const float value : {kNaN, kInfinity, -kInfinity}) {
            Triangle t = inside;
            float* const numbers[9] = {&t.a.x, &t.a.y, &t.a.z, &t.b.x, &t.b.y,
                                       &t.b.z, &t.c.x, &t.c.y, &t.c.z};
            for (unsigned i = 0; i < 9; ++i) {
                if ((places >> i & 1u) != 0) *numbers[i] = value;
            }
            REQUIRE_FALSE(overlap(huge, t));
        }
    }
}

TEST_CASE("beyond kMaxReach the result is false, whatever overflows") {
    const Obb far_box = world_box({0, 0, 0}, {2e18f, 1, 1});
    const Triangle small = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK_FALSE(overlap(far_box, small));
    Random random(22);
    for (int i = 0; i < 2000; ++i) {
        const float size = std::exp2(random.uniform(62, 127));
        const Vec3 corner = random_direction(random) * size;
        CHECK_FALSE(overlap(kUnitBox, {-corner, corner, {0, 0, 0}}));
        CHECK_FALSE(overlap(kUnitBox, {corner, corner, corner}));
    }
}

TEST_CASE("the result does not change with the scale, from 1e-13 to 1e16") {
    Random random(23);
    int hit_count = 0;
    for (int i = 0; i < 3000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 1.0f, 1.0f);
        const bool expected = overlap(obb, t);
        hit_count += expected ? 1 : 0;
        for (const int exponent : {-44, -20, 20, 40, 54}) {
            const float s = std::ldexp(1.0f, exponent);
            Obb obb_scaled = obb;
            obb_scaled.center = obb.center * s;
            obb_scaled.half_extent = obb.half_extent * s;
            REQUIRE(overlap(obb_scaled, {t.a * s, t.b * s, t.c * s}) == expected);
        }
        // A triangle far smaller than its box: n is then 1e-24 of the box's own products.
        const float s = std::ldexp(1.0f, -40);
        Obb large = obb;
        large.half_extent = obb.half_extent + Vec3{0.01f, 0.01f, 0.01f};
        REQUIRE(overlap(large, {obb.center, obb.center + t.b * s, obb.center + t.c * s}));
    }
    CHECK(hit_count > 500);
}

TEST_CASE("far from the origin only the coordinates' own digits are lost") {
    Random random(24);
    for (const float distance : {1e3f, 1e4f, 1e5f}) {
        long double worst = 0;
        int hit_count = 0;
        for (int i = 0; i < 5000; ++i) {
            Obb obb = random_obb(random, 1.0f, 1.0f);
            const Vec3 origin = random_direction(random) * distance;
            obb.center = obb.center + origin;
            const Triangle t = moved(random_triangle(random, 1.0f, 1.0f), origin);
            const InBox<long double> q = in_box<long double>(obb, t, {});
            const long double gap = signed_gap(q);
            hit_count += gap <= 0 ? 1 : 0;
            if (overlap(obb, t) == (gap <= 0)) continue;
            worst = std::max(worst, std::abs(gap) / operand_scale(q));
        }
        CHECK(static_cast<double>(worst) <= 3e-7);
        CHECK(hit_count > 500);
    }
}

TEST_CASE("the order of the corners changes the result only within the rounding") {
    Random random(25);
    int differing_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 1.0f, 1.0f);
        const bool expected = overlap(obb, t);
        for (const Triangle& other :
             {Triangle{t.b, t.c, t.a}, Triangle{t.c, t.a, t.b}, Triangle{t.a, t.c, t.b},
              Triangle{t.c, t.b, t.a}, Triangle{t.b, t.a, t.c}}) {
            if (overlap(obb, other) == expected) continue;
            ++differing_count;
            const InBox<long double> q = in_box<long double>(obb, t, {});
            CHECK(static_cast<double>(std::abs(signed_gap(q)) / operand_scale(q)) <= 3e-7);
        }
    }
    CHECK(differing_count < 10);
}

TEST_CASE("a box that grows keeps its overlaps") {
    Random random(26);
    for (int i = 0; i < 10000; ++i) {
        Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 1.0f, 1.0f);
        bool was_hit = overlap(obb, t);
        for (int step = 0; step < 6; ++step) {
            obb.half_extent = obb.half_extent * 1.2f;
            const bool is_hit = overlap(obb, t);
            REQUIRE((is_hit || !was_hit));
            was_hit = is_hit;
        }
    }
}
