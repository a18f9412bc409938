// A median split of the longest axis, again and again, at places that are whole numbers of full nodes.
#include "broadphase/src/tree/order.hpp"

#include "broadphase/src/tree/view.hpp"
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
// Ranges that the first rounds of splits make for the tasks, and the count below which tasks do not pay.
constexpr std::size_t kTaskRangeCount = 64;
constexpr std::size_t kTaskedCountMin = 4096;
constexpr std::size_t kRecordChunk = 8192;

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

enum class BoxClass : std::uint8_t { usual, large, invalid };

BoxClass class_of(const Aabb& box, float large_size) {
    if (!is_valid(box)) return BoxClass::invalid;
    return longest_edge(box) <= large_size ? BoxClass::usual : BoxClass::large;
}

// How many boxes of each class.
struct ClassCounts {
    std::size_t usual = 0;
    std::size_t large = 0;
    std::size_t invalid = 0;
};

// Usual boxes, large ones, invalid ones; each class by index.
ClassCounts make_records(const BoxSoaView& boxes, const TreeMembers& members, CenterRecord* out_records) {
    const float size_limit = large_size(boxes, members);
    ClassCounts counts;
    const auto put = [&](std::size_t place, std::uint32_t index, const Aabb& box) {
        out_records[place] = {{clamped_center(box.min.x, box.max.x), clamped_center(box.min.y, box.max.y),
                               clamped_center(box.min.z, box.max.z)},
                              index};
    };
    for (std::size_t i = 0; i < members.count; ++i) {
        const Aabb box = boxes[members[i]];
        if (class_of(box, size_limit) == BoxClass::usual) put(counts.usual++, members[i], box);
    }
    if (counts.usual == members.count) return counts;
    for (std::size_t i = 0; i < members.count; ++i) {
        const Aabb box = boxes[members[i]];
        if (class_of(box, size_limit) == BoxClass::large) put(counts.usual + counts.large++, members[i], box);
    }
    if (counts.usual + counts.large == members.count) return counts;
    for (std::size_t i = 0; i < members.count; ++i) {
        if (!is_valid(boxes[members[i]])) {
            out_records[counts.usual + counts.large + counts.invalid++] = {{}, members[i]};
        }
    }
    return counts;
}

// Records whose order within the range is still open. `capacity` is the largest power of kNodeWidth at whose
// multiples it may yet be cut. The corners hold the centers: tightly when a range begins a node, afterwards
// as the cuts have left them.
struct Range {
    std::size_t begin;
    std::size_t end;
    std::size_t capacity;
    Vec3 min;
    Vec3 max;
    bool has_corners;
};

// The multiple of the capacity inside the range that is nearest its middle, after lowering the capacity until
// there is one; 0 when the range is within one leaf.
std::size_t next_cut(Range& state_range) {
    for (; state_range.capacity >= kNodeWidth; state_range.capacity /= kNodeWidth) {
        const std::size_t first = state_range.begin / state_range.capacity + 1;
        const std::size_t last = (state_range.end - 1) / state_range.capacity;
        if (first <= last) return (first + last) / 2 * state_range.capacity;
        state_range.has_corners = false;
    }
    return 0;
}

void measure(const CenterRecord* records, Range& state_range) {
    const auto center = [records](std::size_t i) {
        return Vec3{records[i].center[0], records[i].center[1], records[i].center[2]};
    };
    Vec3 min = center(state_range.begin);
    Vec3 max = min;
    for (std::size_t i = state_range.begin + 1; i < state_range.end; ++i) {
        min = min_keep(center(i), min);
        max = max_keep(center(i), max);
    }
    state_range.min = min;
    state_range.max = max;
    state_range.has_corners = true;
}

int longest_axis(const Range& range) {
    const Vec3 span = range.max - range.min;
    if (span.x >= span.y && span.x >= span.z) return 0;
    return span.y >= span.z ? 1 : 2;
}
float& component(Vec3& vector, int axis) { return axis == 0 ? vector.x : axis == 1 ? vector.y : vector.z; }

// The order along an axis. The index breaks ties, so it is defined which records are on which side of a cut,
// even where all centers are equal. Without a branch: its outcome is a coin's.
struct AxisOrder {
    int axis;
    bool operator()(const CenterRecord& a, const CenterRecord& b) const {
        const float center_a = a.center[axis];
        const float center_b = b.center[axis];
        return (center_a < center_b) | ((center_a == center_b) & (a.index < b.index));
    }
};

// Those before the pivot to the front; the answer is where the others begin.
CenterRecord* partition(CenterRecord* begin, CenterRecord* end, const CenterRecord& pivot, AxisOrder order) {
    CenterRecord* others = begin;
    for (CenterRecord* record = begin; record != end; ++record) {
        const CenterRecord moved = *record;
        *record = *others;
        *others = moved;
        others += order(moved, pivot) ? 1 : 0;
    }
    return others;
}

// The records that come before the one at `cut` in front of it, as std::nth_element would have it: closes in
// on it from both sides with pivots from a sample, chosen so that it is nearly sure to be between them (after
// R. Floyd and R. Rivest, "Expected time bounds for selection", 1975). Only the sides are defined, not the
// order within.
void select(CenterRecord* begin, CenterRecord* cut, CenterRecord* end, AxisOrder order) {
    constexpr std::ptrdiff_t kSampleMax = 64;
    constexpr std::ptrdiff_t kFew = 32;
    for (int round = 0; round < 24 && end - begin > kFew; ++round) {
        const std::ptrdiff_t sample_count = end - begin > 2048 ? kSampleMax : end - begin > 128 ? 15 : 7;
        const std::ptrdiff_t margin = sample_count / 12;
        CenterRecord sample[kSampleMax];
        for (std::ptrdiff_t i = 0; i < sample_count; ++i) sample[i] = begin[(end - begin) * i / sample_count];
        std::sort(sample, sample + sample_count, order);
        const std::ptrdiff_t rank = (cut - begin) * sample_count / (end - begin);
        if (rank + margin < sample_count) {
            CenterRecord* const middle = partition(begin, end, sample[rank + margin], order);
            if (cut < middle) {
                end = middle;
            } else {
                begin = middle;
                continue;
            }
        }
        if (rank >= margin) {
            CenterRecord* const middle = partition(begin, end, sample[rank - margin], order);
            if (cut < middle) {
                end = middle;
            } else {
                begin = middle;
            }
        }
    }
    std::nth_element(begin, cut, end, order);
}

// The smaller centers in front of the cut; `state_range` becomes the part before it, the answer is the one
// behind.
Range split(CenterRecord* records, Range& state_range, std::size_t cut) {
    if (!state_range.has_corners) measure(records, state_range);
    const int axis = longest_axis(state_range);
    select(records + state_range.begin, records + cut, records + state_range.end, {axis});
    Range behind = state_range;
    behind.begin = cut;
    state_range.end = cut;
    component(behind.min, axis) = records[cut].center[axis];
    component(state_range.max, axis) = records[cut].center[axis];
    return behind;
}

void order_range(CenterRecord* records, Range range) {
    for (;;) {
        const std::size_t cut = next_cut(range);
        if (cut == 0) return;
        const Range behind = split(records, range, cut);
        order_range(records, range);
        range = behind;
    }
}

// Splits ranges in rounds, all of a round side by side, until there are enough to be ordered side by side.
void order_range_in_tasks(CenterRecord* records, const Range& whole, const TaskRunner* runner) {
    Range ranges[kTaskRangeCount] = {whole};
    std::size_t cuts[kTaskRangeCount];
    std::size_t count = 1;
    while (count * 2 <= kTaskRangeCount) {
        for (std::size_t i = 0; i < count; ++i) cuts[i] = next_cut(ranges[i]);
        Range* const behind = ranges + count;
        run_tasks(runner, static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
            BROADSIDE_ZONE("box tree/split task");
            if (cuts[i] != 0) behind[i] = split(records, ranges[i], cuts[i]);
        });
        std::size_t kept = count;
        for (std::size_t i = 0; i < count; ++i) {
            if (cuts[i] != 0) ranges[kept++] = behind[i];
        }
        if (kept == count) break;
        count = kept;
    }
    run_tasks(runner, static_cast<std::uint32_t>(count), [&](std::uint32_t i) {
        BROADSIDE_ZONE("box tree/order task");
        order_range(records, ranges[i]);
    });
}

// Indices of a leaf in ascending order: each goes to the place that is the number of smaller ones.
void write_leaf(const CenterRecord* records, std::size_t count, std::uint32_t* out_indices) {
    std::uint32_t indices[kNodeWidth];
    for (std::size_t i = 0; i < kNodeWidth; ++i) indices[i] = i < count ? records[i].index : kNoBox;
    std::uint32_t places[kNodeWidth] = {};
    for (std::size_t i = 0; i < kNodeWidth; ++i) {
        for (std::size_t j = 0; j < kNodeWidth; ++j) places[j] += indices[i] < indices[j] ? 1u : 0u;
    }
    for (std::size_t i = 0; i < kNodeWidth; ++i) out_indices[i] = kNoBox;
    for (std::size_t i = 0; i < count; ++i) out_indices[places[i]] = indices[i];
}

}  // namespace

void order_boxes(const BoxSoaView& boxes, const TreeMembers& members, const TaskRunner* runner,
                 CenterRecord* records, std::uint32_t* out_indices) noexcept {
    BROADSIDE_ZONE("box tree/order");
    const ClassCounts counts = make_records(boxes, members, records);
    std::size_t capacity = kNodeWidth;
    while (capacity < members.count) capacity *= kNodeWidth;
    const auto order = [&](std::size_t begin, std::size_t end) {
        if (begin == end) return;
        const Range range = {begin, end, capacity, {}, {}, false};
        if (runner == nullptr || end - begin < kTaskedCountMin) {
            order_range(records, range);
        } else {
            order_range_in_tasks(records, range, runner);
        }
    };
    order(0, counts.usual);
    order(counts.usual, counts.usual + counts.large);
    run_chunks(runner, members.count, kRecordChunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/indices task");
        for (std::size_t leaf = begin; leaf < end; leaf += kNodeWidth) {
            write_leaf(records + leaf, std::min<std::size_t>(kNodeWidth, end - leaf), out_indices + leaf);
        }
    });
}

}  // namespace broadside::broadphase
