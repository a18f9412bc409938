// Takes the sample, and chooses the sweep by it.
#include "broadphase/src/sweep/axis_choice.hpp"

#include "broadphase/src/lists/box_sample.hpp"

#include <algorithm>
#include <cfloat>

namespace broadside::broadphase {
namespace {

// A sweep tests the pairs that meet on its axis. If none of the 130,816 pairs of a full sample does, about
// one in a hundred thousand among all boxes may: few enough even for a million boxes. Small sets get by with
// fewer, because the sample must not cost more than the sweep.
constexpr std::size_t kBoxesPerSweepSample = 32;

struct SweepSample {
    std::uint32_t indices[kSampleCountMax];
    std::size_t count = 0;
};

// The box sides of a sample along one axis, each sorted on its own.
struct SampleSides {
    float min[kSampleCountMax];
    float max[kSampleCountMax];
    std::size_t count = 0;
};

SweepSample sample_boxes(const BoxSoaView& boxes) {
    SweepSample sample;
    for_each_sampled_index(boxes.count, sample_count(boxes.count, kBoxesPerSweepSample),
                           [&](std::size_t index) {
                               if (is_valid(boxes[index]))
                                   sample.indices[sample.count++] = static_cast<std::uint32_t>(index);
                           });
    return sample;
}

void sort_sides(const BoxSoaView& boxes, const SweepSample& sample, int axis, SampleSides& out_sides) {
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    out_sides.count = sample.count;
    for (std::size_t i = 0; i < sample.count; ++i) {
        out_sides.min[i] = mins[axis][sample.indices[i]];
        out_sides.max[i] = maxs[axis][sample.indices[i]];
    }
    std::sort(out_sides.min, out_sides.min + sample.count);
    std::sort(out_sides.max, out_sides.max + sample.count);
}

// Pairs in which the box of `before` ends before the box of `after` begins.
std::size_t separated_count(const SampleSides& before, const SampleSides& after) {
    std::size_t pairs = 0;
    std::size_t ended = 0;
    for (std::size_t i = 0; i < after.count; ++i) {
        while (ended < before.count && before.max[ended] < after.min[i]) ++ended;
        pairs += ended;
    }
    return pairs;
}

// A box is set apart if it is as long as the range of the middle three quarters of all boxes, so that its row
// would hold most of them anyway; unless boxes of that length are common, because sweeping is then no worse.
float size_max_of(const BoxSoaView& boxes, const SweepSample& sample, SampleSides& sides, int axis) {
    if (sample.count == 0) return FLT_MAX;
    const float* const mins[3] = {boxes.min_x, boxes.min_y, boxes.min_z};
    const float* const maxs[3] = {boxes.max_x, boxes.max_y, boxes.max_z};
    const float middle = sides.min[sample.count * 7 / 8] - sides.min[sample.count / 8];
    float* const sizes = sides.max;
    for (std::size_t i = 0; i < sample.count; ++i) {
        sizes[i] = maxs[axis][sample.indices[i]] - mins[axis][sample.indices[i]];
    }
    std::nth_element(sizes, sizes + sample.count / 2, sizes + sample.count);
    // For a NaN spread, of infinities, this returns the second operand.
    return max_keep(middle, 8.0f * sizes[sample.count / 2]);
}

}  // namespace

SweepChoice choose_sweep(const BoxSets& sets, SweepAxis forced) noexcept {
    const SweepSample sample_a = sample_boxes(sets.a);
    const SweepSample sample_b = sets.is_one() ? SweepSample{} : sample_boxes(*sets.b);
    SampleSides sides_a;
    SampleSides sides_b;
    int best_axis = 0;
    std::size_t best_count = 0;
    if (forced != SweepAxis::automatic) {
        best_axis = static_cast<int>(forced) - static_cast<int>(SweepAxis::x);
    } else {
        for (int axis = 0; axis < 3; ++axis) {
            sort_sides(sets.a, sample_a, axis, sides_a);
            if (!sets.is_one()) sort_sides(*sets.b, sample_b, axis, sides_b);
            const std::size_t count =
                sets.is_one() ? separated_count(sides_a, sides_a)
                              : separated_count(sides_a, sides_b) + separated_count(sides_b, sides_a);
            if (count > best_count) {
                best_count = count;
                best_axis = axis;
            }
        }
    }
    sort_sides(sets.a, sample_a, best_axis, sides_a);
    float size_max = size_max_of(sets.a, sample_a, sides_a, best_axis);
    if (!sets.is_one()) {
        sort_sides(*sets.b, sample_b, best_axis, sides_b);
        size_max = max_keep(size_max, size_max_of(*sets.b, sample_b, sides_b, best_axis));
    }
    return {best_axis, size_max};
}

}  // namespace broadside::broadphase
