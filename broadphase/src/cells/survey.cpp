// Takes the sample and measures it.
#include "broadphase/src/cells/survey.hpp"

#include "broadphase/src/cells/scatter_scalar.hpp"
#include "broadphase/src/lists/radix_sort.hpp"

#include <broadside/assert.hpp>

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// Enough for the mean extent and two quantiles to within a tenth. A sample of all 512 takes 8 µs
// (broadphase/phase_plan/uniform/100000/avx512).
constexpr std::size_t kBoxesPerSample = 64;

// Means of crowds are of about this many boxes.
constexpr std::size_t kBoxesPerMean = 128;

// Share cut off at each end of the sample; the middle counts as its range. Boxes outside, be they outliers or
// the rest of an even scene, are clamped into the border cells, or the grid is prolonged to where an even
// scene would end.
constexpr double kTail = 0.06;

// Boxes this many times as long as the median one, on their longest axis, are left out of the mean extent if
// they are few: in cells that suit the others they are large boxes, which find_pairs_by_cells.cpp sets apart.
constexpr float kLargeBoxFactor = 16;
constexpr std::size_t kLargeShareOfSample = 10;

// There are crowds if more sampled boxes share a bin of this rough grid than would by chance.
constexpr std::uint32_t kRoughBins = 64;
// They are counted in a hash table that ignores collisions, a larger one for many boxes.
constexpr int kFewCountBits = 10;
constexpr int kManyCountBits = 13;
constexpr std::size_t kManyBoxes = 256;
// Chance makes up to this many times its expectation, and a few. The piles of the benches reach the former.
constexpr double kCrowdFactor = 4;
constexpr double kCrowdPairs = 6;
// The same on one axis, on which boxes in five layers are no crowd.
constexpr double kAxisCrowdFactor = 14;
// Strays are further outside the range than it is long. Crowds: more than one box in this many, and a few.
constexpr std::size_t kBoxesPerStray = 64;
constexpr std::size_t kStraysMin = 3;

struct InnerRange {
    float low;
    float high;
};

// The second value from each end, without branches.
InnerRange range_without_ends(const float* values, std::size_t count) {
    InnerRange inner = {FLT_MAX, -FLT_MAX};
    float min = FLT_MAX;
    float max = -FLT_MAX;
    for (std::size_t i = 0; i < count; ++i) {
        const float value = values[i];
        inner.low = min_keep(inner.low, max_keep(min, value));
        min = min_keep(min, value);
        inner.high = max_keep(inner.high, min_keep(max, value));
        max = max_keep(max, value);
    }
    return inner;
}

// Sorts in place, by digits: comparisons would all be mispredicted.
void sort_floats(float* values, std::size_t count) {
    SortItem items[2][kSampleCountMax];
    for (std::size_t i = 0; i < count; ++i)
        items[0][i] = {sort_key(values[i]), __builtin_bit_cast(std::uint32_t, values[i])};
    const SortItem* const sorted = radix_sort(items[0], items[1], count);
    for (std::size_t i = 0; i < count; ++i) values[i] = __builtin_bit_cast(float, sorted[i].index);
}

// Counts in sorted values, at least one. Compilers make a branch of a condition, which would be mispredicted, and not
// of a factor.
std::size_t count_at_most(const float* values, std::size_t count, float value) {
    const float* first = values;
    for (std::size_t left = count; left > 1; left -= left / 2)
        first += static_cast<std::size_t>(first[left / 2 - 1] <= value) * (left / 2);
    return static_cast<std::size_t>(first - values) + static_cast<std::size_t>(*first <= value);
}

}  // namespace

float BoxSurvey::longest_extent(const SampleBox& box) {
    return std::max({box.extent[0], box.extent[1], box.extent[2]});
}

void BoxSurvey::set_large_apart() {
    ordinary_count_ = count_;
    if (count_ == 0) return;
    SampleBox* const begin = boxes_;
    SampleBox* const end = begin + count_;
    float extents[kSampleCountMax];
    float* const median = extents + count_ / 2;
    std::transform(begin, end, extents, longest_extent);
    // Most often none is large, and the smallest one tells so.
    float shortest = extents[0];
    for (std::size_t i = 1; i < count_; ++i) shortest = min_keep(extents[i], shortest);
    std::size_t sure_count = 0;
    for (std::size_t i = 0; i < count_; ++i) sure_count += extents[i] <= shortest * kLargeBoxFactor ? 1 : 0;
    if (sure_count == count_) return;
    std::nth_element(extents, median, extents + count_);
    const float bound = *median * kLargeBoxFactor;
    const auto is_ordinary = [&](const SampleBox& box) { return longest_extent(box) <= bound; };
    const auto count = static_cast<std::size_t>(std::count_if(begin, end, is_ordinary));
    if ((count_ - count) * kLargeShareOfSample > count_) return;
    std::partition(begin, end, is_ordinary);
    ordinary_count_ = count;
}

void BoxSurvey::take_sample(const BoxSets& sets, std::size_t wanted) {
    count_ = 0;
    for_each_sampled_box(sets, wanted, [&](const Aabb& box) {
        boxes_[count_++] = {{box.min.x, box.min.y, box.min.z},
                            {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z}};
    });
    set_large_apart();
}

void BoxSurvey::take_mins(int axis) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const float min = boxes_[i].min[axis];
        mins_[axis][count] = min;
        count += is_finite(min) ? 1u : 0u;
    }
    min_counts_[axis] = count;
}

void BoxSurvey::measure(int axis) {
    take_mins(axis);
    float* const mins = mins_[axis];
    const std::size_t count = min_counts_[axis];
    AxisSample& measured = axes_[axis];
    spreads_[axis] = even_spread(0, 0);
    if (count == 0) return;
    const auto tail = static_cast<std::size_t>(static_cast<double>(count) * kTail);
    const std::size_t last = count - 1 - tail;
    InnerRange inner_range;
    if (tail == 1 && count_ < thresholds().cells.fitted_boxes_min) {
        inner_range = range_without_ends(mins, count);
    } else {
        sort_floats(mins, count);
        inner_range = {mins[tail], mins[last]};
    }
    const auto low = static_cast<double>(inner_range.low);
    const auto high = static_cast<double>(inner_range.high);
    // Even scenes extend outside by the share that was cut off, and by up to two and a half deviations of the
    // quantile: boxes clamped into one bin at the end cost the square of their number.
    const double inner = static_cast<double>(last - tail) / static_cast<double>(count);
    const double cut = (static_cast<double>(tail) + 0.5) / static_cast<double>(count);
    const double error = 2.5 * std::sqrt(cut * (1 - cut) / static_cast<double>(count));
    const double overhang = inner > 0 ? (high - low) * (cut + error) / inner : 0.0;
    double extents = 0;
    for (std::size_t i = 0; i < ordinary_count_; ++i) {
        const auto extent = static_cast<double>(boxes_[i].extent[axis]);
        extents += std::min(extent, high - low);
    }
    measured.range = high - low + 2 * overhang;
    measured.length = measured.range;
    spreads_[axis] = even_spread(std::max(low - overhang, -static_cast<double>(FLT_MAX)), measured.range);
    measured.extent = extents / static_cast<double>(ordinary_count_);
}

bool BoxSurvey::find_crowds() const {
    float begin[3];
    float scale[3];
    double chance = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const bool is_spread = axes_[axis].range > 0;
        begin[axis] = static_cast<float>(spreads_[axis].stretches[0].begin);
        scale[axis] = is_spread ? static_cast<float>(kRoughBins / std::max(axes_[axis].range, 1e-30)) : 0.0f;
        if (is_spread) chance /= kRoughBins;
    }
    const int count_bits = count_ < kManyBoxes ? kFewCountBits : kManyCountBits;
    std::uint16_t counts[1 << kManyCountBits];
    std::fill_n(counts, std::size_t{1} << count_bits, std::uint16_t{0});
    std::uint16_t axis_counts[3][kRoughBins] = {};
    std::uint32_t pairs = 0;
    std::uint32_t axis_pairs[3] = {};
    std::size_t strays = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        std::uint32_t bin = 0;
        bool is_stray = false;
        for (int axis = 0; axis < 3; ++axis) {
            constexpr auto kEnd = static_cast<float>(kRoughBins);
            // Zero times infinity is NaN; min_keep then returns its second operand.
            const float place = min_keep((boxes_[i].min[axis] - begin[axis]) * scale[axis], 2 * kEnd);
            // A box with an infinite side is no stray.
            is_stray |=
                (place < -kEnd && boxes_[i].min[axis] >= -FLT_MAX) || (place >= 2 * kEnd && scale[axis] > 0);
            const auto axis_bin = static_cast<std::uint32_t>(max_keep(min_keep(place, kEnd - 1), 0.0f));
            axis_pairs[axis] += axis_counts[axis][axis_bin]++;
            bin = bin * kRoughBins + axis_bin;
        }
        strays += is_stray ? 1 : 0;
        pairs += counts[bin * 0x9E3779B9u >> (32 - count_bits)]++;
    }
    const auto count = static_cast<double>(count_);
    const double all_pairs = count * (count - 1) / 2;
    const double expected = all_pairs * (chance + 1.0 / (1 << count_bits));
    for (int axis = 0; axis < 3; ++axis) {
        if (scale[axis] > 0 && axis_pairs[axis] > kAxisCrowdFactor * all_pairs / kRoughBins) return true;
    }
    return pairs > kCrowdFactor * expected + kCrowdPairs || strays > count_ / kBoxesPerStray + kStraysMin;
}

void BoxSurvey::fit_axis(int axis) {
    const float* const mins = mins_[axis];
    const std::size_t count = min_counts_[axis];
    if (count < 2) return;
    BROADSIDE_ASSERT(std::is_sorted(mins, mins + count), "survey: mins are not in ascending order");
    const AxisSpread spread = fit_spread({mins, count});
    // A part of the sample is enough for means.
    const std::size_t step = ordinary_count_ / kBoxesPerMean + 1;
    double extents = 0;
    double begun = 0;
    double mean_count = 0;
    for (std::size_t i = 0; i < ordinary_count_; i += step, ++mean_count) {
        const float min = boxes_[i].min[axis];
        const float max = min + boxes_[i].extent[axis];
        extents +=
            spread.share_before(static_cast<double>(max)) - spread.share_before(static_cast<double>(min));
        begun += static_cast<double>(count_at_most(mins, count, max) - count_at_most(mins, count, min));
    }
    axes_[axis].met_share = 2 * begun / (mean_count * static_cast<double>(count));
    if (spread.count == 1) return;
    spreads_[axis] = spread;
    axes_[axis].range = 1;
    axes_[axis].extent = extents / mean_count;
}

double BoxSurvey::measure_crowding() const {
    constexpr int kBlocks = 8;
    std::uint16_t counts[kBlocks * kBlocks * kBlocks] = {};
    double block_count = 1;
    for (const AxisSample& axis : axes_) block_count *= axis.range > 0 ? kBlocks : 1;
    double pairs = 0;
    const std::size_t step = count_ / kBoxesPerMean + 1;
    double count = 0;
    for (std::size_t i = 0; i < count_; i += step, ++count) {
        int block = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double share = spreads_[axis].share_before(static_cast<double>(boxes_[i].min[axis]));
            block = block * kBlocks + std::min(static_cast<int>(share * kBlocks), kBlocks - 1);
        }
        pairs += counts[block]++;
    }
    return std::max(1.0, pairs * 2 * block_count / (count * (count - 1)));
}

bool BoxSurvey::is_for_sweep() const noexcept {
    const auto& limits = thresholds().cells;
    if (!has_crowds_ || box_count_ > limits.narrow_sweep_max) return false;
    if (box_count_ <= limits.crowds_sweep_max) return true;
    std::uint32_t met[3] = {};
    for (int axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 1; i < count_; ++i) {
            const float min = boxes_[i].min[axis];
            const float max = min + boxes_[i].extent[axis];
            for (const SampleBox* other = boxes_; other != boxes_ + i; ++other)
                met[axis] +=
                    ((other->min[axis] <= max) & (min <= other->min[axis] + other->extent[axis])) ? 1u : 0u;
        }
    }
    const auto met_share = static_cast<double>(std::min({met[0], met[1], met[2]}) * 2) /
                           static_cast<double>(count_ * (count_ - 1));
    return static_cast<double>(box_count_) * met_share <= limits.narrow_window_max;
}

BoxSurvey::BoxSurvey(const BoxSets& sets) noexcept : box_count_(sets.box_count()) {
    take_sample(sets, sample_count(box_count_, kBoxesPerSample));
    for (int axis = 0; axis < 3; ++axis) measure(axis);
    has_crowds_ = count_ >= thresholds().cells.surveyed_boxes_min && find_crowds();
}

void BoxSurvey::fit_to_crowds(const BoxSets& sets) noexcept {
    const std::size_t wanted = thresholds().cells.fitted_boxes_min;
    if (count_ < wanted) {
        take_sample(sets, wanted);
        for (int axis = 0; axis < 3; ++axis) {
            take_mins(axis);
            sort_floats(mins_[axis], min_counts_[axis]);
        }
    }
    if (count_ < thresholds().cells.surveyed_boxes_min) return;
    for (int axis = 0; axis < 3; ++axis) {
        if (axes_[axis].range > 0) fit_axis(axis);
    }
    crowding_ = measure_crowding();
}

}  // namespace broadside::broadphase
