// A sample swept in bins of the grid.
#include "broadphase/src/find_pairs/crowding.hpp"

#include "broadphase/src/lists/box_sample.hpp"

#include <algorithm>
#include <span>

namespace broadside::broadphase {
namespace {

constexpr std::size_t kCrowdSampleCountMax = 256;
// Fewer sampled pairs than this are chance: in a large input each stands for many.
constexpr double kPairCountMin = 3;
// A cell is cut further when it holds so many records, and so many times the mean: half of what it takes in
// find_pairs_by_cells.cpp, as the sample is rough and a crowd may lie across a border.
constexpr double kOverfullCount = 2048;
constexpr double kCrowdOverfullFactor = 3;

// A box in bins of the grid, by axis of the grid.
struct BinnedBox {
    std::int32_t first[3];
    std::int32_t last[3];
    // The cell in which it begins, and whether that one is to get a grid of its own.
    std::int32_t cell;
    bool is_in_overfull_cell;
    Aabb box;
};

std::int32_t bin(const CellGrid& grid, int axis, float position) {
    const float bins = (position - grid.origin[axis]) * grid.scale[axis];
    return static_cast<std::int32_t>(min_keep(bins > 0.0f ? bins : 0.0f, grid.last_bin[axis]));
}

// Cells in which both boxes are, from those of the first to the last bins given.
double shared_cell_count(const BinnedBox& a, const BinnedBox& b) {
    constexpr auto kBins = static_cast<std::int32_t>(kBinsPerCell);
    double count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t first = std::max(a.first[axis], b.first[axis]) / kBins;
        const std::int32_t last = std::min(a.last[axis], b.last[axis]) / kBins;
        if (first > last) return 0;
        count *= last - first + 1;
    }
    return count;
}

// Cells gets rid of crowds in few cells by itself: see the overfull cells in find_pairs_by_cells.cpp.
void find_overfull_cells(std::span<BinnedBox> state_sample, double boxes_per_sample, double mean_count) {
    std::int32_t cells[kCrowdSampleCountMax] = {};
    for (std::size_t i = 0; i < state_sample.size(); ++i) cells[i] = state_sample[i].cell;
    std::sort(cells, cells + state_sample.size());
    for (BinnedBox& box : state_sample) {
        const auto [first, last] = std::equal_range(cells, cells + state_sample.size(), box.cell);
        const double count = static_cast<double>(last - first) * boxes_per_sample;
        box.is_in_overfull_cell = count >= std::max(kOverfullCount, kCrowdOverfullFactor * mean_count);
    }
}

bool bins_meet(const BinnedBox& a, const BinnedBox& b, int axis) {
    return a.first[axis] <= b.last[axis] && b.first[axis] <= a.last[axis];
}

bool meet_along(const Aabb& a, const Aabb& b, int axis) {
    return component(a.min, axis) <= component(b.max, axis) &&
           component(b.min, axis) <= component(a.max, axis);
}

}  // namespace

double LeafShape::met_leaf_count(const double (&extent)[3]) const noexcept {
    double count = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (length[axis] > 0) count *= std::min(cuts[axis], 2 + extent[axis] / length[axis]);
    }
    return count;
}

LeafShape expected_leaf(const CellPlan& plan, std::uint64_t box_count) noexcept {
    const double(&range)[3] = plan.expected.range;
    LeafShape leaf = {{range[0], range[1], range[2]}, {1, 1, 1}};
    double(&length)[3] = leaf.length;
    auto left = static_cast<double>(box_count);
    while (left > static_cast<double>(kLeafSize)) {
        const int longest = length[0] >= length[1] && length[0] >= length[2] ? 0
                            : length[1] >= length[2]                         ? 1
                                                                             : 2;
        length[longest] *= 0.5;
        leaf.cuts[longest] *= 2;
        left *= 0.5;
    }
    return leaf;
}

Crowding sample_crowding(const BoxSets& sets, const CellPlan& plan) noexcept {
    BinnedBox sample[kCrowdSampleCountMax];
    std::size_t count = 0;
    for_each_sampled_box(sets, kCrowdSampleCountMax, [&](const Aabb& box) {
        BinnedBox& binned = sample[count++];
        binned.box = box;
        for (int axis = 0; axis < 3; ++axis) {
            binned.first[axis] = bin(plan.grid, axis, component(box.min, plan.axes[axis]));
            binned.last[axis] = bin(plan.grid, axis, component(box.max, plan.axes[axis]));
        }
        const auto cell = [&](int axis) {
            return binned.first[axis] / static_cast<std::int32_t>(kBinsPerCell);
        };
        binned.cell = (cell(2) * plan.grid.cells[1] + cell(1)) * plan.grid.cells[0] + cell(0);
    });
    if (count == 0) return {};
    const auto box_count = static_cast<double>(sets.box_count());
    find_overfull_cells({sample, count}, box_count / static_cast<double>(count),
                        box_count / plan.grid.cell_count());
    std::uint32_t order[kCrowdSampleCountMax] = {};
    for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
    std::sort(order, order + count, [&](std::uint32_t i, std::uint32_t j) {
        return sample[i].first[0] != sample[j].first[0] ? sample[i].first[0] < sample[j].first[0] : i < j;
    });
    double wasted = 0;
    double wasting_pairs = 0;
    double in_cell_windows = 0;
    double swept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const BinnedBox& box = sample[order[i]];
        for (std::size_t j = i + 1; j < count && sample[order[j]].first[0] <= box.last[0]; ++j) {
            const BinnedBox& other = sample[order[j]];
            swept += meet_along(box.box, other.box, plan.axes[0]) ? 1 : 0;
            if (box.cell == other.cell && box.is_in_overfull_cell) continue;
            const double cells = shared_cell_count(box, other);
            in_cell_windows += cells;
            if (cells == 0 || !bins_meet(box, other, 1) || !bins_meet(box, other, 2)) continue;
            const double wasted_cells = cells - (overlap(box.box, other.box) ? 1 : 0);
            wasted += wasted_cells;
            wasting_pairs += wasted_cells > 0 ? 1 : 0;
        }
    }
    const LeafShape leaf = expected_leaf(plan, static_cast<std::uint64_t>(box_count));
    double met_leaf_count = 0;
    for (std::size_t i = 0; i < count; ++i) {
        double extent[3];
        for (int axis = 0; axis < 3; ++axis) {
            extent[axis] = static_cast<double>(component(sample[i].box.max, plan.axes[axis])) -
                           static_cast<double>(component(sample[i].box.min, plan.axes[axis]));
        }
        met_leaf_count += leaf.met_leaf_count(extent) / static_cast<double>(count);
    }
    // A sampled pair stands for (n/m)² pairs of n boxes.
    const double per_pair = box_count / (static_cast<double>(count) * static_cast<double>(count));
    const auto scaled = [&](double sum, double pairs) { return pairs < kPairCountMin ? 0 : sum * per_pair; };
    return {scaled(wasted, wasting_pairs), scaled(in_cell_windows, in_cell_windows), scaled(swept, swept),
            met_leaf_count};
}

}  // namespace broadside::broadphase
