// FloatW, IntW and MaskW: one independent value per lane, with every operation that kernels may use on them.
#pragma once

#include "simd/src/arch.hpp"
#include "simd/src/native/native.hpp"

#include <cfloat>

namespace broadside::simd {

/// A truth value per lane. A type of its own: arithmetic on it does not compile.
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

// Construction and moves of values. The verb says alignment and extent.

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

/// The first `count` floats at `source`, then `fill`. Reads nothing past the floats.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> load_tail(const float* source, std::uint32_t count, float fill) {
    return {native::load_first(source, count, broadcast<Arch>(fill).value)};
}
/// Writes the first `count` lanes, and no byte past them.
template <class Arch>
BROADSIDE_FORCE_INLINE void store_tail(float* target, std::uint32_t count, FloatW<Arch> source) {
    native::store_first(target, count, source.value);
}

/// Lane i holds source[indices[i]]. Uses single loads, which every ISA has.
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
    return {native::divide(a.value, b.value)};
}
/// The IEEE square root.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> square_root(FloatW<Arch> a) {
    return {native::square_root(a.value)};
}
/// Flips the sign bit, also of zeros and NaN.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> operator-(FloatW<Arch> a) {
    return {a.value ^ broadcast<Arch>(-0.0f).value};
}
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> absolute(FloatW<Arch> a) {
    return {xsimd::abs(a.value)};
}
/// a with its sign bit flipped if that of `sign_source` is set: a·(±1) without the multiplication.
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
/// See inverse_power_of_two(float).
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> inverse_power_of_two(FloatW<Arch> a) {
    const auto exponent = xsimd::bitwise_cast<std::int32_t>(a.value) & broadcast_int<Arch>(0x7F800000).value;
    return {xsimd::bitwise_cast<float>(broadcast_int<Arch>(0x7F000000).value - exponent)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> operator+(IntW<Arch> a, IntW<Arch> b) {
    return {a.value + b.value};
}
/// Minimum and maximum of signed integers.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> min(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::min(a.value, b.value)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> max(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::max(a.value, b.value)};
}
/// 0, 1, 2, … in lane order.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> lane_index() {
    alignas(64) static constexpr std::int32_t kOrder[16] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                            8, 9, 10, 11, 12, 13, 14, 15};
    return load_unaligned_int<Arch>(kOrder);
}

// Comparisons: false if either side is NaN.

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
/// True if the sign bit is set, also for -0 and negative NaN.
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
/// The same truth value in every lane.
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
template <class Arch>
BROADSIDE_FORCE_INLINE bool all(MaskW<Arch> mask) {
    return bits(mask) == (std::uint32_t{1} << Arch::kLanes) - 1;
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
/// has_sign_bit(sign_source) ? if_set : if_clear, lane by lane. Cheaper than a mask, if that is not needed
/// itself.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> select_by_sign(FloatW<Arch> sign_source, FloatW<Arch> if_set,
                                                   FloatW<Arch> if_clear) {
    return {native::select_by_sign(sign_source.value, if_set.value, if_clear.value)};
}

// The other operations of core's float_ops.hpp, in the same order of operations.

/// |a| <= FLT_MAX: false for NaN and both infinities.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> is_finite(FloatW<Arch> a) {
    return absolute(a) <= broadcast<Arch>(FLT_MAX);
}
/// |a| < FLT_MIN ? a · 0 : a. A finite a · 0 is its sign bit alone.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> flush_denormal(FloatW<Arch> a) {
    const FloatW<Arch> signed_zero = {a.value & broadcast<Arch>(-0.0f).value};
    return select(absolute(a) < broadcast<Arch>(FLT_MIN), signed_zero, a);
}

// Reductions of lanes to one number, if the order of the steps cannot show in the result.

/// The smallest lane. Not for NaN. Of -0 and +0, which one it returns is unspecified.
template <class Arch>
BROADSIDE_FORCE_INLINE float smallest(FloatW<Arch> a) {
    return xsimd::reduce_min(a.value);
}
/// The largest lane, as above.
template <class Arch>
BROADSIDE_FORCE_INLINE float largest(FloatW<Arch> a) {
    return xsimd::reduce_max(a.value);
}

/// Stores the lanes whose bit is set, in lane order and without gaps, and returns how many. Writes a full
/// register: `target` needs room for kLanes values however few are set.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t compress_store(std::int32_t* target, IntW<Arch> source,
                                                    std::uint32_t lane_bits) {
    store_unaligned(target, IntW<Arch>{native::compress(source.value, lane_bits)});
    return static_cast<std::uint32_t>(__builtin_popcount(lane_bits));
}
/// As above for two sources at once, stored in turn: first, second, first, second, … `target` needs room for
/// 2·kLanes values however few are set.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t compress_store_interleaved(std::int32_t* target, IntW<Arch> first,
                                                                IntW<Arch> second, std::uint32_t lane_bits) {
    native::compress_store_interleaved(target, first.value, second.value, lane_bits);
    return static_cast<std::uint32_t>(__builtin_popcount(lane_bits));
}

}  // namespace broadside::simd

#include "simd/src/lanes_one.hpp"
