// AArch64 Advanced SIMD. operations.hpp specifies the operations.
#pragma once

#include "simd/src/native/operations.hpp"

#include <arm_neon.h>

namespace broadside::simd::native {

// Lanes of 32 bits.

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
    // Each pair of lanes is stored at its slot; the next one overwrites it if it was rejected.
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

// Doubles.

BROADSIDE_FORCE_INLINE float64x2_t load_widened(const float* source, float64x2_t) {
    return vcvt_f64_f32(vld1_f32(source));
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, float64x2_t value) {
    vst1_f32(target, vcvt_f32_f64(value));
}
BROADSIDE_FORCE_INLINE float64x2_t round_to_float(float64x2_t value) {
    return vcvt_f64_f32(vcvt_f32_f64(value));
}
BROADSIDE_FORCE_INLINE float64x2_t divide(float64x2_t a, float64x2_t b) { return vdivq_f64(a, b); }
BROADSIDE_FORCE_INLINE float64x2_t square_root(float64x2_t a) { return vsqrtq_f64(a); }
BROADSIDE_FORCE_INLINE float64x2_t min_keep(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
BROADSIDE_FORCE_INLINE float64x2_t max_keep(float64x2_t a, float64x2_t b) {
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}

// Bytes.

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
BROADSIDE_FORCE_INLINE bool corners_at_most(const float* a, const float* b, const float* c, const float* d) {
    const uint32x4_t both =
        vandq_u32(vcleq_f32(vld1q_f32(a), vld1q_f32(b)), vcleq_f32(vld1q_f32(c), vld1q_f32(d)));
    return vminvq_u32(vsetq_lane_u32(0xFFFFFFFFu, both, 3)) != 0;
}
BROADSIDE_FORCE_INLINE bool corners_touch(const float* a, const float* b, const float* c, const float* d) {
    const uint32x4_t either =
        vorrq_u32(vceqq_f32(vld1q_f32(a), vld1q_f32(b)), vceqq_f32(vld1q_f32(c), vld1q_f32(d)));
    return vmaxvq_u32(vsetq_lane_u32(0, either, 3)) != 0;
}

// Rows of eight floats.

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

// Columns to rows.

template <class RowAt>
BROADSIDE_FORCE_INLINE void store_rows(RowAt&& row_at, float32x4_t (&low)[4], float32x4_t (&high)[4]) {
    float lanes[2][16];
    vst4q_f32(lanes[0], (float32x4x4_t{{low[0], low[1], low[2], low[3]}}));
    vst4q_f32(lanes[1], (float32x4x4_t{{high[0], high[1], high[2], high[3]}}));
    for (std::uint32_t row = 0; row < 4; ++row) {
        vst1q_f32(row_at(row), vld1q_f32(lanes[0] + 4 * row));
        vst1q_f32(row_at(row) + 4, vld1q_f32(lanes[1] + 4 * row));
    }
}

// Rows to columns.

BROADSIDE_FORCE_INLINE void load_columns4(const float* const* rows, float32x4_t (&columns)[4]) {
    float block[16];
    for (int i = 0; i < 4; ++i) vst1q_f32(block + 4 * i, vld1q_f32(rows[i]));
    const float32x4x4_t transposed = vld4q_f32(block);
    for (int i = 0; i < 4; ++i) columns[i] = transposed.val[i];
}
BROADSIDE_FORCE_INLINE void load_columns4_widened(const float* const* rows, float64x2_t (&columns)[4]) {
    const float32x4_t first = vld1q_f32(rows[0]);
    const float32x4_t second = vld1q_f32(rows[1]);
    const float32x4_t low = vzip1q_f32(first, second);
    const float32x4_t high = vzip2q_f32(first, second);
    columns[0] = vcvt_f64_f32(vget_low_f32(low));
    columns[1] = vcvt_high_f64_f32(low);
    columns[2] = vcvt_f64_f32(vget_low_f32(high));
    columns[3] = vcvt_high_f64_f32(high);
}

// Listed rows to columns.

template <std::size_t kCount>
BROADSIDE_FORCE_INLINE float32x4_t load_row(const float* source) {
    static_assert(kCount == 3 || kCount == 4);
    if constexpr (kCount == 4) return vld1q_f32(source);
    return vcombine_f32(vld1_f32(source), vld1_lane_f32(source + 2, vdup_n_f32(0.0f), 0));
}
template <std::size_t kCount, class RowOf>
BROADSIDE_FORCE_INLINE void load_columns(RowOf row_of, std::size_t offset, float32x4_t (&columns)[4]) {
    float32x4_t r[4];
    for (std::uint32_t row = 0; row < 4; ++row) r[row] = load_row<kCount>(row_of(row) + offset);
    const float32x4x2_t first_two = vtrnq_f32(r[0], r[1]);
    const float32x4x2_t last_two = vtrnq_f32(r[2], r[3]);
    columns[0] = vcombine_f32(vget_low_f32(first_two.val[0]), vget_low_f32(last_two.val[0]));
    columns[1] = vcombine_f32(vget_low_f32(first_two.val[1]), vget_low_f32(last_two.val[1]));
    columns[2] = vcombine_f32(vget_high_f32(first_two.val[0]), vget_high_f32(last_two.val[0]));
    columns[3] = vcombine_f32(vget_high_f32(first_two.val[1]), vget_high_f32(last_two.val[1]));
}

}  // namespace broadside::simd::native

#include "simd/src/native/four_lanes.hpp"
