// Moving spheres: the rules of text B, and the time against a search in long doubles.
#include "tests/support/generators.hpp"

#include <doctest/doctest.h>

#include <broadside/moving_aabb.hpp>
#include <broadside/moving_sphere.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// The distance of the centers at time t, minus the sum of the radii.
long double gap_at(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b,
                   long double t) {
    const auto coordinate = [&](float from_a, float from_b, float d_a, float d_b) {
        return (static_cast<long double>(from_b) - from_a) + t * (static_cast<long double>(d_b) - d_a);
    };
    const long double x = coordinate(a.center.x, b.center.x, displacement_a.x, displacement_b.x);
    const long double y = coordinate(a.center.y, b.center.y, displacement_a.y, displacement_b.y);
    const long double z = coordinate(a.center.z, b.center.z, displacement_a.z, displacement_b.z);
    return std::sqrt(x * x + y * y + z * z) - (static_cast<long double>(a.radius) + b.radius);
}

// The distance of two points in straight motion falls, then rises: a ternary search for its minimum, then a
// bisection for the first time at which the spheres touch. Shares no formula with the library.
long double toi_by_search(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) {
    const auto gap = [&](long double t) { return gap_at(a, b, displacement_a, displacement_b, t); };
    if (gap(0) <= 0) return 0;
    long double min = 0;
    long double max = 1;
    for (int i = 0; i < 200; ++i) {
        const long double third = (max - min) / 3;
        if (gap(min + third) <= gap(max - third))
            max -= third;
        else
            min += third;
    }
    long double after = max;
    if (gap(1) <= gap(after)) after = 1;
    if (gap(after) > 0) return kNoIntersection;
    long double before = 0;
    for (int i = 0; i < 100; ++i) {
        const long double middle = (before + after) / 2;
        (gap(middle) <= 0 ? after : before) = middle;
    }
    return after;
}

}  // namespace

TEST_CASE("B4: spheres collide if the distance of their centers is at most the sum of the radii") {
    const Sphere a = {{0, 0, 0}, 2};
    CHECK(overlap(a, {{3, 4, 0}, 3.0f}));  // distance 5: touch
    CHECK_FALSE(overlap(a, {{3, 4, 0}, 2.9999f}));
    CHECK(overlap(a, {{1, 0, 0}, 0.25f}));
    CHECK_FALSE(overlap(a, {{9, 0, 0}, 3}));
    Random random(4);
    for (int round = 0; round < 20000; ++round) {
        const Sphere s = {{random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)}, random.grid(0, 3)};
        const Sphere t = {{random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)}, random.grid(0, 3)};
        const double distance = std::sqrt(static_cast<double>(length_sq(s.center - t.center)));
        REQUIRE(overlap(s, t) == (distance <= static_cast<double>(s.radius + t.radius)));
        REQUIRE(overlap(s, t) == overlap(t, s));
        REQUIRE((time_of_impact(s, t, {}, {}) == 0.0f) == overlap(s, t));
    }
}

TEST_CASE(
    "B5: two moving spheres are one moving sphere: the closing speed of two trains is the sum of their "
    "speeds") {
    const Sphere a = {{0, 0, 0}, 1};
    const Sphere b = {{12, 0, 0}, 1};
    CHECK(time_of_impact(a, b, {12, 0, 0}, {-8, 0, 0}) == 0.5f);
    CHECK(time_of_impact(a, b, {20, 0, 0}, {0, 0, 0}) == 0.5f);
    CHECK(time_of_impact(a, b, {0, 0, 0}, {-20, 0, 0}) == 0.5f);
    CHECK(time_of_impact(a, b, {-12, 0, 0}, {8, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(a, b, {4, 0, 0}, {-4, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(a, b, {5, 9, 0}, {-5, 9, 0}) == 1.0f);
    // Off centre: from (12, 3) a sphere of reach 5 is entered at x = 4.
    CHECK(time_of_impact({{0, 0, 0}, 4}, {{12, 3, 0}, 1}, {}, {-16, 0, 0}) == 0.5f);
    // A graze, at exactly the reach; the next float misses.
    CHECK(time_of_impact({{0, 0, 0}, 4}, {{8, 5, 0}, 1}, {}, {-16, 0, 0}) == 0.5f);
    CHECK(time_of_impact({{0, 0, 0}, 4}, {{8, std::nextafterf(5, 6), 0}, 1}, {}, {-16, 0, 0}) ==
          kNoIntersection);
}

TEST_CASE("B6: the sphere around a long thin body reports contact far too early, its box does not") {
    const Aabb rod = {{-5, -0.125f, -0.125f}, {5, 0.125f, 0.125f}};
    const Sphere around_rod = {{0, 0, 0}, std::sqrt(25 + 2 * 0.125f * 0.125f)};
    const Aabb pebble = {{-0.125f, 3.875f, -0.125f}, {0.125f, 4.125f, 0.125f}};
    const Sphere around_pebble = {{0, 4, 0}, 0.25f};
    CHECK(overlap(around_rod, around_pebble));
    CHECK_FALSE(overlap(rod, pebble));
    CHECK(time_of_impact(around_rod, around_pebble, {}, {0, -4, 0}) == 0.0f);
    CHECK(time_of_impact(rod, pebble, {0, -4, 0}) == 0.9375f);
    // A smaller sphere, as the text advises, errs the other way at the ends.
    CHECK_FALSE(overlap(Sphere{{0, 0, 0}, 1}, {{4.5f, 0, 0}, 0.25f}));
}

TEST_CASE("G14: spheres whose distance equals the sum of the radii touch, in motion and at rest") {
    // The text says "greater: none" and "smaller: collide", and nothing of equal.
    CHECK(overlap(Sphere{{0, 0, 0}, 1}, {{2, 0, 0}, 1}));
    CHECK(time_of_impact(Sphere{{0, 0, 0}, 1}, {{2, 0, 0}, 1}, {}, {}) == 0.0f);
    CHECK(time_of_impact(Sphere{{0, 0, 0}, 1}, {{2, 0, 0}, 1}, {}, {1, 0, 0}) == 0.0f);
    CHECK(time_of_impact(Sphere{{0, 0, 0}, 1}, {{4, 0, 0}, 1}, {}, {-2, 0, 0}) == 1.0f);
}

TEST_CASE("F1: the time of impact of spheres agrees with a search, at every scale") {
    Random random(1);
    int impact_count = 0;
    for (int round = 0; round < 4000; ++round) {
        const float scale = std::ldexp(1.0f, static_cast<int>(random.below(9)) * 15 - 60);
        const Sphere a = {random_vector(random, 4) * scale, random.uniform(0, 1) * scale};
        const Sphere b = {random_vector(random, 4) * scale, random.uniform(0, 1) * scale};
        const Vec3 displacement_a = random_vector(random, 1) * scale;
        const Vec3 displacement_b =
            displacement_a + (a.center - b.center + random_vector(random, 1) * scale) * random.uniform(0, 2);
        const long double expected = toi_by_search(a, b, displacement_a, displacement_b);
        const float toi = time_of_impact(a, b, displacement_a, displacement_b);
        REQUIRE(same_bits(toi, time_of_impact(b, a, displacement_b, displacement_a)));
        if ((toi <= 1) != (expected <= 1)) {
            // Only a graze, or an end of the step, may be judged differently.
            const long double nearest =
                gap_at(a, b, displacement_a, displacement_b, toi <= 1 ? toi : expected);
            REQUIRE(std::fabs(nearest) <= 1e-6L * scale);
            continue;
        }
        impact_count += toi <= 1 ? 1 : 0;
        if (toi > 1) continue;
        // One rounding to float, and the error of a bisection of a graze.
        REQUIRE(std::fabs(toi - expected) <= 0x1p-23L * expected + 1e-9L);
    }
    CHECK(impact_count > 1000);
}

TEST_CASE("spheres far apart, tiny or fast lose nothing if squared floats overflow, vanish or cancel") {
    const float expected = 0.5f;
    for (const float scale : {1e-36f, 1e-20f, 1e-3f, 1.0f, 1e19f, 1e30f, 1e37f}) {
        const Sphere a = {{0, 0, 0}, scale};
        CHECK(time_of_impact(a, {{6 * scale, 0, 0}, scale}, {}, {-8 * scale, 0, 0}) ==
              doctest::Approx(expected).epsilon(1e-6));
    }
    // A pebble from 2^20 units away: the text's discriminant b² - (d·d)(e·e - r²) has no correct digit in
    // floats.
    const float far = 0x1p20f;
    CHECK(time_of_impact({{0, 0, 0}, 0.5f}, {{far, 0.75f, 0}, 0.5f}, {}, {-2 * far, 0, 0}) ==
          doctest::Approx(0.5).epsilon(1e-6));
    CHECK(time_of_impact({{0, 0, 0}, 0.5f}, {{far, 1.0625f, 0}, 0.5f}, {}, {-2 * far, 0, 0}) ==
          kNoIntersection);
    const float e_sq = far * far + 1.0625f * 1.0625f;
    CHECK(4 * (far * far) * (far * far) - 4 * (far * far) * (e_sq - 1) >= 0.0f);
    // Close to contact the time goes to 0 without a jump.
    const float gap = 0x1p-20f;
    CHECK(time_of_impact({{0, 0, 0}, 1}, {{2 + gap, 0, 0}, 1}, {}, {-1, 0, 0}) == doctest::Approx(0));
    CHECK(time_of_impact({{0, 0, 0}, 1}, {{2 + 0x1p-20f, 0, 0}, 1}, {}, {-1, 0, 0}) > 0);
}

TEST_CASE("invalid spheres and displacements that are not finite have no impact; a zero radius is a point") {
    const Sphere unit = {{0, 0, 0}, 1};
    CHECK(time_of_impact(unit, {{3, 0, 0}, 0}, {}, {-4, 0, 0}) == 0.5f);
    CHECK(time_of_impact(Sphere{{0, 0, 0}, 0}, {{0, 0, 0}, 0}, {}, {}) == 0.0f);
    CHECK(time_of_impact(Sphere{{0, 0, 0}, 0}, {{1, 0, 0}, 0}, {}, {-1, 0, 0}) == 1.0f);
    for (const Sphere& bad : {Sphere{{0, 0, 0}, -1}, Sphere{{0, 0, 0}, kNaN}, Sphere{{0, 0, 0}, kInfinity},
                              Sphere{{kNaN, 0, 0}, 1}, Sphere{{0, kInfinity, 0}, 1}}) {
        CHECK(time_of_impact(unit, bad, {}, {}) == kNoIntersection);
        CHECK(time_of_impact(bad, unit, {}, {}) == kNoIntersection);
        CHECK_FALSE(overlap(unit, bad));
    }
    for (const float bad : {kNaN, kInfinity, -kInfinity}) {
        CHECK(time_of_impact(unit, unit, {bad, 0, 0}, {}) == kNoIntersection);
        CHECK(time_of_impact(unit, unit, {bad, 0, 0}, {bad, 0, 0}) == kNoIntersection);
        CHECK(time_of_impact(unit, unit, {}, {0, 0, bad}) == kNoIntersection);
    }
    CHECK(time_of_impact(unit, {{2.5f, 0, 0}, 1}, {FLT_MAX, 0, 0}, {-FLT_MAX, 0, 0}) <= 1.0f);
}
