// The cost model and the search for the cheapest grid.
#include "broadphase/src/cells/plan.hpp"

#include "broadphase/src/thresholds.hpp"

#include <algorithm>
#include <cmath>

namespace broadside::broadphase {
namespace {

// Weights in rough nanoseconds on avx512, chosen by hand so that the grid comes out right in the rows
// broadphase/phase_* and choice_cells of the benches: to move and sort a record, a step of 32 tests, an exact
// comparison.
constexpr double kRecordCost = 6.0;
constexpr double kStepCost = 2.0;
constexpr double kCandidateCost = 1.5;
// Steps of a block beyond its mean window: it goes on for the longest of its 32 windows, and one step finds
// them all closed.
constexpr double kExtraSteps = 8.0;
// Extra cost of an empty cell among crowds.
constexpr double kEmptyCellCost = 8.0;

// Boxes, and by what factor their surroundings are denser than if all were spread evenly over the cells.
struct Density {
    double box_count;
    double crowding;

    // This many boxes spread evenly would be as dense. The boxes occupy one cell in `crowding`.
    double crowded_count() const { return box_count * crowding; }
};

// Cells that a box lies in: 1 + extent / cell on each axis.
double cells_per_box(const AxisSample (&axes)[3], const double (&cells)[3]) {
    double count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (cells[axis] == 1 || !(axes[axis].range > 0)) continue;
        count *= 1 + std::min(axes[axis].extent * cells[axis] / axes[axis].range, cells[axis] - 1);
    }
    return count;
}

// Records of a cell that begin within the extent of a box, or in its bin.
double window_of(const AxisSample (&axes)[3], const double (&cells)[3], double box_count) {
    const double records = box_count * cells_per_box(axes, cells) / (cells[0] * cells[1] * cells[2]);
    if (!(axes[0].range > 0)) return records;
    return records * std::min(1.0, axes[0].extent * cells[0] / axes[0].range + 1.0 / kBinsPerCell);
}

// Nanoseconds per box.
double cost(const AxisSample (&axes)[3], const double (&cells)[3], const Density& density) {
    const double copies = cells_per_box(axes, cells);
    const double cell_count = cells[0] * cells[1] * cells[2];
    const double window = window_of(axes, cells, density.crowded_count());
    // Two boxes of a cell meet on axis 1 or 2 if their distance there is below the sum of their extents.
    double candidates = window;
    for (int axis = 1; axis < 3; ++axis) {
        if (!(axes[axis].range > 0)) continue;
        candidates *= std::min(1.0, 2 * axes[axis].extent * cells[axis] / axes[axis].range);
    }
    const double far_share = cell_count / (cell_count + thresholds().cells.far_cells);
    const double record_cost = kRecordCost + thresholds().cells.far_record_cost * far_share * far_share;
    return copies *
               (record_cost + kStepCost * (window * 1.3 + kExtraSteps) / 32 + kCandidateCost * candidates) +
           cell_count * (thresholds().cells.cell_cost + kEmptyCellCost * (density.crowding - 1)) /
               density.crowded_count();
}

CellExpectation expectation(const AxisSample (&axes)[3], const double (&cells)[3], const Density& density) {
    CellExpectation expected = {};
    expected.cost = cost(axes, cells, density);
    expected.records_per_box = cells_per_box(axes, cells);
    expected.window = window_of(axes, cells, density.crowded_count());
    for (int axis = 0; axis < 3; ++axis) {
        expected.range[axis] = axes[axis].range;
        expected.extent[axis] = axes[axis].extent;
    }
    return expected;
}

double more_cells(double cells) { return cells < 4 ? cells + 1 : std::floor(cells * 4 / 3); }

void choose_cells(const AxisSample (&axes)[3], const Density& density, double (&cells)[3]) {
    double best = cost(axes, cells, density);
    for (;;) {
        int best_axis = -1;
        double best_cells = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double before = cells[axis];
            const double tried = more_cells(before);
            if (!(axes[axis].range > 0) || tried > 65535) continue;
            const double tried_count = cells[0] * cells[1] * cells[2] / before * tried;
            if (tried_count * thresholds().cells.records_per_cell_min > density.crowded_count()) continue;
            if (tried_count * thresholds().cells.boxes_per_cell_min > density.box_count) continue;
            cells[axis] = tried;
            const double tried_cost = cost(axes, cells, density);
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

}  // namespace

CellPlan plan_cells(const BoxSets& sets, const FindPairsSettings& settings) noexcept {
    BoxSurvey survey(sets);
    if (survey.has_crowds()) survey.fit_to_crowds(sets);
    return plan_cells(survey, settings);
}

CellPlan plan_cells(const BoxSurvey& survey, const FindPairsSettings& settings) noexcept {
    CellPlan plan;
    int sweep = 0;
    if (settings.sweep_axis != SweepAxis::automatic) {
        sweep = static_cast<int>(settings.sweep_axis) - static_cast<int>(SweepAxis::x);
    } else {
        for (int axis = 1; axis < 3; ++axis) {
            // range / extent, compared without dividing by an extent of zero
            if (survey.axis(axis).range * survey.axis(sweep).extent >
                survey.axis(sweep).range * survey.axis(axis).extent) {
                sweep = axis;
            }
        }
    }
    plan.axes[0] = sweep;
    plan.axes[1] = sweep == 0 ? 1 : 0;
    plan.axes[2] = sweep == 2 ? 1 : 2;
    const AxisSample axes[3] = {survey.axis(plan.axes[0]), survey.axis(plan.axes[1]),
                                survey.axis(plan.axes[2])};
    const auto box_count = static_cast<double>(survey.box_count());
    const Density density = {box_count, survey.crowding()};
    double cells[3] = {1, 1, 1};
    const CellCounts& forced = settings.cell_counts;
    const std::uint32_t by_caller[3] = {forced.x, forced.y, forced.z};
    if (forced.x != 0) {
        for (int axis = 0; axis < 3; ++axis) cells[axis] = by_caller[plan.axes[axis]];
    } else {
        choose_cells(axes, density, cells);
    }
    // Half as many again, because the sample misses some.
    plan.copies_expected =
        static_cast<std::uint64_t>(box_count * std::min(1.5 * (cells_per_box(axes, cells) - 1), 3.0));
    for (int axis = 0; axis < 3; ++axis)
        set_ramps(survey.spread(plan.axes[axis]), cells[axis], axis, plan.grid);
    plan.expected = expectation(axes, cells, density);
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
    const std::int32_t ramp_count = grid.ramp_counts[axis];
    float left = static_cast<float>(after * static_cast<std::int32_t>(kBinsPerCell) - 1);
    for (std::int32_t k = 0; k < ramp_count; ++k) {
        AxisRamp& ramp = grid.ramps[axis][k];
        const float share = static_cast<float>(after) / static_cast<float>(before);
        ramp.scale *= share;
        ramp.bins =
            k + 1 == ramp_count ? left : static_cast<float>(static_cast<std::int32_t>(ramp.bins * share));
        left -= ramp.bins;
    }
    return true;
}

BoxSoaView permuted(const BoxSoaView& boxes, const int (&axes)[3]) noexcept {
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    return {mins[axes[0]], mins[axes[1]], mins[axes[2]], maxs[axes[0]],
            maxs[axes[1]], maxs[axes[2]], boxes.count};
}

}  // namespace broadside::broadphase
