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

}  // namespace broadside::simd
