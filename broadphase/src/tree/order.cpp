// Ranges of boxes are cut in two, again and again, where the surfaces of both parts, each times its leaves,
// are smallest: by 16 bins along the longest axis (I. Wald, "On fast Construction of SAH-based Bounding
// Volume Hierarchies", 2007). A node is a range that is cut into at most kNodeWidth parts, each small enough
// for a node of the level below, so that the tree has the depth of a balanced one whatever the boxes. What
// cuts cost in half-filled nodes is a budget that is handed down.
#include "broadphase/src/tree/order.hpp"

#include "core/src/zones.hpp"

#include <broadside/ray_hit.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Boxes whose longest edge is more than this many times that of the middle box stand apart: from about there
// on a box stretches its leaf by more than the leaf's own size. Scenes whose sizes spread like a log-normal
// over a factor of 20 stay together.
constexpr float kLargeFactor = 8.0f;
constexpr std::size_t kSampleCount = 1024;
// Ranges that the first rounds of cuts make for the tasks, and the count below which tasks do not pay.
constexpr std::size_t kTaskRangeCount = 64;
constexpr std::size_t kTaskedCountMin = 4096;

// Boxes of a node of leaves, and of a node above in parts of the level below, are at most so many times
// kNodeWidth: the rest of its lanes is room for cuts where surfaces are small instead of where lanes are full.
// With 12 there are 5 % more leaves and no fewer steps (pile, 10,000); with 15 up to 5 % more steps.
constexpr std::size_t kFilledLanes = 13;
// Of the parts that a node must have, this share may be added for better cuts.
constexpr std::size_t kSpareParts = 4;

// The most boxes of a node so many levels above the leaves.
std::size_t capacity(std::uint32_t level) {
    std::size_t count = kNodeWidth;
    for (; level > 0; --level) count *= kFilledLanes;
    return count;
}
std::size_t parts_needed(std::size_t count, std::size_t part) { return (count + part - 1) / part; }
std::size_t parts_allowed(std::size_t needed) {
    return std::min<std::size_t>(kNodeWidth, needed + std::max<std::size_t>(1, needed / kSpareParts));
}

float longest_edge(const Aabb& box) {
    const Vec3 edges = size(box);
    return min_keep(max_keep(max_keep(edges.x, edges.y), edges.z), FLT_MAX);
}

// The size from which on a box is large, from a sample of the valid ones.
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

float clamped(float coordinate) { return min_keep(max_keep(coordinate, -kCoordinateMax), kCoordinateMax); }

BoxRecord record_of(const Aabb& box, std::uint32_t index) {
    BoxRecord record = {{clamped(box.min.x), clamped(box.min.y), clamped(box.min.z), 0.0f},
                        {clamped(box.max.x), clamped(box.max.y), clamped(box.max.z), 0.0f}};
    record.set_index(index);
    return record;
}

// Usual boxes, and behind them large and invalid ones; the answer is how many are usual.
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

// Loops over four lanes are one instruction each.
struct Bounds {
    float min[4] = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
    float max[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};

    BROADSIDE_FORCE_INLINE void add(const float* other_min, const float* other_max) {
        for (int lane = 0; lane < 4; ++lane) min[lane] = min_keep(other_min[lane], min[lane]);
        for (int lane = 0; lane < 4; ++lane) max[lane] = max_keep(other_max[lane], max[lane]);
    }
    BROADSIDE_FORCE_INLINE void add(const Bounds& other) { add(other.min, other.max); }
    // Half of the surface.
    float surface() const {
        const float x = max[0] - min[0];
        const float y = max[1] - min[1];
        const float z = max[2] - min[2];
        return (x * y + y * z) + z * x;
    }
};

// Twice the center on an axis.
float center_on(const BoxRecord& record, int axis) { return record.min[axis] + record.max[axis]; }

// What is around boxes and around their centers.
struct BoxesBounds {
    Bounds boxes;
    Bounds centers;
    std::size_t count = 0;

    BROADSIDE_FORCE_INLINE void add(const BoxRecord& record) {
        boxes.add(record.min, record.max);
        float center[4];
        for (int lane = 0; lane < 4; ++lane) center[lane] = record.min[lane] + record.max[lane];
        centers.add(center, center);
        ++count;
    }
    BROADSIDE_FORCE_INLINE void add(const BoxesBounds& other) {
        boxes.add(other.boxes);
        centers.add(other.centers);
        count += other.count;
    }
};

// Records that become at most `part_count_max` nodes of a level.
struct Range {
    std::size_t begin;
    std::size_t end;
    Bounds centers;
    std::uint32_t level;
    std::size_t part_count_max;

    std::size_t count() const { return end - begin; }
};

int longest_axis(const Bounds& bounds) {
    const float x = bounds.max[0] - bounds.min[0];
    const float y = bounds.max[1] - bounds.min[1];
    const float z = bounds.max[2] - bounds.min[2];
    if (x >= y && x >= z) return 0;
    return y >= z ? 1 : 2;
}

Bounds measured(const BoxRecord* records, std::size_t begin, std::size_t end) {
    BoxesBounds all;
    for (std::size_t i = begin; i < end; ++i) all.add(records[i]);
    return all.centers;
}

constexpr int kCutBinCount = 16;

// A bin for every center on an axis.
struct BinOf {
    int axis;
    float begin;
    float bins_per_unit;

    // Below kCutBinCount, as the last center is not quite there.
    BinOf(const Bounds& centers, int axis_in)
        : axis(axis_in),
          begin(centers.min[axis_in]),
          bins_per_unit(static_cast<float>(kCutBinCount) * (1.0f - 0x1p-10f) /
                        (centers.max[axis_in] - centers.min[axis_in])) {}
    // Whether a bin is wide enough to divide by.
    static bool is_possible(const Bounds& centers, int axis) {
        return centers.max[axis] - centers.min[axis] >= 0x1p-100f;
    }
    BROADSIDE_FORCE_INLINE float operator()(const BoxRecord& record) const {
        return (center_on(record, axis) - begin) * bins_per_unit;
    }
};

// A place where the bins may be cut: those below it, and what is on its two sides. None is 0.
struct BinCut {
    int bin = 0;
    BoxesBounds below;
    BoxesBounds above;
};

BinCut best_cut(const BoxRecord* records, const Range& range, const BinOf& bin_of) {
    BoxesBounds bins[kCutBinCount];
    for (std::size_t i = range.begin; i < range.end; ++i) {
        bins[static_cast<int>(bin_of(records[i]))].add(records[i]);
    }
    // What is in bin `i` and those behind it.
    BoxesBounds above[kCutBinCount];
    above[kCutBinCount - 1] = bins[kCutBinCount - 1];
    for (int i = kCutBinCount - 2; i > 0; --i) {
        above[i] = bins[i];
        above[i].add(above[i + 1]);
    }
    const auto cost_of = [](const BoxesBounds& side) {
        return side.boxes.surface() * static_cast<float>(parts_needed(side.count, kNodeWidth));
    };
    BinCut best;
    BoxesBounds below;
    float best_cost = FLT_MAX;
    for (int i = 1; i < kCutBinCount; ++i) {
        below.add(bins[i - 1]);
        if (below.count == 0 || above[i].count == 0) continue;
        const float cost = cost_of(below) + cost_of(above[i]);
        if (cost < best_cost) {
            best_cost = cost;
            best.bin = i;
            best.below = below;
        }
    }
    if (best.bin != 0) best.above = above[best.bin];
    return best;
}

// Those of the first bins to the front. Without a branch: its outcome is a coin's.
void partition(BoxRecord* records, const Range& range, const BinOf& bin_of, int bin) {
    const auto bin_limit = static_cast<float>(bin);
    BoxRecord* others = records + range.begin;
    for (BoxRecord* record = others; record != records + range.end; ++record) {
        const bool is_below = bin_of(*record) < bin_limit;
        const BoxRecord moved = *record;
        *record = *others;
        *others = moved;
        others += is_below ? 1 : 0;
    }
}

// The part behind the cut; `state_range` becomes the part before it. The budget is shared by need.
Range divide(Range& state_range, std::size_t cut, const Bounds& centers_before,
             const Bounds& centers_behind) {
    const std::size_t part = capacity(state_range.level);
    Range behind = state_range;
    behind.begin = cut;
    behind.centers = centers_behind;
    state_range.end = cut;
    state_range.centers = centers_before;
    const std::size_t needed_before = parts_needed(state_range.count(), part);
    const std::size_t needed = needed_before + parts_needed(behind.count(), part);
    const std::size_t spare = state_range.part_count_max - needed;
    state_range.part_count_max = needed_before + spare * needed_before / needed;
    behind.part_count_max -= state_range.part_count_max;
    return behind;
}

// A cut at a whole number of full parts, as near as may be to a place. The index breaks ties, so it is
// defined which records are on which side, even where all centers are equal.
Range divide_full_parts(BoxRecord* records, Range& state_range, int axis, std::size_t wanted_count) {
    const std::size_t part = capacity(state_range.level);
    const std::size_t full = std::clamp<std::size_t>((wanted_count + part / 2) / part, 1,
                                                     parts_needed(state_range.count(), part) - 1);
    const std::size_t cut = state_range.begin + full * part;
    std::nth_element(records + state_range.begin, records + cut, records + state_range.end,
                     [axis](const BoxRecord& a, const BoxRecord& b) {
                         const float center_a = center_on(a, axis);
                         const float center_b = center_on(b, axis);
                         return (center_a < center_b) | ((center_a == center_b) & (a.index() < b.index()));
                     });
    return divide(state_range, cut, measured(records, state_range.begin, cut),
                  measured(records, cut, state_range.end));
}

// Of a range that is too large for one part.
Range split(BoxRecord* records, Range& state_range) {
    const int axis = longest_axis(state_range.centers);
    const std::size_t part = capacity(state_range.level);
    if (!BinOf::is_possible(state_range.centers, axis))
        return divide_full_parts(records, state_range, axis, state_range.count() / 2);
    const BinOf bin_of(state_range.centers, axis);
    const BinCut best = best_cut(records, state_range, bin_of);
    if (best.bin == 0) return divide_full_parts(records, state_range, axis, state_range.count() / 2);
    if (parts_needed(best.below.count, part) + parts_needed(best.above.count, part) >
        state_range.part_count_max) {
        return divide_full_parts(records, state_range, axis, best.below.count);
    }
    partition(records, state_range, bin_of, best.bin);
    return divide(state_range, state_range.begin + best.below.count, best.below.centers, best.above.centers);
}

// The indices of a leaf in ascending order: each goes to the place that is the number of smaller ones.
void sort_leaf(BoxRecord* records, std::size_t count) {
    std::uint32_t indices[kNodeWidth];
    for (std::size_t i = 0; i < kNodeWidth; ++i) indices[i] = i < count ? records[i].index() : kNoBox;
    std::uint32_t places[kNodeWidth] = {};
    for (std::size_t i = 0; i < kNodeWidth; ++i) {
        for (std::size_t j = 0; j < kNodeWidth; ++j) places[j] += indices[i] < indices[j] ? 1u : 0u;
    }
    for (std::size_t i = 0; i < count; ++i) records[places[i]].set_index(indices[i]);
}

struct Sorting {
    BoxRecord* records;
    std::uint8_t* levels;

    // Down to the level at which a range has to be cut. False when there is none.
    bool settle(Range& state_range) const {
        while (state_range.count() <= capacity(state_range.level)) {
            std::uint8_t& levels_here = levels[state_range.begin];
            levels_here =
                std::max<std::uint8_t>(levels_here, static_cast<std::uint8_t>(state_range.level + 1));
            if (state_range.level == 0) {
                sort_leaf(records + state_range.begin, state_range.count());
                return false;
            }
            --state_range.level;
            state_range.part_count_max =
                parts_allowed(parts_needed(state_range.count(), capacity(state_range.level)));
        }
        return true;
    }

    void order(Range range) const {
        while (settle(range)) {
            const Range behind = split(records, range);
            order(range);
            range = behind;
        }
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

// A root may have to hold one part more than boxes need, of those that stand apart.
std::uint32_t tree_height(std::size_t member_count) noexcept {
    if (member_count <= kNodeWidth) return 0;
    std::uint32_t height = 1;
    while (parts_needed(member_count, capacity(height - 1)) + 1 > kNodeWidth) ++height;
    return height;
}

std::size_t family_count_max(std::size_t member_count) noexcept {
    // That of the root and the one above.
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
        out_levels[0] = 1;
        return;
    }
    const std::size_t part = capacity(height - 1);
    const std::size_t usual_needed = parts_needed(usual_count, part);
    const std::size_t other_needed = parts_needed(members.count - usual_count, part);
    const std::size_t allowed = parts_allowed(usual_needed + other_needed);
    const auto order = [&](std::size_t begin, std::size_t end, std::size_t part_count_max) {
        if (begin == end) return;
        const Range range = {begin, end, measured(out_records, begin, end), height - 1, part_count_max};
        if (runner == nullptr || end - begin < kTaskedCountMin) {
            sorting.order(range);
        } else {
            sorting.order_in_tasks(range, runner);
        }
    };
    order(0, usual_count, usual_count != 0 ? allowed - other_needed : 0);
    order(usual_count, members.count, other_needed);
    out_levels[0] = static_cast<std::uint8_t>(height + 1);
}

}  // namespace broadside::broadphase
