// Rows turned into lanes: the structs that a group of indices names, one to a lane, their floats in columns.
#pragma once

#include "simd/src/rows.hpp"

#include <cstddef>

// A gather instruction costs about a cycle a float, 16-byte loads and two rounds of unpacking a fraction of that.
namespace broadside::simd {

namespace native {

// Four consecutive floats of every row into four columns. `rows` has an address per lane.

#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE void load_four_columns(const float* const* rows, std::size_t offset,
                                              __m128 (&columns)[4]) {
    for (int row = 0; row < 4; ++row) columns[row] = _mm_loadu_ps(rows[row] + offset);
    transpose4(columns);
}
#endif

#if defined(__AVX2__)
BROADSIDE_FORCE_INLINE void load_four_columns(const float* const* rows, std::size_t offset,
                                              __m256 (&columns)[4]) {
    for (int row = 0; row < 4; ++row) {
        const __m256 low = _mm256_castps128_ps256(_mm_loadu_ps(rows[row] + offset));
        columns[row] = _mm256_insertf128_ps(low, _mm_loadu_ps(rows[row + 4] + offset), 1);
    }
    transpose4(columns);
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE void load_four_columns(const float* const* rows, std::size_t offset,
                                              __m512 (&columns)[4]) {
    for (int row = 0; row < 4; ++row) {
        __m512 all = _mm512_castps128_ps512(_mm_loadu_ps(rows[row] + offset));
        all = _mm512_insertf32x4(all, _mm_loadu_ps(rows[row + 4] + offset), 1);
        all = _mm512_insertf32x4(all, _mm_loadu_ps(rows[row + 8] + offset), 2);
        columns[row] = _mm512_insertf32x4(all, _mm_loadu_ps(rows[row + 12] + offset), 3);
    }
    transpose4(columns);
}
#endif

#if defined(__aarch64__)
BROADSIDE_FORCE_INLINE void load_four_columns(const float* const* rows, std::size_t offset,
                                              float32x4_t (&columns)[4]) {
    const float32x4x2_t first_two = vtrnq_f32(vld1q_f32(rows[0] + offset), vld1q_f32(rows[1] + offset));
    const float32x4x2_t last_two = vtrnq_f32(vld1q_f32(rows[2] + offset), vld1q_f32(rows[3] + offset));
    columns[0] = vcombine_f32(vget_low_f32(first_two.val[0]), vget_low_f32(last_two.val[0]));
    columns[1] = vcombine_f32(vget_low_f32(first_two.val[1]), vget_low_f32(last_two.val[1]));
    columns[2] = vcombine_f32(vget_high_f32(first_two.val[0]), vget_high_f32(last_two.val[0]));
    columns[3] = vcombine_f32(vget_high_f32(first_two.val[1]), vget_high_f32(last_two.val[1]));
}
#endif

}  // namespace native

/// Column c holds the float c of the row that each lane's address names. Reads the kFloats floats of a row and nothing
/// behind them: the last four overlap the ones before.
template <class Arch, std::size_t kFloats>
BROADSIDE_FORCE_INLINE void load_rows(const float* const* rows, FloatW<Arch> (&out_columns)[kFloats]) {
    static_assert(kFloats >= 4);
    using Register = typename xsimd::batch<float, typename Arch::Xsimd>::register_type;
    for (std::size_t next = 0; next < kFloats; next += 4) {
        const std::size_t offset = next + 4 <= kFloats ? next : kFloats - 4;
        Register columns[4];
        native::load_four_columns(rows, offset, columns);
        for (std::size_t c = 0; c < 4; ++c) out_columns[offset + c].value = columns[c];
    }
}

}  // namespace broadside::simd
