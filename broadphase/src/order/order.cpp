// Cuts ranges of boxes in two, again and again, so that the surfaces of both parts, each times its leaves,
// are smallest: by 16 bins along the longest axis (I. Wald, "On fast Construction of SAH-based Bounding
// Volume Hierarchies", 2007). A node is a range that is cut into at most kNodeWidth parts, each small enough
// for a node of the level below, so that the tree has the depth of a balanced one whatever the boxes. The
// cost of cuts in half-filled nodes is limited by a budget that is handed down.
#include "broadphase/src/order/ranges.hpp"

#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <broadside/ray_hit.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace ordering {
namespace {

constexpr std::size_t kSampleCount = 1024;
// Ranges that the first rounds of cuts make for the tasks.
constexpr std::size_t kTaskRangeCount = 64;

// The size from which on a box counts as large, from a sample of the valid ones.
float large_size(const BoxSoaView& boxes, const TreeMembers& members) {
    float sizes[kSampleCount];
    std::size_t sample_count = 0;
    const std::size_t step = members.count / kSampleCount + 1;
    for (std::size_t i = 0; i < members.count; i += step) {
        const Aabb box = boxes[members[i]];
        if (is_valid(box)) sizes[sample_count++] = longest_edge(box);
    }
    if (sample_count == 0) return FLT_MAX;
    float* middle = sizes + sample_count / 2;
    std::nth_element(sizes, middle, sizes + sample_count);
    return *middle * kLargeFactor;
}

// Writes usual boxes, and behind them large and invalid ones. Returns how many are usual.
std::size_t make_records(const BoxSoaView& boxes, const TreeMembers& members, BoxRecord* out_records) {
    const float size_limit = large_size(boxes, members);
    const auto is_usual = [&](const Aabb& box) { return is_valid(box) && longest_edge(box) <= size_limit; };
    std::size_t usual_count = 0;
    for (std::size_t i = 0; i < members.count; ++i) {
        const Aabb box = boxes[members[i]];
        if (is_usual(box)) out_records[usual_count++] = record_of(box, members[i]);
    }
    if (usual_count == members.count) return usual_count;
    BoxRecord* others = out_records + usual_count;
    for (std::size_t i = 0; i < members.count; ++i) {
        const Aabb box = boxes[members[i]];
        if (!is_usual(box)) *others++ = record_of(is_valid(box) ? box : Aabb{}, members[i]);
    }
    return usual_count;
}

Range divide_full_parts(BoxRecord* records, Range& state_range, int axis, std::size_t wanted_count) {
    const std::size_t cut = full_parts_cut(state_range, wanted_count);
    std::nth_element(records + state_range.begin, records + cut, records + state_range.end,
                     CenterOrder{axis});
    return divide(state_range, cut, measured(records, state_range.begin, cut),
                  measured(records, cut, state_range.end));
}

// Cuts a range that is too large for one part.
Range split(BoxRecord* records, Range& state_range) {
    const int axis = longest_axis(state_range.centers);
    if (!BinOf::is_possible(state_range.centers, axis))
        return divide_full_parts(records, state_range, axis, state_range.count() / 2);
    const BinOf bin_of(state_range.centers, axis);
    BoxesBounds bins[kCutBinCount];
    fill_bins(records, state_range.begin, state_range.end, bin_of, bins);
    const BinCut best = best_cut(bins);
    if (best.bin == 0) return divide_full_parts(records, state_range, axis, state_range.count() / 2);
    if (!fits(state_range, best)) return divide_full_parts(records, state_range, axis, best.below.count);
    const auto bin_limit = static_cast<float>(best.bin);
    (void)partition(records, state_range.begin, state_range.begin, state_range.end,
                    [&](const BoxRecord& record) { return bin_of(record) < bin_limit; });
    return divide(state_range, state_range.begin + best.below.count, best.below.centers, best.above.centers);
}

// Sorts the indices of a leaf: the position of each is the number of smaller ones.
void sort_leaf(BoxRecord* records, std::size_t count) {
    std::uint32_t indices[kNodeWidth];
    for (std::size_t i = 0; i < kNodeWidth; ++i) indices[i] = i < count ? records[i].index() : kNoBox;
    std::uint32_t places[kNodeWidth] = {};
    for (std::size_t i = 0; i < kNodeWidth; ++i) {
        for (std::size_t j = 0; j < kNodeWidth; ++j) places[j] += indices[i] < indices[j] ? 1u : 0u;
    }
    for (std::size_t i = 0; i < count; ++i) records[places[i]].set_index(indices[i]);
}

// Cuts whole ranges down to leaves. `split` reduces a range to the part before a cut and returns the rest.
template <class Settle, class Split>
void cut_to_leaves(Range range, const Settle& settle_range, const Split& split_range) {
    while (settle_range(range)) {
        const Range behind = split_range(range);
        cut_to_leaves(range, settle_range, split_range);
        range = behind;
    }
}

struct Sorting {
    BoxRecord* records;
    std::uint8_t* levels;

    bool settle(Range& state_range) const {
        if (ordering::settle(state_range, levels)) return true;
        sort_leaf(records + state_range.begin, state_range.count());
        return false;
    }

    void order(const Range& range) const {
        cut_to_leaves(
            range, [this](Range& state_range) { return settle(state_range); },
            [this](Range& state_range) { return split(records, state_range); });
    }

    // Cuts ranges in rounds, all of a round side by side, until there are enough to be ordered side by side.
    void order_in_tasks(const Range& whole, const TaskRunner* runner) const {
        Range ranges[kTaskRangeCount];
        bool is_cut[kTaskRangeCount];
        ranges[0] = whole;
        std::size_t count = 1;
        while (count * 2 <= kTaskRangeCount) {
            Range* const behind = ranges + count;
            run_tasks(runner, static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
                BROADSIDE_ZONE("box tree/split task");
                is_cut[i] = ranges[i].count() > kNodeWidth && settle(ranges[i]);
                if (is_cut[i]) behind[i] = split(records, ranges[i]);
            });
            std::size_t kept = count;
            for (std::size_t i = 0; i < count; ++i) {
                if (is_cut[i]) ranges[kept++] = behind[i];
            }
            if (kept == count) break;
            count = kept;
        }
        run_tasks(runner, static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
            BROADSIDE_ZONE("box tree/order task");
            order(ranges[i]);
        });
    }
};

}  // namespace
}  // namespace ordering

using namespace ordering;

// A root may have to hold one part more than its boxes need, if some are set apart.
std::uint32_t tree_height(std::size_t member_count) noexcept {
    if (member_count <= kNodeWidth) return 0;
    std::uint32_t height = 1;
    while (parts_needed(member_count, capacity(height - 1)) + 1 > kNodeWidth) ++height;
    return height;
}

std::size_t family_count_max(std::size_t member_count) noexcept {
    // The families of the root and of the node above.
    std::size_t family_count = 2;
    std::size_t node_count = 1;
    for (std::uint32_t level = tree_height(member_count); level > 0; --level) {
        family_count += node_count;
        const std::size_t needed = parts_needed(member_count, capacity(level - 1)) + node_count;
        node_count =
            std::min({needed + needed / kSpareParts + node_count, node_count * kNodeWidth, member_count});
    }
    return family_count;
}

void order_boxes(const BoxSoaView& boxes, const TreeMembers& members, const TaskRunner* runner,
                 BoxRecord* out_records, std::uint8_t* out_levels) noexcept {
    BROADSIDE_ZONE("box tree/order");
    const std::size_t usual_count = make_records(boxes, members, out_records);
    std::fill_n(out_levels, members.count, std::uint8_t{0});
    const Sorting sorting = {out_records, out_levels};
    const std::uint32_t height = tree_height(members.count);
    if (height == 0) {
        sort_leaf(out_records, members.count);
        out_levels[0] = begun_levels(0, 0);
        return;
    }
    const WholeRanges whole = whole_ranges(usual_count, members.count);
    for (Range range : {whole.usual, whole.others}) {
        if (range.count() == 0) continue;
        range.centers = measured(out_records, range.begin, range.end);
        if (runner == nullptr || range.count() < thresholds().trees.tasked_count_min) {
            sorting.order(range);
        } else {
            sorting.order_in_tasks(range, runner);
        }
    }
    out_levels[0] = begun_levels(height, height);
}

void list_boxes(const TreeMembers& members, BoxRecord* out_records, std::uint8_t* out_levels) noexcept {
    for (std::size_t i = 0; i < members.count; ++i) out_records[i].set_index(members[i]);
    std::fill_n(out_levels, members.count, std::uint8_t{0});
    const std::uint32_t height = tree_height(members.count);
    if (height != 0) {
        cut_to_leaves(
            whole_ranges(members.count, members.count).usual,
            [&](Range& state_range) { return settle(state_range, out_levels); },
            [](Range& state_range) {
                return divide(state_range, full_parts_cut(state_range, state_range.count() / 2), {}, {});
            });
    }
    out_levels[0] = begun_levels(height, height);
}

}  // namespace broadside::broadphase
