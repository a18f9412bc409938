// Moving boxes against exact integers of any length, over the whole float range.
#include "tests/narrowphase/moving_box/exact_impact.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

// Reciprocals of displacements above 2^126 are denormal and lose up to two bits.
constexpr double kTimeBoundOfHugeDisplacement = 0x1p-21;

// Any finite floats, as multiples of the smallest one.
ExactImpact<mpz_class> exact_in_integers(const Aabb& s, const Aabb& m, Vec3 d, Touch touch) {
    return exact_impact<mpz_class>(
        s, m, d, touch, [](float value) { return mpz_class(std::ldexp(static_cast<double>(value), 149)); });
}

}  // namespace

TEST_CASE(
    "the whole float range, denormal to FLT_MAX: errors stay within the bound, and overflow never "
    "separates") {
    Random random(5);
    int impact_count = 0;
    for (int round = 0; round < 60000; ++round) {
        const int middle = static_cast<int>(random.below(270)) - 145;
        const int exponent_min = middle - 5 < -149 ? -149 : middle - 5;
        const int exponent_max = middle + 5 > 127 ? 127 : middle + 5;
        const Aabb s = wide_box(random, exponent_min, exponent_max);
        const Aabb m = wide_box(random, exponent_min, exponent_max);
        const auto component = [&] {
            return random.chance(8)
                       ? 0.0f
                       : wide_float(random, random.chance(4) ? -149 : exponent_min, exponent_max);
        };
        const Vec3 d = {component(), component(), component()};
        const Touch touch = kPolicies[random.below(2)];
        const auto exact = exact_in_integers(s, m, d, touch);
        require_within_bound(first_impact(s, m, d, touch), exact, kTimeBoundOfHugeDisplacement, 0x1p-148);
        impact_count += exact.has_impact ? 1 : 0;
    }
    CHECK(impact_count > 5000);
}
