// Building blocks of the sorting of boxes into a tree, at once or a little at a time: records, ranges of
// them, and the cuts of a range in two.
#pragma once

#include "broadphase/src/order/order.hpp"

#include <algorithm>

namespace broadside::broadphase::ordering {

// Boxes whose longest edge is more than this many times that of the middle box are set apart: from about
// there on a box stretches its leaf by more than the leaf's own size. Scenes whose sizes spread like a
// log-normal over a factor of 20 stay together. With 8 a few towers of a city were among its houses, and a
// ray visited 3.6 nodes instead of 3.3 (10,000 boxes). With 4 scenes of mixed sizes come apart, and it visits
// 4.1 instead of 2.9.
inline constexpr float kLargeFactor = 6.0f;
// Most full parts of the level below in a node; the rest of its lanes is room for cuts where surfaces are
// small instead of where lanes are full. With 12 there are 5 % more leaves and no fewer steps (pile, 10,000);
// with 15 up to 5 % more steps.
inline constexpr std::size_t kFilledLanes = 13;
// This share of the parts that a node must have may be added for better cuts.
inline constexpr std::size_t kSpareParts = 4;

// Most boxes of a node this many levels above the leaves.
inline std::size_t capacity(std::uint32_t level) {
    std::size_t count = kNodeWidth;
    for (; level > 0; --level) count *= kFilledLanes;
    return count;
}
inline std::size_t parts_needed(std::size_t count, std::size_t part) { return (count + part - 1) / part; }
inline std::size_t parts_allowed(std::size_t needed) {
    return std::min<std::size_t>(kNodeWidth, needed + std::max<std::size_t>(1, needed / kSpareParts));
}

inline float longest_edge(const Aabb& box) {
    const Vec3 edges = size(box);
    return min_keep(max_keep(max_keep(edges.x, edges.y), edges.z), FLT_MAX);
}

inline float clamped(float coordinate) {
    return min_keep(max_keep(coordinate, -kCoordinateMax), kCoordinateMax);
}

inline BoxRecord record_of(const Aabb& box, std::uint32_t index) {
    BoxRecord record = {{clamped(box.min.x), clamped(box.min.y), clamped(box.min.z), 0.0f},
                        {clamped(box.max.x), clamped(box.max.y), clamped(box.max.z), 0.0f}};
    record.set_index(index);
    return record;
}

// Loops over four lanes are one instruction each.
struct Bounds {
    float min[4] = {FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX};
    float max[4] = {-FLT_MAX, -FLT_MAX, -FLT_MAX, -FLT_MAX};

    BROADSIDE_FORCE_INLINE void add(const float* other_min, const float* other_max) {
        // Read before anything is written, because for all a compiler knows the two are the same memory.
        float low[4];
        float high[4];
        for (int lane = 0; lane < 4; ++lane) low[lane] = min_keep(other_min[lane], min[lane]);
        for (int lane = 0; lane < 4; ++lane) high[lane] = max_keep(other_max[lane], max[lane]);
        for (int lane = 0; lane < 4; ++lane) min[lane] = low[lane];
        for (int lane = 0; lane < 4; ++lane) max[lane] = high[lane];
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
inline float center_on(const BoxRecord& record, int axis) { return record.min[axis] + record.max[axis]; }

// Bounds of boxes and of their centers.
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

inline int longest_axis(const Bounds& bounds) {
    const float x = bounds.max[0] - bounds.min[0];
    const float y = bounds.max[1] - bounds.min[1];
    const float z = bounds.max[2] - bounds.min[2];
    if (x >= y && x >= z) return 0;
    return y >= z ? 1 : 2;
}

// Adds the centers of records `begin` to `end` to the bounds.
inline void measure(const BoxRecord* records, std::size_t begin, std::size_t end, Bounds& state_centers) {
    Bounds centers = state_centers;
    for (std::size_t i = begin; i < end; ++i) {
        float center[4];
        for (int lane = 0; lane < 4; ++lane) center[lane] = records[i].min[lane] + records[i].max[lane];
        centers.add(center, center);
    }
    state_centers = centers;
}
inline Bounds measured(const BoxRecord* records, std::size_t begin, std::size_t end) {
    Bounds centers;
    measure(records, begin, end, centers);
    return centers;
}

inline constexpr int kCutBinCount = 16;

// The bin of every center on an axis.
struct BinOf {
    int axis = 0;
    float begin = 0.0f;
    float bins_per_unit = 0.0f;

    BinOf() = default;
    // The scale keeps results below kCutBinCount.
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

// The records on one side of a cut.
struct CutSide {
    Bounds centers;
    std::size_t count = 0;
};
// A cut of the bins: how many are below it, and its two sides. 0 means none.
struct BinCut {
    int bin = 0;
    CutSide below;
    CutSide above;
};

// Puts records `begin` to `end` into their bins.
inline void fill_bins(const BoxRecord* records, std::size_t begin, std::size_t end, const BinOf& bin_of,
                      BoxesBounds* state_bins) {
    for (std::size_t i = begin; i < end; ++i)
        state_bins[static_cast<int>(bin_of(records[i]))].add(records[i]);
}

inline CutSide joined_bins(const BoxesBounds* bins, int begin, int end) {
    CutSide side;
    for (int i = begin; i < end; ++i) {
        side.centers.add(bins[i].centers);
        side.count += bins[i].count;
    }
    return side;
}

// The cheapest cut, the first of equals.
inline BinCut best_cut(const BoxesBounds* bins) {
    const auto cost_of = [](const Bounds& boxes, std::size_t count) {
        return boxes.surface() *
               static_cast<float>(static_cast<std::int64_t>(parts_needed(count, kNodeWidth)));
    };
    // For bin `i` and those behind it.
    float costs_above[kCutBinCount];
    std::size_t counts_above[kCutBinCount];
    Bounds boxes;
    std::size_t count = 0;
    for (int i = kCutBinCount - 1; i > 0; --i) {
        boxes.add(bins[i].boxes);
        count += bins[i].count;
        costs_above[i] = cost_of(boxes, count);
        counts_above[i] = count;
    }
    boxes = {};
    count = 0;
    int best = 0;
    float best_cost = FLT_MAX;
    for (int i = 1; i < kCutBinCount; ++i) {
        boxes.add(bins[i - 1].boxes);
        count += bins[i - 1].count;
        if (count == 0 || counts_above[i] == 0) continue;
        const float cost = cost_of(boxes, count) + costs_above[i];
        best = cost < best_cost ? i : best;
        best_cost = min_keep(cost, best_cost);
    }
    if (best == 0) return {};
    return {best, joined_bins(bins, 0, best), joined_bins(bins, best, kCutBinCount)};
}

// Moves the records up to `end` for which `is_below` is true to the front; those from `others` to `begin` are
// known to be above. Returns the begin of those above. Without a branch: the outcome is a coin toss.
template <class IsBelow>
inline std::size_t partition(BoxRecord* records, std::size_t others, std::size_t begin, std::size_t end,
                             IsBelow&& is_below) {
    BoxRecord* first_other = records + others;
    for (BoxRecord* record = records + begin; record != records + end; ++record) {
        const bool goes_below = is_below(*record);
        const BoxRecord moved = *record;
        *record = *first_other;
        *first_other = moved;
        first_other += goes_below ? 1 : 0;
    }
    return static_cast<std::size_t>(first_other - records);
}

// Returns the part behind the cut; `state_range` becomes the part before it. The budget is shared by need.
inline Range divide(Range& state_range, std::size_t cut, const Bounds& centers_before,
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

// The cut at a whole number of full parts that is nearest to the wanted count.
inline std::size_t full_parts_cut(const Range& range, std::size_t wanted_count) {
    const std::size_t part = capacity(range.level);
    const std::size_t full =
        std::clamp<std::size_t>((wanted_count + part / 2) / part, 1, parts_needed(range.count(), part) - 1);
    return range.begin + full * part;
}

// The index breaks ties, so the sides of the records are defined even if all centers are equal.
struct CenterOrder {
    int axis;
    bool operator()(const BoxRecord& a, const BoxRecord& b) const {
        const float center_a = center_on(a, axis);
        const float center_b = center_on(b, axis);
        return (center_a < center_b) | ((center_a == center_b) & (a.index() < b.index()));
    }
};

// Whether the two sides of a cut fit into the parts that the range may become.
inline bool fits(const Range& range, const BinCut& cut) {
    const std::size_t part = capacity(range.level);
    return parts_needed(cut.below.count, part) + parts_needed(cut.above.count, part) <= range.part_count_max;
}

// Lowers the range to the level at which it must be cut. Returns false if it is a leaf.
inline bool settle(Range& state_range, std::uint8_t* levels) {
    const std::size_t count = state_range.count();
    const std::uint32_t level = state_range.level;
    if (count > capacity(level)) return true;
    while (state_range.level > 0 && count <= capacity(state_range.level - 1)) --state_range.level;
    // A part of this range begins with the same record, but its node is one below this range's.
    std::uint8_t& levels_here = levels[state_range.begin];
    if (levels_here == 0) levels_here = begun_levels(level, std::max(state_range.level, std::min(level, 1u)));
    if (state_range.level == 0) return false;
    --state_range.level;
    state_range.part_count_max = parts_allowed(parts_needed(count, capacity(state_range.level)));
    return true;
}

// The ranges of the usual boxes and of the others, which may have no records, and the level of the root.
struct WholeRanges {
    Range usual;
    Range others;
    std::uint32_t height;
};
inline WholeRanges whole_ranges(std::size_t usual_count, std::size_t count) {
    const std::uint32_t height = tree_height(count);
    const std::size_t part = capacity(height - 1);
    const std::size_t usual_needed = parts_needed(usual_count, part);
    const std::size_t other_needed = parts_needed(count - usual_count, part);
    const std::size_t allowed = parts_allowed(usual_needed + other_needed);
    return {{0, usual_count, {}, height - 1, usual_count != 0 ? allowed - other_needed : 0},
            {usual_count, count, {}, height - 1, other_needed},
            height};
}

}  // namespace broadside::broadphase::ordering
