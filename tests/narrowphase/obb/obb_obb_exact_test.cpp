// Oriented box against oriented box against exact arithmetic: decisions, depth and time.
#include "tests/narrowphase/obb/obb_oracle.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

#include <gmpxx.h>

using namespace broadside;
using namespace broadside::test;

namespace {

// The test in integers: lengths times 2^length_bits, axes times 2^axis_bits, both exact.
bool overlap_exact(const Obb& a, const Obb& b) {
    const auto lowest_bit = [](std::initializer_list<Vec3> all) {
        int lowest = 0;
        for (const Vec3& v : all) {
            for (const float number : {v.x, v.y, v.z}) {
                int exponent = 0;
                std::frexp(number, &exponent);
                if (number != 0.0f) lowest = std::min(lowest, exponent - 24);
            }
        }
        return lowest;
    };
    const int axis_bits = -lowest_bit({a.axis_x, a.axis_y, a.axis_z, b.axis_x, b.axis_y, b.axis_z});
    const int length_bits = -lowest_bit({a.center, a.half_extent, b.center, b.half_extent});
    const auto whole = [](const Vec3& v, int bits) -> V3<mpz_class> {
        const auto number = [=](float f) { return mpz_class(std::ldexp(double{f}, bits)); };
        return {number(v.x), number(v.y), number(v.z)};
    };
    const V3<mpz_class> h_a = whole(a.half_extent, length_bits);
    const V3<mpz_class> h_b = whole(b.half_extent, length_bits);
    const TwoBoxes<mpz_class> q = {
        {whole(a.axis_x, axis_bits), whole(a.axis_y, axis_bits), whole(a.axis_z, axis_bits)},
        {whole(b.axis_x, axis_bits), whole(b.axis_y, axis_bits), whole(b.axis_z, axis_bits)},
        {h_a.x, h_a.y, h_a.z},
        {h_b.x, h_b.y, h_b.z},
        whole(b.center, length_bits) - whole(a.center, length_bits),
        {0, 0, 0}};
    for (const V3<mpz_class>& axis : fifteen_axes(q)) {
        const BoxShadow<mpz_class> s = shadow(q, axis);
        // The radius has one factor of the axes more than the center.
        if ((abs(s.center) << static_cast<unsigned>(axis_bits)) > s.radius) return false;
    }
    return true;
}

enum class Kind { random, parallel, nearly_parallel, one_axis_shared, flat, rod_or_point, needle, grid };
constexpr Kind kKinds[] = {Kind::random, Kind::parallel,     Kind::nearly_parallel, Kind::one_axis_shared,
                           Kind::flat,   Kind::rod_or_point, Kind::needle,          Kind::grid};

void make_thin(Random& random, Obb& obb, float thickness, std::uint32_t one_in) {
    for (float* h : {&obb.half_extent.x, &obb.half_extent.y, &obb.half_extent.z}) {
        if (random.chance(one_in)) *h *= thickness;
    }
}

// Two boxes that touch as nearly as floats allow; half of them are then moved a little.
struct Case {
    Obb a;
    Obb b;
};
Case make_case(Random& random, Kind kind) {
    Case c = {random_obb(random, 1.0f, 1.0f), random_obb(random, 1.0f, 1.0f)};
    if (kind == Kind::parallel || kind == Kind::nearly_parallel) {
        const float angle = kind == Kind::parallel ? 0.0f : std::exp2(-random.uniform(12, 30));
        const Obb turned = turned_slightly(random, c.a, angle);
        c.b.axis_x = turned.axis_y;
        c.b.axis_y = turned.axis_z;
        c.b.axis_z = turned.axis_x;
    } else if (kind == Kind::one_axis_shared) {
        const float angle = random.uniform(0, 6);
        c.b.axis_z = c.a.axis_x;
        c.b.axis_x = c.a.axis_y * std::cos(angle) + c.a.axis_z * std::sin(angle);
        c.b.axis_y = c.a.axis_z * std::cos(angle) - c.a.axis_y * std::sin(angle);
    } else if (kind == Kind::flat || kind == Kind::rod_or_point) {
        make_thin(random, c.a, 0.0f, kind == Kind::flat ? 3 : 2);
        make_thin(random, c.b, 0.0f, kind == Kind::flat ? 3 : 2);
    } else if (kind == Kind::needle) {
        make_thin(random, c.a, std::exp2(-random.uniform(1, 30)), 2);
        make_thin(random, c.b, std::exp2(-random.uniform(1, 30)), 2);
    } else if (kind == Kind::grid) {
        for (Obb* obb : {&c.a, &c.b}) {
            set_grid_axes(random, *obb);
            obb->center = {random.grid(-2, 2), random.grid(-2, 2), random.grid(-2, 2)};
            obb->half_extent = {random.grid(0, 2), random.grid(0, 2), random.grid(0, 2)};
        }
        return c;
    }
    for (int k = 0; k < 2; ++k) set_gap(c.a, c.b, 0);
    if (random.chance(2)) {
        c.b.center = c.b.center + random_direction(random) * std::exp2(-random.uniform(0, 24));
    }
    return c;
}

}  // namespace

TEST_CASE(
    "two oriented boxes: 1,000,000 adversarial cases decided as exact arithmetic does, to 4e-7 of their "
    "size" *
    kLong) {
    Random random(181);
    for (const Kind kind : kKinds) {
        int hit_count = 0;
        int wrong_count = 0;
        long double worst = 0;
        constexpr int kCount = 125000;
        for (int i = 0; i < kCount; ++i) {
            Case c = make_case(random, kind);
            // All scales from 1e-12 to 1e12, by a power of two, which changes no bit of the input.
            const float scale = std::ldexp(1.0f, static_cast<int>(random.below(81)) - 40);
            const TwoBoxes<long double> q = two_boxes<long double>(c.a, c.b, {});
            const long double gap = largest_gap(q);
            // Long double has 11 digits more than the floats: only undecided cases need the integers.
            const bool is_hit = std::abs(gap) > 1e-9L * size_of(q) ? gap < 0 : overlap_exact(c.a, c.b);
            hit_count += is_hit ? 1 : 0;
            const bool answer = overlap(scaled_obb(c.a, scale), scaled_obb(c.b, scale));
            if (answer == is_hit) continue;
            ++wrong_count;
            worst = std::max(worst, std::abs(gap) / size_of(q));
        }
        INFO("kind " << static_cast<int>(kind) << ", wrong " << wrong_count);
        CHECK(hit_count > kCount / 10);
        CHECK(hit_count < kCount * 9 / 10);
        CHECK(static_cast<double>(worst) <= 4e-7);
        if (kind == Kind::grid) CHECK(wrong_count == 0);
    }
}

TEST_CASE(
    "the depth of two oriented boxes is the least over the axes, to 2e-6 of their size, and parts them" *
    kLong) {
    Random random(182);
    for (const Kind kind : kKinds) {
        long double worst = 0;
        long double worst_parted = 0;
        int hit_count = 0;
        for (int i = 0; i < 20000; ++i) {
            Case c = make_case(random, kind);
            c.b.center = c.b.center + (c.a.center - c.b.center) * random.unit();
            const ObbContact contact = obb_contact(c.a, c.b);
            REQUIRE((contact.axis != ObbAxis::none) == overlap(c.a, c.b));
            REQUIRE(contact.depth >= 0.0f);
            REQUIRE_FALSE(has_sign_bit(contact.depth));
            if (contact.axis == ObbAxis::none) {
                REQUIRE(contact.depth == 0.0f);
                continue;
            }
            ++hit_count;
            const TwoBoxes<long double> q = two_boxes<long double>(c.a, c.b, {});
            // Edges that are nearly parallel have no axis of their own.
            const std::array<long double, 15> gaps = gaps_at(q, 0, 1e-6L);
            const long double depth = -*std::max_element(gaps.begin(), gaps.end());
            worst = std::max(worst, std::abs(depth - contact.depth) / size_of(q));
            // Moving a along the normal by the depth leaves them touching.
            const Vec3 normal = contact_normal(c.a, c.b, contact.axis);
            REQUIRE(std::abs(length_sq(normal) - 1.0f) < 1e-5f);
            TwoBoxes<long double> parted = q;
            parted.between = q.between - as<long double>(normal) * static_cast<long double>(contact.depth);
            worst_parted = std::max(worst_parted, std::abs(largest_gap(parted)) / size_of(q));
        }
        INFO("kind " << static_cast<int>(kind));
        CHECK(hit_count > 2000);
        CHECK(static_cast<double>(worst) <= 2e-6);
        CHECK(static_cast<double>(worst_parted) <= 3e-6);
    }
}

TEST_CASE("boxes that lie flat on one another touch with a face, not with a pair of edges") {
    Random random(183);
    for (int i = 0; i < 20000; ++i) {
        const Obb a = random_obb(random, 1.0f, 1.0f);
        Obb b = a;
        if (random.chance(2)) b = turned_slightly(random, a, 1e-7f);
        b.half_extent = random_vec3(random, 0.5f) + Vec3{0.6f, 0.6f, 0.6f};
        b.center = a.center + a.axis_y * (a.half_extent.y + b.half_extent.y * random.uniform(0.9f, 0.999f));
        const ObbContact contact = obb_contact(a, b);
        if (contact.axis != ObbAxis::none) REQUIRE(static_cast<int>(contact.axis) < 6);
    }
}

TEST_CASE("time and axis of two moving oriented boxes agree with long double and with the gap over the way" *
          kLong) {
    Random random(184);
    for (const Kind kind : kKinds) {
        long double worst_contact = 0;
        long double worst_early = 0;
        long double worst_decision = 0;
        int hit_count = 0;
        int start_count = 0;
        for (int i = 0; i < 20000; ++i) {
            Case c = make_case(random, kind);
            const Vec3 back = random_vec3(random, 3.0f);
            c.b.center = c.b.center - back * random.unit();
            const Vec3 motion = back + random_vec3(random, random.unit());
            const TwoBoxes<long double> q = two_boxes<long double>(c.a, c.b, as<long double>(motion));
            const long double size = size_of(q);
            const long double expected = time_of_contact(q);
            const ObbImpact hit = first_impact(c.a, {}, c.b, motion);
            const bool is_hit = hit.axis != ObbAxis::none;
            REQUIRE(is_hit == (hit.toi != kNoIntersection));
            hit_count += is_hit ? 1 : 0;
            start_count += hit.axis == ObbAxis::initial ? 1 : 0;
            if (is_hit && expected < 0) {
                worst_decision = std::max(worst_decision, largest_gap(q, hit.toi) / size);
            } else if (!is_hit && expected >= 0) {
                for (int step = 0; step <= 16; ++step) {
                    const long double at = expected + (1.0L - expected) * step / 16;
                    worst_decision = std::max(worst_decision, -largest_gap(q, at) / size);
                }
            } else if (is_hit && hit.toi > 0.0f) {
                worst_contact = std::max(worst_contact, std::abs(largest_gap(q, hit.toi)) / size);
                // Dense samples of the path before it: no deeper than the rounding.
                for (int step = 0; step < 8; ++step) {
                    worst_early = std::max(
                        worst_early, -largest_gap(q, static_cast<long double>(hit.toi) * step / 8) / size);
                }
            }
        }
        INFO("kind " << static_cast<int>(kind));
        CHECK(hit_count > 2000);
        CHECK(start_count > 10);
        CHECK(static_cast<double>(worst_contact) <= 1e-6);
        CHECK(static_cast<double>(worst_early) <= 1e-6);
        CHECK(static_cast<double>(worst_decision) <= 1e-6);
    }
}

TEST_CASE("without motion the impact of two oriented boxes is the static result, and -0 is never returned") {
    Random random(185);
    int hit_count = 0;
    for (int i = 0; i < 40000; ++i) {
        const Obb a = adversarial_obb(random);
        const Obb b = adversarial_obb(random);
        const bool is_hit = overlap(a, b);
        hit_count += is_hit ? 1 : 0;
        const ObbImpact expected = is_hit ? ObbImpact{0.0f, ObbAxis::initial} : ObbImpact{};
        const Vec3 same = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
        REQUIRE(first_impact(a, {}, b, {}) == expected);
        REQUIRE(first_impact(a, same, b, same) == expected);
        REQUIRE(first_impact(a, {kDenormal, 0, -0.0f}, b, {0, -kDenormal, 0}) == expected);
        const Vec3 motion = adversarial_displacement(random);
        const ObbImpact hit = first_impact(a, {}, b, motion);
        REQUIRE((hit.toi == kNoIntersection || (hit.toi >= 0.0f && hit.toi <= 1.0f)));
        REQUIRE_FALSE(has_sign_bit(hit.toi));
        REQUIRE((hit.axis == ObbAxis::none) == (hit.toi == kNoIntersection));
        // Axes may be special numbers, too: the motion along axes that are far from orthonormal may overflow.
        const auto is_unit = [](Vec3 axis) { return std::abs(length_sq(axis) - 1.0f) < 1e-3f; };
        const bool is_legal_motion = absolute(motion.x) <= 1e30f && absolute(motion.z) <= 1e30f &&
                                     is_unit(a.axis_x) && is_unit(a.axis_y) && is_unit(a.axis_z) &&
                                     is_unit(b.axis_x) && is_unit(b.axis_y) && is_unit(b.axis_z);
        if (is_hit && is_legal_motion) REQUIRE(hit.toi == 0.0f);
    }
    CHECK(hit_count > 8000);
}

TEST_CASE("swapping two moving oriented boxes swaps the axis and keeps the time within the rounding") {
    Random random(186);
    int differing_count = 0;
    int other_axis_count = 0;
    int hit_count = 0;
    for (int i = 0; i < 40000; ++i) {
        const Obb a = random_obb(random, 1.0f, 1.0f);
        const Obb b = random_obb(random, 2.0f, 1.0f);
        const Vec3 motion = random_vec3(random, 4.0f);
        const ObbImpact one = first_impact(a, {}, b, motion);
        const ObbImpact other = first_impact(b, motion, a, {});
        hit_count += one.axis != ObbAxis::none ? 1 : 0;
        if (std::abs(one.toi - other.toi) > 1e-4f) {
            ++differing_count;
            continue;
        }
        const auto k = static_cast<unsigned>(one.axis);
        const unsigned swapped = k < 3    ? k + 3
                                 : k < 6  ? k - 3
                                 : k < 15 ? 6 + (k - 6) / 3 + 3 * ((k - 6) % 3)
                                          : k;
        other_axis_count += static_cast<unsigned>(other.axis) != swapped ? 1 : 0;
        // A face that opens the contact is the same arithmetic both ways.
        if (k < 6 && static_cast<unsigned>(other.axis) == swapped) REQUIRE(same_bits(one.toi, other.toi));
    }
    CHECK(hit_count > 5000);
    CHECK(differing_count <= 20);
    CHECK(other_axis_count <= 20);
}

TEST_CASE(
    "time, depth and axis of two oriented boxes keep their bits at every scale, and their digits far away") {
    Random random(187);
    for (int i = 0; i < 10000; ++i) {
        const Obb a = random_obb(random, 1.0f, 1.0f);
        const Obb b = random_obb(random, 1.5f, 1.0f);
        const Vec3 motion = random_vec3(random, 4.0f);
        const ObbImpact impact = first_impact(a, {}, b, motion);
        const ObbContact contact = obb_contact(a, b);
        for (const int exponent : {-70, -40, 40, 80}) {
            const float s = std::ldexp(1.0f, exponent);
            REQUIRE(first_impact(scaled_obb(a, s), {}, scaled_obb(b, s), motion * s) == impact);
            const ObbContact scaled = obb_contact(scaled_obb(a, s), scaled_obb(b, s));
            REQUIRE(scaled.axis == contact.axis);
            REQUIRE(same_bits(scaled.depth, contact.depth * s));
        }
    }
    long double worst = 0;
    for (int i = 0; i < 10000; ++i) {
        Obb a = random_obb(random, 1.0f, 1.0f);
        Obb b = random_obb(random, 1.0f, 1.0f);
        const Vec3 origin = random_direction(random) * 1e5f;
        a.center = a.center + origin;
        b.center = b.center + origin;
        const TwoBoxes<long double> q = two_boxes<long double>(a, b, {});
        if (overlap(a, b) != (largest_gap(q) <= 0))
            worst = std::max(worst, std::abs(largest_gap(q)) / size_of(q));
    }
    CHECK(static_cast<double>(worst) <= 4e-7);
}
