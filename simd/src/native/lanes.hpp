// The few operations for which xsimd has no form of the exact semantics that the kernels need, on native
// registers.
#pragma once

#include <broadside/force_inline.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// divide and square_root are those of IEEE 754; xsimd's for 32-bit floats on AArch64 are refined estimates
// that are off in the last bits. min_keep and max_keep are "a < b ? a : b" and "a > b ? a : b". That is what
// x86's min and max compute, second operand on NaN and on ties included; AArch64's do not. select_by_sign is
// "has_sign_bit(sign) ? if_set : if_clear". stream writes a whole register past the caches, to an address
// aligned to its size, where the processor can; other threads see it after finish_streaming. load_first and
// store_first touch `count` floats of memory and no byte more. compress moves the lanes whose bit is set to
// the front, in order; lanes behind them hold anything. compress_store_interleaved does so with two sources
// and stores them in turn, lane by lane; it writes two registers.
namespace broadside::simd::native {

#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE __m128 divide(__m128 a, __m128 b) { return _mm_div_ps(a, b); }
BROADSIDE_FORCE_INLINE __m128 square_root(__m128 a) { return _mm_sqrt_ps(a); }
BROADSIDE_FORCE_INLINE __m128 min_keep(__m128 a, __m128 b) { return _mm_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m128 max_keep(__m128 a, __m128 b) { return _mm_max_ps(a, b); }
BROADSIDE_FORCE_INLINE __m128 select_by_sign(__m128 sign, __m128 if_set, __m128 if_clear) {
    const __m128 mask = _mm_castsi128_ps(_mm_srai_epi32(_mm_castps_si128(sign), 31));
    return _mm_or_ps(_mm_and_ps(mask, if_set), _mm_andnot_ps(mask, if_clear));
}
BROADSIDE_FORCE_INLINE void stream(float* target, __m128 value) { _mm_stream_ps(target, value); }
BROADSIDE_FORCE_INLINE void finish_streaming() { _mm_sfence(); }

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
    // SSE2 has no byte shuffle: store each lane at the place where it belongs, later ones overwrite the
    // rejected.
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
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, __m128i first, __m128i second,
                                                       std::uint32_t bits) {
    // Each couple of lanes goes to its place, and the next one overwrites it if it was rejected.
    const __m128 couples_01 = _mm_castsi128_ps(_mm_unpacklo_epi32(first, second));
    const __m128 couples_23 = _mm_castsi128_ps(_mm_unpackhi_epi32(first, second));
    _mm_storel_pi(reinterpret_cast<__m64*>(target), couples_01);
    target += 2 * (bits & 1u);
    _mm_storeh_pi(reinterpret_cast<__m64*>(target), couples_01);
    target += 2 * (bits >> 1 & 1u);
    _mm_storel_pi(reinterpret_cast<__m64*>(target), couples_23);
    target += 2 * (bits >> 2 & 1u);
    _mm_storeh_pi(reinterpret_cast<__m64*>(target), couples_23);
}
#endif

#if defined(__AVX2__)
BROADSIDE_FORCE_INLINE __m256 divide(__m256 a, __m256 b) { return _mm256_div_ps(a, b); }
BROADSIDE_FORCE_INLINE __m256 square_root(__m256 a) { return _mm256_sqrt_ps(a); }
BROADSIDE_FORCE_INLINE __m256 min_keep(__m256 a, __m256 b) { return _mm256_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m256 max_keep(__m256 a, __m256 b) { return _mm256_max_ps(a, b); }
BROADSIDE_FORCE_INLINE __m256 select_by_sign(__m256 sign, __m256 if_set, __m256 if_clear) {
    return _mm256_blendv_ps(if_clear, if_set, sign);
}
BROADSIDE_FORCE_INLINE void stream(float* target, __m256 value) { _mm256_stream_ps(target, value); }

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
    // pdep spreads each mask bit over a byte, pext packs the lane numbers of the set ones: a permutation
    // without a table.
    const std::uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xFFu;
    const std::uint64_t order = _pext_u64(0x0706050403020100u, bytes);
    return _mm256_permutevar8x32_epi32(
        value, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(order))));
}
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, __m256i first, __m256i second,
                                                       std::uint32_t bits) {
    first = compress(first, bits);
    second = compress(second, bits);
    // Unpacking works within 128-bit halves: lanes 0 1 4 5 and 2 3 6 7.
    const __m256i outer = _mm256_unpacklo_epi32(first, second);
    const __m256i inner = _mm256_unpackhi_epi32(first, second);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target), _mm256_permute2x128_si256(outer, inner, 0x20));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(target + 8),
                        _mm256_permute2x128_si256(outer, inner, 0x31));
}
#endif

#if defined(__AVX512F__)
BROADSIDE_FORCE_INLINE __m512 divide(__m512 a, __m512 b) { return _mm512_div_ps(a, b); }
BROADSIDE_FORCE_INLINE __m512 square_root(__m512 a) { return _mm512_sqrt_ps(a); }
BROADSIDE_FORCE_INLINE __m512 min_keep(__m512 a, __m512 b) { return _mm512_min_ps(a, b); }
BROADSIDE_FORCE_INLINE __m512 max_keep(__m512 a, __m512 b) { return _mm512_max_ps(a, b); }
BROADSIDE_FORCE_INLINE __m512 select_by_sign(__m512 sign, __m512 if_set, __m512 if_clear) {
    return _mm512_mask_blend_ps(_mm512_movepi32_mask(_mm512_castps_si512(sign)), if_clear, if_set);
}
BROADSIDE_FORCE_INLINE void stream(float* target, __m512 value) { _mm512_stream_ps(target, value); }

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
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, __m512i first, __m512i second,
                                                       std::uint32_t bits) {
    first = compress(first, bits);
    second = compress(second, bits);
    // Indices from 16 on take the lanes of the second source.
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i order_of_rest =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(target, _mm512_permutex2var_epi32(first, order, second));
    _mm512_storeu_si512(target + 16, _mm512_permutex2var_epi32(first, order_of_rest, second));
}
#endif

#if defined(__aarch64__)
BROADSIDE_FORCE_INLINE float32x4_t divide(float32x4_t a, float32x4_t b) { return vdivq_f32(a, b); }
BROADSIDE_FORCE_INLINE float32x4_t square_root(float32x4_t a) { return vsqrtq_f32(a); }
BROADSIDE_FORCE_INLINE float32x4_t min_keep(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
BROADSIDE_FORCE_INLINE float32x4_t max_keep(float32x4_t a, float32x4_t b) {
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
BROADSIDE_FORCE_INLINE float32x4_t select_by_sign(float32x4_t sign, float32x4_t if_set,
                                                  float32x4_t if_clear) {
    return vbslq_f32(vcltzq_s32(vreinterpretq_s32_f32(sign)), if_set, if_clear);
}
BROADSIDE_FORCE_INLINE void stream(float* target, float32x4_t value) { vst1q_f32(target, value); }
BROADSIDE_FORCE_INLINE void finish_streaming() {}

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
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, int32x4_t first,
                                                       int32x4_t second, std::uint32_t bits) {
    // Each couple of lanes goes to its place, and the next one overwrites it if it was rejected.
    const int32x4_t couples_01 = vzip1q_s32(first, second);
    const int32x4_t couples_23 = vzip2q_s32(first, second);
    vst1_s32(target, vget_low_s32(couples_01));
    target += 2 * (bits & 1u);
    vst1_s32(target, vget_high_s32(couples_01));
    target += 2 * (bits >> 1 & 1u);
    vst1_s32(target, vget_low_s32(couples_23));
    target += 2 * (bits >> 2 & 1u);
    vst1_s32(target, vget_high_s32(couples_23));
}
#endif

}  // namespace broadside::simd::native
