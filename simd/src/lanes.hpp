// FloatW, IntW and MaskW: one independent value per lane, and every operation that kernels may use on them.
#pragma once

#include "simd/src/arch.hpp"
#include "simd/src/native.hpp"

namespace broadside::simd {

/// A truth value per lane. Its own type: arithmetic on it does not compile.
template <class Arch>
struct MaskW {
    xsimd::batch_bool<float, typename Arch::Xsimd> value;
};

/// A float per lane.
template <class Arch>
struct FloatW {
    static constexpr std::uint32_t kLanes = Arch::kLanes;
    xsimd::batch<float, typename Arch::Xsimd> value;
};

/// A 32-bit integer per lane: indices and codes.
template <class Arch>
struct IntW {
    static constexpr std::uint32_t kLanes = Arch::kLanes;
    xsimd::batch<std::int32_t, typename Arch::Xsimd> value;
};

// Making and moving values. The verb says alignment and extent.

template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> broadcast(float value) {
    return {xsimd::batch<float, typename Arch::Xsimd>(value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> broadcast_int(std::int32_t value) {
    return {xsimd::batch<std::int32_t, typename Arch::Xsimd>(value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> load_aligned(const float* source) {
    return {xsimd::batch<float, typename Arch::Xsimd>::load_aligned(source)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> load_unaligned(const float* source) {
    return {xsimd::batch<float, typename Arch::Xsimd>::load_unaligned(source)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE void store_unaligned(float* target, FloatW<Arch> source) {
    source.value.store_unaligned(target);
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> load_unaligned_int(const std::int32_t* source) {
    return {xsimd::batch<std::int32_t, typename Arch::Xsimd>::load_unaligned(source)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE void store_unaligned(std::int32_t* target, IntW<Arch> source) {
    source.value.store_unaligned(target);
}

/// The first `count` floats at `source`, `fill` in the lanes behind them. Reads nothing past them.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> load_tail(const float* source, std::uint32_t count, float fill) {
    return {native::load_first(source, count, broadcast<Arch>(fill).value)};
}
/// Writes the first `count` lanes, and no byte behind them.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_tail(float* target, std::uint32_t count, FloatW<Arch> source) {
    native::store_first(target, count, source.value);
}

/// Lane i holds source[indices[i]]. As single loads: the gather instructions cost more on Zen (kernels table in
/// bench/README.md).
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> load_indexed(const float* source, const std::uint32_t* indices) {
    alignas(64) float lanes[Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) lanes[lane] = source[indices[lane]];
    return load_aligned<Arch>(lanes);
}

// Arithmetic: exactly the IEEE operation, nothing contracted.

template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator+(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value + b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator-(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value - b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator*(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value * b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator/(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value / b.value};
}
/// Flips the sign bit, of zeros and NaN too.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator-(FloatW<Arch> a) {
    return {a.value ^ broadcast<Arch>(-0.0f).value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> absolute(FloatW<Arch> a) {
    return {xsimd::abs(a.value)};
}
/// a with its sign bit flipped where that of `sign_source` is set: a·(±1) without the multiplication.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> flip_sign(FloatW<Arch> a, FloatW<Arch> sign_source) {
    return {a.value ^ (sign_source.value & broadcast<Arch>(-0.0f).value)};
}
/// a < b ? a : b.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> min_keep(FloatW<Arch> a, FloatW<Arch> b) {
    return {native::min_keep(a.value, b.value)};
}
/// a > b ? a : b.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> max_keep(FloatW<Arch> a, FloatW<Arch> b) {
    return {native::max_keep(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator+(IntW<Arch> a, IntW<Arch> b) {
    return {a.value + b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator-(IntW<Arch> a, IntW<Arch> b) {
    return {a.value - b.value};
}
/// The lower 32 bits of the product.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator*(IntW<Arch> a, IntW<Arch> b) {
    return {a.value * b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator&(IntW<Arch> a, IntW<Arch> b) {
    return {a.value & b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator|(IntW<Arch> a, IntW<Arch> b) {
    return {a.value | b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator^(IntW<Arch> a, IntW<Arch> b) {
    return {a.value ^ b.value};
}
template <int kBits, class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> shift_left(IntW<Arch> a) {
    return {a.value << kBits};
}
/// Arithmetic: the sign is kept.
template <int kBits, class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> shift_right(IntW<Arch> a) {
    return {a.value >> kBits};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> equal(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::batch_bool_cast<float>(a.value == b.value)};
}
/// The float without its fraction, for values that an int can hold.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> truncate(FloatW<Arch> a) {
    return {xsimd::batch_cast<std::int32_t>(a.value)};
}
/// The same bits as a float, for moving only: most integers are denormal numbers.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> as_float(IntW<Arch> a) {
    return {xsimd::bitwise_cast<float>(a.value)};
}
/// 0, 1, 2, … in lane order.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> lane_index() {
    alignas(64) static constexpr std::int32_t kOrder[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 10, 11, 12, 13, 14, 15};
    return load_unaligned_int<Arch>(kOrder);
}

// Comparisons: false where either side is NaN.

template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator<(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value < b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator<=(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value <= b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator>(FloatW<Arch> a, FloatW<Arch> b) {
    return {b.value < a.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator>=(FloatW<Arch> a, FloatW<Arch> b) {
    return {b.value <= a.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator==(FloatW<Arch> a, FloatW<Arch> b) {
    return {a.value == b.value};
}
/// The sign bit, -0 and negative NaN included.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> has_sign_bit(FloatW<Arch> a) {
    const auto bits = xsimd::bitwise_cast<std::int32_t>(a.value);
    return {xsimd::batch_bool_cast<float>(bits < broadcast_int<Arch>(0).value)};
}

// Masks.

template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator&(MaskW<Arch> a, MaskW<Arch> b) {
    return {a.value & b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator|(MaskW<Arch> a, MaskW<Arch> b) {
    return {a.value | b.value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> operator~(MaskW<Arch> a) {
    return {~a.value};
}
/// The same answer in every lane.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> broadcast_mask(bool value) {
    return {xsimd::batch_bool<float, typename Arch::Xsimd>(value)};
}
/// Lane i in bit i.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t bits(MaskW<Arch> mask) {
    return static_cast<std::uint32_t>(mask.value.mask());
}
template <class Arch>
BROADSIDE_FORCE_INLINE bool none(MaskW<Arch> mask) {
    return bits(mask) == 0;
}
/// mask ? if_true : if_false, lane by lane; both sides are evaluated.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> select(MaskW<Arch> mask, FloatW<Arch> if_true, FloatW<Arch> if_false) {
    return {xsimd::select(mask.value, if_true.value, if_false.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> select(MaskW<Arch> mask, IntW<Arch> if_true, IntW<Arch> if_false) {
    return {xsimd::select(xsimd::batch_bool_cast<std::int32_t>(mask.value), if_true.value, if_false.value)};
}

/// Stores the lanes whose bit is set, in lane order and without gaps, and returns how many. Writes a full register:
/// `target` needs room for kLanes values however few are set.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t compress_store(std::int32_t* target, IntW<Arch> source,
                                                    std::uint32_t lane_bits) {
    store_unaligned(target, IntW<Arch>{native::compress(source.value, lane_bits)});
    return static_cast<std::uint32_t>(__builtin_popcount(lane_bits));
}

}  // namespace broadside::simd
