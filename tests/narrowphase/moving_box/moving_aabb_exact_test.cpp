// Moving boxes against exact arithmetic in 128-bit integers: exact cases, the rounding error of a time, and
// that a decision differs only if two times are that close.
#include "tests/narrowphase/moving_box/exact_impact.hpp"

#include <broadside/moving_aabb_compat.hpp>

using namespace broadside;
using namespace broadside::test;

namespace {

// Floats that are multiples of 2^-42 below 2^19: differences fit 63 bits, products of two of them 126.
ExactImpact<Int128> exact_in_128_bits(const Aabb& s, const Aabb& m, Vec3 d, Touch touch) {
    return exact_impact<Int128>(s, m, d, touch, [](float value) {
        const double scaled = std::ldexp(static_cast<double>(value), 42);
        if (!(std::fabs(scaled) < 0x1p61 && scaled == std::floor(scaled)))
            FAIL("not exact in 128 bits: " << value);
        return static_cast<Int128>(scaled);
    });
}

// The exact result: for numbers that no operation rounds.
template <class Number>
void require_exact(const Impact& impact, const ExactImpact<Number>& exact) {
    REQUIRE((impact.toi <= 1.0f) == exact.has_impact);
    REQUIRE(impact.face == exact.face);
    if (exact.has_impact) REQUIRE(static_cast<double>(impact.toi) == exact.enter());
}

float nudged(Random& random, float value, int ulp_count) {
    for (std::uint32_t i = random.below(static_cast<std::uint32_t>(ulp_count + 1)); i > 0; --i)
        value = std::nextafterf(value, random.chance(2) ? 1e6f : -1e6f);
    return value;
}

}  // namespace

TEST_CASE(
    "on dyadic grids with power-of-two displacements decision, time and face are exact, under every policy") {
    Random random(1);
    int impact_count = 0;
    for (int round = 0; round < 200000; ++round) {
        const auto scaled = [](Aabb box) { return Aabb{box.min * 0.125f, box.max * 0.125f}; };
        const Aabb s = scaled(grid_box(random));
        const Aabb m = scaled(grid_box(random));
        const auto component = [&] {
            if (random.chance(4)) return random.chance(2) ? 0.0f : -0.0f;
            const float value = std::ldexp(1.0f, static_cast<int>(random.below(5)) - 3);
            return random.chance(2) ? value : -value;
        };
        const Vec3 d = {component(), component(), component()};
        for (const Touch touch : kPolicies) {
            const Impact impact = first_impact(s, m, d, touch);
            require_exact(impact, exact_in_128_bits(s, m, d, touch));
            impact_count += impact.toi <= 1 ? 1 : 0;
        }
    }
    CHECK(impact_count > 20000);
}

TEST_CASE(
    "on integer grids with any integer displacement a decision is wrong only if two times are within the "
    "bound") {
    Random random(2);
    int wrong_count = 0;
    for (int round = 0; round < 200000; ++round) {
        const Aabb s = grid_box(random, 12);
        const Aabb m = grid_box(random, 12);
        const Vec3 d = {random.grid(-25, 25), random.grid(-25, 25), random.grid(-25, 25)};
        for (const Touch touch : kPolicies) {
            const auto exact = exact_in_128_bits(s, m, d, touch);
            wrong_count += require_within_bound(first_impact(s, m, d, touch), exact, kTimeBound, 0.0) ? 1 : 0;
        }
    }
    MESSAGE("decisions that rounding turned: " << wrong_count << " of 400000");
    CHECK(wrong_count < 600);
}

TEST_CASE(
    "random floats of scales 2^-18 to 2^18: times within 3 roundings of 2^-24, wrong decisions only within "
    "that") {
    Random random(3);
    int impact_count = 0;
    int wrong_count = 0;
    for (int round = 0; round < 200000; ++round) {
        // Narrow scales make impacts likely, wide ones make cancellation extreme.
        const int reach = static_cast<int>(random.below(18));
        const Aabb s = wide_box(random, -reach, reach);
        const Aabb m = wide_box(random, -reach, reach);
        const auto component = [&] { return random.chance(8) ? 0.0f : wide_float(random, -reach, reach); };
        const Vec3 d = {component(), component(), component()};
        for (const Touch touch : kPolicies) {
            const auto exact = exact_in_128_bits(s, m, d, touch);
            wrong_count += require_within_bound(first_impact(s, m, d, touch), exact, kTimeBound, 0.0) ? 1 : 0;
            impact_count += exact.has_impact ? 1 : 0;
        }
    }
    CHECK(impact_count > 20000);
    CHECK(wrong_count < 60);
}

TEST_CASE(
    "grazes within a few units in the last place: the bound is what separates right from wrong decisions") {
    Random random(4);
    int impact_count = 0;
    int wrong_count = 0;
    for (int round = 0; round < 200000; ++round) {
        // Enters on x and leaves on y at about the same time t, or enters at about the end of the step.
        const float t = random.chance(4) ? 1.0f : random.uniform(0.0625f, 1);
        const Vec3 d = {random.uniform(0.5f, 8), random.uniform(0.5f, 8), 0};
        const Aabb s = {{random.uniform(-4, 4), random.uniform(-4, 4), 0}, {8, 8, 1}};
        const float m_max_x = nudged(random, s.min.x - t * d.x, 3);
        const float m_min_y = nudged(random, s.max.y - t * d.y, 3);
        const Aabb m = {{m_max_x - 1, m_min_y, 0}, {m_max_x, m_min_y + 1, 1}};
        for (const Touch touch : kPolicies) {
            const auto exact = exact_in_128_bits(s, m, d, touch);
            wrong_count += require_within_bound(first_impact(s, m, d, touch), exact, kTimeBound, 0.0) ? 1 : 0;
            impact_count += exact.has_impact ? 1 : 0;
        }
    }
    MESSAGE("grazes that rounding turned: " << wrong_count << " of 400000");
    CHECK(impact_count > 100000);
    CHECK(wrong_count > 1000);  // otherwise this test would not reach its borderline cases
}

TEST_CASE(
    "closed boxes agree with overlap at the start, and a gap no longer than the displacement is always "
    "closed") {
    Random random(6);
    for (int round = 0; round < 200000; ++round) {
        const Aabb s = random.chance(2) ? grid_box(random) : wide_box(random, -126, 126);
        const Aabb m = random.chance(2) ? grid_box(random) : wide_box(random, -126, 126);
        const Vec3 d = {wide_float(random, -126, 126), wide_float(random, -126, 126), 0};
        if (overlap(s, m)) {
            REQUIRE(same_bits(time_of_impact(s, m, d), 0.0f));
            REQUIRE(same_bits(time_of_impact(s, m, {}), 0.0f));
        } else {
            REQUIRE(time_of_impact(s, m, {}) == kNoIntersection);
        }
        // A mover that ends exactly in touch: m.max + gap == s.min.
        const float gap = std::fabs(wide_float(random, -20, 20));
        REQUIRE(time_of_impact({{gap, 0, 0}, {gap + 1, 1, 1}}, {{-1, 0, 0}, {0, 1, 1}}, {gap, 0, 0}) <= 1.0f);
    }
}

TEST_CASE(
    "the result keeps its bits when mirrored, swapped or scaled by a power of two; more reach never comes "
    "later") {
    Random random(7);
    for (int round = 0; round < 100000; ++round) {
        const bool is_grid = random.chance(2);
        const Aabb s = is_grid ? grid_box(random) : random_box(random, 4, 3);
        const Aabb m = is_grid ? grid_box(random) : random_box(random, 4, 3);
        const auto component = [&] { return is_grid ? random.grid(-3, 3) : random.uniform(-4, 4); };
        const Vec3 d = {component(), component(), component()};
        for (const Touch touch : kPolicies) {
            const Impact impact = first_impact(s, m, d, touch);
            const Impact swapped = first_impact(m, s, -d, touch);
            REQUIRE(same_bits(impact.toi, swapped.toi));
            REQUIRE(outward_normal(swapped.face) == -outward_normal(impact.face));
            const Impact mirrored = first_impact({-s.max, -s.min}, {-m.max, -m.min}, -d, touch);
            REQUIRE(same_bits(impact.toi, mirrored.toi));
            for (const int exponent : {-60, 60}) {
                const float scale = std::ldexp(1.0f, exponent);
                const Impact scaled = first_impact({s.min * scale, s.max * scale},
                                                   {m.min * scale, m.max * scale}, d * scale, touch);
                REQUIRE(same_bits(impact.toi, scaled.toi));
                REQUIRE(impact.face == scaled.face);
            }
            REQUIRE(time_of_impact(expanded(s, 0.25f), m, d, touch) <= impact.toi);
        }
        REQUIRE(time_of_impact(s, m, d) <= time_of_impact_text_a(s, m, d));
        REQUIRE(time_of_impact_text_a(s, m, d) <= time_of_impact(s, m, d, Touch::open));
    }
}
