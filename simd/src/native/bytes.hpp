// Byte operations over 32 items at a time on native registers; what they mean stands in bytes.hpp.
#pragma once

#include "simd/src/arch.hpp"

#include <broadside/force_inline.hpp>

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace broadside::simd::native {

/// 32 single bytes and 32 groups of four bytes, in as many registers as the architecture needs.
template <class Arch>
struct Bytes32;
template <class Arch>
struct Quads32;

#if defined(__x86_64__)
template <>
struct Bytes32<Sse2> {
    __m128i part[2];
};
template <>
struct Quads32<Sse2> {
    __m128i part[8];
};

BROADSIDE_FORCE_INLINE void load(Bytes32<Sse2>& out, const std::uint8_t* source) {
    for (int k = 0; k < 2; ++k) out.part[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + k);
}
BROADSIDE_FORCE_INLINE void load(Quads32<Sse2>& out, const std::uint32_t* source) {
    for (int k = 0; k < 8; ++k) out.part[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source) + k);
}
BROADSIDE_FORCE_INLINE void broadcast(Bytes32<Sse2>& out, std::uint8_t value) {
    for (__m128i& part : out.part) part = _mm_set1_epi8(static_cast<char>(value));
}
BROADSIDE_FORCE_INLINE void broadcast(Quads32<Sse2>& out, std::uint32_t value) {
    for (__m128i& part : out.part) part = _mm_set1_epi32(static_cast<int>(value));
}
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32<Sse2>& a, const Bytes32<Sse2>& b) {
    std::uint32_t bits = 0;
    for (int k = 0; k < 2; ++k) {
        const __m128i is_at_most = _mm_cmpeq_epi8(_mm_min_epu8(a.part[k], b.part[k]), a.part[k]);
        bits |= static_cast<std::uint32_t>(_mm_movemask_epi8(is_at_most)) << (16 * k);
    }
    return bits;
}
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32<Sse2>& a, const Quads32<Sse2>& b) {
    const __m128i zero = _mm_setzero_si128();
    std::uint32_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        __m128i equal[4];
        for (int k = 0; k < 4; ++k) {
            equal[k] = _mm_cmpeq_epi32(_mm_subs_epu8(a.part[4 * half + k], b.part[4 * half + k]), zero);
        }
        const __m128i bytes =
            _mm_packs_epi16(_mm_packs_epi32(equal[0], equal[1]), _mm_packs_epi32(equal[2], equal[3]));
        bits |= static_cast<std::uint32_t>(_mm_movemask_epi8(bytes)) << (16 * half);
    }
    return bits;
}
BROADSIDE_FORCE_INLINE void partner(Quads32<Sse2>& quads) {
    const __m128i ones = _mm_set1_epi32(-1);
    for (__m128i& part : quads.part) {
        const __m128i swapped = _mm_or_si128(_mm_slli_epi32(part, 16), _mm_srli_epi32(part, 16));
        part = _mm_xor_si128(swapped, ones);
    }
}
#endif

#if defined(__AVX2__)
template <>
struct Bytes32<Avx2> {
    __m256i part;
};
template <>
struct Quads32<Avx2> {
    __m256i part[4];
};

BROADSIDE_FORCE_INLINE void load(Bytes32<Avx2>& out, const std::uint8_t* source) {
    out.part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
}
BROADSIDE_FORCE_INLINE void load(Quads32<Avx2>& out, const std::uint32_t* source) {
    for (int k = 0; k < 4; ++k)
        out.part[k] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source) + k);
}
BROADSIDE_FORCE_INLINE void broadcast(Bytes32<Avx2>& out, std::uint8_t value) {
    out.part = _mm256_set1_epi8(static_cast<char>(value));
}
BROADSIDE_FORCE_INLINE void broadcast(Quads32<Avx2>& out, std::uint32_t value) {
    for (__m256i& part : out.part) part = _mm256_set1_epi32(static_cast<int>(value));
}
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32<Avx2>& a, const Bytes32<Avx2>& b) {
    const __m256i is_at_most = _mm256_cmpeq_epi8(_mm256_min_epu8(a.part, b.part), a.part);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(is_at_most));
}
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32<Avx2>& a, const Quads32<Avx2>& b) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i equal[4];
    for (int k = 0; k < 4; ++k) equal[k] = _mm256_cmpeq_epi32(_mm256_subs_epu8(a.part[k], b.part[k]), zero);
    // The packs work within 128-bit halves; the permutation puts the groups of four back in order.
    const __m256i bytes =
        _mm256_packs_epi16(_mm256_packs_epi32(equal[0], equal[1]), _mm256_packs_epi32(equal[2], equal[3]));
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(bytes, order)));
}
BROADSIDE_FORCE_INLINE void partner(Quads32<Avx2>& quads) {
    const __m256i ones = _mm256_set1_epi32(-1);
    for (__m256i& part : quads.part) {
        const __m256i swapped = _mm256_or_si256(_mm256_slli_epi32(part, 16), _mm256_srli_epi32(part, 16));
        part = _mm256_xor_si256(swapped, ones);
    }
}
#endif

#if defined(__AVX512VBMI2__)
template <>
struct Bytes32<Avx512> {
    __m256i part;
};
template <>
struct Quads32<Avx512> {
    __m512i part[2];
};

BROADSIDE_FORCE_INLINE void load(Bytes32<Avx512>& out, const std::uint8_t* source) {
    out.part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
}
BROADSIDE_FORCE_INLINE void load(Quads32<Avx512>& out, const std::uint32_t* source) {
    out.part[0] = _mm512_loadu_si512(source);
    out.part[1] = _mm512_loadu_si512(source + 16);
}
BROADSIDE_FORCE_INLINE void broadcast(Bytes32<Avx512>& out, std::uint8_t value) {
    out.part = _mm256_set1_epi8(static_cast<char>(value));
}
BROADSIDE_FORCE_INLINE void broadcast(Quads32<Avx512>& out, std::uint32_t value) {
    for (__m512i& part : out.part) part = _mm512_set1_epi32(static_cast<int>(value));
}
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32<Avx512>& a, const Bytes32<Avx512>& b) {
    return _mm256_cmple_epu8_mask(a.part, b.part);
}
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32<Avx512>& a, const Quads32<Avx512>& b) {
    const __m512i low = _mm512_subs_epu8(a.part[0], b.part[0]);
    const __m512i high = _mm512_subs_epu8(a.part[1], b.part[1]);
    return _mm512_kunpackw(_mm512_testn_epi32_mask(high, high), _mm512_testn_epi32_mask(low, low));
}
BROADSIDE_FORCE_INLINE void partner(Quads32<Avx512>& quads) {
    for (__m512i& part : quads.part) {
        const __m512i swapped = _mm512_rol_epi32(part, 16);
        part = _mm512_ternarylogic_epi32(swapped, swapped, swapped, 0x55);
    }
}
#endif

/// Stores base + k·2^shift for every set bit k of `bits`, ascending and without gaps, and returns how many.
/// May write anything to all 32 places. Four are always stored, because about two bits are set where the
/// broadphase calls it and a branch on their number would be mispredicted.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t append_codes(std::uint16_t* target, std::uint32_t base, int shift,
                                                  std::uint32_t bits) {
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(bits));
    // The stop bit keeps the count of trailing zeros defined once all bits are taken.
    std::uint64_t rest = bits | std::uint64_t{1} << 32;
    const auto next_code = [&] {
        const auto place = static_cast<std::uint32_t>(__builtin_ctzll(rest));
        rest = (rest & (rest - 1)) | std::uint64_t{1} << 32;
        return static_cast<std::uint16_t>(base + (place << shift));
    };
    for (std::uint32_t k = 0; k < 4; ++k) target[k] = next_code();
    for (std::uint32_t k = 4; k < count; ++k) target[k] = next_code();
    return count;
}
#if defined(__AVX2__)
template <>
BROADSIDE_FORCE_INLINE std::uint32_t append_codes<Avx2>(std::uint16_t* target, std::uint32_t base, int shift,
                                                        std::uint32_t bits) {
    const auto count = static_cast<std::uint32_t>(__builtin_popcount(bits));
    // Five, not four: broadphase/find_pairs/pile/100000/avx2 takes 6.6 ms instead of 7.4, uniform/10000/avx2
    // 3 % longer.
    constexpr std::uint32_t kFew = 5;
    if (count <= kFew) {
        std::uint64_t rest = bits | std::uint64_t{1} << 32;
        for (std::uint32_t k = 0; k < kFew; ++k) {
            target[k] =
                static_cast<std::uint16_t>(base + (static_cast<std::uint32_t>(_tzcnt_u64(rest)) << shift));
            rest = _blsr_u64(rest) | std::uint64_t{1} << 32;
        }
        return count;
    }
    // Eight bits at a time: spread to bytes, which pick the numbers of the set ones from 0 to 7 in order.
    const __m128i shift_count = _mm_cvtsi32_si128(shift);
    for (std::uint32_t first = 0; first < 32; first += 8) {
        const std::uint32_t part = bits >> first & 0xFFu;
        const std::uint64_t chosen =
            _pext_u64(0x0706050403020100u, _pdep_u64(part, 0x0101010101010101u) * 0xFFu);
        const __m128i places = _mm_cvtepu8_epi16(_mm_cvtsi64_si128(static_cast<long long>(chosen)));
        const __m128i offset = _mm_set1_epi16(static_cast<short>(base + (first << shift)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(target),
                         _mm_add_epi16(_mm_sll_epi16(places, shift_count), offset));
        target += __builtin_popcount(part);
    }
    return count;
}
#endif
#if defined(__AVX512VBMI2__)
template <>
BROADSIDE_FORCE_INLINE std::uint32_t append_codes<Avx512>(std::uint16_t* target, std::uint32_t base,
                                                          int shift, std::uint32_t bits) {
    alignas(64) static constexpr std::uint16_t kOrder[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                             11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                             22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    const __m512i order = _mm512_sll_epi16(_mm512_load_si512(kOrder), _mm_cvtsi32_si128(shift));
    const __m512i codes = _mm512_add_epi16(order, _mm512_set1_epi16(static_cast<short>(base)));
    _mm512_storeu_si512(target, _mm512_maskz_compress_epi16(bits, codes));
    return static_cast<std::uint32_t>(__builtin_popcount(bits));
}
#endif

#if defined(__aarch64__)
template <>
struct Bytes32<Neon64> {
    uint8x16_t part[2];
};
template <>
struct Quads32<Neon64> {
    uint8x16_t part[8];
};

BROADSIDE_FORCE_INLINE void load(Bytes32<Neon64>& out, const std::uint8_t* source) {
    for (int k = 0; k < 2; ++k) out.part[k] = vld1q_u8(source + 16 * k);
}
BROADSIDE_FORCE_INLINE void load(Quads32<Neon64>& out, const std::uint32_t* source) {
    for (int k = 0; k < 8; ++k) out.part[k] = vreinterpretq_u8_u32(vld1q_u32(source + 4 * k));
}
/// Bit k is the truth of byte k, which is all ones or zero.
BROADSIDE_FORCE_INLINE std::uint32_t byte_bits(uint8x16_t truth) {
    alignas(16) static constexpr std::uint8_t kPlace[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                            1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t placed = vandq_u8(truth, vld1q_u8(kPlace));
    return static_cast<std::uint32_t>(vaddv_u8(vget_low_u8(placed))) |
           static_cast<std::uint32_t>(vaddv_u8(vget_high_u8(placed))) << 8;
}
BROADSIDE_FORCE_INLINE void broadcast(Bytes32<Neon64>& out, std::uint8_t value) {
    for (uint8x16_t& part : out.part) part = vdupq_n_u8(value);
}
BROADSIDE_FORCE_INLINE void broadcast(Quads32<Neon64>& out, std::uint32_t value) {
    for (uint8x16_t& part : out.part) part = vreinterpretq_u8_u32(vdupq_n_u32(value));
}
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32<Neon64>& a, const Bytes32<Neon64>& b) {
    return byte_bits(vcleq_u8(a.part[0], b.part[0])) | byte_bits(vcleq_u8(a.part[1], b.part[1])) << 16;
}
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32<Neon64>& a, const Quads32<Neon64>& b) {
    std::uint32_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        uint16x4_t equal[4];
        for (int k = 0; k < 4; ++k) {
            const uint8x16_t excess = vqsubq_u8(a.part[4 * half + k], b.part[4 * half + k]);
            equal[k] = vmovn_u32(vceqzq_u32(vreinterpretq_u32_u8(excess)));
        }
        const uint8x16_t bytes = vcombine_u8(vmovn_u16(vcombine_u16(equal[0], equal[1])),
                                             vmovn_u16(vcombine_u16(equal[2], equal[3])));
        bits |= byte_bits(bytes) << (16 * half);
    }
    return bits;
}
BROADSIDE_FORCE_INLINE void partner(Quads32<Neon64>& quads) {
    for (uint8x16_t& part : quads.part) {
        part = vmvnq_u8(vreinterpretq_u8_u16(vrev32q_u16(vreinterpretq_u16_u8(part))));
    }
}
#endif

/// a[k] <= b[k] and c[k] <= d[k] for k = 0, 1, 2; reads a fourth float of each and ignores it.
#if defined(__x86_64__)
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    const __m128 both = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(a), _mm_load_ps(b)),
                                   _mm_cmple_ps(_mm_load_ps(c), _mm_load_ps(d)));
    return (_mm_movemask_ps(both) & 7) == 7;
}
#elif defined(__aarch64__)
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    const uint32x4_t both =
        vandq_u32(vcleq_f32(vld1q_f32(a), vld1q_f32(b)), vcleq_f32(vld1q_f32(c), vld1q_f32(d)));
    return vminvq_u32(vsetq_lane_u32(0xFFFFFFFFu, both, 3)) != 0;
}
#endif

}  // namespace broadside::simd::native
