// WebAssembly SIMD. operations.hpp specifies the operations. The type of a register does not say what its
// lanes hold, so overloads that differ only in that take a tag or another name.
#pragma once

#include "simd/src/native/operations.hpp"

#include <wasm_simd128.h>

namespace broadside::simd::native {
using FloatBatch = xsimd::batch<float, xsimd::wasm>;
using DoubleBatch = xsimd::batch<double, xsimd::wasm>;

// Lanes of 32 bits. wasm_f32x4_pmin(a, b) is "b < a ? b : a".

BROADSIDE_FORCE_INLINE FloatBatch divide(FloatBatch a, FloatBatch b) { return wasm_f32x4_div(a, b); }
BROADSIDE_FORCE_INLINE FloatBatch square_root(FloatBatch a) { return wasm_f32x4_sqrt(a); }
BROADSIDE_FORCE_INLINE FloatBatch min_keep(FloatBatch a, FloatBatch b) { return wasm_f32x4_pmin(b, a); }
BROADSIDE_FORCE_INLINE FloatBatch max_keep(FloatBatch a, FloatBatch b) { return wasm_f32x4_pmax(b, a); }
BROADSIDE_FORCE_INLINE v128_t select_by_sign(v128_t sign, v128_t if_set, v128_t if_clear) {
    return wasm_v128_bitselect(if_set, if_clear, wasm_i32x4_shr(sign, 31));
}
BROADSIDE_FORCE_INLINE void stream(float* target, v128_t value) { wasm_v128_store(target, value); }
BROADSIDE_FORCE_INLINE void finish_streaming() {}

BROADSIDE_FORCE_INLINE v128_t load_first(const float* source, std::uint32_t count, v128_t fill) {
    alignas(16) float lanes[4];
    wasm_v128_store(lanes, fill);
    for (std::uint32_t lane = 0; lane < count; ++lane) lanes[lane] = source[lane];
    return wasm_v128_load(lanes);
}
BROADSIDE_FORCE_INLINE void store_first(float* target, std::uint32_t count, v128_t value) {
    alignas(16) float lanes[4];
    wasm_v128_store(lanes, value);
    for (std::uint32_t lane = 0; lane < count; ++lane) target[lane] = lanes[lane];
}
/// Bytes of the lanes whose bit is set, in order. A swizzle gives zero for the lanes behind.
struct CompressBytes {
    alignas(16) std::uint8_t of[16][16];
};
constexpr CompressBytes make_compress_bytes() {
    CompressBytes bytes{};
    for (std::uint32_t bits = 0; bits < 16; ++bits) {
        std::uint32_t place = 0;
        for (std::uint32_t byte = 0; byte < 16; ++byte) {
            if (bits >> byte / 4 & 1u) bytes.of[bits][place++] = static_cast<std::uint8_t>(byte);
        }
        while (place < 16) bytes.of[bits][place++] = 0xFF;
    }
    return bytes;
}
inline constexpr CompressBytes kCompressBytes = make_compress_bytes();

BROADSIDE_FORCE_INLINE v128_t compress(v128_t value, std::uint32_t bits) {
    return wasm_i8x16_swizzle(value, wasm_v128_load(kCompressBytes.of[bits]));
}
BROADSIDE_FORCE_INLINE void compress_store_interleaved(std::int32_t* target, v128_t first, v128_t second,
                                                       std::uint32_t bits) {
    // Each pair of lanes is stored at its slot; the next one overwrites it if it was rejected.
    const v128_t couples_01 = wasm_i32x4_shuffle(first, second, 0, 4, 1, 5);
    const v128_t couples_23 = wasm_i32x4_shuffle(first, second, 2, 6, 3, 7);
    wasm_v128_store64_lane(target, couples_01, 0);
    target += 2 * (bits & 1u);
    wasm_v128_store64_lane(target, couples_01, 1);
    target += 2 * (bits >> 1 & 1u);
    wasm_v128_store64_lane(target, couples_23, 0);
    target += 2 * (bits >> 2 & 1u);
    wasm_v128_store64_lane(target, couples_23, 1);
}

// Doubles.

BROADSIDE_FORCE_INLINE v128_t load_widened(const float* source, v128_t) {
    return wasm_f64x2_promote_low_f32x4(wasm_v128_load64_zero(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, v128_t value) {
    wasm_v128_store64_lane(target, wasm_f32x4_demote_f64x2_zero(value), 0);
}
BROADSIDE_FORCE_INLINE v128_t round_to_float(v128_t value) {
    return wasm_f64x2_promote_low_f32x4(wasm_f32x4_demote_f64x2_zero(value));
}
BROADSIDE_FORCE_INLINE DoubleBatch divide(DoubleBatch a, DoubleBatch b) { return wasm_f64x2_div(a, b); }
BROADSIDE_FORCE_INLINE DoubleBatch square_root(DoubleBatch a) { return wasm_f64x2_sqrt(a); }
BROADSIDE_FORCE_INLINE DoubleBatch min_keep(DoubleBatch a, DoubleBatch b) { return wasm_f64x2_pmin(b, a); }
BROADSIDE_FORCE_INLINE DoubleBatch max_keep(DoubleBatch a, DoubleBatch b) { return wasm_f64x2_pmax(b, a); }

// Bytes.

template <>
struct Bytes32<Wasm128> {
    v128_t part[2];
};
template <>
struct Quads32<Wasm128> {
    v128_t part[8];
};

BROADSIDE_FORCE_INLINE void load(Bytes32<Wasm128>& out, const std::uint8_t* source) {
    for (int k = 0; k < 2; ++k) out.part[k] = wasm_v128_load(source + 16 * k);
}
BROADSIDE_FORCE_INLINE void load(Quads32<Wasm128>& out, const std::uint32_t* source) {
    for (int k = 0; k < 8; ++k) out.part[k] = wasm_v128_load(source + 4 * k);
}
BROADSIDE_FORCE_INLINE void broadcast(Bytes32<Wasm128>& out, std::uint8_t value) {
    for (v128_t& part : out.part) part = wasm_i8x16_splat(static_cast<std::int8_t>(value));
}
BROADSIDE_FORCE_INLINE void broadcast(Quads32<Wasm128>& out, std::uint32_t value) {
    for (v128_t& part : out.part) part = wasm_i32x4_splat(static_cast<std::int32_t>(value));
}
BROADSIDE_FORCE_INLINE std::uint32_t at_most_bits(const Bytes32<Wasm128>& a, const Bytes32<Wasm128>& b) {
    const auto bits = [&](int k) {
        return static_cast<std::uint32_t>(wasm_i8x16_bitmask(wasm_u8x16_le(a.part[k], b.part[k])));
    };
    return bits(0) | bits(1) << 16;
}
BROADSIDE_FORCE_INLINE std::uint32_t all_at_most_bits(const Quads32<Wasm128>& a, const Quads32<Wasm128>& b) {
    const v128_t zero = wasm_i32x4_splat(0);
    std::uint32_t bits = 0;
    for (int half = 0; half < 2; ++half) {
        v128_t equal[4];
        for (int k = 0; k < 4; ++k) {
            equal[k] = wasm_i32x4_eq(wasm_u8x16_sub_sat(a.part[4 * half + k], b.part[4 * half + k]), zero);
        }
        const v128_t bytes = wasm_i8x16_narrow_i16x8(wasm_i16x8_narrow_i32x4(equal[0], equal[1]),
                                                     wasm_i16x8_narrow_i32x4(equal[2], equal[3]));
        bits |= static_cast<std::uint32_t>(wasm_i8x16_bitmask(bytes)) << (16 * half);
    }
    return bits;
}
BROADSIDE_FORCE_INLINE void partner(Quads32<Wasm128>& quads) {
    for (v128_t& part : quads.part)
        part = wasm_v128_not(wasm_i16x8_shuffle(part, part, 1, 0, 3, 2, 5, 4, 7, 6));
}
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    const v128_t both = wasm_v128_and(wasm_f32x4_le(wasm_v128_load(a), wasm_v128_load(b)),
                                      wasm_f32x4_le(wasm_v128_load(c), wasm_v128_load(d)));
    return (wasm_i32x4_bitmask(both) & 7) == 7;
}
BROADSIDE_FORCE_INLINE bool corners_touch(const float* a, const float* b, const float* c, const float* d) {
    const v128_t either = wasm_v128_or(wasm_f32x4_eq(wasm_v128_load(a), wasm_v128_load(b)),
                                       wasm_f32x4_eq(wasm_v128_load(c), wasm_v128_load(d)));
    return (wasm_i32x4_bitmask(either) & 7) != 0;
}

// Rows of eight floats.

template <>
struct Row8<Wasm128> {
    v128_t low;
    v128_t high;
};
template <class Arch>
BROADSIDE_FORCE_INLINE Row8<Arch> load_row_halves(const float* low,
                                                  const float* high) requires(Arch::kLanes == 4) {
    return {wasm_v128_load(low), wasm_v128_load(high)};
}
BROADSIDE_FORCE_INLINE Row8<Wasm128> subtract(const Row8<Wasm128>& a, const Row8<Wasm128>& b) {
    return {wasm_f32x4_sub(a.low, b.low), wasm_f32x4_sub(a.high, b.high)};
}
BROADSIDE_FORCE_INLINE Row8<Wasm128> multiply(const Row8<Wasm128>& a, const Row8<Wasm128>& b) {
    return {wasm_f32x4_mul(a.low, b.low), wasm_f32x4_mul(a.high, b.high)};
}
/// x, y, z and, if requested, w of four vectors.
BROADSIDE_FORCE_INLINE void turn4(v128_t a, v128_t b, v128_t c, v128_t d, v128_t* out_xyz, v128_t* out_w) {
    const v128_t ab_xy = wasm_i32x4_shuffle(a, b, 0, 4, 1, 5);
    const v128_t cd_xy = wasm_i32x4_shuffle(c, d, 0, 4, 1, 5);
    const v128_t ab_zw = wasm_i32x4_shuffle(a, b, 2, 6, 3, 7);
    const v128_t cd_zw = wasm_i32x4_shuffle(c, d, 2, 6, 3, 7);
    out_xyz[0] = wasm_i32x4_shuffle(ab_xy, cd_xy, 0, 1, 4, 5);
    out_xyz[1] = wasm_i32x4_shuffle(ab_xy, cd_xy, 2, 3, 6, 7);
    out_xyz[2] = wasm_i32x4_shuffle(ab_zw, cd_zw, 0, 1, 4, 5);
    if (out_w != nullptr) *out_w = wasm_i32x4_shuffle(ab_zw, cd_zw, 2, 3, 6, 7);
}

// Columns to rows.

/// Rows of four become columns.
BROADSIDE_FORCE_INLINE void transpose4(v128_t (&r)[4]) {
    v128_t xyz[3];
    v128_t w;
    turn4(r[0], r[1], r[2], r[3], xyz, &w);
    for (int k = 0; k < 3; ++k) r[k] = xyz[k];
    r[3] = w;
}

template <class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, v128_t (&low)[4], v128_t (&high)[4]) {
    transpose4(low);
    transpose4(high);
    for (std::uint32_t row = 0; row < 4; ++row) {
        wasm_v128_store(row_at(row), low[row]);
        wasm_v128_store(row_at(row) + 4, high[row]);
    }
}

// Rows to columns.

BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, v128_t (&columns)[4]) {
    for (int i = 0; i < 4; ++i) columns[i] = wasm_v128_load(rows[i]);
    transpose4(columns);
}
BROADSIDE_FORCE_INLINE void load_columns4_widened(const float* const* rows, v128_t (&columns)[4]) {
    const v128_t first = wasm_v128_load(rows[0]);
    const v128_t second = wasm_v128_load(rows[1]);
    const v128_t low = wasm_i32x4_shuffle(first, second, 0, 4, 1, 5);
    const v128_t high = wasm_i32x4_shuffle(first, second, 2, 6, 3, 7);
    columns[0] = wasm_f64x2_promote_low_f32x4(low);
    columns[1] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(low, low, 1, 1));
    columns[2] = wasm_f64x2_promote_low_f32x4(high);
    columns[3] = wasm_f64x2_promote_low_f32x4(wasm_i64x2_shuffle(high, high, 1, 1));
}

// Listed rows to columns.

template <std::size_t kCount>
BROADSIDE_FORCE_INLINE v128_t load_row(const float* source) {
    static_assert(kCount == 3 || kCount == 4);
    if constexpr (kCount == 4) return wasm_v128_load(source);
    return wasm_v128_load32_lane(source + 2, wasm_v128_load64_zero(source), 2);
}
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, v128_t (&columns)[4]) {
    for (std::uint32_t row = 0; row < 4; ++row) columns[row] = load_row<kCount>(row_of(row) + offset);
    transpose4(columns);
}

}  // namespace broadside::simd::native

#include "simd/src/native/four_lanes.hpp"
