// Ratios of times measured in turn, with bounds.
#include "extras/tune/measured_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace broadside::tune {
namespace {

// The largest k such that, of `count` fair coins, at most k - 1 show heads with a probability of 2.5 % at
// most: the k-th smallest and the k-th largest value then bound the median with 95 %. Zero if there are too
// few.
std::size_t bound_rank(std::size_t count) {
    double probability = std::pow(0.5, static_cast<double>(count));
    double sum = 0;
    std::size_t rank = 0;
    while (rank < count && sum + probability <= 0.025) {
        sum += probability;
        probability *= static_cast<double>(count - rank) / static_cast<double>(rank + 1);
        ++rank;
    }
    return rank;
}

}  // namespace

bool MeasuredRatio::is_within_noise(const MeasuredRatio& twins) const {
    const double reach = twins.low > 0 ? std::max(twins.high, 1 / twins.low) : twins.high;
    return low <= reach && high >= 1 / reach;
}

double median_of(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    if (sorted.empty()) return 0;
    std::sort(sorted.begin(), sorted.end());
    const std::size_t middle = sorted.size() / 2;
    return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

MeasuredRatio ratio_of(std::span<const double> a, std::span<const double> b) {
    std::vector<double> ratios;
    for (std::size_t round = 0; round < std::min(a.size(), b.size()); ++round) {
        ratios.push_back(a[round] / b[round]);
    }
    std::sort(ratios.begin(), ratios.end());
    MeasuredRatio ratio;
    ratio.median = median_of(ratios);
    const std::size_t rank = bound_rank(ratios.size());
    ratio.low = rank != 0 ? ratios[rank - 1] : 0;
    ratio.high = rank != 0 ? ratios[ratios.size() - rank] : std::numeric_limits<double>::infinity();
    return ratio;
}

}  // namespace broadside::tune
