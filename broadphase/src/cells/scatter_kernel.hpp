// The scatter over lanes: bins and keys of many boxes at once, then their records one by one into the lists.
// The specification is scatter_scalar.hpp.
#pragma once

#include "broadphase/src/cells/scatter_scalar.hpp"
#include "simd/src/geometry.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

template <class Arch>
struct AxisBinsW {
    simd::IntW<Arch> home, bin0, bin1, last_bin, crossing;
};

/// The scalar climb over lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> climb(simd::FloatW<Arch> coordinate, const AxisRamp& ramp) {
    using namespace simd;
    const FloatW<Arch> bins = (coordinate - broadcast<Arch>(ramp.origin)) * broadcast<Arch>(ramp.scale);
    return max_keep(min_keep(bins, broadcast<Arch>(ramp.bins)), broadcast<Arch>(0.0f));
}

/// See locate_box_scalar: the bins of one axis.
template <int kAxis, bool kIsEven, class Arch>
BROADSIDE_FORCE_INLINE AxisBinsW<Arch> locate_on_axis(const CellGrid& grid, simd::FloatW<Arch> min,
                                                      simd::FloatW<Arch> max) {
    using namespace simd;
    FloatW<Arch> min_bin = climb<Arch>(min, grid.ramps[kAxis][0]);
    FloatW<Arch> max_bin = climb<Arch>(max, grid.ramps[kAxis][0]);
    for (int k = 1; !kIsEven && k < grid.ramp_counts[kAxis]; ++k) {
        min_bin = min_bin + climb<Arch>(min, grid.ramps[kAxis][k]);
        max_bin = max_bin + climb<Arch>(max, grid.ramps[kAxis][k]);
    }
    const IntW<Arch> byte = broadcast_int<Arch>(255);
    const IntW<Arch> first = truncate(min_bin);
    const IntW<Arch> last = truncate(max_bin);
    AxisBinsW<Arch> bins;
    bins.home = shift_right<8>(first);
    bins.bin0 = first & byte;
    bins.last_bin = last & byte;
    const IntW<Arch> borders = shift_right<8>(last) - bins.home;
    const MaskW<Arch> is_inside = equal(borders, broadcast_int<Arch>(0));
    // borders == 0 ? last_bin : 255
    bins.bin1 = select(is_inside, bins.last_bin, byte);
    // borders == 0 ? 0 : borders == 1 ? 1 << axis : 1 << axis | kCrossesMore; borders >> 2 != 0 ?
    // kCrossesMany
    const IntW<Arch> many = select(equal(shift_right<kManyBordersShift>(borders), broadcast_int<Arch>(0)),
                                   broadcast_int<Arch>(0), broadcast_int<Arch>(kCrossesMany));
    const IntW<Arch> more = broadcast_int<Arch>(1 << kAxis | kCrossesMore) | many;
    bins.crossing = select(equal(borders, broadcast_int<Arch>(1)), broadcast_int<Arch>(1 << kAxis),
                           select(is_inside, broadcast_int<Arch>(0), more));
    return bins;
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> sweep_bin(simd::IntW<Arch> bin) {
    return bin - simd::shift_right<8>(bin + simd::broadcast_int<Arch>(1));
}

/// One lane is one box. Lanes behind the last box hold NaN boxes; their rows are not moved.
template <bool kIsEven, class Arch>
BROADSIDE_FORCE_INLINE void locate_boxes(const ScatterInput& input, const simd::BoxW<Arch>& box,
                                         std::size_t index, std::uint32_t row, ScatterBlock& out_block) {
    using namespace simd;
    const CellGrid& grid = input.grid;
    const AxisBinsW<Arch> x = locate_on_axis<0, kIsEven, Arch>(grid, box.min.x, box.max.x);
    const AxisBinsW<Arch> y = locate_on_axis<1, kIsEven, Arch>(grid, box.min.y, box.max.y);
    const AxisBinsW<Arch> z = locate_on_axis<2, kIsEven, Arch>(grid, box.min.z, box.max.z);
    const IntW<Arch> cell =
        (z.home * broadcast_int<Arch>(grid.cells[1]) + y.home) * broadcast_int<Arch>(grid.cells[0]) + x.home;
    const MaskW<Arch> valid = is_valid(box);
    const IntW<Arch> zero = broadcast_int<Arch>(0);
    const IntW<Arch> crossing = x.crossing | y.crossing | z.crossing;
    const MaskW<Arch> is_small = equal(crossing & broadcast_int<Arch>(input.large_bit), zero);
    const auto cell_count = static_cast<std::int32_t>(grid.cell_count());
    const IntW<Arch> invalid_list = broadcast_int<Arch>(cell_count + static_cast<std::int32_t>(kInvalidList));
    const IntW<Arch> large_list = broadcast_int<Arch>(cell_count + static_cast<std::int32_t>(kLargeList));
    // !valid ? invalid list : large ? large list : cell
    store_unaligned(out_block.cell + row, select(valid, select(is_small, cell, large_list), invalid_list));
    // valid && !large ? crossing : 0
    store_unaligned(out_block.crossing + row, select(valid, select(is_small, crossing, zero), zero));
    const IntW<Arch> quad =
        (y.bin0 | shift_left<8>(z.bin0)) | (shift_left<16>(y.bin1) | shift_left<24>(z.bin1));
    store_unaligned(out_block.quad + row, quad ^ broadcast_int<Arch>(static_cast<std::int32_t>(0xFFFF0000u)));
    store_unaligned(out_block.next_sweep + row, shift_left<8>(sweep_bin<Arch>(x.last_bin)));
    const IntW<Arch> next_quad = shift_left<16>(y.last_bin) | shift_left<24>(z.last_bin);
    store_unaligned(out_block.next_quad + row,
                    next_quad ^ broadcast_int<Arch>(static_cast<std::int32_t>(0xFFFF0000u)));
    const IntW<Arch> id = (broadcast_int<Arch>(static_cast<std::int32_t>(index)) + lane_index<Arch>()) |
                          broadcast_int<Arch>(static_cast<std::int32_t>(input.id_bits));
    const IntW<Arch> tag = broadcast_int<Arch>(static_cast<std::int32_t>(input.tag)) |
                           (sweep_bin<Arch>(x.bin0) | shift_left<8>(sweep_bin<Arch>(x.bin1)));
    store_rows_aligned<Arch>(out_block.records[row].min, box.min.x, box.min.y, box.min.z, as_float(id),
                             box.max.x, box.max.y, box.max.z, as_float(tag));
}

template <bool kIsEven, class Arch>
BROADSIDE_FORCE_INLINE void locate_block(const ScatterInput& input, std::size_t first,
                                         std::uint32_t row_count, ScatterBlock& out_block) {
    simd::for_each_group_of_boxes<Arch>(
        input.boxes.part(first, row_count),
        [&](std::size_t row, const simd::BoxW<Arch>& box) BROADSIDE_FORCE_INLINE_LAMBDA {
            locate_boxes<kIsEven, Arch>(input, box, first + row, static_cast<std::uint32_t>(row), out_block);
        });
}

/// Scatters boxes `begin` to `end` into the lists. Cost: about forty operations per group of lanes, ten more
/// for each further ramp, and 36 bytes moved per box; the move is the larger part.
template <class Arch>
void scatter_kernel(const ScatterInput& input, std::size_t begin, std::size_t end, ScatterOutput& state) {
    ScatterBlock block;
    [[maybe_unused]] const bool is_even = input.grid.is_even();
    for (std::size_t first = begin; first < end; first += kScatterBlock) {
        const auto row_count =
            static_cast<std::uint32_t>(end - first < kScatterBlock ? end - first : kScatterBlock);
        if constexpr (simd::is_scalar<Arch>) {
            for (std::uint32_t row = 0; row < row_count; ++row)
                locate_box_scalar(input, first + row, row, block);
        } else if (is_even) {
            locate_block<true, Arch>(input, first, row_count, block);
        } else {
            locate_block<false, Arch>(input, first, row_count, block);
        }
        move_block(input, block, row_count, state);
    }
}

}  // namespace broadside::broadphase
