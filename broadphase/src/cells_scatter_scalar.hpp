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

/// A record that reaches from its home into other cells.
struct BorderEntry {
    std::uint32_t slot;
    std::uint32_t unused;
    BinSpan span;
};

/// What one call of the scatter works on: boxes of one set, in the axis order of the grid.
struct ScatterInput {
    CellGrid grid;
    BoxSoaView boxes;
    /// Or-ed to a box's index to make the record's id.
    std::uint32_t id_bits;
    /// The record's tag at home.
    std::uint32_t tag;
};

/// What it fills. There is one list more than the grid has cells, for invalid boxes.
struct ScatterOutput {
    CellLists lists;
    BorderEntry* border;
    std::size_t border_count;
    /// Cells in which the entries lie beside their homes.
    std::uint64_t copy_count;
};

/// Boxes are worked on in blocks that stay in the first-level cache.
inline constexpr std::uint32_t kScatterBlock = 256;

/// What is known of a block of boxes before its records move: columns, one row per box.
struct ScatterBlock {
    alignas(64) std::int32_t cell[kScatterBlock];
    alignas(64) std::int32_t sweep_key[kScatterBlock];
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

BROADSIDE_FORCE_INLINE std::int32_t pack_sweep_key(std::int32_t x0, std::int32_t x1) { return x0 | x1 << 8; }
BROADSIDE_FORCE_INLINE std::int32_t pack_quad(std::int32_t y0, std::int32_t z0, std::int32_t y1, std::int32_t z1) {
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
        const std::int32_t first = bin_of(min[axis], grid.origin[axis], grid.scale[axis], grid.last_bin[axis]);
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
    record.tag = input.tag;
    const bool valid = is_valid(box);
    const std::int32_t cell = (home[2] * grid.cells[1] + home[1]) * grid.cells[0] + home[0];
    out_block.cell[row] = valid ? cell : static_cast<std::int32_t>(grid.cell_count());
    out_block.crosses_border[row] = valid ? crossing : 0;
    out_block.sweep_key[row] = pack_sweep_key(sweep_bin(bin0[0]), sweep_bin(bin1[0]));
    out_block.quad[row] = pack_quad(bin0[1], bin0[2], bin1[1], bin1[2]);
}

/// Moves the rows of a block to the lists of their cells and notes those that reach further.
BROADSIDE_FORCE_INLINE void move_block(const ScatterBlock& block, std::uint32_t row_count, ScatterOutput& state) {
    const CellLists lists = state.lists;
    std::uint32_t free_chunk = lists.free_chunk;
    std::uint32_t border_count = 0;
    std::uint32_t border_slot[kScatterBlock + 1];
    std::uint32_t border_row[kScatterBlock + 1];
    for (std::uint32_t row = 0; row < row_count; ++row) {
        const std::uint32_t slot = lists.append(static_cast<std::uint32_t>(block.cell[row]), free_chunk);
        lists.pool.records[slot] = block.records[row];
        const auto sweep_key = static_cast<std::uint32_t>(block.sweep_key[row]);
        lists.pool.keys[slot] = {static_cast<std::uint8_t>(sweep_key), static_cast<std::uint8_t>(sweep_key >> 8), 0,
                           static_cast<std::uint32_t>(block.quad[row])};
        border_slot[border_count] = slot;
        border_row[border_count] = row;
        border_count += block.crosses_border[row] != 0 ? 1u : 0u;
    }
    BorderEntry* border = state.border + state.border_count;
    for (std::uint32_t k = 0; k < border_count; ++k) {
        const std::uint32_t row = border_row[k];
        border[k] = {border_slot[k], 0,
                     {{block.first[0][row], block.first[1][row], block.first[2][row]},
                      {block.last[0][row], block.last[1][row], block.last[2][row]}}};
        state.copy_count += border[k].span.cell_count() - 1;
    }
    state.border_count += border_count;
    state.lists.free_chunk = free_chunk;
}

}  // namespace broadside::broadphase
