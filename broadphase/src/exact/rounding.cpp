// Chooses the maps by a sample, lists the numbers of those by rank, and rounds.
#include "broadphase/src/exact/rounding.hpp"

#include "broadphase/src/exact/kernels.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <atomic>

namespace broadside::broadphase {
namespace {

constexpr std::size_t kNumberSampleMax = 2 * kSampleCountMax;
// If one in this many different numbers of the sample has the float of its neighbour, an offset is tried and
// then pieces. If one in kCoarseShare still has, numbers are listed: sorting costs more than comparing some
// pairs again.
constexpr std::size_t kFineShare = 256;
constexpr std::size_t kCoarseShare = 64;
constexpr std::size_t kRoundedBlock = 256;

// The different numbers of an axis among sampled boxes, ascending.
template <class Number>
std::size_t sample_numbers(ExactSets<Number> sets, std::uint32_t axis, Number* out_numbers) {
    const std::size_t first_count = sets[0]->count;
    const std::size_t total = first_count + (sets.size() == 2 ? sets[1]->count : 0);
    std::size_t count = 0;
    for_each_sampled_index(total, kSampleCountMax, [&](std::size_t index) {
        const ExactBoxView<Number>& boxes = index < first_count ? *sets[0] : *sets[1];
        const std::size_t in_set = index < first_count ? index : index - first_count;
        if (!is_valid_box(boxes, in_set)) return;
        out_numbers[count++] = min_side(boxes, axis)[in_set * boxes.stride];
        out_numbers[count++] = max_side(boxes, axis)[in_set * boxes.stride];
    });
    std::sort(out_numbers, out_numbers + count);
    return static_cast<std::size_t>(std::unique(out_numbers, out_numbers + count) - out_numbers);
}

// The axes on which most boxes of a sample are so long that floats tell their begin and end to a 256th of the
// length. Few pairs then overlap as floats alone, which is known without sorting the numbers.
template <class Number>
std::uint32_t fine_axes(ExactSets<Number> sets) {
    std::size_t valid_count = 0;
    std::size_t coarse_counts[3] = {};
    for (const ExactBoxView<Number>* set : sets) {
        for_each_sampled_index(set->count, kSampleCountMax, [&](std::size_t index) {
            if (!is_valid_box(*set, index)) return;
            ++valid_count;
            for (std::uint32_t axis = 0; axis < set->axis_count; ++axis) {
                const auto min = static_cast<double>(min_side(*set, axis)[index * set->stride]);
                const auto max = static_cast<double>(max_side(*set, axis)[index * set->stride]);
                const double largest = std::max(std::fabs(min), std::fabs(max));
                // Floats are as far apart as 2^-24 of their value. No length is fine beside an infinite side.
                const bool is_fine = max - min >= largest * 0x1p-16 &&
                                     largest < static_cast<double>(FLT_MAX) &&
                                     largest > static_cast<double>(FLT_MIN) * 0x1p24;
                coarse_counts[axis] += is_fine ? 0u : 1u;
            }
        });
    }
    std::uint32_t axes = 0;
    for (std::uint32_t axis = 0; axis < 3; ++axis)
        axes |= (coarse_counts[axis] * kCoarseShare <= valid_count ? 1u : 0u) << axis;
    return axes;
}

template <class Number>
bool is_finite_number(Number number) {
    return number <= std::numeric_limits<Number>::max() && number >= std::numeric_limits<Number>::lowest();
}

// Counts the numbers that have the float of the one before.
template <class Number>
std::size_t count_equal(const AxisMap<Number>& map, const Number* numbers, std::size_t count) {
    std::size_t equal_count = 0;
    bool is_lossy = false;
    for (std::size_t i = 1; i < count; ++i) {
        if (map.at(numbers[i - 1], is_lossy) == map.at(numbers[i], is_lossy)) ++equal_count;
    }
    return equal_count;
}

// Floats for a gap, of 1 for all numbers: gaps should hold no box.
constexpr double kGapLength = 1.0 / 4096;

// Makes the map that cuts the axis at both ends of the `gap_count` widest gaps, and gives each cluster floats
// in proportion to its numbers in the sample.
template <class Number>
void cut_at_gaps(const Number* numbers, std::size_t count, std::uint32_t gap_count,
                 AxisMap<Number>& out_map) {
    std::uint32_t gaps[kNumberSampleMax];
    for (std::uint32_t i = 0; i + 1 < count; ++i) gaps[i] = i;
    const auto width = [&](std::uint32_t gap) {
        return AxisMap<Number>::distance(numbers[gap], numbers[gap + 1]);
    };
    const auto is_wider = [&](std::uint32_t a, std::uint32_t b) {
        return width(a) > width(b) || (width(a) == width(b) && a < b);
    };
    std::nth_element(gaps, gaps + gap_count - 1, gaps + count - 1, is_wider);
    std::sort(gaps, gaps + gap_count);
    double base = 0;
    out_map.piece_count = 0;
    const auto add = [&](std::size_t begin, std::size_t end, double length) {
        // No scale is zero, infinite or NaN, however far or near the ends are.
        const double scale = length / AxisMap<Number>::distance(numbers[begin], numbers[end]);
        out_map.pieces[out_map.piece_count++] = {numbers[begin], std::min(std::max(scale, DBL_MIN), DBL_MAX),
                                                 base};
        base += length;
    };
    std::size_t begin = 0;
    for (std::uint32_t i = 0; i <= gap_count; ++i) {
        const std::size_t end = i < gap_count ? gaps[i] : count - 1;
        // A cluster of one number has no length of its own.
        const double share = static_cast<double>(end - begin + 1) / static_cast<double>(count);
        if (end > begin) add(begin, end, share);
        if (i < gap_count) add(end, end + 1, kGapLength);
        begin = end + 1;
    }
}

template <class Number>
AxisMap<Number> choose_map(const Number* numbers, std::size_t count) {
    const AxisMap<Number> plain;
    const std::size_t equal_count = count_equal(plain, numbers, count);
    if (equal_count * kFineShare <= count) return plain;
    // The offset is a number that many are near, so that a few far ones do not matter. Infinity is no offset.
    AxisMap<Number> by_offset;
    by_offset.offset = numbers[count / 2];
    const std::size_t equal_by_offset =
        is_finite_number(by_offset.offset) ? count_equal(by_offset, numbers, count) : equal_count;
    if (equal_by_offset * kFineShare <= count) return by_offset;
    AxisMap<Number> best = equal_by_offset < equal_count ? by_offset : plain;
    std::size_t best_count = std::min(equal_by_offset, equal_count);
    const std::size_t finite_begin = is_finite_number(numbers[0]) ? 0 : 1;
    const std::size_t finite_count = count - finite_begin - (is_finite_number(numbers[count - 1]) ? 0 : 1);
    for (std::uint32_t gap_count = 1; gap_count <= kAxisPieceMax / 2 && gap_count + 1 < finite_count;
         gap_count = 2 * gap_count + 1) {
        AxisMap<Number> by_pieces;
        cut_at_gaps(numbers + finite_begin, finite_count, gap_count, by_pieces);
        const std::size_t equal_by_pieces = count_equal(by_pieces, numbers, count);
        if (equal_by_pieces >= best_count) continue;
        best = by_pieces;
        best_count = equal_by_pieces;
        if (best_count * kFineShare <= count) return best;
    }
    if (best_count * kCoarseShare <= count) return best;
    static constexpr Number kNone[1] = {};
    AxisMap<Number> by_rank;
    by_rank.listed = kNone;
    return by_rank;
}

// Rounds the sides on one axis one by one, by any map.
template <class Number>
RoundingMarks round_each(const AxisSides<Number>& sides, const AxisMap<Number>& map, float* out_min,
                         float* out_max) {
    RoundingMarks marks;
    for (std::size_t i = 0; i < sides.count; ++i) {
        const Number min = sides.min[i * sides.stride];
        const Number max = sides.max[i * sides.stride];
        out_min[i] = map.at(min, marks.is_lossy);
        out_max[i] = map.at(max, marks.is_lossy);
        marks.has_invalid |= !is_valid_side(min, max);
    }
    return marks;
}

// Returns whether floats leave pairs of these boxes undecided.
template <class Number>
bool round_block(const ExactBoxView<Number>& boxes, const AxisMaps<Number>& maps,
                 const RoundingKernel<Number>& kernel, std::size_t begin, std::size_t count,
                 const RoundedArrays& out_arrays) {
    bool is_lossy = false;
    bool has_invalid = false;
    const std::size_t first = begin * boxes.stride;
    for (std::uint32_t axis = 0; axis < boxes.axis_count; ++axis) {
        const AxisSides<Number> sides = {min_side(boxes, axis) + first, max_side(boxes, axis) + first,
                                         boxes.stride, count};
        const AxisMap<Number>& map = maps.axes[axis];
        float* const min = out_arrays.min[axis] + begin;
        float* const max = out_arrays.max[axis] + begin;
        const bool is_plain = map.piece_count == 0 && !map.is_by_rank();
        RoundingMarks marks = {.is_beyond = true};
        if (is_plain) marks = kernel.round(sides, map.offset, min, max);
        if (marks.is_beyond) marks = round_each(sides, map, min, max);
        is_lossy |= marks.is_lossy;
        has_invalid |= marks.has_invalid;
    }
    for (std::size_t i = begin; has_invalid && i < begin + count; ++i) {
        if (is_valid_box(boxes, i)) continue;
        out_arrays.min[0][i] = Aabb::empty().min.x;
        out_arrays.max[0][i] = Aabb::empty().max.x;
    }
    return is_lossy;
}

}  // namespace

template <class Number>
void choose_maps(ExactSets<Number> sets, AxisMaps<Number>& out_maps) noexcept {
    if constexpr (!std::is_same_v<Number, float>) {
        Number numbers[kNumberSampleMax];
        const std::uint32_t fine = fine_axes(sets);
        for (std::uint32_t axis = 0; axis < sets[0]->axis_count; ++axis) {
            if ((fine >> axis & 1u) != 0) continue;
            const std::size_t count = sample_numbers(sets, axis, numbers);
            if (count != 0) out_maps.axes[axis] = choose_map(numbers, count);
        }
    }
}

template <class Number>
void list_numbers(ExactSets<Number> sets, std::uint32_t axis, Number* out_numbers,
                  AxisMap<Number>& out_map) noexcept {
    std::size_t count = 0;
    for (const ExactBoxView<Number>* set : sets) {
        for (std::size_t i = 0; i < set->count; ++i) {
            if (!is_valid_box(*set, i)) continue;
            out_numbers[count++] = min_side(*set, axis)[i * set->stride];
            out_numbers[count++] = max_side(*set, axis)[i * set->stride];
        }
    }
    std::sort(out_numbers, out_numbers + count);
    out_map.listed = out_numbers;
    out_map.listed_count =
        static_cast<std::size_t>(std::unique(out_numbers, out_numbers + count) - out_numbers);
}

template <class Number>
bool round_boxes(const ExactBoxView<Number>& boxes, const AxisMaps<Number>& maps, const TaskRunner* runner,
                 const RoundedArrays& out_arrays) noexcept {
    BROADSIDE_ZONE("exact/round");
    const RoundingKernels* const kernels = simd::active_kernels<RoundingKernels>();
    if (kernels == nullptr) return false;
    std::atomic<bool> is_lossy{false};
    const std::size_t chunk = thresholds().tasks.exact_boxes_per_task;
    run_chunks(runner, boxes.count, chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("exact/round task");
        for (std::size_t block = begin; block < end; block += kRoundedBlock) {
            const std::size_t count = std::min(kRoundedBlock, end - block);
            if (round_block<Number>(boxes, maps, *kernels, block, count, out_arrays))
                is_lossy.store(true, std::memory_order_relaxed);
        }
    });
    return is_lossy.load(std::memory_order_relaxed);
}

#define BROADSIDE_ROUNDING(Number)                                                          \
    template void choose_maps<Number>(ExactSets<Number>, AxisMaps<Number>&) noexcept;       \
    template void list_numbers<Number>(ExactSets<Number>, std::uint32_t, Number*,           \
                                       AxisMap<Number>&) noexcept;                          \
    template bool round_boxes<Number>(const ExactBoxView<Number>&, const AxisMaps<Number>&, \
                                      const TaskRunner*, const RoundedArrays&) noexcept;
BROADSIDE_ROUNDING(float)
BROADSIDE_ROUNDING(double)
BROADSIDE_ROUNDING(std::int32_t)
BROADSIDE_ROUNDING(std::int64_t)

}  // namespace broadside::broadphase
