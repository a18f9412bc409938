// Fits a polyline to the distribution of a sample, worst stretch first (Ramer 1972, Douglas and Peucker
// 1973).
#include "broadphase/src/cells/axis_spread.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// A stretch of n boxes counts as even if no box is further than 1.5 √n positions from its even position. By
// chance one even stretch in fifty fails (Kolmogorov and Smirnov).
constexpr double kEvenDeviations = 1.5;
// A stretch is also uneven if half of the steps from box to box are shorter than this share of the mean step,
// however evenly its crowds are spread. By chance one step in eight is.
constexpr double kShortStep = 0.125;
// A stretch with fewer steps is not split.
constexpr std::size_t kStepsMin = 4;
// Shorter stretches are scaled as if they were this long, so that the scale stays a normal float; all of
// their boxes are in one bin.
constexpr double kLengthMin = 1e-30;

// Positions `first` to `last`, and where to split them: furthest from an even spread, or at the longest step.
struct Part {
    std::size_t first;
    std::size_t last;
    std::size_t split;
    double excess;

    std::size_t steps() const { return last - first; }
};

Part measure_part(std::span<const float> positions, std::size_t first, std::size_t last) {
    Part part = {first, last, first, 0};
    const auto begin = static_cast<double>(positions[first]);
    const double length = static_cast<double>(positions[last]) - begin;
    if (last - first < kStepsMin || !(length > 0)) return part;
    const auto step_count = static_cast<double>(last - first);
    const double steps_per_length = step_count / length;
    const auto even_at = [&](std::size_t i) {
        return (static_cast<double>(positions[i]) - begin) * steps_per_length;
    };
    const auto distance_at = [&](std::size_t i) {
        return std::abs(even_at(i) - static_cast<double>(i - first));
    };
    // Maxima are without branches, and where they are is asked once.
    double worst = 0;
    double longest = 0;
    std::size_t short_count = 0;
    double before = 0;
    for (std::size_t i = first + 1; i <= last; ++i) {
        const double even = even_at(i);
        worst = std::max(worst, std::abs(even - static_cast<double>(i - first)));
        const double step = even - before;
        short_count += step < kShortStep ? 1 : 0;
        longest = std::max(longest, step);
        before = even;
    }
    part.excess = worst - kEvenDeviations * std::sqrt(step_count);
    if (part.excess > 0) {
        while (part.split < last && distance_at(part.split) != worst) ++part.split;
        return part;
    }
    std::size_t after = first + 1;
    for (before = 0; after < last && even_at(after) - before != longest; ++after) before = even_at(after);
    part.split = after - 1 != first ? after - 1 : first + 1;
    part.excess = static_cast<double>(short_count) - 0.5 * step_count;
    return part;
}

// Cuts the positions into parts, in ascending order. A part of one step is a gap, which gets no ramp; at most
// kRampCountMax parts are no gaps.
constexpr std::size_t kSpreadPartCountMax = std::size_t{2} * kRampCountMax;
std::size_t cut_into_parts(std::span<const float> positions, Part (&out_parts)[kSpreadPartCountMax]) {
    std::size_t count = 0;
    out_parts[count++] = measure_part(positions, 0, positions.size() - 1);
    for (int ramp_count = 1; ramp_count < kRampCountMax && count < kSpreadPartCountMax; ++count) {
        Part* const worst = std::max_element(
            out_parts, out_parts + count, [](const Part& a, const Part& b) { return a.excess < b.excess; });
        if (!(worst->excess > 0)) break;
        const Part before = *worst;
        std::copy_backward(worst + 1, out_parts + count, out_parts + count + 1);
        worst[0] = measure_part(positions, before.first, before.split);
        worst[1] = measure_part(positions, before.split, before.last);
        ramp_count += (worst[0].steps() > 1 ? 1 : 0) + (worst[1].steps() > 1 ? 1 : 0) - 1;
    }
    return count;
}

}  // namespace

double AxisSpread::share_before(double position) const noexcept {
    // The last stretch that begins before it, without a branch that depends on the position.
    std::size_t begun = 0;
    for (int k = 0; k < count; ++k) begun += position <= stretches[k].begin ? 0u : 1u;
    if (begun == 0) return 0;
    const Stretch& stretch = stretches[begun - 1];
    // The length from 0 to -0 is -0.
    const double along = (position - stretch.begin) / std::abs(stretch.length);
    return stretch.shares_before + stretch.share * (along < 1 ? along : 1);
}

AxisSpread even_spread(double begin, double length) noexcept {
    AxisSpread spread;
    spread.stretches[0] = {begin, length, 1, 0};
    spread.count = 1;
    return spread;
}

AxisSpread fit_spread(std::span<const float> positions) noexcept {
    Part parts[kSpreadPartCountMax];
    const std::size_t part_count = cut_into_parts(positions, parts);
    AxisSpread spread = {};
    double steps = 0;
    const auto room = [&](std::size_t k) {
        const double length =
            static_cast<double>(positions[parts[k].last]) - static_cast<double>(positions[parts[k].first]);
        // A gap holds no boxes, so both neighbours may extend into it.
        return parts[k].steps() == 1 ? length / 3 : 0.0;
    };
    for (std::size_t k = 0; k < part_count; ++k) {
        const Part& part = parts[k];
        if (part.steps() == 1 && part_count > 1) continue;
        const auto begin = static_cast<double>(positions[part.first]);
        const double length = static_cast<double>(positions[part.last]) - begin;
        const auto step_count = static_cast<double>(part.steps());
        // The sample misses some boxes at the ends.
        const double overhang = 2 * length / step_count;
        const double before = k == 0 ? overhang : std::min(overhang, room(k - 1));
        const double after = k + 1 == part_count ? overhang : std::min(overhang, room(k + 1));
        spread.stretches[spread.count++] = {std::max(begin - before, -static_cast<double>(FLT_MAX)),
                                            length + before + after, step_count, 0};
        steps += step_count;
    }
    if (spread.count == 0) {
        const auto begin = static_cast<double>(positions.front());
        return even_spread(begin, static_cast<double>(positions.back()) - begin);
    }
    double shares = 0;
    for (int k = 0; k < spread.count; ++k) {
        AxisSpread::Stretch& stretch = spread.stretches[k];
        stretch.share /= steps;
        stretch.shares_before = shares;
        shares += stretch.share;
    }
    return spread;
}

void set_ramps(const AxisSpread& spread, double cells, int axis, CellGrid& state_grid) noexcept {
    const double all_bins = cells * kBinsPerCell - 1;
    double left = all_bins;
    for (int k = 0; k < spread.count; ++k) {
        const AxisSpread::Stretch& stretch = spread.stretches[k];
        const double bins = k + 1 == spread.count ? left : std::floor(stretch.share * all_bins);
        left -= bins;
        // A single ramp reaches its last bin at the end of its stretch, so that bin counts in its scale.
        const double scale = (spread.count == 1 ? bins + 1 : bins) / std::max(stretch.length, kLengthMin);
        state_grid.ramps[axis][k] = {static_cast<float>(stretch.begin),
                                     std::max(static_cast<float>(scale), FLT_MIN), static_cast<float>(bins)};
    }
    state_grid.ramp_counts[axis] = spread.count;
    state_grid.cells[axis] = static_cast<std::int32_t>(cells);
}

}  // namespace broadside::broadphase
