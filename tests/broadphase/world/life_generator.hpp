// Draws programs of a given size whose motion keeps the mechanisms of a World working and interrupts them.
#pragma once

#include "tests/broadphase/world/life_program.hpp"

namespace broadside::test {

struct LifeSize {
    std::uint32_t object_count_min;
    std::uint32_t object_count_max;
    std::uint32_t update_count;
};
/// With drawn thresholds, so that mechanisms begin.
inline constexpr LifeSize kSmallLife = {20, 100, 120};
inline constexpr LifeSize kMediumLife = {300, 3000, 120};
inline constexpr LifeSize kLargeLife = {3000, 10'000, 40};

LifeProgram draw_life(std::uint64_t seed, const LifeSize& size);
/// The seed chooses the size, too: of 32 consecutive programs 5 are medium and one is large.
LifeProgram draw_life(std::uint64_t seed);

}  // namespace broadside::test
