// Rows turned into lanes: the structs that a group of indices names, one to a lane, their floats in columns.
#pragma once

#include "simd/src/rows.hpp"

#include <cstddef>

// Cheaper than gather instructions, and wider rows cost more, not less: most of them cross a cache line
// (bench/README.md, dead ends).
namespace broadside::simd {

namespace native {

// Three or four floats from `source` on, and nothing behind them; a fourth that is not read is zero.

#if defined(__x86_64__)
template <std::size_t kCount>
BROADSIDE_FORCE_INLINE __m128 load_row(const float* source) {
    static_assert(kCount == 3 || kCount == 4);
    if constexpr (kCount == 4) return _mm_loadu_ps(source);
    const __m128i first_two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(source));
    return _mm_movelh_ps(_mm_castsi128_ps(first_two), _mm_load_ss(source + 2));
}
#elif defined(__aarch64__)
template <std::size_t kCount>
BROADSIDE_FORCE_INLINE float32x4_t load_row(const float* source) {
    static_assert(kCount == 3 || kCount == 4);
    if constexpr (kCount == 4) return vld1q_f32(source);
    return vcombine_f32(vld1_f32(source), vld1_lane_f32(source + 2, vdup_n_f32(0.0f), 0));
}
#endif

// Four columns from `offset` on of the rows at row_of(lane). Addresses are asked for one by one: from an
// array of them compilers make vectors, and fetching those back costs more than the rows.

#if defined(__x86_64__)
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, __m128 (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) columns[row] = load_row<kCount>(row_of(row) + offset);
    transpose4(columns);
}
#endif

#if defined(__AVX2__)
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, __m256 (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) {
        const __m256 low = _mm256_castps128_ps256(load_row<kCount>(row_of(row) + offset));
        columns[row] = _mm256_insertf128_ps(low, load_row<kCount>(row_of(row + 4) + offset), 1);
    }
    transpose4(columns);
}
#endif

#if defined(__AVX512F__)
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, __m512 (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) {
        __m512 all = _mm512_castps128_ps512(load_row<kCount>(row_of(row) + offset));
        all = _mm512_insertf32x4(all, load_row<kCount>(row_of(row + 4) + offset), 1);
        all = _mm512_insertf32x4(all, load_row<kCount>(row_of(row + 8) + offset), 2);
        columns[row] = _mm512_insertf32x4(all, load_row<kCount>(row_of(row + 12) + offset), 3);
    }
    transpose4(columns);
}
#endif

#if defined(__aarch64__)
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, float32x4_t (&columns)[4]) {
    float32x4_t r[4];
    for (std::uint32_t row = 0; row < 4; ++row) r[row] = load_row<kCount>(row_of(row) + offset);
    const float32x4x2_t first_two = vtrnq_f32(r[0], r[1]);
    const float32x4x2_t last_two = vtrnq_f32(r[2], r[3]);
    columns[0] = vcombine_f32(vget_low_f32(first_two.val[0]), vget_low_f32(last_two.val[0]));
    columns[1] = vcombine_f32(vget_low_f32(first_two.val[1]), vget_low_f32(last_two.val[1]));
    columns[2] = vcombine_f32(vget_high_f32(first_two.val[0]), vget_high_f32(last_two.val[0]));
    columns[3] = vcombine_f32(vget_high_f32(first_two.val[1]), vget_high_f32(last_two.val[1]));
}
#endif

}  // namespace native

/// The columns from kFirst on. A recursion rather than a loop, so that every column is a register in its own
/// right.
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
/// nothing behind them: where the last four do not begin at a multiple of four, they overlap the ones before.
template <class Arch, std::size_t kFloats, class RowOf>
BROADSIDE_FORCE_INLINE void load_rows(RowOf row_of, FloatW<Arch> (&out_columns)[kFloats]) {
    static_assert(kFloats >= 3);
    load_rows_from<Arch, 0>(row_of, out_columns);
}

}  // namespace broadside::simd
