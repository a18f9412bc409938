// The specification of the scatter: where a box lies in the grid, its key there, and how records come into lists.
#pragma once

#include "broadphase/src/cells_types.hpp"

#include <broadside/box_view.hpp>
#include <broadside/float_ops.hpp>

namespace broadside::broadphase {

/// The bins in which a box begins and ends, per axis, over the whole grid.
struct BinSpan {
    std::int32_t first[3];
    std::int32_t last[3];

    BROADSIDE_FORCE_INLINE std::uint64_t cell_count() const {
        std::uint64_t count = 1;
        for (int axis = 0; axis < 3; ++axis) {
            count *= static_cast<std::uint32_t>((last[axis] >> 8) - (first[axis] >> 8) + 1);
        }
        return count;
    }
};

/// What one call of the scatter works on: boxes of one set, in the axis order of the grid.
struct ScatterInput {
    CellGrid grid;
    BoxSoaView boxes;
    /// Or-ed to a box's index to make the record's id.
    std::uint32_t id_bits;
    /// The record's tag at home, without its bins.
    std::uint32_t tag;
};

/// What it fills. There is one home list more than the grid has cells, for invalid boxes.
struct ScatterOutput {
    CellLists home;
    CellLists copies;
    /// Cells in which the boxes lie beside their homes.
    std::uint64_t copy_count;
    /// The copies ran out of chunks; those that are there are worth nothing, `copy_count` goes on.
    bool lacks_chunks;
};

/// Boxes are worked on in blocks that stay in the first-level cache.
inline constexpr std::uint32_t kScatterBlock = 256;

/// What is known of a block of boxes before its records move: columns, one row per box.
struct ScatterBlock {
    alignas(64) std::int32_t cell[kScatterBlock];
    alignas(64) std::int32_t quad[kScatterBlock];
    alignas(64) std::int32_t crosses_border[kScatterBlock];
    alignas(64) std::int32_t first[3][kScatterBlock];
    alignas(64) std::int32_t last[3][kScatterBlock];
    alignas(64) CellRecord records[kScatterBlock];
};

/// The bin of a coordinate. Each step is monotone, so an order of coordinates never becomes the opposite order of
/// bins, and boxes that meet still meet in bins. Coordinates outside, infinite ones too, go to the border bins; a NaN
/// goes to the last one, its box is invalid anyway.
BROADSIDE_FORCE_INLINE std::int32_t bin_of(float coordinate, float origin, float scale, float last_bin) {
    const float bin = min_keep((coordinate - origin) * scale, last_bin);
    return static_cast<std::int32_t>(max_keep(bin, 0.0f));
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
    std::int32_t crossing = 0;
    CellRecord& record = out_block.records[row];
    for (int axis = 0; axis < 3; ++axis) {
        const std::int32_t first =
            bin_of(min[axis], grid.origin[axis], grid.scale[axis], grid.last_bin[axis]);
        const std::int32_t last = bin_of(max[axis], grid.origin[axis], grid.scale[axis], grid.last_bin[axis]);
        home[axis] = first >> 8;
        bin0[axis] = first & 255;
        bin1[axis] = last >> 8 == home[axis] ? last & 255 : 255;
        crossing |= (first ^ last) >> 8;
        out_block.first[axis][row] = first;
        out_block.last[axis][row] = last;
        record.min[axis] = min[axis];
        record.max[axis] = max[axis];
    }
    record.id = static_cast<std::uint32_t>(index) | input.id_bits;
    record.tag =
        input.tag | static_cast<std::uint32_t>(pack_sweep_bins(sweep_bin(bin0[0]), sweep_bin(bin1[0])));
    const bool valid = is_valid(box);
    const std::int32_t cell = (home[2] * grid.cells[1] + home[1]) * grid.cells[0] + home[0];
    out_block.cell[row] = valid ? cell : static_cast<std::int32_t>(grid.cell_count());
    out_block.crosses_border[row] = valid ? crossing : 0;
    out_block.quad[row] = pack_quad(bin0[1], bin0[2], bin1[1], bin1[2]);
}

BROADSIDE_FORCE_INLINE void store_record(const CellRecord& record, std::uint32_t quad, StoredRecord* target) {
    __builtin_memcpy(target, &record, sizeof record);
    target->quad = quad;
}

/// Copies of a record to every other cell that its box reaches into, with the bins clipped to each.
BROADSIDE_FORCE_INLINE void copy_row(const ScatterInput& input, const ScatterBlock& block, std::uint32_t row,
                                     ScatterOutput& state) {
    BinSpan span;
    for (int axis = 0; axis < 3; ++axis) {
        span.first[axis] = block.first[axis][row];
        span.last[axis] = block.last[axis][row];
    }
    const std::uint64_t cell_count = span.cell_count();
    state.copy_count += cell_count - 1;
    // A list takes a chunk when it has filled one.
    const std::uint64_t chunk_count =
        state.copies.chunk_end - state.copies.first_chunk - input.grid.cell_count();
    if (state.copy_count / kChunkSlots > chunk_count) state.lacks_chunks = true;
    if (state.lacks_chunks) return;
    CellRecord record = block.records[row];
    const CellGrid& grid = input.grid;
    std::int32_t cell[3];
    const auto bin0 = [&](int axis) {
        return cell[axis] == span.first[axis] >> 8 ? span.first[axis] & 255 : 0;
    };
    const auto bin1 = [&](int axis) {
        return cell[axis] == span.last[axis] >> 8 ? span.last[axis] & 255 : 255;
    };
    const auto home_bit = [&](int axis) {
        return static_cast<std::uint32_t>(cell[axis] == span.first[axis] >> 8);
    };
    for (cell[2] = span.first[2] >> 8; cell[2] <= span.last[2] >> 8; ++cell[2]) {
        for (cell[1] = span.first[1] >> 8; cell[1] <= span.last[1] >> 8; ++cell[1]) {
            for (cell[0] = span.first[0] >> 8; cell[0] <= span.last[0] >> 8; ++cell[0]) {
                const std::uint32_t home_bits = home_bit(0) | home_bit(1) << 1 | home_bit(2) << 2;
                if (home_bits == 7) continue;
                record.tag =
                    (input.tag & ~kHomeAll) | home_bits << kHomeShift |
                    static_cast<std::uint32_t>(pack_sweep_bins(sweep_bin(bin0(0)), sweep_bin(bin1(0))));
                const std::int32_t quad = pack_quad(bin0(1), bin0(2), bin1(1), bin1(2));
                const std::int32_t number = (cell[2] * grid.cells[1] + cell[1]) * grid.cells[0] + cell[0];
                store_record(
                    record, static_cast<std::uint32_t>(quad),
                    state.copies.append(static_cast<std::uint32_t>(number), state.copies.free_chunk));
            }
        }
    }
}

/// Moves the rows of a block to the lists of their cells, then copies of those that reach further.
BROADSIDE_FORCE_INLINE void move_block(const ScatterInput& input, const ScatterBlock& block,
                                       std::uint32_t row_count, ScatterOutput& state) {
    const CellLists home = state.home;
    std::uint32_t free_chunk = home.free_chunk;
    std::uint32_t crossing_count = 0;
    std::uint32_t crossing_rows[kScatterBlock + 1];
    for (std::uint32_t row = 0; row < row_count; ++row) {
        StoredRecord* target = home.append(static_cast<std::uint32_t>(block.cell[row]), free_chunk);
        store_record(block.records[row], static_cast<std::uint32_t>(block.quad[row]), target);
        // The place that this list fills next but two or three, which no hardware prefetcher foresees.
        __builtin_prefetch(target + 3, 1);
        crossing_rows[crossing_count] = row;
        crossing_count += block.crosses_border[row] != 0 ? 1u : 0u;
    }
    state.home.free_chunk = free_chunk;
    for (std::uint32_t k = 0; k < crossing_count; ++k) copy_row(input, block, crossing_rows[k], state);
}

}  // namespace broadside::broadphase
