// Rows turned into lanes: four consecutive floats of each of several structs become four columns of lanes.
#pragma once

#include "simd/src/doubles.hpp"
#include "simd/src/rows.hpp"

namespace broadside::simd {

namespace native {

#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m128 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) columns[i] = _mm_loadu_ps(rows[i]);
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m128d (&columns)[4]) {
    __m128 both[4];
    for (int i = 0; i < 4; ++i) both[i] = _mm_loadu_ps(rows[i % 2]);
    transpose4(both);
    for (int i = 0; i < 4; ++i) columns[i] = _mm_cvtps_pd(both[i]);
}
#endif

#if defined(__AVX2__)
// Row i + 4·b goes to 128-bit block b, so that the transposition within blocks leaves the lanes in order.
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m256 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) {
        columns[i] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[i])), _mm_loadu_ps(rows[i + 4]), 1);
    }
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m256d (&columns)[4]) {
    __m128 floats[4];
    load_columns4(rows, floats);
    for (int i = 0; i < 4; ++i) columns[i] = _mm256_cvtps_pd(floats[i]);
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m512 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) {
        __m512 column = _mm512_castps128_ps512(_mm_loadu_ps(rows[i]));
        column = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 4]), 1);
        column = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 8]), 2);
        columns[i] = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 12]), 3);
    }
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m512d (&columns)[4]) {
    __m256 floats[4];
    load_columns4(rows, floats);
    for (int i = 0; i < 4; ++i) columns[i] = _mm512_cvtps_pd(floats[i]);
}
#endif

#if defined(__aarch64__)
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, float32x4_t (&columns)[4]) {
    float block[16];
    for (int i = 0; i < 4; ++i) vst1q_f32(block + 4 * i, vld1q_f32(rows[i]));
    const float32x4x4_t transposed = vld4q_f32(block);
    for (int i = 0; i < 4; ++i) columns[i] = transposed.val[i];
}
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, float64x2_t (&columns)[4]) {
    const float32x4_t first = vld1q_f32(rows[0]);
    const float32x4_t second = vld1q_f32(rows[1]);
    const float32x4_t low = vzip1q_f32(first, second);
    const float32x4_t high = vzip2q_f32(first, second);
    columns[0] = vcvt_f64_f32(vget_low_f32(low));
    columns[1] = vcvt_high_f64_f32(low);
    columns[2] = vcvt_f64_f32(vget_low_f32(high));
    columns[3] = vcvt_high_f64_f32(high);
}
#endif

}  // namespace native

/// out_columns[k] holds float number k of every item, where item i begins at
/// rows[i]. Reads kFloats floats of each row and no more; kFloats is at least four.
template <class Arch, std::uint32_t kFloats>
BROADSIDE_FORCE_INLINE void load_columns(const float* const* rows, FloatW<Arch> (&out_columns)[kFloats]) {
    using Register = typename xsimd::batch<float, typename Arch::Xsimd>::register_type;
    for (std::uint32_t begin = 0; begin < kFloats; begin += 4) {
        // The last four may repeat columns of those before.
        const std::uint32_t first = begin + 4 <= kFloats ? begin : kFloats - 4;
        const float* at[Arch::kLanes];
        for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) at[lane] = rows[lane] + first;
        Register columns[4];
        native::load_columns4(at, columns);
        for (std::uint32_t k = 0; k < 4; ++k) out_columns[first + k].value = columns[k];
    }
}
/// As above, widened exactly, for kDoubleLanes items.
template <class Arch, std::uint32_t kFloats>
BROADSIDE_FORCE_INLINE void load_columns(const float* const* rows, DoubleW<Arch> (&out_columns)[kFloats]) {
    using Register = typename xsimd::batch<double, typename Arch::Xsimd>::register_type;
    for (std::uint32_t begin = 0; begin < kFloats; begin += 4) {
        const std::uint32_t first = begin + 4 <= kFloats ? begin : kFloats - 4;
        const float* at[kDoubleLanes<Arch>];
        for (std::uint32_t lane = 0; lane < kDoubleLanes<Arch>; ++lane) at[lane] = rows[lane] + first;
        Register columns[4];
        native::load_columns4(at, columns);
        for (std::uint32_t k = 0; k < 4; ++k) out_columns[first + k].value = columns[k];
    }
}

}  // namespace broadside::simd
