// Transposes between rows and lanes: the numbers of one item, adjacent in memory, become one column of lanes
// each, and back.
#pragma once

#include "simd/src/doubles.hpp"
#include "simd/src/geometry.hpp"

namespace broadside::simd {

// Columns to rows.

/// Lane i of the eight columns goes to the eight floats from row_at(i) on, which need not be aligned. Lanes
/// are written in order: if rows overlap, memory holds the later one.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, FloatW<Arch> c0, FloatW<Arch> c1, FloatW<Arch> c2,
                                       FloatW<Arch> c3, FloatW<Arch> c4, FloatW<Arch> c5, FloatW<Arch> c6,
                                       FloatW<Arch> c7) {
    if constexpr (is_scalar<Arch>) {
        const FloatW<Arch> columns[8] = {c0, c1, c2, c3, c4, c5, c6, c7};
        for (std::size_t c = 0; c < 8; ++c) row_at(0)[c] = columns[c].value;
    } else {
        using Register = typename xsimd::batch<float, typename Arch::Xsimd>::register_type;
        Register low[4] = {c0.value, c1.value, c2.value, c3.value};
        Register high[4] = {c4.value, c5.value, c6.value, c7.value};
        native::store_rows(row_at, low, high);
    }
}
/// Lane i goes to target[kStride·i] … target[kStride·i + 7]. `target` is 32-byte aligned, and the stride a
/// multiple of 8.
template <class Arch, std::size_t kStride = 8>
BROADSIDE_FORCE_INLINE void store_rows_aligned(float* target, FloatW<Arch> c0, FloatW<Arch> c1,
                                               FloatW<Arch> c2, FloatW<Arch> c3, FloatW<Arch> c4,
                                               FloatW<Arch> c5, FloatW<Arch> c6, FloatW<Arch> c7) {
    store_rows([=](std::size_t lane) { return target + kStride * lane; }, c0, c1, c2, c3, c4, c5, c6, c7);
}

// Rows to columns, by pointers.

/// out_columns[k] holds float number k of every item, where item i begins at
/// rows[i]. Reads kFloats floats of each row and no more; kFloats is at least four.
template <class Arch, std::uint32_t kFloats>
BROADSIDE_FORCE_INLINE void load_columns(const float* const* rows, FloatW<Arch> (&out_columns)[kFloats]) {
    if constexpr (is_scalar<Arch>) {
        for (std::uint32_t c = 0; c < kFloats; ++c) out_columns[c].value = rows[0][c];
    } else {
        using Register = typename xsimd::batch<float, typename Arch::Xsimd>::register_type;
        for (std::uint32_t begin = 0; begin < kFloats; begin += 4) {
            // The last four may repeat columns of earlier ones.
            const std::uint32_t first = begin + 4 <= kFloats ? begin : kFloats - 4;
            const float* at[Arch::kLanes];
            for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) at[lane] = rows[lane] + first;
            Register columns[4];
            native::load_columns4(at, columns);
            for (std::uint32_t k = 0; k < 4; ++k) out_columns[first + k].value = columns[k];
        }
    }
}
/// The same, widened exactly, for kDoubleLanes items.
template <class Arch, std::uint32_t kFloats>
BROADSIDE_FORCE_INLINE void load_columns(const float* const* rows, DoubleW<Arch> (&out_columns)[kFloats]) {
    if constexpr (is_scalar<Arch>) {
        for (std::uint32_t c = 0; c < kFloats; ++c) out_columns[c].value = static_cast<double>(rows[0][c]);
    } else {
        using Register = typename xsimd::batch<double, typename Arch::Xsimd>::register_type;
        for (std::uint32_t begin = 0; begin < kFloats; begin += 4) {
            const std::uint32_t first = begin + 4 <= kFloats ? begin : kFloats - 4;
            const float* at[kDoubleLanes<Arch>];
            for (std::uint32_t lane = 0; lane < kDoubleLanes<Arch>; ++lane) at[lane] = rows[lane] + first;
            Register columns[4];
            native::load_columns4_widened(at, columns);
            for (std::uint32_t k = 0; k < 4; ++k) out_columns[first + k].value = columns[k];
        }
    }
}

// Rows to columns, by a function of the lane. Cheaper than gather instructions. Wider rows cost more, not
// less, because most of them cross a cache line (bench/dead_ends.md).

/// The columns from kFirst on. A recursion rather than a loop, so that every column is a register of its own.
template <class Arch, std::size_t kFirst, std::size_t kFloats, class RowOf>
BROADSIDE_FORCE_INLINE void load_rows_from(RowOf row_of, FloatW<Arch> (&out_columns)[kFloats]) {
    constexpr std::size_t kBlock = kFloats < 4 ? kFloats : 4;
    constexpr std::size_t kOffset = kFirst + kBlock <= kFloats ? kFirst : kFloats - kBlock;
    typename xsimd::batch<float, typename Arch::Xsimd>::register_type columns[4];
    native::load_columns<kBlock>(row_of, kOffset, columns);
    for (std::size_t c = 0; c < kBlock; ++c) out_columns[kOffset + c].value = columns[c];
    if constexpr (kFirst + kBlock < kFloats) load_rows_from<Arch, kFirst + kBlock>(row_of, out_columns);
}

/// Column c holds the float c of the row at row_of(lane) for each lane. Reads the kFloats floats of a row and
/// nothing behind them: if the last four do not begin at a multiple of four, they overlap those before.
template <class Arch, std::size_t kFloats, class RowOf>
BROADSIDE_FORCE_INLINE void load_rows(RowOf row_of, FloatW<Arch> (&out_columns)[kFloats]) {
    static_assert(kFloats >= 3);
    if constexpr (is_scalar<Arch>) {
        const float* row = row_of(std::uint32_t{0});
        for (std::size_t c = 0; c < kFloats; ++c) out_columns[c].value = row[c];
    } else {
        load_rows_from<Arch, 0>(row_of, out_columns);
    }
}

// Rows of eight floats to columns. Arithmetic on whole rows before the transposition saves columns that would
// have to be transposed too.

/// The eight floats of one item: two vectors of x, y, z and a fourth float that is ignored.
template <class Arch>
struct Row8 {
    native::Row8<Arch> value;
};

template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_aligned(const float* source) {
    return {native::load_row<Arch>(source)};
}
/// Two vectors from two addresses, each of four floats and aligned to 16 bytes.
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves_aligned(const float* first, const float* second) {
    return {native::load_row_halves<Arch>(first, second)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> operator-(Row8<Arch> a, Row8<Arch> b) {
    return {native::subtract(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> operator*(Row8<Arch> a, Row8<Arch> b) {
    return {native::multiply(a.value, b.value)};
}

/// The two vectors of each lane's row.
template <class Arch>
struct Vec3PairW {
    Vec3W<Arch> first;
    Vec3W<Arch> second;
};
/// `row_at(lane)` is the Row8 of a lane. Five shuffles for two lanes on AVX2 and AVX-512, seven on SSE2.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3PairW<Arch> columns_of_rows(RowAt&& row_at) {
    native::Columns<Arch, 6> columns;
    native::turn_rows<Arch>([&](std::uint32_t lane) { return row_at(lane).value; }, columns);
    return {{{columns.value[0]}, {columns.value[1]}, {columns.value[2]}},
            {{columns.value[3]}, {columns.value[4]}, {columns.value[5]}}};
}
/// The same, with the fourth float of each lane's first vector in `out_fourth`.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3PairW<Arch> columns_of_rows(RowAt&& row_at, FloatW<Arch>& out_fourth) {
    native::Columns<Arch, 7> columns;
    native::turn_rows<Arch>([&](std::uint32_t lane) { return row_at(lane).value; }, columns);
    out_fourth = {columns.value[6]};
    return {{{columns.value[0]}, {columns.value[1]}, {columns.value[2]}},
            {{columns.value[3]}, {columns.value[4]}, {columns.value[5]}}};
}

/// One vector per lane. `row_at(lane, other_lane)` is the Row8 that holds the vectors of both lanes.
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE Vec3W<Arch> columns_of_vectors(RowAt&& row_at) {
    native::Columns<Arch, 3> columns;
    native::turn_vectors<Arch>(
        [&](std::uint32_t lane, std::uint32_t other_lane) { return row_at(lane, other_lane).value; },
        columns);
    return {{columns.value[0]}, {columns.value[1]}, {columns.value[2]}};
}

}  // namespace broadside::simd
