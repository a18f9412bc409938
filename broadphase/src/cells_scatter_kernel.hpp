// The scatter over lanes: bins and keys of many boxes at once, then their records one by one into the lists. The
// specification is cells_scatter_scalar.hpp.
#pragma once

#include "broadphase/src/cells_scatter_scalar.hpp"
#include "simd/src/geometry_w.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/rows.hpp"

namespace broadside::broadphase {

template <class Arch>
struct AxisBinsW {
    simd::IntW<Arch> first, last, home, bin0, bin1, crossing;
};

/// See locate_box_scalar: the bins of one axis.
template <class Arch>
BROADSIDE_FORCE_INLINE AxisBinsW<Arch> locate_on_axis(const CellGrid& grid, int axis, simd::FloatW<Arch> min,
                                                      simd::FloatW<Arch> max) {
    using namespace simd;
    const FloatW<Arch> origin = broadcast<Arch>(grid.origin[axis]);
    const FloatW<Arch> scale = broadcast<Arch>(grid.scale[axis]);
    const FloatW<Arch> last_bin = broadcast<Arch>(grid.last_bin[axis]);
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const IntW<Arch> byte = broadcast_int<Arch>(255);
    AxisBinsW<Arch> bins;
    bins.first = truncate(max_keep(min_keep((min - origin) * scale, last_bin), zero));
    bins.last = truncate(max_keep(min_keep((max - origin) * scale, last_bin), zero));
    bins.home = shift_right<8>(bins.first);
    bins.crossing = shift_right<8>(bins.first ^ bins.last);
    bins.bin0 = bins.first & byte;
    // last >> 8 == home ? last & 255 : 255
    bins.bin1 = select(equal(bins.crossing, broadcast_int<Arch>(0)), bins.last & byte, byte);
    return bins;
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> sweep_bin(simd::IntW<Arch> bin) {
    return bin - simd::shift_right<8>(bin + simd::broadcast_int<Arch>(1));
}

/// One lane, one box. Lanes behind the last box hold NaN boxes; their rows are not moved.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void locate_boxes(const ScatterInput& input, std::size_t index, std::uint32_t row,
                                         Group group, ScatterBlock& out_block) {
    using namespace simd;
    const CellGrid& grid = input.grid;
    const BoxW<Arch> box = load_boxes<Arch>(input.boxes, index, group);
    const AxisBinsW<Arch> x = locate_on_axis<Arch>(grid, 0, box.min.x, box.max.x);
    const AxisBinsW<Arch> y = locate_on_axis<Arch>(grid, 1, box.min.y, box.max.y);
    const AxisBinsW<Arch> z = locate_on_axis<Arch>(grid, 2, box.min.z, box.max.z);
    store_unaligned(out_block.first[0] + row, x.first);
    store_unaligned(out_block.first[1] + row, y.first);
    store_unaligned(out_block.first[2] + row, z.first);
    store_unaligned(out_block.last[0] + row, x.last);
    store_unaligned(out_block.last[1] + row, y.last);
    store_unaligned(out_block.last[2] + row, z.last);
    const IntW<Arch> cell =
        (z.home * broadcast_int<Arch>(grid.cells[1]) + y.home) * broadcast_int<Arch>(grid.cells[0]) + x.home;
    const MaskW<Arch> valid = is_valid(box);
    const IntW<Arch> zero = broadcast_int<Arch>(0);
    // is_valid(box) ? cell : cell_count
    store_unaligned(out_block.cell + row,
                    select(valid, cell, broadcast_int<Arch>(static_cast<std::int32_t>(grid.cell_count()))));
    store_unaligned(out_block.crosses_border + row,
                    select(valid, x.crossing | y.crossing | z.crossing, zero));
    const IntW<Arch> quad =
        (y.bin0 | shift_left<8>(z.bin0)) | (shift_left<16>(y.bin1) | shift_left<24>(z.bin1));
    store_unaligned(out_block.quad + row, quad ^ broadcast_int<Arch>(static_cast<std::int32_t>(0xFFFF0000u)));
    const IntW<Arch> id = (broadcast_int<Arch>(static_cast<std::int32_t>(index)) + lane_index<Arch>()) |
                          broadcast_int<Arch>(static_cast<std::int32_t>(input.id_bits));
    const IntW<Arch> tag = broadcast_int<Arch>(static_cast<std::int32_t>(input.tag)) |
                           (sweep_bin<Arch>(x.bin0) | shift_left<8>(sweep_bin<Arch>(x.bin1)));
    store_rows_aligned<Arch>(out_block.records[row].min, box.min.x, box.min.y, box.min.z, as_float(id),
                             box.max.x, box.max.y, box.max.z, as_float(tag));
}

/// Boxes `begin` to `end` into the lists. Cost: about forty operations per group of lanes and 36 bytes moved per
/// box, of which the moving is the larger part.
template <class Arch>
void scatter_kernel(const ScatterInput& input, std::size_t begin, std::size_t end, ScatterOutput& state) {
    ScatterBlock block;
    for (std::size_t first = begin; first < end; first += kScatterBlock) {
        const auto row_count =
            static_cast<std::uint32_t>(end - first < kScatterBlock ? end - first : kScatterBlock);
        if constexpr (simd::is_scalar<Arch>) {
            for (std::uint32_t row = 0; row < row_count; ++row)
                locate_box_scalar(input, first + row, row, block);
        } else {
            simd::for_each_group<Arch>(row_count, [&](std::size_t row, auto group) {
                locate_boxes<Arch>(input, first + row, static_cast<std::uint32_t>(row), group, block);
            });
        }
        move_block(input, block, row_count, state);
    }
}

}  // namespace broadside::broadphase
