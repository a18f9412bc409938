// The grid, its marks, and the boxes that begin in a marked cell.
#include "broadphase/src/find_pairs/subset_reach.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/box_sample.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>

namespace broadside::broadphase {
namespace {

// A word of bits along x for each y and z: 32 KB, which stay in the first-level cache.
constexpr std::int32_t kCellsPerAxis = 64;
constexpr std::size_t kWordCount = std::size_t{kCellsPerAxis} * kCellsPerAxis;

constexpr std::size_t kReachSampleCountMax = 256;
// Shares of the sample that are ignored: at each end, and of the largest extents.
constexpr std::size_t kReachTailDivisor = 32;
constexpr std::size_t kLongDivisor = 64;

struct ReachGrid {
    float origin[3] = {0, 0, 0};
    // Cells per unit of length.
    float scale[3] = {1, 1, 1};
    // A box no longer than this on each axis is tested by its start alone.
    float extent_max[3] = {0, 0, 0};

    // Ascends with the position; positions outside, infinity too, are in the first or the last cell.
    std::int32_t cell(float position, int axis) const {
        const float cells = (position - origin[axis]) * scale[axis];
        constexpr float kLast = static_cast<float>(kCellsPerAxis - 1);
        return static_cast<std::int32_t>(min_keep(cells > 0.0f ? cells : 0.0f, kLast));
    }
};

ReachGrid plan_grid(const BoxSoaView& boxes) {
    float mins[3][kReachSampleCountMax];
    float extents[3][kReachSampleCountMax];
    std::size_t count = 0;
    for_each_sampled_box({boxes}, kReachSampleCountMax, [&](const Aabb& box) {
        for (int axis = 0; axis < 3; ++axis) {
            const float min = component(box.min, axis);
            mins[axis][count] = max_keep(min, -FLT_MAX);
            extents[axis][count] = component(box.max, axis) - min;
        }
        ++count;
    });
    ReachGrid grid;
    if (count == 0) return grid;
    const std::size_t tail = count / kReachTailDivisor;
    const std::size_t longest = count - 1 - count / kLongDivisor;
    for (int axis = 0; axis < 3; ++axis) {
        std::sort(mins[axis], mins[axis] + count);
        std::nth_element(extents[axis], extents[axis] + longest, extents[axis] + count);
        const double low = static_cast<double>(mins[axis][tail]);
        const double high = static_cast<double>(mins[axis][count - 1 - tail]);
        grid.origin[axis] = mins[axis][tail];
        grid.scale[axis] = static_cast<float>(kCellsPerAxis / std::max(high - low, 1e-30));
        grid.extent_max[axis] = min_keep(extents[axis][longest], FLT_MAX);
    }
    return grid;
}

// A lower bound of the start of any box that is no longer than allowed and ends at `end` or later.
float earliest_begin(float end, float extent_max) {
    // An extent that passed the limit may really be larger by a rounding.
    const double begin = static_cast<double>(end) - static_cast<double>(extent_max) * (1 + 1e-6);
    return std::nextafterf(static_cast<float>(std::max(begin, -static_cast<double>(FLT_MAX))), -INFINITY);
}

// Marks the cells in which boxes that meet this one may begin. Returns the number of words touched.
std::size_t mark(const ReachGrid& grid, const Aabb& box, std::uint64_t* state_words) {
    std::int32_t first[3];
    std::int32_t last[3];
    for (int axis = 0; axis < 3; ++axis) {
        first[axis] = grid.cell(earliest_begin(component(box.min, axis), grid.extent_max[axis]), axis);
        last[axis] = grid.cell(component(box.max, axis), axis);
    }
    const std::uint64_t run = ~std::uint64_t{0} >> (kCellsPerAxis - 1 - (last[0] - first[0])) << first[0];
    for (std::int32_t z = first[2]; z <= last[2]; ++z) {
        for (std::int32_t y = first[1]; y <= last[1]; ++y) state_words[z * kCellsPerAxis + y] |= run;
    }
    return static_cast<std::size_t>(last[1] - first[1] + 1) *
           static_cast<std::size_t>(last[2] - first[2] + 1);
}

// The tests of every box of a block, each in a loop of its own, which compilers vectorise.
struct BoxBlock {
    static constexpr std::size_t kCount = 256;

    // The word of the box's bit, and the bit's number in it.
    std::int32_t word[kCount];
    std::int32_t bit[kCount];
    // 1 or 0.
    std::int32_t is_valid_box[kCount];
    std::int32_t is_longer[kCount];
};

void ask(const ReachGrid& grid, const BoxSoaView& boxes, std::size_t begin, std::size_t count,
         BoxBlock& out_block) {
    const BoxSoaView block = boxes.part(begin, count);
    for (std::size_t i = 0; i < count; ++i) out_block.bit[i] = grid.cell(block.min_x[i], 0);
    for (std::size_t i = 0; i < count; ++i) {
        out_block.word[i] = grid.cell(block.min_z[i], 2) * kCellsPerAxis + grid.cell(block.min_y[i], 1);
    }
    for (std::size_t i = 0; i < count; ++i) out_block.is_valid_box[i] = is_valid(block[i]) ? 1 : 0;
    for (std::size_t i = 0; i < count; ++i) {
        // A box without a finite extent is longer too.
        const bool is_short = (block.max_x[i] - block.min_x[i] <= grid.extent_max[0]) &
                              (block.max_y[i] - block.min_y[i] <= grid.extent_max[1]) &
                              (block.max_z[i] - block.min_z[i] <= grid.extent_max[2]);
        out_block.is_longer[i] = is_short ? 0 : 1;
    }
}

// Collects the indices of the boxes that take part. Returns their count.
std::size_t collect(const ReachGrid& grid, const BoxSoaView& boxes,
                    std::span<const std::uint64_t> subset_bits, const std::uint64_t* words,
                    std::uint32_t* out_indices, InvalidBoxes& out_invalid) {
    std::size_t count = 0;
    BoxBlock block;
    for (std::size_t begin = 0; begin < boxes.count; begin += BoxBlock::kCount) {
        const std::size_t box_count = std::min(BoxBlock::kCount, boxes.count - begin);
        ask(grid, boxes, begin, box_count, block);
        std::size_t valid_count = 0;
        for (std::size_t i = 0; i < box_count; ++i) {
            const std::size_t index = begin + i;
            const std::uint64_t is_marked = words[block.word[i]] >> block.bit[i];
            const std::uint64_t is_mover = subset_bits[index / 64] >> (index % 64);
            const auto takes_part = static_cast<std::uint32_t>(is_marked | is_mover) |
                                    static_cast<std::uint32_t>(block.is_longer[i]);
            out_indices[count] = static_cast<std::uint32_t>(index);
            count += takes_part & static_cast<std::uint32_t>(block.is_valid_box[i]);
            valid_count += static_cast<std::size_t>(block.is_valid_box[i]);
        }
        if (valid_count == box_count) continue;
        if (out_invalid.count == 0) {
            const std::int32_t* const first =
                std::find(block.is_valid_box, block.is_valid_box + box_count, 0);
            out_invalid.first_index = begin + static_cast<std::size_t>(first - block.is_valid_box);
        }
        out_invalid.count += box_count - valid_count;
    }
    return count;
}

bool mark_all(const ReachGrid& grid, const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
              std::uint64_t* out_words) {
    std::fill_n(out_words, kWordCount, std::uint64_t{0});
    std::size_t mark_count = 0;
    for (std::size_t word = 0; word < subset_bits.size(); ++word) {
        for (std::uint64_t bits = subset_bits[word]; bits != 0; bits &= bits - 1) {
            const std::size_t index = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
            if (index >= boxes.count) break;
            if (is_valid(boxes[index])) mark_count += mark(grid, boxes[index], out_words);
            if (mark_count > thresholds().subset_reach.marks_per_box * boxes.count) return false;
        }
    }
    return true;
}

void copy_box(const BoxSoaView& boxes, std::size_t index, float* const (&columns)[6], std::size_t position) {
    const float* const from[6] = {boxes.min_x, boxes.min_y, boxes.min_z,
                                  boxes.max_x, boxes.max_y, boxes.max_z};
    for (int column = 0; column < 6; ++column) columns[column][position] = from[column][index];
}

}  // namespace

bool reach_of_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                     AlignedArray<std::byte>& memory, ReachedBoxes& out_reached) noexcept {
    out_reached = {};
    if (subset_bits.empty() || boxes.count < thresholds().subset_reach.boxes_min) return true;
    BROADSIDE_ZONE("find_pairs/reach of subset");
    std::size_t subset_count = 0;
    for (const std::uint64_t word : subset_bits)
        subset_count += static_cast<std::size_t>(std::popcount(word));
    if (subset_count * thresholds().subset_reach.boxes_per_member > boxes.count) return true;
    std::uint64_t* words = nullptr;
    std::uint32_t* indices = nullptr;
    float* columns[6] = {};
    const bool has_memory = reserve_arrays(memory, [&](Arena& arena) {
        words = arena.reserve<std::uint64_t>(kWordCount);
        indices = arena.reserve<std::uint32_t>(boxes.count);
        for (float*& column : columns) column = arena.reserve<float>(boxes.count);
    });
    if (!has_memory) return false;
    const ReachGrid grid = plan_grid(boxes);
    if (!mark_all(grid, boxes, subset_bits, words)) return true;
    InvalidBoxes invalid;
    const std::size_t count = collect(grid, boxes, subset_bits, words, indices, invalid);
    if (count > boxes.count / 2) return true;
    for (std::size_t position = 0; position < count; ++position)
        copy_box(boxes, indices[position], columns, position);
    out_reached = {
        {columns[0], columns[1], columns[2], columns[3], columns[4], columns[5], count}, indices, invalid};
    return true;
}

}  // namespace broadside::broadphase
