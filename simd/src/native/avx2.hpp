// AVX2 with FMA and BMI on registers of 256 bits. operations.hpp specifies the operations.
#pragma once

#include "simd/src/native/sse2.hpp"

#include <immintrin.h>

namespace broadside::simd::native {

// Lanes of 32 bits.

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
    // pdep spreads each mask bit over a byte, pext packs the numbers of the set lanes: a permutation without
    // a table.
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

// Doubles.

BROADSIDE_FORCE_INLINE __m256d load_widened(const float* source, __m256d) {
    return _mm256_cvtps_pd(_mm_loadu_ps(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m256d value) {
    _mm_storeu_ps(target, _mm256_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m256d round_to_float(__m256d value) {
    return _mm256_cvtps_pd(_mm256_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m256d divide(__m256d a, __m256d b) { return _mm256_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m256d square_root(__m256d a) { return _mm256_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m256d min_keep(__m256d a, __m256d b) { return _mm256_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m256d max_keep(__m256d a, __m256d b) { return _mm256_max_pd(a, b); }

// Bytes.

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
    // Eight bits at a time: spread to bytes, which select the numbers of the set bits from 0 to 7 in order.
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

// Compares whole rows and narrows the results of four pairs at a time: one instruction a pair, not four for
// its bit.
template <class RowA, class RowB>
BROADSIDE_FORCE_INLINE std::uint32_t crossing_bits(RowA&& row_a, RowB&& row_b) {
    // b[i] <= a[i + 4] as -a[i + 4] <= -b[i].
    const __m256 flip = _mm256_setr_ps(0, 0, 0, 0, -0.0f, -0.0f, -0.0f, -0.0f);
    const auto crossing = [&](std::uint32_t k) {
        const __m256 a = _mm256_load_ps(row_a(k));
        const __m256 b = _mm256_load_ps(row_b(k));
        const __m256 turned = _mm256_permute2f128_ps(b, b, 1);
        const __m256 lanes = _mm256_cmp_ps(_mm256_xor_ps(a, flip), _mm256_xor_ps(turned, flip), _CMP_LE_OQ);
        return _mm256_castps_si256(lanes);
    };
    const auto four = [&](std::uint32_t k) {
        // Within each 128-bit half: four bytes a pair.
        const __m256i bytes = _mm256_packs_epi16(_mm256_packs_epi32(crossing(k), crossing(k + 1)),
                                                 _mm256_packs_epi32(crossing(k + 2), crossing(k + 3)));
        const __m128i both = _mm_and_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256(bytes, 1));
        const __m128i ignored = _mm_set1_epi32(static_cast<int>(0xFF000000u));
        const __m128i all = _mm_cmpeq_epi32(_mm_or_si128(both, ignored), _mm_set1_epi32(-1));
        return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(all)));
    };
    const std::uint32_t low = four(0);
    return low | four(4) << 4;
}

// Rows of eight floats.

template <>
struct Row8<Avx2> {
    __m256 value;
};
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

/// Four rows transposed within their 128-bit halves: column k holds component k of the four first halves,
/// then of the four second ones.
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

// Columns to rows.

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
template <class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, __m256 (&low)[4], __m256 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    for (std::uint32_t row = 0; row < 4; ++row)
        _mm256_storeu_ps(row_at(row), _mm256_permute2f128_ps(low[row], high[row], 0x20));
    for (std::uint32_t row = 0; row < 4; ++row)
        _mm256_storeu_ps(row_at(row + 4), _mm256_permute2f128_ps(low[row], high[row], 0x31));
}

// Rows to columns.

// Row i + 4·b goes to 128-bit block b, so that the transposition within blocks leaves the lanes in order.
BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m256 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) {
        columns[i] =
            _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(rows[i])), _mm_loadu_ps(rows[i + 4]), 1);
    }
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4_widened(const float* const* rows, __m256d (&columns)[4]) {
    __m128 floats[4];
    load_columns4(rows, floats);
    for (int i = 0; i < 4; ++i) columns[i] = _mm256_cvtps_pd(floats[i]);
}

// Listed rows to columns.

template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, __m256 (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) {
        const __m256 low = _mm256_castps128_ps256(load_row<kCount>(row_of(row) + offset));
        columns[row] = _mm256_insertf128_ps(low, load_row<kCount>(row_of(row + 4) + offset), 1);
    }
    transpose4(columns);
}

}  // namespace broadside::simd::native
