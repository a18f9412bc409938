// What follows from a race.
#pragma once

#include "tools/tune/measured_ratio.hpp"
#include "tools/tune/race.hpp"

#include <string>

namespace broadside::tune {

/// What a caller may want; each has its own best settings.
struct Wish {
    const char* text;
    bool wants_canonical_order;
    bool has_threads;
};

struct Recommendation {
    Wish wish = {};
    /// Indices of the entries: the fastest one, and the one with the fewest settings among those that are as
    /// fast within the noise.
    std::size_t fastest_index = 0;
    std::size_t index = 0;
    /// How many times faster than the default it is; and how many times slower than the fastest one.
    MeasuredRatio gain;
    MeasuredRatio loss;
};

struct Verdict {
    /// The default against itself: what a ratio must differ from to mean anything.
    MeasuredRatio twins;
    std::vector<Recommendation> recommendations;
};

/// `entries` as a race leaves them, the default first, and right. Wishes for threads where one thread is the
/// answer are left out.
Verdict judge(const std::vector<Entry>& entries);

}  // namespace broadside::tune
