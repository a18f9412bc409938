// The sizes at which the mechanisms of a World begin, drawn for a life: a small one enters them then.
#pragma once

#include "tests/support/drawn_thresholds.hpp"

#include <optional>

namespace broadside::test {

/// While it lives, those sizes are drawn from a seed; afterwards they are what they were. Zero draws none.
class LifeThresholds {
public:
    explicit LifeThresholds(std::uint64_t seed) {
        if (seed != 0) drawn_.emplace(seed);
    }

private:
    std::optional<DrawnThresholds> drawn_;
};

}  // namespace broadside::test
