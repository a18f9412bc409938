// AVX-512 on registers of 512 bits. operations.hpp specifies the operations.
#pragma once

#include "simd/src/native/avx2.hpp"

namespace broadside::simd::native {

// Lanes of 32 bits.

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
// Into a register: the memory form of vpcompressd is microcoded on Zen 4 (72 cycles against 2).
BROADSIDE_FORCE_INLINE __m512i compress(__m512i value, std::uint32_t bits) {
    return _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), value);
}
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, __m512i first, __m512i second,
                                                       std::uint32_t bits) {
    first = compress(first, bits);
    second = compress(second, bits);
    // Indices from 16 on select the lanes of the second source.
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i order_of_rest =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    _mm512_storeu_si512(target, _mm512_permutex2var_epi32(first, order, second));
    _mm512_storeu_si512(target + 16, _mm512_permutex2var_epi32(first, order_of_rest, second));
}

// Doubles.

BROADSIDE_FORCE_INLINE __m512d load_widened(const float* source, __m512d) {
    return _mm512_cvtps_pd(_mm256_loadu_ps(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m512d value) {
    _mm256_storeu_ps(target, _mm512_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m512d round_to_float(__m512d value) {
    return _mm512_cvtps_pd(_mm512_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m512d divide(__m512d a, __m512d b) { return _mm512_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m512d square_root(__m512d a) { return _mm512_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m512d min_keep(__m512d a, __m512d b) { return _mm512_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m512d max_keep(__m512d a, __m512d b) { return _mm512_max_pd(a, b); }

// Bytes.

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

// Rows of eight floats.

// 256 bits here too: a row has no more, and only its columns fill a register.
template <>
struct Row8<Avx512> {
    __m256 value;
};
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

// Columns to rows.

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
template <class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, __m512 (&low)[4], __m512 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    // Blocks k of low and high side by side: rows row and row + 4, then row + 8 and row + 12.
    const auto store = [&](std::uint32_t first, __m512i blocks) {
        __m512d rows[4];
        for (std::uint32_t row = 0; row < 4; ++row) {
            rows[row] =
                _mm512_permutex2var_pd(_mm512_castps_pd(low[row]), blocks, _mm512_castps_pd(high[row]));
            _mm256_storeu_ps(row_at(first + row), _mm256_castpd_ps(_mm512_castpd512_pd256(rows[row])));
        }
        for (std::uint32_t row = 0; row < 4; ++row) {
            _mm256_storeu_ps(row_at(first + row + 4), _mm256_castpd_ps(_mm512_extractf64x4_pd(rows[row], 1)));
        }
    };
    store(0, _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11));
    store(8, _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15));
}

// Rows to columns.

BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m512 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) {
        __m512 column = _mm512_castps128_ps512(_mm_loadu_ps(rows[i]));
        column = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 4]), 1);
        column = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 8]), 2);
        columns[i] = _mm512_insertf32x4(column, _mm_loadu_ps(rows[i + 12]), 3);
    }
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4_widened(const float* const* rows, __m512d (&columns)[4]) {
    __m256 floats[4];
    load_columns4(rows, floats);
    for (int i = 0; i < 4; ++i) columns[i] = _mm512_cvtps_pd(floats[i]);
}

// Listed rows to columns.

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

}  // namespace broadside::simd::native
