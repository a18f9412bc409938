// Moving oriented box against triangle: time, axis and normal of the first contact.
#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"
#include "tests/narrowphase/obb/sole_separator.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr Obb kSweptBox = world_box({0, 0, 0}, {1, 1, 1});
constexpr TriangleImpact kNoImpact = {};

// The box rests, the triangle moves.
TriangleImpact sweep_impact(const Obb& obb, const Triangle& triangle, Vec3 motion) {
    return first_impact(obb, {}, triangle, motion);
}

// A triangle whose corner (x, 0, 0) is nearest to the box.
Triangle pointing_at_box(float x) { return {{x, 0, 0}, {x + 1, 1, 0}, {x + 1, 0, 1}}; }

// The gap of the pair at time t, from the exact start positions.
long double gap_at(const InBox<long double>& start, long double t) {
    InBox<long double> q = start;
    for (V3<long double>& corner : q.v) corner = corner + q.w * t;
    return signed_gap(q);
}

}  // namespace

TEST_CASE("G14: the triangle moves by minus the box's displacement, and the other sign misses") {
    const Triangle wall = {{3, -9, -9}, {3, 9, -9}, {3, 0, 9}};
    const TriangleImpact hit = first_impact(kSweptBox, {3, 0, 0}, wall, {});
    CHECK(hit.toi == doctest::Approx(2.0 / 3.0).epsilon(1e-6));
    CHECK(hit.axis == ContactAxis::box_x);
    CHECK(first_impact(kSweptBox, {-3, 0, 0}, wall, {}) == kNoImpact);
    CHECK(first_impact(kSweptBox, {}, wall, {-3, 0, 0}) == hit);
    CHECK(first_impact(kSweptBox, {}, wall, {3, 0, 0}) == kNoImpact);
}

TEST_CASE("only the relative displacement matters") {
    Random random(31);
    for (int i = 0; i < 2000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 2.0f, 1.0f);
        // Small integers, so that the difference is exact.
        const Vec3 of_box = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        const Vec3 of_triangle = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        const TriangleImpact both = first_impact(obb, of_box, t, of_triangle);
        REQUIRE(both == first_impact(obb, {}, t, of_triangle - of_box));
        REQUIRE(both == first_impact(obb, of_box - of_triangle, t, {}));
    }
}

TEST_CASE("each of the 13 axes is that of some first contact, and gives its time and normal") {
    Random random(32);
    for (std::uint8_t index = 0; index < 13; ++index) {
        INFO("axis " << int{index});
        for (int i = 0; i < 20; ++i) {
            const auto axis = static_cast<ContactAxis>(index);
            const SoleSeparator s = make_sole_separator(random, axis);
            const TriangleImpact hit = sweep_impact(s.obb, s.triangle, s.towards_box);
            CHECK(static_cast<double>(hit.toi) == doctest::Approx(0.5).epsilon(1e-3));
            CHECK(hit.axis == axis);
            CHECK(sweep_impact(s.obb, s.triangle, -s.towards_box) == kNoImpact);
            // The normal points from the triangle to the box, as this displacement does.
            const Vec3 normal = contact_normal(s.obb, s.triangle, axis);
            CHECK(static_cast<double>(length_sq(normal)) == doctest::Approx(1.0).epsilon(1e-6));
            CHECK(static_cast<double>(dot(normal, s.towards_box)) == doctest::Approx(0.04).epsilon(1e-4));
            // The box moved along it by the remaining gap stays clear.
            CHECK(sweep_impact(s.obb, s.triangle, s.towards_box * 0.49f) == kNoImpact);
        }
    }
}

TEST_CASE("the normal is zero without contact and for an overlap at the start") {
    const Triangle t = pointing_at_box(3);
    CHECK(contact_normal(kSweptBox, t, ContactAxis::none) == Vec3{});
    CHECK(contact_normal(kSweptBox, t, ContactAxis::initial) == Vec3{});
    CHECK(contact_normal(kSweptBox, t, ContactAxis::box_x) == Vec3{-1, 0, 0});
    CHECK(contact_normal(kSweptBox, pointing_at_box(-3), ContactAxis::box_x) == Vec3{1, 0, 0});
    // A degenerate triangle has no face to be hit by.
    CHECK(contact_normal(kSweptBox, {t.a, t.a, t.a}, ContactAxis::triangle_normal) == Vec3{});
}

TEST_CASE("C1: first contact exactly at 0, exactly at 1, and just too late") {
    for (const float speed : {2.0f, 3.0f, 7.0f, 49.0f, 0.1f, 1e-6f}) {
        CHECK(sweep_impact(kSweptBox, pointing_at_box(1), {-speed, 0, 0}).toi == 0.0f);
        CHECK(sweep_impact(kSweptBox, pointing_at_box(1), {-speed, 0, 0}).axis == ContactAxis::initial);
    }
    for (int gap = 1; gap < 2000; ++gap) {
        // gap · (1/gap) rounds to at most 1 for every float.
        const float g = static_cast<float>(gap);
        const TriangleImpact hit = sweep_impact(kSweptBox, pointing_at_box(1 + g), {-g, 0, 0});
        REQUIRE(hit.axis == ContactAxis::box_x);
        REQUIRE(hit.toi <= 1.0f);
        REQUIRE(hit.toi >= 1.0f - FLT_EPSILON);
        REQUIRE(sweep_impact(kSweptBox, pointing_at_box(1 + g), {-g * (1 - 2 * FLT_EPSILON), 0, 0}) ==
                kNoImpact);
    }
}

TEST_CASE("touching and moving away is a contact at 0, separate and moving away is a miss") {
    CHECK(sweep_impact(kSweptBox, pointing_at_box(1), {5, 0, 0}) ==
          TriangleImpact{0.0f, ContactAxis::initial});
    CHECK(sweep_impact(kSweptBox, pointing_at_box(1.0001f), {5, 0, 0}) == kNoImpact);
    const TriangleImpact at_start = sweep_impact(kSweptBox, pointing_at_box(1), {-5, 0, 0});
    CHECK(same_bits(at_start.toi, 0.0f));
}

TEST_CASE("sliding along a face, an edge and a normal: touching is a contact, a gap of one ulp is none") {
    const float outside = std::nextafterf(1.0f, 2.0f);
    // Along the top face, in its plane and one ulp above; the axis of contact is then that of the motion.
    const auto above = [](float z) { return Triangle{{4, -1, z}, {5, 1, z}, {6, 0, z}}; };
    CHECK(sweep_impact(kSweptBox, above(1), {-4, 0, 0}) == TriangleImpact{0.75f, ContactAxis::box_x});
    CHECK(sweep_impact(kSweptBox, above(outside), {-4, 0, 0}) == kNoImpact);
    // Along the triangle's own plane, which the box touches with a face: normal · motion is zero.
    const Triangle floor = {{-9, -9, -1}, {9, -9, -1}, {0, 9, -1}};
    CHECK(sweep_impact(kSweptBox, floor, {2, 1, 0}).axis == ContactAxis::initial);
    CHECK(sweep_impact(kSweptBox, moved(floor, {0, 0, -FLT_EPSILON}), {2, 1, 0}) == kNoImpact);
    // Along an edge of the box: x + y = 2 touches, and z × edge never closes.
    const auto beside = [](float shift) {
        return Triangle{{1 + shift, 1 + shift, 5}, {3 + shift, -1 + shift, 9}, {4, 4, 9}};
    };
    CHECK(sweep_impact(kSweptBox, beside(0), {0, 0, -8}).toi == 0.5f);
    CHECK(sweep_impact(kSweptBox, beside(FLT_EPSILON), {0, 0, -8}) == kNoImpact);
    // Along the triangle's normal.
    CHECK(sweep_impact(kSweptBox, moved(floor, {0, 0, -2}), {0, 0, 4}) ==
          TriangleImpact{0.5f, ContactAxis::box_z});
}

TEST_CASE("without motion the sweep_impact is the static result, at time 0 or none") {
    Random random(33);
    int hit_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const Obb obb = adversarial_obb(random);
        const Triangle t = adversarial_triangle(random);
        const bool is_hit = overlap(obb, t);
        hit_count += is_hit ? 1 : 0;
        const TriangleImpact expected = is_hit ? TriangleImpact{0.0f, ContactAxis::initial} : kNoImpact;
        const Vec3 same = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        REQUIRE(first_impact(obb, {}, t, {}) == expected);
        REQUIRE(first_impact(obb, same, t, same) == expected);
        // Denormal displacements count as zero (G4).
        REQUIRE(first_impact(obb, {kDenormal, -kDenormal, 0}, t, {-0.0f, 0, kDenormal}) == expected);
    }
    CHECK(hit_count > 3000);
}

TEST_CASE("G4: a displacement below FLT_MIN counts as zero, one above it counts") {
    const Obb point = world_box({0, 0, 0}, {0, 0, 0});
    const auto wall_at = [](float x) { return Triangle{{x, -1, -1}, {x, 1, -1}, {x, 0, 1}}; };
    CHECK(sweep_impact(point, wall_at(FLT_MIN / 4), {-FLT_MIN / 2, 0, 0}) == kNoImpact);
    CHECK(sweep_impact(point, wall_at(FLT_MIN / 4), {-FLT_MIN, 0, 0}).toi == 0.25f);
    CHECK(sweep_impact(point, wall_at(0), {FLT_MIN / 2, 0, 0}).toi == 0.0f);
}

TEST_CASE("an overlap at the start is a contact at 0, whatever the motion; never -0") {
    Random random(34);
    for (int i = 0; i < 20000; ++i) {
        const Obb obb = adversarial_obb(random);
        const Triangle t = adversarial_triangle(random);
        const TriangleImpact hit = sweep_impact(obb, t, adversarial_displacement(random));
        REQUIRE((hit.toi == kNoIntersection) == (hit.axis == ContactAxis::none));
        REQUIRE((hit.toi == kNoIntersection || (hit.toi >= 0.0f && hit.toi <= 1.0f)));
        REQUIRE_FALSE(has_sign_bit(hit.toi));
        REQUIRE((hit.toi == 0.0f || hit.axis != ContactAxis::initial));
    }
}

TEST_CASE("invalid boxes, displacements and triangles are hit by nothing") {
    const Triangle inside = {{0, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}};
    REQUIRE(sweep_impact(kSweptBox, inside, {1, 0, 0}).toi == 0.0f);
    for (const float value : {kNaN, kInfinity, -kInfinity, 1e19f}) {
        CHECK(sweep_impact(kSweptBox, inside, {value, 0, 0}) == kNoImpact);
        CHECK(first_impact(kSweptBox, {0, value, 0}, inside, {}) == kNoImpact);
        CHECK(sweep_impact(kSweptBox, {{value, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0}}, {1, 1, 1}) == kNoImpact);
        Obb bad = kSweptBox;
        bad.half_extent.y = value;
        CHECK(sweep_impact(bad, inside, {1, 2, 3}) == kNoImpact);
    }
    Obb negative = kSweptBox;
    negative.half_extent.x = -1;
    CHECK(sweep_impact(negative, inside, {1, 2, 3}) == kNoImpact);
}

TEST_CASE("F4: time and decision agree with long double on 100,000 sweeps, within 1e-6 of the operands") {
    Random random(35);
    long double worst_contact = 0;
    long double worst_early = 0;
    long double worst_decision = 0;
    double worst_time = 0;
    int hit_count = 0;
    for (int i = 0; i < 100000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        Triangle t = random_triangle(random, 3.0f, 1.0f);
        if (random.chance(8)) t.c = t.a + (t.b - t.a) * random.unit();
        // Needles with the short edge at each index.
        Vec3* const corners[3] = {&t.a, &t.b, &t.c};
        const std::uint32_t k = random.below(3);
        if (random.chance(2)) {
            *corners[k] = *corners[(k + 1) % 3] + random_vec3(random, std::exp2(-random.uniform(4, 20)));
        }
        const Vec3 motion = random_vec3(random, 4.0f);
        const InBox<long double> q = in_box<long double>(obb, t, as<long double>(motion));
        const long double scale = operand_scale(q);
        const long double expected = time_textbook(q);
        const TriangleImpact hit = sweep_impact(obb, t, motion);
        const bool is_hit = hit.axis != ContactAxis::none;
        hit_count += is_hit ? 1 : 0;
        if (is_hit && expected < 0) {
            worst_decision = std::max(worst_decision, gap_at(q, hit.toi) / scale);
        } else if (!is_hit && expected >= 0) {
            // Their depth soon after the missed contact.
            for (int step = 0; step <= 16; ++step) {
                const long double at = expected + (1.0L - expected) * step / 16;
                worst_decision = std::max(worst_decision, -gap_at(q, at) / scale);
            }
        } else if (is_hit && hit.toi > 0.0f) {
            worst_contact = std::max(worst_contact, std::abs(gap_at(q, hit.toi)) / scale);
            worst_early = std::max(worst_early, -gap_at(q, hit.toi * 0.999L) / scale);
            // Grazing contacts amplify the error in time, not in position; the typical error is small in
            // both.
            const double error = static_cast<double>(std::abs(expected - hit.toi));
            worst_time = std::max(worst_time, error);
        }
    }
    CHECK(hit_count > 5000);
    CHECK(static_cast<double>(worst_contact) <= 1e-6);
    CHECK(static_cast<double>(worst_early) <= 1e-6);
    CHECK(static_cast<double>(worst_decision) <= 1e-6);
    CHECK(worst_time <= 1e-3);
}

TEST_CASE("a box that grows is hit no later") {
    Random random(36);
    int sooner_count = 0;
    for (int i = 0; i < 20000; ++i) {
        Obb obb = random_obb(random, 1.0f, 0.5f);
        const Triangle t = random_triangle(random, 3.0f, 1.0f);
        const Vec3 motion = random_vec3(random, 4.0f);
        TriangleImpact before = sweep_impact(obb, t, motion);
        for (int step = 0; step < 4; ++step) {
            obb.half_extent = obb.half_extent * 1.25f;
            const TriangleImpact now = sweep_impact(obb, t, motion);
            REQUIRE(now.toi <= before.toi);
            sooner_count += now.toi < before.toi ? 1 : 0;
            before = now;
        }
    }
    CHECK(sooner_count > 2000);
}

TEST_CASE("the order of the corners changes the time only within the rounding") {
    Random random(37);
    int differing_count = 0;
    for (int i = 0; i < 20000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 2.0f, 1.0f);
        const Vec3 motion = random_vec3(random, 4.0f);
        const TriangleImpact expected = sweep_impact(obb, t, motion);
        for (const Triangle& other :
             {Triangle{t.b, t.c, t.a}, Triangle{t.c, t.a, t.b}, Triangle{t.a, t.c, t.b},
              Triangle{t.c, t.b, t.a}, Triangle{t.b, t.a, t.c}}) {
            const TriangleImpact hit = sweep_impact(obb, other, motion);
            if (std::abs(hit.toi - expected.toi) > 1e-4f) ++differing_count;
        }
    }
    // Grazing contacts: found or not, or at a glancing angle.
    CHECK(differing_count <= 20);
}

TEST_CASE("time and axis keep their bits at every scale from 1e-13 to 1e16") {
    Random random(38);
    int hit_count = 0;
    for (int i = 0; i < 5000; ++i) {
        const Obb obb = random_obb(random, 1.0f, 1.0f);
        const Triangle t = random_triangle(random, 2.0f, 1.0f);
        const Vec3 motion = random_vec3(random, 4.0f);
        const TriangleImpact expected = sweep_impact(obb, t, motion);
        hit_count += expected.toi > 0.0f && expected.toi <= 1.0f ? 1 : 0;
        for (const int exponent : {-44, -20, 20, 40, 54}) {
            const float s = std::ldexp(1.0f, exponent);
            Obb obb_scaled = obb;
            obb_scaled.center = obb.center * s;
            obb_scaled.half_extent = obb.half_extent * s;
            const TriangleImpact hit = sweep_impact(obb_scaled, {t.a * s, t.b * s, t.c * s}, motion * s);
            REQUIRE(same_bits(hit.toi, expected.toi));
            REQUIRE(hit.axis == expected.axis);
        }
    }
    CHECK(hit_count > 300);
}

TEST_CASE("far from the origin the time loses only the coordinates' own digits") {
    Random random(39);
    for (const float distance : {1e3f, 1e4f, 1e5f}) {
        long double worst = 0;
        for (int i = 0; i < 5000; ++i) {
            Obb obb = random_obb(random, 1.0f, 1.0f);
            const Vec3 origin = random_direction(random) * distance;
            obb.center = obb.center + origin;
            const Triangle t = moved(random_triangle(random, 2.0f, 1.0f), origin);
            const Vec3 motion = random_vec3(random, 4.0f);
            const TriangleImpact hit = sweep_impact(obb, t, motion);
            if (hit.axis == ContactAxis::none || hit.axis == ContactAxis::initial) continue;
            const InBox<long double> q = in_box<long double>(obb, t, as<long double>(motion));
            worst = std::max(worst, std::abs(gap_at(q, hit.toi)) / operand_scale(q));
        }
        CHECK(static_cast<double>(worst) <= 1e-6);
    }
}
