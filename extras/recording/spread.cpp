// The spread of a set of measured values.
#include "extras/recording/spread.hpp"

#include <algorithm>

namespace broadside::recording {

Spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto percentile = [&](std::size_t percent) {
        return values[(values.size() * percent + 99) / 100 - 1];
    };
    return {values.size(), values.front(), percentile(50), percentile(90), percentile(99), values.back()};
}

}  // namespace broadside::recording
