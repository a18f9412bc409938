// The specification of the scatter: the cell of a box, its key there, and how records are appended to lists.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <broadside/box_view.hpp>
#include <broadside/float_ops.hpp>

namespace broadside::broadphase {

/// Input of one call of the scatter: boxes of one set, in the axis order of the grid.
struct ScatterInput {
    CellGrid grid;
    BoxSoaView boxes;
    /// Bits that are added to a box's index to make the record's id.
    std::uint32_t id_bits;
    /// The record's tag at home, without its bins.
    std::uint32_t tag;
    /// kCrossesMany if boxes with this bit go to the list of large boxes instead of a cell, else 0.
    std::int32_t large_bit;
    /// How many rows ahead the next line of a list is prefetched, or 0 if it is near anyway.
    std::uint32_t rows_ahead;
};

/// Home lists after those of the cells.
inline constexpr std::uint32_t kInvalidList = 0;
inline constexpr std::uint32_t kLargeList = 1;
inline constexpr std::uint32_t kExtraListCount = 2;

/// Output of the scatter. The home lists include two of boxes that lie in no cell.
struct ScatterOutput {
    CellLists home;
    CellLists copies;
    /// Cells in which the boxes lie besides their homes.
    std::uint64_t copy_count;
    /// True if the chunks for copies ran out. The stored copies are then useless; `copy_count` still rises.
    bool lacks_chunks;

    /// Counts the next copies and returns whether there is room for them.
    BROADSIDE_FORCE_INLINE bool begin_copies(std::uint64_t count, std::uint32_t list_count) {
        copy_count += count;
        // A list takes a chunk when it has filled one.
        const std::uint64_t chunk_count = copies.chunk_end - copies.first_chunk - list_count;
        if (copy_count / kChunkSlots > chunk_count) lacks_chunks = true;
        return !lacks_chunks;
    }
};

/// Boxes are worked on in blocks that stay in the first-level cache.
inline constexpr std::uint32_t kScatterBlock = 256;

/// A block of boxes before their records move: columns, one row per box.
struct ScatterBlock {
    alignas(64) std::int32_t cell[kScatterBlock];
    alignas(64) std::int32_t quad[kScatterBlock];
    /// The axes on which the box crosses a border, as the bits 1, 2 and 4, and kCrossesMore if it crosses two
    /// or more on one; zero for boxes in no cell.
    alignas(64) std::int32_t crossing[kScatterBlock];
    /// The bins on the sweep axis, and the quad, in the next cell on every crossed axis: from the first bin
    /// of that cell to the last bin of the box.
    alignas(64) std::int32_t next_sweep[kScatterBlock];
    alignas(64) std::int32_t next_quad[kScatterBlock];
    alignas(64) CellRecord records[kScatterBlock];
};
inline constexpr std::int32_t kCrossesMore = 8;
/// Set with kCrossesMore when there are four borders or more on an axis.
inline constexpr std::int32_t kCrossesMany = 16;
inline constexpr int kManyBordersShift = 2;

/// Bins that a coordinate climbs on one ramp; its bin is the sum over the ramps of the axis. Each step is
/// monotone, so bins never reverse an order of coordinates, and boxes that meet also meet in bins.
/// Coordinates outside, infinite ones too, go to the border bins; a NaN goes to the last one, and its box is
/// invalid anyway. Bins of ramps are whole numbers below 2^24, so the sum of all is exact and no coordinate
/// is above it.
BROADSIDE_FORCE_INLINE float climb(float coordinate, const AxisRamp& ramp) {
    return max_keep(min_keep((coordinate - ramp.origin) * ramp.scale, ramp.bins), 0.0f);
}
BROADSIDE_FORCE_INLINE std::int32_t bin_of(float coordinate, const CellGrid& grid, int axis) {
    float bin = climb(coordinate, grid.ramps[axis][0]);
    for (int k = 1; k < grid.ramp_counts[axis]; ++k) bin += climb(coordinate, grid.ramps[axis][k]);
    return static_cast<std::int32_t>(bin);
}
/// 255 becomes 254, see kLastSweepBin.
BROADSIDE_FORCE_INLINE std::int32_t sweep_bin(std::int32_t bin) { return bin - ((bin + 1) >> 8); }

BROADSIDE_FORCE_INLINE std::int32_t pack_sweep_bins(std::int32_t x0, std::int32_t x1) { return x0 | x1 << 8; }
BROADSIDE_FORCE_INLINE std::int32_t pack_quad(std::int32_t y0, std::int32_t z0, std::int32_t y1,
                                              std::int32_t z1) {
    return (y0 | z0 << 8 | y1 << 16 | z1 << 24) ^ static_cast<std::int32_t>(0xFFFF0000u);
}

BROADSIDE_FORCE_INLINE void locate_box_scalar(const ScatterInput& input, std::size_t index, std::uint32_t row,
                                              ScatterBlock& out_block) {
    const CellGrid& grid = input.grid;
    const Aabb box = input.boxes[index];
    const float min[3] = {box.min.x, box.min.y, box.min.z};
    const float max[3] = {box.max.x, box.max.y, box.max.z};
    std::int32_t bin0[3];
    std::int32_t bin1[3];
    std::int32_t home[3];
    std::int32_t last_bin[3];
    std::int32_t crossing = 0;
    CellRecord& record = out_block.records[row];
    for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t first = bin_of(min[axis], grid, axis);
        const std::int32_t last = bin_of(max[axis], grid, axis);
        home[axis] = first >> 8;
        last_bin[axis] = last & 255;
        const std::int32_t borders = (last >> 8) - home[axis];
        bin0[axis] = first & 255;
        bin1[axis] = borders == 0 ? last_bin[axis] : 255;
        crossing |= borders == 0 ? 0 : 1 << axis;
        crossing |= borders > 1 ? kCrossesMore : 0;
        crossing |= borders >> kManyBordersShift != 0 ? kCrossesMany : 0;
        record.min[axis] = min[axis];
        record.max[axis] = max[axis];
    }
    record.id = static_cast<std::uint32_t>(index) | input.id_bits;
    record.tag =
        input.tag | static_cast<std::uint32_t>(pack_sweep_bins(sweep_bin(bin0[0]), sweep_bin(bin1[0])));
    const bool valid = is_valid(box);
    const bool large = (crossing & input.large_bit) != 0;
    const std::int32_t cell = (home[2] * grid.cells[1] + home[1]) * grid.cells[0] + home[0];
    const auto cell_count = static_cast<std::int32_t>(grid.cell_count());
    out_block.cell[row] = !valid  ? cell_count + static_cast<std::int32_t>(kInvalidList)
                          : large ? cell_count + static_cast<std::int32_t>(kLargeList)
                                  : cell;
    out_block.crossing[row] = valid && !large ? crossing : 0;
    out_block.quad[row] = pack_quad(bin0[1], bin0[2], bin1[1], bin1[2]);
    out_block.next_sweep[row] = pack_sweep_bins(0, sweep_bin(last_bin[0]));
    out_block.next_quad[row] = pack_quad(0, 0, last_bin[1], last_bin[2]);
}

BROADSIDE_FORCE_INLINE void store_record(const CellRecord& record, std::uint32_t quad, StoredRecord* target) {
    __builtin_memcpy(target, &record, sizeof record);
    target->quad = quad;
}

/// Copies one record to every other cell that its box reaches into, however many. Few boxes are that large, so
/// all ISAs call the same function.
void copy_far(const ScatterInput& input, const CellRecord& source, ScatterOutput& state) noexcept;

/// Rows of a block that cross at most one border on each axis, by the axes on which their copy lies in the
/// next cell. A box that crosses on two axes has three copies, so it is in three lists.
struct CopyRows {
    std::uint32_t counts[8];
    std::uint16_t rows[8][kScatterBlock + 1];
};

BROADSIDE_FORCE_INLINE void prefetch_list(const CellLists& lists, std::int32_t cell) {
    const StoredRecord* const next = lists.pool.records + lists.next_slot[static_cast<std::uint32_t>(cell)];
    __builtin_prefetch(next, 1);
    __builtin_prefetch(&next->quad, 1);
}

/// Copies records to the cell that is the next one on the axes of `step` and the home on the others.
BROADSIDE_FORCE_INLINE void copy_near(const ScatterInput& input, const ScatterBlock& block,
                                      const CopyRows& rows, std::uint32_t step, ScatterOutput& state) {
    const std::uint32_t sweep_mask = (step & 1) != 0 ? 0xFFFFu : 0u;
    const std::uint32_t quad_mask =
        ((step & 2) != 0 ? 0x00FF00FFu : 0u) | ((step & 4) != 0 ? 0xFF00FF00u : 0u);
    const std::uint32_t row_count = rows.counts[step];
    if (!state.begin_copies(row_count, input.grid.cell_count())) return;
    const std::int32_t* cells = input.grid.cells;
    const std::int32_t offset = ((step & 1) != 0 ? 1 : 0) + ((step & 2) != 0 ? cells[0] : 0) +
                                ((step & 4) != 0 ? cells[0] * cells[1] : 0);
    const CellLists copies = state.copies;
    std::uint32_t free_chunk = copies.free_chunk;
    for (std::uint32_t k = 0; k < row_count; ++k) {
        const std::uint32_t row = rows.rows[step][k];
        StoredRecord* target =
            copies.append(static_cast<std::uint32_t>(block.cell[row] + offset), free_chunk);
        const std::uint32_t quad = (static_cast<std::uint32_t>(block.quad[row]) & ~quad_mask) |
                                   (static_cast<std::uint32_t>(block.next_quad[row]) & quad_mask);
        store_record(block.records[row], quad, target);
        __builtin_prefetch(target + 3, 1);
        target->tag = (block.records[row].tag & ~(sweep_mask | step << kHomeShift)) |
                      (static_cast<std::uint32_t>(block.next_sweep[row]) & sweep_mask);
    }
    state.copies.free_chunk = free_chunk;
}

BROADSIDE_FORCE_INLINE void copy_rows(const ScatterInput& input, const ScatterBlock& block,
                                      const std::uint16_t* crossing_rows, std::uint32_t crossing_count,
                                      ScatterOutput& state) {
    CopyRows rows;
    for (std::uint32_t& count : rows.counts) count = 0;
    for (std::uint32_t k = 0; k < crossing_count; ++k) {
        const std::uint16_t row = crossing_rows[k];
        const auto crossing = static_cast<std::uint32_t>(block.crossing[row]);
        // List 0 takes the boxes that no other list takes.
        rows.rows[0][rows.counts[0]] = row;
        const std::uint32_t is_far = crossing >> 3 & 1;
        rows.counts[0] += is_far;
        for (std::uint32_t step = 1; step < 8; ++step) {
            rows.rows[step][rows.counts[step]] = row;
            rows.counts[step] += static_cast<std::uint32_t>((crossing & step) == step) & (is_far ^ 1);
        }
    }
    for (std::uint32_t step = 1; step < 8; ++step) copy_near(input, block, rows, step, state);
    for (std::uint32_t k = 0; k < rows.counts[0]; ++k) copy_far(input, block.records[rows.rows[0][k]], state);
}

/// Moves the rows of a block to the lists of their cells; returns how many reach further, and lists them.
template <bool kAreListsNear>
BROADSIDE_FORCE_INLINE std::uint32_t move_rows(const ScatterBlock& block, std::uint32_t row_count,
                                               std::uint32_t rows_ahead, CellLists& state_home,
                                               std::uint16_t* out_crossing_rows) {
    const CellLists home = state_home;
    std::uint32_t free_chunk = home.free_chunk;
    std::uint32_t crossing_count = 0;
    for (std::uint32_t row = 0; row < row_count; ++row) {
        if constexpr (!kAreListsNear) {
            prefetch_list(home, block.cell[row + rows_ahead < row_count ? row + rows_ahead : row]);
        }
        StoredRecord* target = home.append(static_cast<std::uint32_t>(block.cell[row]), free_chunk);
        store_record(block.records[row], static_cast<std::uint32_t>(block.quad[row]), target);
        // The slot that this list fills in two or three records; no hardware prefetcher foresees it.
        __builtin_prefetch(target + 3, 1);
        out_crossing_rows[crossing_count] = static_cast<std::uint16_t>(row);
        crossing_count += block.crossing[row] != 0 ? 1u : 0u;
    }
    state_home.free_chunk = free_chunk;
    return crossing_count;
}

/// Moves the rows of a block, then copies those that reach further. The order of the copies, by block, step
/// and row, is part of the order of the list; that is why parts begin at a block.
BROADSIDE_FORCE_INLINE void move_block(const ScatterInput& input, const ScatterBlock& block,
                                       std::uint32_t row_count, ScatterOutput& state) {
    std::uint16_t crossing_rows[kScatterBlock + 1];
    const std::uint32_t crossing_count =
        input.rows_ahead == 0
            ? move_rows<true>(block, row_count, 0, state.home, crossing_rows)
            : move_rows<false>(block, row_count, input.rows_ahead, state.home, crossing_rows);
    if (crossing_count != 0) copy_rows(input, block, crossing_rows, crossing_count, state);
}

}  // namespace broadside::broadphase
