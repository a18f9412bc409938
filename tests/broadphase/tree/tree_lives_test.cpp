// Trees under random operations, with random thresholds of their mechanisms, beside loops over all boxes.
#include "tests/broadphase/tree/tree_life.hpp"
#include "tests/support/drawn_thresholds.hpp"
#include "tests/support/for_each_isa.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/test_scale.hpp"

using namespace broadside;
using namespace broadside::test;

namespace {

constexpr int kStepCount = 250;

// Most trees have 20 to 100 boxes. A node of 16 children with half-full leaves needs more, and so does a
// query with a long result.
bool is_high(std::uint64_t seed) { return seed % 6 == 3; }
std::size_t count_of(std::uint64_t seed) {
    return seed % 6 == 5 ? 450 : is_high(seed) ? 200 : 20 + static_cast<std::size_t>(seed * 37 % 81);
}

void live(TreeLife& state_life, TreeLife& state_other, std::uint64_t seed) {
    Random random(seed);
    state_life.begin();
    state_life.check(4);
    for (int step = 0; step < kStepCount; ++step) {
        for (std::size_t more = 1 + count_of(seed) / 50; more > 0; --more) state_life.operate();
        if (random.chance(8)) state_other.operate();
        if (random.chance(10)) state_life.check(1 + random.below(random.chance(8) ? 60 : 4));
        if (random.chance(20)) state_life.check_pairs(state_other);
    }
}

}  // namespace

TEST_CASE("trees match loops after random operations, at all thresholds, on every ISA" * kModel) {
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(36 * test_scale()); ++seed) {
        INFO("seed " << seed);
        const DrawnThresholds drawn(seed);
        // One level more than so many boxes have when built.
        if (is_high(seed)) {
            tested_thresholds().trees.levels_max = 4;
            tested_thresholds().trees.worn_min = 1e9;
        }
        std::vector<IndexPair> expected;
        for_each_isa([&](Isa isa) {
            TreeLife life(seed, count_of(seed));
            TreeLife other(seed + 1, 50);
            life.is_plain = is_high(seed);
            life.one_in_poor = seed % 3 == 2 ? 8 : 0;
            life.index_step = seed % 12 == 4 ? 64 : 1;
            live(life, other, seed);
            if (isa == Isa::scalar) expected = life.structure;
            REQUIRE(
                std::equal(life.structure.begin(), life.structure.end(), expected.begin(), expected.end()));
        });
    }
}
