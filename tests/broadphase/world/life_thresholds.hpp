// The sizes at which the mechanisms of a World begin, drawn for a life: a small one enters them then.
#pragma once

#include "tests/support/generators.hpp"

namespace broadside::test {

/// While it lives, those sizes are drawn from a seed; afterwards they are what they were. Zero draws none.
class LifeThresholds {
public:
    explicit LifeThresholds(std::uint64_t seed) {
        if (seed == 0) return;
        Random random(seed);
        draw_thresholds(random);
    }
    LifeThresholds(const LifeThresholds&) = delete;
    LifeThresholds& operator=(const LifeThresholds&) = delete;
    ~LifeThresholds() = default;

private:
    // None can be set yet.
    static void draw_thresholds(Random&) {}
};

}  // namespace broadside::test
