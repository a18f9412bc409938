// The ratio of the times of two candidates measured in turn.
#pragma once

#include <span>

namespace broadside::tune {

/// Ratio of the times of two candidates in the same rounds; a disturbance of a round affects both.
struct MeasuredRatio {
    /// Median of the ratios of the rounds.
    double median = 1;
    /// With a probability of 95 % the true median lies between these, whatever the distribution of the times
    /// (order statistics). Without bounds, 0 and infinity, for fewer than six rounds.
    double low = 0;
    double high = 0;

    /// True if it cannot be told from 1: its bounds reach into the noise, which is as far from 1, on either
    /// side, as the bounds of `twins`, a candidate against itself in the same run.
    bool is_within_noise(const MeasuredRatio& twins) const;
};

/// a / b over as many rounds as both have; both must have one.
MeasuredRatio ratio_of(std::span<const double> a, std::span<const double> b);

double median_of(std::span<const double> values);

}  // namespace broadside::tune
