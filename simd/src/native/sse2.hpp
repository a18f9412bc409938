// The x86-64 baseline on registers of 128 bits. operations.hpp specifies the operations.
#pragma once

#include "simd/src/native/operations.hpp"

#include <emmintrin.h>

namespace broadside::simd::native {

// Lanes of 32 bits.

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
    // SSE2 has no byte shuffle: store each lane at its slot; later ones overwrite the rejected ones.
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
    // Each pair of lanes is stored at its slot; the next one overwrites it if it was rejected.
    const __m128 couples_01 = _mm_castsi128_ps(_mm_unpacklo_epi32(first, second));
    const __m128 couples_23 = _mm_castsi128_ps(_mm_unpackhi_epi32(first, second));
    _mm_storel_pi(reinterpret_cast<__m64*>(target), couples_01);
    target += std::size_t{2} * (bits & 1u);
    _mm_storeh_pi(reinterpret_cast<__m64*>(target), couples_01);
    target += std::size_t{2} * (bits >> 1 & 1u);
    _mm_storel_pi(reinterpret_cast<__m64*>(target), couples_23);
    target += std::size_t{2} * (bits >> 2 & 1u);
    _mm_storeh_pi(reinterpret_cast<__m64*>(target), couples_23);
}

// Doubles.

BROADSIDE_FORCE_INLINE __m128d load_widened(const float* source, __m128d) {
    return _mm_cvtps_pd(_mm_castpd_ps(_mm_load_sd(reinterpret_cast<const double*>(source))));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, __m128d value) {
    _mm_storel_pi(reinterpret_cast<__m64*>(target), _mm_cvtpd_ps(value));
}
BROADSIDE_FORCE_INLINE __m128d round_to_float(__m128d value) { return _mm_cvtps_pd(_mm_cvtpd_ps(value)); }
BROADSIDE_FORCE_INLINE __m128d divide(__m128d a, __m128d b) { return _mm_div_pd(a, b); }
BROADSIDE_FORCE_INLINE __m128d square_root(__m128d a) { return _mm_sqrt_pd(a); }
BROADSIDE_FORCE_INLINE __m128d min_keep(__m128d a, __m128d b) { return _mm_min_pd(a, b); }
BROADSIDE_FORCE_INLINE __m128d max_keep(__m128d a, __m128d b) { return _mm_max_pd(a, b); }

// Bytes.

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
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    const __m128 both = _mm_and_ps(_mm_cmple_ps(_mm_load_ps(a), _mm_load_ps(b)),
                                   _mm_cmple_ps(_mm_load_ps(c), _mm_load_ps(d)));
    return (_mm_movemask_ps(both) & 7) == 7;
}
BROADSIDE_FORCE_INLINE bool corners_touch(const float* a, const float* b, const float* c, const float* d) {
    const __m128 either =
        _mm_or_ps(_mm_cmpeq_ps(_mm_load_ps(a), _mm_load_ps(b)), _mm_cmpeq_ps(_mm_load_ps(c), _mm_load_ps(d)));
    return (_mm_movemask_ps(either) & 7) != 0;
}

// Rows of eight floats.

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
/// x, y, z and, if requested, w of four vectors.
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

// Columns to rows.

/// Rows of four within each 128-bit block, by the usual two rounds of unpacking.
BROADSIDE_FORCE_INLINE void transpose4(__m128 (&r)[4]) { _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]); }

template <class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, __m128 (&low)[4], __m128 (&high)[4]) {
    transpose4(low);
    transpose4(high);
    for (std::uint32_t row = 0; row < 4; ++row) {
        _mm_storeu_ps(row_at(row), low[row]);
        _mm_storeu_ps(row_at(row) + 4, high[row]);
    }
}

// Rows to columns.

BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, __m128 (&columns)[4]) {
    for (int i = 0; i < 4; ++i) columns[i] = _mm_loadu_ps(rows[i]);
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4_widened(const float* const* rows, __m128d (&columns)[4]) {
    __m128 both[4];
    for (int i = 0; i < 4; ++i) both[i] = _mm_loadu_ps(rows[i % 2]);
    transpose4(both);
    for (int i = 0; i < 4; ++i) columns[i] = _mm_cvtps_pd(both[i]);
}

// Listed rows to columns.

template <std::size_t kCount>
BROADSIDE_FORCE_INLINE __m128 load_row(const float* source) {
    static_assert(kCount == 3 || kCount == 4);
    if constexpr (kCount == 4) return _mm_loadu_ps(source);
    const __m128i first_two = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(source));
    return _mm_movelh_ps(_mm_castsi128_ps(first_two), _mm_load_ss(source + 2));
}
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, __m128 (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) columns[row] = load_row<kCount>(row_of(row) + offset);
    transpose4(columns);
}

}  // namespace broadside::simd::native

#include "simd/src/native/four_lanes.hpp"
