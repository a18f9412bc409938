// The spread of a set of measured values.
#pragma once

#include <cstddef>
#include <vector>

namespace broadside::recording {

/// Quantiles by nearest rank, so that each is a value of the set. All zero for an empty set.
struct Spread {
    std::size_t count = 0;
    double min = 0;
    double median = 0;
    double p90 = 0;
    double p99 = 0;
    double max = 0;
};

Spread spread_of(std::vector<double> values);

}  // namespace broadside::recording
