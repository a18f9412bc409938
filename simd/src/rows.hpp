// Lanes turned into rows: eight columns of lanes become one row of eight floats per lane. The way back is in
// row_columns.hpp.
#pragma once

#include "simd/src/lanes.hpp"

namespace broadside::simd {

namespace native {

#if defined(__x86_64__)
/// Rows of four within each 128-bit block, by the usual two rounds of unpacking.
BROADSIDE_FORCE_INLINE void transpose4(__m128 (&r)[4]) { _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]); }

template <int kStride>
BROADSIDE_FORCE_INLINE void store_rows(float* target, __m128 (&low)[4], __m128 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    for (int row = 0; row < 4; ++row) {
        _mm_store_ps(target + kStride * row, low[row]);
        _mm_store_ps(target + kStride * row + 4, high[row]);
    }
}
#endif

#if defined(__AVX2__)
BROADSIDE_FORCE_INLINE void transpose4(__m256 (&r)[4]) {
    const __m256 ab_low = _mm256_unpacklo_ps(r[0], r[1]);
    const __m256 ab_high = _mm256_unpackhi_ps(r[0], r[1]);
    const __m256 cd_low = _mm256_unpacklo_ps(r[2], r[3]);
    const __m256 cd_high = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(ab_low, cd_low, 0x44);
    r[1] = _mm256_shuffle_ps(ab_low, cd_low, 0xEE);
    r[2] = _mm256_shuffle_ps(ab_high, cd_high, 0x44);
    r[3] = _mm256_shuffle_ps(ab_high, cd_high, 0xEE);
}
template <int kStride>
BROADSIDE_FORCE_INLINE void store_rows(float* target, __m256 (&low)[4], __m256 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    for (int row = 0; row < 4; ++row) {
        _mm256_store_ps(target + kStride * row, _mm256_permute2f128_ps(low[row], high[row], 0x20));
        _mm256_store_ps(target + kStride * (row + 4), _mm256_permute2f128_ps(low[row], high[row], 0x31));
    }
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE void transpose4(__m512 (&r)[4]) {
    const __m512 ab_low = _mm512_unpacklo_ps(r[0], r[1]);
    const __m512 ab_high = _mm512_unpackhi_ps(r[0], r[1]);
    const __m512 cd_low = _mm512_unpacklo_ps(r[2], r[3]);
    const __m512 cd_high = _mm512_unpackhi_ps(r[2], r[3]);
    r[0] = _mm512_shuffle_ps(ab_low, cd_low, 0x44);
    r[1] = _mm512_shuffle_ps(ab_low, cd_low, 0xEE);
    r[2] = _mm512_shuffle_ps(ab_high, cd_high, 0x44);
    r[3] = _mm512_shuffle_ps(ab_high, cd_high, 0xEE);
}
template <int kStride>
BROADSIDE_FORCE_INLINE void store_rows(float* target, __m512 (&low)[4], __m512 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    // Blocks k of low and high side by side: rows row and row + 4, then row + 8 and row + 12.
    const __m512i first_two = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i last_two = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    for (int row = 0; row < 4; ++row) {
        const __m512d low_d = _mm512_castps_pd(low[row]);
        const __m512d high_d = _mm512_castps_pd(high[row]);
        const __m512d a = _mm512_permutex2var_pd(low_d, first_two, high_d);
        const __m512d b = _mm512_permutex2var_pd(low_d, last_two, high_d);
        _mm256_store_ps(target + kStride * row, _mm256_castpd_ps(_mm512_castpd512_pd256(a)));
        _mm256_store_ps(target + kStride * (row + 4), _mm256_castpd_ps(_mm512_extractf64x4_pd(a, 1)));
        _mm256_store_ps(target + kStride * (row + 8), _mm256_castpd_ps(_mm512_castpd512_pd256(b)));
        _mm256_store_ps(target + kStride * (row + 12), _mm256_castpd_ps(_mm512_extractf64x4_pd(b, 1)));
    }
}
#endif

#if defined(__aarch64__)
template <int kStride>
BROADSIDE_FORCE_INLINE void store_rows(float* target, float32x4_t (&low)[4], float32x4_t (&high)[4]) {
    float lanes[2][16];
    vst4q_f32(lanes[0], (float32x4x4_t{{low[0], low[1], low[2], low[3]}}));
    vst4q_f32(lanes[1], (float32x4x4_t{{high[0], high[1], high[2], high[3]}}));
    for (int row = 0; row < 4; ++row) {
        vst1q_f32(target + kStride * row, vld1q_f32(lanes[0] + 4 * row));
        vst1q_f32(target + kStride * row + 4, vld1q_f32(lanes[1] + 4 * row));
    }
}
#endif

}  // namespace native

/// Lane i of the eight columns goes to target[kStride·i] … target[kStride·i + 7], for all lanes. `target` is
/// 32-byte aligned, and the stride a multiple of 8.
template <class Arch, int kStride = 8>
BROADSIDE_FORCE_INLINE void store_rows_aligned(float* target, FloatW<Arch> c0, FloatW<Arch> c1,
                                               FloatW<Arch> c2, FloatW<Arch> c3, FloatW<Arch> c4,
                                               FloatW<Arch> c5, FloatW<Arch> c6, FloatW<Arch> c7) {
    using Register = typename xsimd::batch<float, typename Arch::Xsimd>::register_type;
    Register low[4] = {c0.value, c1.value, c2.value, c3.value};
    Register high[4] = {c4.value, c5.value, c6.value, c7.value};
    native::store_rows<kStride>(target, low, high);
}

}  // namespace broadside::simd
