// Rows of eight floats on native registers and the turn of rows into columns; what they mean stands in
// row_columns.hpp.
#pragma once

#include "simd/src/arch.hpp"

#include <broadside/force_inline.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// turn_rows: columns 0 to 2 are x, y, z of the rows' first halves, 3 to 5 those of the second halves, and 6,
// where there is one, the first halves' w. turn_vectors: two lanes share a row.
namespace broadside::simd::native {

/// Eight floats in as many registers as the architecture needs.
template <class Arch>
struct Row8;

/// One register per column.
template <class Arch, unsigned kCount>
struct Columns {
    typename xsimd::batch<float, typename Arch::Xsimd>::register_type value[kCount];
};

#if defined(__x86_64__)
template <>
struct Row8<Sse2> {
    __m128 low;
    __m128 high;
};
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves(const float* low,
                                                  const float* high) requires(Arch::kLanes == 4) {
    return {_mm_load_ps(low), _mm_load_ps(high)};
}
BROADSIDE_FORCE_INLINE Row8<Sse2> subtract(const Row8<Sse2>& a, const Row8<Sse2>& b) {
    return {_mm_sub_ps(a.low, b.low), _mm_sub_ps(a.high, b.high)};
}
BROADSIDE_FORCE_INLINE Row8<Sse2> multiply(const Row8<Sse2>& a, const Row8<Sse2>& b) {
    return {_mm_mul_ps(a.low, b.low), _mm_mul_ps(a.high, b.high)};
}
/// x, y, z and, if asked for, w of four vectors.
BROADSIDE_FORCE_INLINE void turn4(__m128 a, __m128 b, __m128 c, __m128 d, __m128* out_xyz, __m128* out_w) {
    const __m128 ab_xy = _mm_unpacklo_ps(a, b);
    const __m128 cd_xy = _mm_unpacklo_ps(c, d);
    const __m128 ab_zw = _mm_unpackhi_ps(a, b);
    const __m128 cd_zw = _mm_unpackhi_ps(c, d);
    out_xyz[0] = _mm_movelh_ps(ab_xy, cd_xy);
    out_xyz[1] = _mm_movehl_ps(cd_xy, ab_xy);
    out_xyz[2] = _mm_movelh_ps(ab_zw, cd_zw);
    if (out_w != nullptr) *out_w = _mm_movehl_ps(cd_zw, ab_zw);
}
#elif defined(__aarch64__)
template <>
struct Row8<Neon64> {
    float32x4_t low;
    float32x4_t high;
};
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves(const float* low,
                                                  const float* high) requires(Arch::kLanes == 4) {
    return {vld1q_f32(low), vld1q_f32(high)};
}
BROADSIDE_FORCE_INLINE Row8<Neon64> subtract(const Row8<Neon64>& a, const Row8<Neon64>& b) {
    return {vsubq_f32(a.low, b.low), vsubq_f32(a.high, b.high)};
}
BROADSIDE_FORCE_INLINE Row8<Neon64> multiply(const Row8<Neon64>& a, const Row8<Neon64>& b) {
    return {vmulq_f32(a.low, b.low), vmulq_f32(a.high, b.high)};
}
BROADSIDE_FORCE_INLINE void turn4(float32x4_t a, float32x4_t b, float32x4_t c, float32x4_t d,
                                  float32x4_t* out_xyz, float32x4_t* out_w) {
    const float32x4_t ac_xy = vzip1q_f32(a, c);
    const float32x4_t bd_xy = vzip1q_f32(b, d);
    const float32x4_t ac_zw = vzip2q_f32(a, c);
    const float32x4_t bd_zw = vzip2q_f32(b, d);
    out_xyz[0] = vzip1q_f32(ac_xy, bd_xy);
    out_xyz[1] = vzip2q_f32(ac_xy, bd_xy);
    out_xyz[2] = vzip1q_f32(ac_zw, bd_zw);
    if (out_w != nullptr) *out_w = vzip2q_f32(ac_zw, bd_zw);
}
#endif

template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row(const float* source) requires(Arch::kLanes == 4) {
    return load_row_halves<Arch>(source, source + 4);
}
template <class Arch, class RowAt, unsigned kCount>
BROADSIDE_FORCE_INLINE void turn_rows(RowAt&& row_at,
                                      Columns<Arch, kCount>& out) requires(Arch::kLanes == 4) {
    const Row8<Arch> a = row_at(0);
    const Row8<Arch> b = row_at(1);
    const Row8<Arch> c = row_at(2);
    const Row8<Arch> d = row_at(3);
    turn4(a.low, b.low, c.low, d.low, out.value, kCount == 7 ? out.value + 6 : nullptr);
    turn4(a.high, b.high, c.high, d.high, out.value + 3, nullptr);
}
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE void turn_vectors(RowAt&& row_at, Columns<Arch, 3>& out) requires(Arch::kLanes == 4) {
    const Row8<Arch> ac = row_at(0, 2);
    const Row8<Arch> bd = row_at(1, 3);
    turn4(ac.low, bd.low, ac.high, bd.high, out.value, nullptr);
}

#if defined(__AVX2__)
template <>
struct Row8<Avx2> {
    __m256 value;
};
#if defined(__AVX512F__)
// 256 bits here too: a row is no longer, and only its columns fill a register.
template <>
struct Row8<Avx512> {
    __m256 value;
};
#endif
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row(const float* source) requires(Arch::kLanes >= 8) {
    return {_mm256_load_ps(source)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves(const float* low,
                                                  const float* high) requires(Arch::kLanes >= 8) {
    return {_mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(low)), _mm_load_ps(high), 1)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> subtract(const Row8<Arch>& a,
                                           const Row8<Arch>& b) requires(Arch::kLanes >= 8) {
    return {_mm256_sub_ps(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> multiply(const Row8<Arch>& a,
                                           const Row8<Arch>& b) requires(Arch::kLanes >= 8) {
    return {_mm256_mul_ps(a.value, b.value)};
}

/// Four rows turned within their 128-bit halves: column k holds component k of the four first halves, then of
/// the four second ones.
template <unsigned kComponents>
struct Quad {
    __m256 value[kComponents];
};
template <unsigned kComponents>
BROADSIDE_FORCE_INLINE Quad<kComponents> turn_quad(__m256 a, __m256 b, __m256 c, __m256 d) {
    const __m256 ab_xy = _mm256_unpacklo_ps(a, b);
    const __m256 cd_xy = _mm256_unpacklo_ps(c, d);
    const __m256 ab_zw = _mm256_unpackhi_ps(a, b);
    const __m256 cd_zw = _mm256_unpackhi_ps(c, d);
    Quad<kComponents> quad;
    quad.value[0] = _mm256_shuffle_ps(ab_xy, cd_xy, 0x44);
    quad.value[1] = _mm256_shuffle_ps(ab_xy, cd_xy, 0xEE);
    quad.value[2] = _mm256_shuffle_ps(ab_zw, cd_zw, 0x44);
    if constexpr (kComponents == 4) quad.value[3] = _mm256_shuffle_ps(ab_zw, cd_zw, 0xEE);
    return quad;
}
template <unsigned kComponents, class RowAt>
BROADSIDE_FORCE_INLINE Quad<kComponents> turn_quad_at(RowAt&& row_at, std::uint32_t lane) {
    return turn_quad<kComponents>(row_at(lane).value, row_at(lane + 1).value, row_at(lane + 2).value,
                                  row_at(lane + 3).value);
}

template <class Arch, class RowAt, unsigned kCount>
BROADSIDE_FORCE_INLINE void turn_rows(RowAt&& row_at,
                                      Columns<Arch, kCount>& out) requires(Arch::kLanes == 8) {
    constexpr unsigned kComponents = kCount == 7 ? 4 : 3;
    const Quad<kComponents> lower = turn_quad_at<kComponents>(row_at, 0);
    const Quad<kComponents> upper = turn_quad_at<kComponents>(row_at, 4);
    for (unsigned k = 0; k < 3; ++k) {
        out.value[k] = _mm256_permute2f128_ps(lower.value[k], upper.value[k], 0x20);
        out.value[k + 3] = _mm256_permute2f128_ps(lower.value[k], upper.value[k], 0x31);
    }
    if constexpr (kCount == 7) out.value[6] = _mm256_permute2f128_ps(lower.value[3], upper.value[3], 0x20);
}
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE void turn_vectors(RowAt&& row_at, Columns<Arch, 3>& out) requires(Arch::kLanes == 8) {
    const Quad<3> quad =
        turn_quad<3>(row_at(0, 4).value, row_at(1, 5).value, row_at(2, 6).value, row_at(3, 7).value);
    for (unsigned k = 0; k < 3; ++k) out.value[k] = quad.value[k];
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE __m512 join(__m256 low, __m256 high) {
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}

template <class Arch, class RowAt, unsigned kCount>
BROADSIDE_FORCE_INLINE void turn_rows(RowAt&& row_at,
                                      Columns<Arch, kCount>& out) requires(Arch::kLanes == 16) {
    constexpr unsigned kComponents = kCount == 7 ? 4 : 3;
    __m512 lower[kComponents];
    __m512 upper[kComponents];
    {
        const Quad<kComponents> a = turn_quad_at<kComponents>(row_at, 0);
        const Quad<kComponents> b = turn_quad_at<kComponents>(row_at, 4);
        for (unsigned k = 0; k < kComponents; ++k) lower[k] = join(a.value[k], b.value[k]);
    }
    {
        const Quad<kComponents> a = turn_quad_at<kComponents>(row_at, 8);
        const Quad<kComponents> b = turn_quad_at<kComponents>(row_at, 12);
        for (unsigned k = 0; k < kComponents; ++k) upper[k] = join(a.value[k], b.value[k]);
    }
    for (unsigned k = 0; k < 3; ++k) {
        out.value[k] = _mm512_shuffle_f32x4(lower[k], upper[k], 0x88);
        out.value[k + 3] = _mm512_shuffle_f32x4(lower[k], upper[k], 0xDD);
    }
    if constexpr (kCount == 7) out.value[6] = _mm512_shuffle_f32x4(lower[3], upper[3], 0x88);
}
template <class Arch, class RowAt>
BROADSIDE_FORCE_INLINE void turn_vectors(RowAt&& row_at, Columns<Arch, 3>& out) requires(Arch::kLanes == 16) {
    const Quad<3> lower =
        turn_quad<3>(row_at(0, 4).value, row_at(1, 5).value, row_at(2, 6).value, row_at(3, 7).value);
    const Quad<3> upper =
        turn_quad<3>(row_at(8, 12).value, row_at(9, 13).value, row_at(10, 14).value, row_at(11, 15).value);
    for (unsigned k = 0; k < 3; ++k) out.value[k] = join(lower.value[k], upper.value[k]);
}
#endif

}  // namespace broadside::simd::native
