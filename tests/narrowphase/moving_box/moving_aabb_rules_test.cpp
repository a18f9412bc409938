// Moving boxes: the rules of text A and their consequences, one example at a time.
#include "tests/narrowphase/moving_box/literal_moving_aabb.hpp"
#include "tests/narrowphase/moving_box/unit_boxes.hpp"
#include "tests/support/generators.hpp"
#include "tests/support/motions.hpp"

#include <doctest/doctest.h>

#include <broadside/moving_aabb.hpp>
#include <broadside/moving_aabb_compat.hpp>
#include <broadside/obb.hpp>

#include <cmath>

using namespace broadside;
using namespace broadside::test;

namespace {

// Boxes that differ on x only: y and z overlap throughout.
Aabb slab(float min_x, float max_x) { return {{min_x, 0, 0}, {max_x, 1, 1}}; }

Vec3 on_axis(int axis, float value) {
    return {axis == 0 ? value : 0, axis == 1 ? value : 0, axis == 2 ? value : 0};
}

}  // namespace

TEST_CASE("A4: without an impact the time is exactly 1e30, which is greater than 1, and no face is named") {
    const Impact none = first_impact(kUnit, moved(kUnit, {5, 0, 0}), {1, 0, 0});
    CHECK(same_bits(none.toi, 1e30f));
    CHECK(same_bits(none.toi, kNoIntersection));
    CHECK(none.toi > 1.0f);
    CHECK(none.face == Face::none);
}

TEST_CASE("A5: in one dimension boxes meet at (gap to the near face) / displacement") {
    struct Row {
        float s_min, s_max, m_min, m_max, displacement, toi;
        Face face;
    };
    const Row rows[] = {
        {4, 6, 0, 2, 4, 0.5f, Face::min_x},      {4, 6, 0, 2, 2, 1.0f, Face::min_x},
        {4, 6, 0, 2, 8, 0.25f, Face::min_x},     {-6, -4, 0, 2, -8, 0.5f, Face::max_x},
        {-6, -4, 0, 0, -16, 0.25f, Face::max_x}, {4, 4, 0, 2, 16, 0.125f, Face::min_x},
        {0, 1, 0.5f, 2, 4, 0.0f, Face::none},    {4, 6, 0, 2, 1.5f, kNoIntersection, Face::none},
    };
    for (const Row& row : rows) {
        const Impact impact =
            first_impact(slab(row.s_min, row.s_max), slab(row.m_min, row.m_max), {row.displacement, 0, 0});
        CHECK(same_bits(impact.toi, row.toi));
        CHECK(impact.face == row.face);
    }
}

TEST_CASE("A6: without motion on an axis the literal rule is open, so a resting touch is no impact") {
    const Aabb touching = moved(kUnit, {1, 0.25f, 0.25f});
    for (const float zero : {0.0f, -0.0f}) {
        CHECK(time_of_impact_text_a(kUnit, touching, {zero, 0.5f, 0}) == kNoIntersection);
        CHECK(time_of_impact(kUnit, touching, {zero, 0.5f, 0}, Touch::open) == kNoIntersection);
        CHECK(literal_moving_aabb(kUnit, touching, {zero, 0.5f, 0}) == kNoIntersection);
        CHECK(time_of_impact(kUnit, touching, {zero, 0.5f, 0}, Touch::closed) == 0.0f);
        // Strictly overlapping slabs without motion have no effect; separated ones decide.
        for (const Touch touch : kPolicies) {
            CHECK(time_of_impact(kUnit, slab(-4, -3), {8, zero, zero}, touch) == 0.375f);
            CHECK(time_of_impact(kUnit, moved(kUnit, {1.5f, 0, 0}), {zero, 1, 1}, touch) == kNoIntersection);
            CHECK(time_of_impact(kUnit, moved(kUnit, {-1.5f, 0, 0}), {zero, 1, 1}, touch) == kNoIntersection);
        }
    }
}

TEST_CASE("A7: motion to the left mirrors motion to the right, on every axis") {
    for (int axis = 0; axis < 3; ++axis) {
        const Impact up = first_impact(kUnit, moved(kUnit, on_axis(axis, -3)), on_axis(axis, 4));
        const Impact down = first_impact(kUnit, moved(kUnit, on_axis(axis, 3)), on_axis(axis, -4));
        CHECK(up.toi == 0.5f);
        CHECK(down.toi == 0.5f);
        CHECK(outward_normal(up.face) == on_axis(axis, -1));
        CHECK(outward_normal(down.face) == on_axis(axis, 1));
    }
}

TEST_CASE(
    "A8: times outside the step are no impacts: the path is too short, or the contact lies in the past") {
    CHECK(time_of_impact(kUnit, moved(kUnit, {-3, 0, 0}), {1.9375f, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(kUnit, moved(kUnit, {-3, 0, 0}), {-8, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(kUnit, moved(kUnit, {3, 0, 0}), {8, 0, 0}) == kNoIntersection);
}

TEST_CASE(
    "A9: a touch at the very end is an impact at 1, and so is a graze if one axis enters as another leaves") {
    CHECK(same_bits(time_of_impact(kUnit, moved(kUnit, {-3, 0, 0}), {2, 0, 0}), 1.0f));
    CHECK(time_of_impact(kUnit, moved(kUnit, {-3, 0, 0}), {2, 0, 0}, Touch::open) == kNoIntersection);
    // Enters on x at 1/2 exactly when it leaves on y: the corner is grazed.
    const Aabb passer = moved(kUnit, {-2, 0, 0});
    const Impact graze = first_impact(kUnit, passer, {2, 2, 0});
    CHECK(graze.toi == 0.5f);
    CHECK(graze.face == Face::min_x);
    CHECK(time_of_impact_text_a(kUnit, passer, {2, 2, 0}) == 0.5f);
    CHECK(time_of_impact(kUnit, passer, {2, 2, 0}, Touch::open) == kNoIntersection);
    const float faster = std::nextafterf(2, 3);
    for (const Touch touch : kPolicies)
        CHECK(time_of_impact(kUnit, passer, {2, faster, 0}, touch) == kNoIntersection);
    // The largest time of entry counts, on any axis.
    CHECK(first_impact(kUnit, {{-2, -3, -1.5f}, {-1, -2, -0.5f}}, {4, 4, 4}).face == Face::min_y);
}

TEST_CASE("A10: each time is the gap times one reciprocal, to the bit") {
    Random random(10);
    for (int round = 0; round < 100000; ++round) {
        const float m_max = random.uniform(-8, 8);
        const float s_min = m_max + random.uniform(0.001f, 4);
        const float displacement = random.uniform(0.01f, 8);
        const float expected = (s_min - m_max) * (1.0f / displacement);
        const float toi =
            time_of_impact(slab(s_min, s_min + 1), slab(m_max - 1, m_max), {displacement, 0, 0});
        REQUIRE(same_bits(toi, expected <= 1.0f ? expected : kNoIntersection));
    }
}

TEST_CASE("A11: boxes that overlap at the start meet at time 0, whatever the motion") {
    const Aabb nested = {{0.25f, 0.25f, 0.25f}, {0.75f, 0.75f, 0.75f}};
    for (const Vec3 displacement :
         {Vec3{0, 0, 0}, Vec3{9, -9, 3}, Vec3{-1e30f, 0, 1e-30f}, Vec3{0, -0.0f, 1}}) {
        for (const Touch touch : kPolicies) {
            CHECK(same_bits(time_of_impact(kUnit, nested, displacement, touch), 0.0f));
            CHECK(same_bits(time_of_impact(nested, kUnit, displacement, touch), 0.0f));
            CHECK(first_impact(kUnit, nested, displacement, touch).face == Face::none);
        }
    }
}

TEST_CASE(
    "A12: boxes that are infinite on z give the results of their rectangles, and emptiness needs the time of "
    "leaving") {
    Random random(12);
    const auto rectangle_toi = [](const Aabb& s, const Aabb& m, Vec3 d) {
        const double enter_x = (d.x > 0 ? double(s.min.x) - m.max.x : double(s.max.x) - m.min.x) / d.x;
        const double leave_x = (d.x > 0 ? double(s.max.x) - m.min.x : double(s.min.x) - m.max.x) / d.x;
        const double enter_y = (d.y > 0 ? double(s.min.y) - m.max.y : double(s.max.y) - m.min.y) / d.y;
        const double leave_y = (d.y > 0 ? double(s.max.y) - m.min.y : double(s.min.y) - m.max.y) / d.y;
        const double enter = std::fmax(std::fmax(enter_x, enter_y), 0.0);
        return enter <= std::fmin(std::fmin(leave_x, leave_y), 1.0) ? enter : double(kNoIntersection);
    };
    int impact_count = 0;
    for (int round = 0; round < 20000; ++round) {
        Aabb s = grid_box(random);
        Aabb m = grid_box(random);
        s.min.z = m.min.z = -kInfinity;
        s.max.z = m.max.z = kInfinity;
        const Vec3 d = {random.chance(2) ? 4.0f : -2.0f, random.chance(2) ? 8.0f : -1.0f, random.grid(-3, 3)};
        const double expected = rectangle_toi(s, m, d);
        REQUIRE(double(time_of_impact(s, m, d)) == expected);
        impact_count += expected <= 1.0 ? 1 : 0;
    }
    CHECK(impact_count > 4000);
    // Without the time of leaving, this would be an impact at 3/4: y has been left long before.
    CHECK(time_of_impact(kUnit, moved(kUnit, {-4, 0, 0}), {4, 8, 0}) == kNoIntersection);
}

TEST_CASE("A13: only relative motion matters") {
    const Aabb other = moved(kUnit, {-3, -1, 0.5f});
    const Vec3 displacement = {8, 2, 0};
    const Impact expected = first_impact(kUnit, other, displacement);
    CHECK(expected.toi == 0.25f);
    // The other box fixed and this one moved the opposite way: the same time, the opposite face.
    const Impact swapped = first_impact(other, kUnit, -displacement);
    CHECK(swapped.toi == expected.toi);
    CHECK(outward_normal(swapped.face) == -outward_normal(expected.face));
    const Vec3 common = {16, -4, 32};
    CHECK(first_impact(kUnit, other, (displacement + common) - common).toi == expected.toi);
}

TEST_CASE("A14: as a pre-test, boxes around turned objects never report too late and never lose an impact") {
    Random random(14);
    int contact_count = 0;
    for (int round = 0; round < 300; ++round) {
        const auto turned = [&](Vec3 center) {
            const float angle = random.uniform(0, 3);
            const float c = std::cos(angle);
            const float s = std::sin(angle);
            return Obb{center, {c, s, 0}, {-s, c, 0}, {0, 0, 1}, {1, 0.25f, 0.5f}};
        };
        const Obb still = turned({0, 0, 0});
        const Obb mover = turned({random.uniform(-4, 4), random.uniform(-4, 4), 0});
        const Vec3 displacement = mover.center * -1.5f;
        const float toi = time_of_impact(expanded(bounds(still), 1e-5f), bounds(mover), displacement);
        // The first time at which a sampled point of the mover lies in the resting one.
        float contact = kNoIntersection;
        for (int step = 0; step <= 64 && contact == kNoIntersection; ++step) {
            const float t = static_cast<float>(step) / 64;
            for (int sample = 0; sample < 81; ++sample) {
                const float u = static_cast<float>(sample % 9 - 4) / 4;
                const float v = static_cast<float>(sample / 9 - 4) / 16;
                const Vec3 point = mover.center + mover.axis_x * u + mover.axis_y * v + displacement * t;
                const Vec3 in_box = vector_in_box(still, point - still.center);
                if (std::fabs(in_box.x) <= 1 && std::fabs(in_box.y) <= 0.25f) contact = t;
            }
        }
        REQUIRE(toi <= contact);
        contact_count += contact <= 1 ? 1 : 0;
    }
    CHECK(contact_count > 200);
}

TEST_CASE("G2: the literal rule jumps where a motion becomes zero, the closed and the open policy do not") {
    const Aabb touching = moved(kUnit, {1, 0, 0});
    struct Row {
        float displacement;
        float closed, open, text;
        Face face;
    };
    const float none = kNoIntersection;
    const Row rows[] = {
        {-1.0f, 0, 0, 0, Face::max_x},       // pressing on
        {-1e-30f, 0, 0, 0, Face::max_x},     // the same, ever so slowly
        {0.0f, 0, none, none, Face::none},   // resting
        {-0.0f, 0, none, none, Face::none},  //
        {1e-30f, 0, none, 0,
         Face::none},  // parting: the literal rule reports it, though it does not report rest
        {1.0f, 0, none, 0, Face::none},
    };
    for (const Row& row : rows) {
        const Vec3 d = {row.displacement, 0, 0};
        CHECK(same_bits(time_of_impact(kUnit, touching, d, Touch::closed), row.closed));
        CHECK(same_bits(time_of_impact(kUnit, touching, d, Touch::open), row.open));
        CHECK(same_bits(time_of_impact_text_a(kUnit, touching, d), row.text));
        CHECK(same_bits(literal_moving_aabb(kUnit, touching, d), row.text));
        CHECK(first_impact(kUnit, touching, d).face == row.face);
        CHECK(overlap(kUnit, touching));
    }
}

TEST_CASE("G3: no impact is the positive constant, never the negative result that the text's comment names") {
    Random random(3);
    for (int round = 0; round < 20000; ++round) {
        const Vec3 d = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        const float toi = time_of_impact(grid_box(random), grid_box(random), d);
        REQUIRE(((toi >= 0.0f && toi <= 1.0f) || same_bits(toi, 1e30f)));
        REQUIRE_FALSE(std::signbit(toi));
    }
}

TEST_CASE(
    "G4: NaN has no impact and a denormal motion counts as none, while the literal form reports time 0") {
    const Aabb far_away = moved(kUnit, {100, 100, 100});
    const Aabb nan_box = {{kNaN, kNaN, kNaN}, {kNaN, kNaN, kNaN}};
    CHECK(literal_moving_aabb(kUnit, nan_box, {1, 1, 1}) == 0.0f);
    CHECK(literal_moving_aabb(kUnit, far_away, {kNaN, kNaN, kNaN}) == 0.0f);
    CHECK(time_of_impact_text_a(kUnit, nan_box, {1, 1, 1}) == kNoIntersection);
    CHECK(time_of_impact_text_a(kUnit, far_away, {kNaN, kNaN, kNaN}) == kNoIntersection);
    for (const Touch touch : kPolicies) {
        CHECK(time_of_impact(kUnit, nan_box, {1, 1, 1}, touch) == kNoIntersection);
        CHECK(time_of_impact(nan_box, kUnit, {1, 1, 1}, touch) == kNoIntersection);
        CHECK(time_of_impact(kUnit, far_away, {kNaN, kNaN, kNaN}, touch) == kNoIntersection);
        for (int axis = 0; axis < 3; ++axis) {
            for (const float bad : {kNaN, -kNaN, kInfinity, -kInfinity}) {
                CHECK(time_of_impact(kUnit, kUnit, on_axis(axis, bad), touch) == kNoIntersection);
                CHECK(time_of_impact(kUnit, far_away, on_axis(axis, bad), touch) == kNoIntersection);
            }
        }
    }
    // Touching on x, parting with a denormal speed: 1/d is infinite and 0·infinity drops the axis, so that
    // the literal form sees an impact where its own rule for no motion sees none.
    const Aabb touching = moved(kUnit, {1, 0, 0});
    CHECK(literal_moving_aabb(kUnit, touching, {kDenormal, 0, 0}) == 0.0f);
    CHECK(literal_moving_aabb(kUnit, touching, {0, 0, 0}) == kNoIntersection);
    for (const float tiny : {kDenormal, -kDenormal, std::nextafterf(FLT_MIN, 0)}) {
        CHECK(time_of_impact_text_a(kUnit, touching, {tiny, 0, 0}) == kNoIntersection);
        for (const Touch touch : kPolicies) {
            CHECK(time_of_impact(kUnit, touching, {tiny, 0, 0}, touch) ==
                  time_of_impact(kUnit, touching, {0, 0, 0}, touch));
        }
    }
    // From FLT_MIN on it is a motion: pressing on is an impact under every policy.
    for (const Touch touch : kPolicies)
        CHECK(time_of_impact(kUnit, touching, {-FLT_MIN, 0, 0}, touch) == 0.0f);
}

TEST_CASE("G15: a corner graze, with equal times of entering and leaving, is an impact as in the code") {
    // The prose of the text says "less", which would make this a miss.
    CHECK(time_of_impact(kUnit, moved(kUnit, {-2, -1, 0}), {4, 0, 0}) == 0.25f);
    CHECK(time_of_impact(kUnit, moved(kUnit, {2, 2, 0}), {-2, -2, 0}) == 0.5f);
    CHECK(time_of_impact(kUnit, moved(kUnit, {2, 0, 0}), {-2, 2, 0}) == 0.5f);
}

TEST_CASE("pressing on at time 0 names the touched face, x before y before z, and overlap names none") {
    CHECK(first_impact(kUnit, moved(kUnit, {1, 1, 1}), {-1, -1, -1}).face == Face::max_x);
    CHECK(first_impact(kUnit, moved(kUnit, {0.5f, 1, 1}), {-1, -1, -1}).face == Face::max_y);
    CHECK(first_impact(kUnit, moved(kUnit, {0.5f, 1, 1}), {-1, 1, -1}).face == Face::max_z);
    CHECK(first_impact(kUnit, moved(kUnit, {0.5f, 1, 1}), {-1, 1, 0}).face == Face::none);
    CHECK(first_impact(kUnit, moved(kUnit, {0.5f, 0.5f, 0.5f}), {-1, -1, -1}).face == Face::none);
    // A tie later in the step goes to x as well.
    CHECK(first_impact(kUnit, moved(kUnit, {-3, -3, -3}), {4, 4, 4}).face == Face::min_x);
    CHECK(first_impact(kUnit, moved(kUnit, {-2.5f, -3, 3}), {4, 4, -4}).face == Face::min_y);
}

TEST_CASE("inverted boxes and boxes at infinity have no impact, infinite sides are met") {
    const Aabb half_space = {{2, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    const Aabb everything = {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
    CHECK(first_impact(half_space, kUnit, {4, 1, -3}).toi == 0.25f);
    CHECK(first_impact(half_space, kUnit, {4, 1, -3}).face == Face::min_x);
    CHECK(first_impact(kUnit, half_space, {-4, 0, 0}).face == Face::max_x);
    CHECK(time_of_impact(half_space, kUnit, {0.5f, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(everything, kUnit, {1, 0, 0}, Touch::open) == 0.0f);
    CHECK(time_of_impact(everything, everything, {0, 0, 0}, Touch::open) == 0.0f);
    const Aabb at_infinity = {{kInfinity, 0, 0}, {kInfinity, 1, 1}};
    const Aabb at_minus_infinity = {{-kInfinity, 0, 0}, {-kInfinity, 1, 1}};
    const Aabb inverted = {{1, 0, 0}, {0, 1, 1}};
    for (const Aabb& bad : {at_infinity, at_minus_infinity, inverted, Aabb::empty()}) {
        for (const Aabb& other : {kUnit, everything, half_space, bad}) {
            for (const float speed : {0.0f, -0.0f, 1.0f, -1.0f, FLT_MAX, -FLT_MAX}) {
                REQUIRE(time_of_impact(bad, other, {speed, 0, 0}) == kNoIntersection);
                REQUIRE(time_of_impact(other, bad, {speed, 0, 0}) == kNoIntersection);
            }
        }
    }
}

TEST_CASE("coordinates and displacements at the end of the float range do not overflow into a wrong result") {
    const Aabb left = slab(-FLT_MAX, -3e38f);
    const Aabb right = slab(3e38f, FLT_MAX);
    // The gap overflows; it is longer than any displacement.
    CHECK(time_of_impact(right, left, {FLT_MAX, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(right, left, {-FLT_MAX, 0, 0}) == kNoIntersection);
    CHECK(time_of_impact(slab(0, 1), left, {FLT_MAX, 0, 0}) == doctest::Approx(3e38 / FLT_MAX));
    // Nested boxes whose far distance overflows.
    CHECK(time_of_impact(slab(-FLT_MAX, FLT_MAX), right, {FLT_MAX, 0, 0}) == 0.0f);
    CHECK(time_of_impact(slab(0, 1), slab(-2, -1), {1e30f, 0, 0}) == doctest::Approx(1e-30));
    CHECK(time_of_impact(slab(1e-40f, 1), slab(-1, -1e-40f), {1e-30f, 0, 0}) == doctest::Approx(2e-10));
}
