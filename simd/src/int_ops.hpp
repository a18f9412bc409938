// Integer arithmetic over lanes: positions, keys and codes.
#pragma once

#include "simd/src/lanes.hpp"

namespace broadside::simd {

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
/// Arithmetic shift: keeps the sign.
template <int kBits, class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> shift_right(IntW<Arch> a) {
    return {a.value >> kBits};
}
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> equal(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::batch_bool_cast<float>(a.value == b.value)};
}
/// a < b for signed integers.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> less(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::batch_bool_cast<float>(a.value < b.value)};
}

/// The lanes whose bit is set in `lane_bits`. Bits past the last lane are ignored.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> lanes_of(std::uint32_t lane_bits) {
    alignas(64) static constexpr std::int32_t kBits[16] = {
        1 << 0, 1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
        1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    const IntW<Arch> bit = load_unaligned_int<Arch>(kBits);
    return equal(broadcast_int<Arch>(static_cast<std::int32_t>(lane_bits)) & bit, bit);
}
/// The smallest lane, as signed integers.
template <class Arch>
BROADSIDE_FORCE_INLINE std::int32_t smallest(IntW<Arch> a) {
    return xsimd::reduce_min(a.value);
}

/// The sum of all lanes, which must be below 2^31.
template <class Arch>
BROADSIDE_FORCE_INLINE std::int32_t sum(IntW<Arch> a) {
    return xsimd::reduce_add(a.value);
}

/// The float without its fraction, which must fit an int.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> truncate(FloatW<Arch> a) {
    return {xsimd::batch_cast<std::int32_t>(a.value)};
}
/// The bits of a float.
template <class Arch>
BROADSIDE_FORCE_INLINE IntW<Arch> as_int(FloatW<Arch> a) {
    return {xsimd::bitwise_cast<std::int32_t>(a.value)};
}
/// The same bits as a float. Small integers are denormal numbers, so do not compute with the result.
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> as_float(IntW<Arch> a) {
    return {xsimd::bitwise_cast<float>(a.value)};
}

/// See next_up(float).
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> next_up(FloatW<Arch> a) {
    const FloatW<Arch> positive_zero = a + broadcast<Arch>(0.0f);
    const IntW<Arch> pattern = as_int(positive_zero);
    const IntW<Arch> one = broadcast_int<Arch>(1);
    const IntW<Arch> above = select(has_sign_bit(positive_zero), pattern - one, pattern + one);
    return select(a <= broadcast<Arch>(FLT_MAX), as_float(above), a);
}
/// See next_down(float).
template <class Arch>
BROADSIDE_FORCE_INLINE FloatW<Arch> next_down(FloatW<Arch> a) {
    return -next_up(-a);
}

// One lane; see lanes_one.hpp.

template <>
BROADSIDE_FORCE_INLINE MaskW<Scalar> lanes_of<Scalar>(std::uint32_t lane_bits) {
    return {(lane_bits & 1u) != 0};
}
BROADSIDE_FORCE_INLINE MaskW<Scalar> equal(IntW<Scalar> a, IntW<Scalar> b) { return {a.value == b.value}; }
BROADSIDE_FORCE_INLINE MaskW<Scalar> less(IntW<Scalar> a, IntW<Scalar> b) { return {a.value < b.value}; }
BROADSIDE_FORCE_INLINE std::int32_t smallest(IntW<Scalar> a) { return a.value; }
BROADSIDE_FORCE_INLINE IntW<Scalar> as_int(FloatW<Scalar> a) {
    return {__builtin_bit_cast(std::int32_t, a.value)};
}

}  // namespace broadside::simd
