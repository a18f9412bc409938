// The few operations for which xsimd has no form of the exact semantics that the kernels need, on native registers.
#pragma once

#include <broadside/force_inline.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// min_keep and max_keep are "a < b ? a : b" and "a > b ? a : b". That is what x86's min and max compute, second
// operand on NaN and on ties included; AArch64's do not.
// load_first and store_first touch `count` floats of memory and no byte more.
// compress moves the lanes whose bit is set to the front, in order; lanes behind them hold anything.
namespace broadside::simd::native {

#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE __m128 min_keep(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m128 max_keep(__m128 a, __m128 b) { return _mm_max_ps(a, b); }

BROADSIDE_FORCE_INLINE __m128 load_first(const float* source, std::uint32_t count, __m128 fill) {
    alignas(16) float lanes[4];
    _mm_store_ps(lanes, fill);
    for (std::uint32_t lane = 0; lane < count; ++lane) lanes[lane] = source[lane];
    return _mm_load_ps(lanes);
}
BROADSIDE_FORCE_INLINE void store_first(float* target, std::uint32_t count, __m128 value) {
    alignas(16) float lanes[4];
    _mm_store_ps(lanes, value);
    for (std::uint32_t lane = 0; lane < count; ++lane) target[lane] = lanes[lane];
}
BROADSIDE_FORCE_INLINE __m128i compress(__m128i value, std::uint32_t bits) {
    // SSE2 has no byte shuffle: store each lane at the place where it belongs, later ones overwrite the rejected.
    alignas(16) std::int32_t lanes[4];
    alignas(16) std::int32_t packed[8];
    _mm_store_si128(reinterpret_cast<__m128i*>(lanes), value);
    std::uint32_t place = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        packed[place] = lanes[lane];
        place += (bits >> lane) & 1u;
    }
    for (std::uint32_t lane = place; lane < 4; ++lane) packed[lane] = 0;
    return _mm_load_si128(reinterpret_cast<const __m128i*>(packed));
}
#endif

#if defined(__AVX2__)
BROADSIDE_FORCE_INLINE __m256 min_keep(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m256 max_keep(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }

BROADSIDE_FORCE_INLINE __m256i first_lanes_256(std::uint32_t count) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
BROADSIDE_FORCE_INLINE __m256 load_first(const float* source, std::uint32_t count, __m256 fill) {
    const __m256i lanes = first_lanes_256(count);
    return _mm256_blendv_ps(fill, _mm256_maskload_ps(source, lanes), _mm256_castsi256_ps(lanes));
}
BROADSIDE_FORCE_INLINE void store_first(float* target, std::uint32_t count, __m256 value) {
    _mm256_maskstore_ps(target, first_lanes_256(count), value);
}
BROADSIDE_FORCE_INLINE __m256i compress(__m256i value, std::uint32_t bits) {
    // pdep spreads each mask bit over a byte, pext packs the lane numbers of the set ones: a permutation without a table.
    const std::uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xFFu;
    const std::uint64_t order = _pext_u64(0x0706050403020100u, bytes);
    return _mm256_permutevar8x32_epi32(
        value, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(order))));
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE __m512 min_keep(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m512 max_keep(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }

BROADSIDE_FORCE_INLINE __mmask16 first_lanes_512(std::uint32_t count) {
    return static_cast<__mmask16>(_bzhi_u32(0xFFFFu, count));
}
BROADSIDE_FORCE_INLINE __m512 load_first(const float* source, std::uint32_t count, __m512 fill) {
    return _mm512_mask_loadu_ps(fill, first_lanes_512(count), source);
}
BROADSIDE_FORCE_INLINE void store_first(float* target, std::uint32_t count, __m512 value) {
    _mm512_mask_storeu_ps(target, first_lanes_512(count), value);
}
// To a register: the memory form of vpcompressd is microcoded on Zen 4 (72 cycles against 2).
BROADSIDE_FORCE_INLINE __m512i compress(__m512i value, std::uint32_t bits) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), value);
}
#endif

#if defined(__aarch64__)
BROADSIDE_FORCE_INLINE float32x4_t min_keep(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
BROADSIDE_FORCE_INLINE float32x4_t max_keep(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}

BROADSIDE_FORCE_INLINE float32x4_t load_first(const float* source, std::uint32_t count, float32x4_t fill) {
    float lanes[4];
    vst1q_f32(lanes, fill);
    for (std::uint32_t lane = 0; lane < count; ++lane) lanes[lane] = source[lane];
    return vld1q_f32(lanes);
}
BROADSIDE_FORCE_INLINE void store_first(float* target, std::uint32_t count, float32x4_t value) {
    float lanes[4];
    vst1q_f32(lanes, value);
    for (std::uint32_t lane = 0; lane < count; ++lane) target[lane] = lanes[lane];
}
BROADSIDE_FORCE_INLINE int32x4_t compress(int32x4_t value, std::uint32_t bits) {
    std::int32_t lanes[4];
    std::int32_t packed[8] = {};
    vst1q_s32(lanes, value);
    std::uint32_t place = 0;
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        packed[place] = lanes[lane];
        place += (bits >> lane) & 1u;
    }
    return vld1q_s32(packed);
}
#endif

}  // namespace broadside::simd::native
