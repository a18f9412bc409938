// The sample, the cost model and the search for the cheapest grid.
#include "broadphase/src/cells/plan.hpp"

#include "broadphase/src/lists/box_sample.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// Enough for the mean extent and two quantiles to within a tenth;
// broadphase/phase_plan/uniform/100000/avx512, which takes all 512, is 8 µs.
constexpr std::size_t kBoxesPerSample = 64;

// The middle of the sample that counts as its range. What lies outside, outliers and the rest of an even
// scene, is clamped into the border cells, or finds the grid prolonged to where an even scene would end.
constexpr double kTail = 0.06;

// Weights, like rough nanoseconds on avx512, chosen by hand so that the grid comes out right in the rows
// broadphase/phase_* and choice_cells of the benches: a record moved and sorted, a step of 32 tests, a cell,
// an exact comparison.
constexpr double kRecordCost = 6.0;
constexpr double kStepCost = 2.0;
constexpr double kCellCost = 250.0;
constexpr double kCandidateCost = 1.5;
// Steps of a block beyond its mean window: the longest of 32 windows counts, and a step finds it closed.
constexpr double kExtraSteps = 8.0;
// Records for which a cell is worth its fixed cost whatever the model says.
constexpr double kRecordsPerCellMin = 64.0;

// Boxes this many times as long as the median one, on their longest axis, are left out of the mean extent
// when they are few: in cells that suit the others they are large boxes, which find_pairs_by_cells.cpp sets apart.
constexpr float kLargeBoxFactor = 16;
constexpr std::size_t kLargeShareOfSample = 10;

struct AxisSample {
    double begin = 0;
    double range = 0;
    double extent = 0;
};

// Not an Aabb, whose corners begin as zeros: to zero the whole array would be felt in calls of few boxes.
struct SampleBox {
    float min[3];
    float extent[3];
};

struct Sample {
    SampleBox boxes[kSampleCountMax];
    std::size_t count = 0;
    // Those that are not large come first.
    std::size_t ordinary_count = 0;
};

float longest_extent(const SampleBox& box) { return std::max({box.extent[0], box.extent[1], box.extent[2]}); }

void set_large_apart(Sample& state_sample) {
    state_sample.ordinary_count = state_sample.count;
    if (state_sample.count == 0) return;
    SampleBox* const begin = state_sample.boxes;
    SampleBox* const end = begin + state_sample.count;
    float extents[kSampleCountMax];
    float* const median = extents + state_sample.count / 2;
    std::transform(begin, end, extents, longest_extent);
    std::nth_element(extents, median, extents + state_sample.count);
    const float bound = *median * kLargeBoxFactor;
    const auto is_ordinary = [&](const SampleBox& box) { return longest_extent(box) <= bound; };
    const auto count = static_cast<std::size_t>(std::count_if(begin, end, is_ordinary));
    if ((state_sample.count - count) * kLargeShareOfSample > state_sample.count) return;
    std::partition(begin, end, is_ordinary);
    state_sample.ordinary_count = count;
}

void sample_boxes(const BoxSets& sets, Sample& out_sample) {
    const std::size_t wanted = sample_count(sets.box_count(), kBoxesPerSample);
    for_each_sampled_box(sets, wanted, [&](const Aabb& box) {
        out_sample.boxes[out_sample.count++] = {
            {box.min.x, box.min.y, box.min.z},
            {box.max.x - box.min.x, box.max.y - box.min.y, box.max.z - box.min.z}};
    });
    set_large_apart(out_sample);
}

AxisSample measure(const Sample& sample, int axis) {
    float mins[kSampleCountMax];
    std::size_t count = 0;
    for (std::size_t i = 0; i < sample.count; ++i) {
        const float min = sample.boxes[i].min[axis];
        if (is_finite(min)) mins[count++] = min;
    }
    AxisSample measured;
    if (count == 0) return measured;
    const auto tail = static_cast<std::size_t>(static_cast<double>(count) * kTail);
    const std::size_t last = count - 1 - tail;
    std::nth_element(mins, mins + tail, mins + count);
    const double low = static_cast<double>(mins[tail]);
    std::nth_element(mins + tail, mins + last, mins + count);
    const double high = static_cast<double>(mins[last]);
    // Even scenes go on outside for the share that was cut off, and up to two and a half deviations of the
    // quantile further: what is clamped into one bin at the end costs its square.
    const double inner = static_cast<double>(last - tail) / static_cast<double>(count);
    const double cut = (static_cast<double>(tail) + 0.5) / static_cast<double>(count);
    const double error = 2.5 * std::sqrt(cut * (1 - cut) / static_cast<double>(count));
    const double overhang = inner > 0 ? (high - low) * (cut + error) / inner : 0.0;
    double extents = 0;
    for (std::size_t i = 0; i < sample.ordinary_count; ++i) {
        const auto extent = static_cast<double>(sample.boxes[i].extent[axis]);
        extents += std::min(extent, high - low);
    }
    measured.begin = std::max(low - overhang, -static_cast<double>(FLT_MAX));
    measured.range = high - low + 2 * overhang;
    measured.extent = extents / static_cast<double>(sample.ordinary_count);
    return measured;
}

// Cells that a box lies in: 1 + extent / cell on each axis.
double cells_per_box(const AxisSample (&axes)[3], const double (&cells)[3]) {
    double count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (cells[axis] == 1 || !(axes[axis].range > 0)) continue;
        count *= 1 + std::min(axes[axis].extent * cells[axis] / axes[axis].range, cells[axis] - 1);
    }
    return count;
}

// The records of a cell that begin within a box's extent or its bin.
double window_of(const AxisSample (&axes)[3], const double (&cells)[3], double box_count) {
    const double records = box_count * cells_per_box(axes, cells) / (cells[0] * cells[1] * cells[2]);
    if (!(axes[0].range > 0)) return records;
    return records * std::min(1.0, axes[0].extent * cells[0] / axes[0].range + 1.0 / kBinsPerCell);
}

// Nanoseconds a box.
double cost(const AxisSample (&axes)[3], const double (&cells)[3], double box_count) {
    const double copies = cells_per_box(axes, cells);
    const double cell_count = cells[0] * cells[1] * cells[2];
    const double window = window_of(axes, cells, box_count);
    // Two boxes in a cell meet on an axis across when their distance is below the sum of their extents.
    double candidates = window;
    for (int axis = 1; axis < 3; ++axis) {
        if (!(axes[axis].range > 0)) continue;
        candidates *= std::min(1.0, 2 * axes[axis].extent * cells[axis] / axes[axis].range);
    }
    return copies *
               (kRecordCost + kStepCost * (window * 1.3 + kExtraSteps) / 32 + kCandidateCost * candidates) +
           cell_count * kCellCost / box_count;
}

CellExpectation expectation(const AxisSample (&axes)[3], const double (&cells)[3], double box_count) {
    CellExpectation expected = {};
    expected.cost = cost(axes, cells, box_count);
    expected.records_per_box = cells_per_box(axes, cells);
    expected.window = window_of(axes, cells, box_count);
    for (int axis = 0; axis < 3; ++axis) {
        expected.range[axis] = axes[axis].range;
        expected.extent[axis] = axes[axis].extent;
    }
    return expected;
}

double more_cells(double cells) { return cells < 4 ? cells + 1 : std::floor(cells * 4 / 3); }

void choose_cells(const AxisSample (&axes)[3], double box_count, double (&cells)[3]) {
    double best = cost(axes, cells, box_count);
    for (;;) {
        int best_axis = -1;
        double best_cells = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double before = cells[axis];
            const double tried = more_cells(before);
            if (!(axes[axis].range > 0) || tried > 65535) continue;
            if (cells[0] * cells[1] * cells[2] / before * tried * kRecordsPerCellMin > box_count) continue;
            cells[axis] = tried;
            const double tried_cost = cost(axes, cells, box_count);
            cells[axis] = before;
            if (tried_cost < best) {
                best = tried_cost;
                best_axis = axis;
                best_cells = tried;
            }
        }
        if (best_axis < 0) return;
        cells[best_axis] = best_cells;
    }
}

void set_axis(CellGrid& grid, int axis, const AxisSample& measured, double cells) {
    // Bounds that keep the scale a normal float: with a narrower or empty range every box is in one bin.
    const double range = std::max(measured.range, 1e-30);
    grid.origin[axis] = static_cast<float>(measured.begin);
    grid.cells[axis] = static_cast<std::int32_t>(cells);
    grid.last_bin[axis] = static_cast<float>(cells * kBinsPerCell - 1);
    grid.scale[axis] = static_cast<float>(cells * kBinsPerCell / range);
}

}  // namespace

CellPlan plan_cells(const BoxSets& sets, const FindPairsSettings& settings) noexcept {
    Sample sample;
    sample_boxes(sets, sample);
    AxisSample measured[3];
    for (int axis = 0; axis < 3; ++axis) measured[axis] = measure(sample, axis);
    CellPlan plan = {};
    int sweep = 0;
    if (settings.sweep_axis != SweepAxis::automatic) {
        sweep = static_cast<int>(settings.sweep_axis) - static_cast<int>(SweepAxis::x);
    } else {
        for (int axis = 1; axis < 3; ++axis) {
            // range / extent, compared without dividing by an extent of zero
            if (measured[axis].range * measured[sweep].extent >
                measured[sweep].range * measured[axis].extent) {
                sweep = axis;
            }
        }
    }
    plan.axes[0] = sweep;
    plan.axes[1] = sweep == 0 ? 1 : 0;
    plan.axes[2] = sweep == 2 ? 1 : 2;
    const AxisSample axes[3] = {measured[plan.axes[0]], measured[plan.axes[1]], measured[plan.axes[2]]};
    const auto box_count = static_cast<double>(sets.box_count());
    double cells[3] = {1, 1, 1};
    const CellCounts& forced = settings.cell_counts;
    const std::uint32_t by_caller[3] = {forced.x, forced.y, forced.z};
    if (forced.x != 0) {
        for (int axis = 0; axis < 3; ++axis) cells[axis] = by_caller[plan.axes[axis]];
    } else {
        choose_cells(axes, box_count, cells);
    }
    // A half more, for what the sample misses.
    plan.copies_expected =
        static_cast<std::uint64_t>(box_count * std::min(1.5 * (cells_per_box(axes, cells) - 1), 3.0));
    for (int axis = 0; axis < 3; ++axis) set_axis(plan.grid, axis, axes[axis], cells[axis]);
    plan.expected = expectation(axes, cells, box_count);
    return plan;
}

bool coarsen(CellGrid& grid) noexcept {
    const int axis = grid.cells[0] >= grid.cells[1] && grid.cells[0] >= grid.cells[2] ? 0
                     : grid.cells[1] >= grid.cells[2]                                 ? 1
                                                                                      : 2;
    const std::int32_t before = grid.cells[axis];
    if (before == 1) return false;
    const std::int32_t after = before / 2;
    grid.cells[axis] = after;
    grid.scale[axis] *= static_cast<float>(after) / static_cast<float>(before);
    grid.last_bin[axis] = static_cast<float>(grid.cells[axis] * static_cast<std::int32_t>(kBinsPerCell) - 1);
    return true;
}

BoxSoaView permuted(const BoxSoaView& boxes, const int (&axes)[3]) noexcept {
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    return {mins[axes[0]], mins[axes[1]], mins[axes[2]], maxs[axes[0]],
            maxs[axes[1]], maxs[axes[2]], boxes.count};
}

}  // namespace broadside::broadphase
