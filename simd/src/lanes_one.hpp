// FloatW, IntW and MaskW of Scalar: one lane, which is a plain number. A text over lanes is then ordinary
// code for one item.
#pragma once

#include "simd/src/lanes.hpp"

#include <broadside/float_ops.hpp>

// If the scalar text of a formula is not needed as a witness, its text over lanes at one lane is the
// specification. Missing operations have one text for any number of lanes, or are not used with one.
namespace broadside::simd {

template <>
struct MaskW<Scalar> {
    bool value;
};
template <>
struct FloatW<Scalar> {
    static constexpr std::uint32_t kLanes = 1;
    float value;
};
template <>
struct IntW<Scalar> {
    static constexpr std::uint32_t kLanes = 1;
    std::int32_t value;
};
/// True if a group of one lane fails `mask`, so that a branch saves the rest. Several lanes seldom fail
/// together: false for them, at no cost.
template <class Mask>
BROADSIDE_FORCE_INLINE bool fails_alone(Mask) {
    return false;
}
BROADSIDE_FORCE_INLINE bool fails_alone(MaskW<Scalar> mask) { return !mask.value; }

// Floats.

template <>
BROADSIDE_FORCE_INLINE FloatW<Scalar> broadcast<Scalar>(float value) {
    return {value};
}
template <>
BROADSIDE_FORCE_INLINE FloatW<Scalar> load_aligned<Scalar>(const float* source) {
    return {*source};
}
template <>
BROADSIDE_FORCE_INLINE FloatW<Scalar> load_unaligned<Scalar>(const float* source) {
    return {*source};
}
BROADSIDE_FORCE_INLINE void store_unaligned(float* target, FloatW<Scalar> source) { *target = source.value; }
template <>
BROADSIDE_FORCE_INLINE FloatW<Scalar> load_tail<Scalar>(const float* source, std::uint32_t count,
                                                        float fill) {
    return {count == 0 ? fill : *source};
}
BROADSIDE_FORCE_INLINE void store_tail(float* target, std::uint32_t count, FloatW<Scalar> source) {
    if (count != 0) *target = source.value;
}

BROADSIDE_FORCE_INLINE FloatW<Scalar> operator/(FloatW<Scalar> a, FloatW<Scalar> b) {
    return {a.value / b.value};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> square_root(FloatW<Scalar> a) { return {__builtin_sqrtf(a.value)}; }
BROADSIDE_FORCE_INLINE FloatW<Scalar> operator-(FloatW<Scalar> a) { return {-a.value}; }
BROADSIDE_FORCE_INLINE FloatW<Scalar> absolute(FloatW<Scalar> a) { return {broadside::absolute(a.value)}; }
BROADSIDE_FORCE_INLINE FloatW<Scalar> flip_sign(FloatW<Scalar> a, FloatW<Scalar> sign_source) {
    return {broadside::has_sign_bit(sign_source.value) ? -a.value : a.value};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> min_keep(FloatW<Scalar> a, FloatW<Scalar> b) {
    return {broadside::min_keep(a.value, b.value)};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> max_keep(FloatW<Scalar> a, FloatW<Scalar> b) {
    return {broadside::max_keep(a.value, b.value)};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> inverse_power_of_two(FloatW<Scalar> a) {
    return {broadside::inverse_power_of_two(a.value)};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> flush_denormal(FloatW<Scalar> a) {
    return {broadside::flush_denormal(a.value)};
}
BROADSIDE_FORCE_INLINE MaskW<Scalar> has_sign_bit(FloatW<Scalar> a) {
    return {broadside::has_sign_bit(a.value)};
}
BROADSIDE_FORCE_INLINE FloatW<Scalar> select(MaskW<Scalar> mask, FloatW<Scalar> if_true,
                                             FloatW<Scalar> if_false) {
    return mask.value ? if_true : if_false;
}
BROADSIDE_FORCE_INLINE float smallest(FloatW<Scalar> a) { return a.value; }
BROADSIDE_FORCE_INLINE float largest(FloatW<Scalar> a) { return a.value; }

// Integers.

template <>
BROADSIDE_FORCE_INLINE IntW<Scalar> broadcast_int<Scalar>(std::int32_t value) {
    return {value};
}
template <>
BROADSIDE_FORCE_INLINE IntW<Scalar> load_unaligned_int<Scalar>(const std::int32_t* source) {
    return {*source};
}
// Targets may be arrays of other types, as those of registers are.
BROADSIDE_FORCE_INLINE void store_unaligned(std::int32_t* target, IntW<Scalar> source) {
    __builtin_memcpy(target, &source.value, sizeof source.value);
}
BROADSIDE_FORCE_INLINE IntW<Scalar> min(IntW<Scalar> a, IntW<Scalar> b) { return a.value < b.value ? a : b; }
BROADSIDE_FORCE_INLINE IntW<Scalar> max(IntW<Scalar> a, IntW<Scalar> b) { return a.value > b.value ? a : b; }
BROADSIDE_FORCE_INLINE IntW<Scalar> select(MaskW<Scalar> mask, IntW<Scalar> if_true, IntW<Scalar> if_false) {
    return mask.value ? if_true : if_false;
}
BROADSIDE_FORCE_INLINE std::uint32_t compress_store(std::int32_t* target, IntW<Scalar> source,
                                                    std::uint32_t lane_bits) {
    store_unaligned(target, source);
    return lane_bits;
}
BROADSIDE_FORCE_INLINE std::uint32_t compress_store_interleaved(std::int32_t* target, IntW<Scalar> first,
                                                                IntW<Scalar> second,
                                                                std::uint32_t lane_bits) {
    store_unaligned(target, first);
    store_unaligned(target + 1, second);
    return lane_bits;
}

// Masks.

BROADSIDE_FORCE_INLINE MaskW<Scalar> operator&(MaskW<Scalar> a, MaskW<Scalar> b) {
    return {a.value && b.value};
}
BROADSIDE_FORCE_INLINE MaskW<Scalar> operator|(MaskW<Scalar> a, MaskW<Scalar> b) {
    return {a.value || b.value};
}
BROADSIDE_FORCE_INLINE MaskW<Scalar> operator~(MaskW<Scalar> a) { return {!a.value}; }
BROADSIDE_FORCE_INLINE std::uint32_t bits(MaskW<Scalar> mask) { return mask.value ? 1u : 0u; }

}  // namespace broadside::simd
