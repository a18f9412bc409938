// DoubleW and DoubleMaskW of Scalar: one lane, which is a plain number. See lanes_one.hpp.
#pragma once

#include "simd/src/doubles.hpp"

#include <broadside/float_ops.hpp>

namespace broadside::simd {

template <>
struct DoubleMaskW<Scalar> {
    bool value;
};
template <>
struct DoubleW<Scalar> {
    double value;
};
template <>
inline constexpr std::uint32_t kDoubleLanes<Scalar> = 1;

BROADSIDE_FORCE_INLINE bool fails_alone(DoubleMaskW<Scalar> mask) { return !mask.value; }

template <>
BROADSIDE_FORCE_INLINE DoubleW<Scalar> broadcast_double<Scalar>(double value) {
    return {value};
}
template <>
BROADSIDE_FORCE_INLINE DoubleW<Scalar> load_doubles_unaligned<Scalar>(const double* source) {
    return {*source};
}
BROADSIDE_FORCE_INLINE void store_doubles_unaligned(double* target, DoubleW<Scalar> source) {
    *target = source.value;
}
template <>
BROADSIDE_FORCE_INLINE DoubleW<Scalar> load_widened<Scalar>(const float* source) {
    return {static_cast<double>(*source)};
}
BROADSIDE_FORCE_INLINE void store_narrowed(float* target, DoubleW<Scalar> source) {
    *target = static_cast<float>(source.value);
}
BROADSIDE_FORCE_INLINE DoubleW<Scalar> operator/(DoubleW<Scalar> a, DoubleW<Scalar> b) {
    return {a.value / b.value};
}
BROADSIDE_FORCE_INLINE DoubleW<Scalar> square_root(DoubleW<Scalar> a) { return {__builtin_sqrt(a.value)}; }
BROADSIDE_FORCE_INLINE DoubleW<Scalar> absolute(DoubleW<Scalar> a) { return {__builtin_fabs(a.value)}; }
BROADSIDE_FORCE_INLINE DoubleW<Scalar> min_keep(DoubleW<Scalar> a, DoubleW<Scalar> b) {
    return {broadside::min_keep(a.value, b.value)};
}
BROADSIDE_FORCE_INLINE DoubleW<Scalar> max_keep(DoubleW<Scalar> a, DoubleW<Scalar> b) {
    return {broadside::max_keep(a.value, b.value)};
}
BROADSIDE_FORCE_INLINE DoubleW<Scalar> round_to_float(DoubleW<Scalar> a) {
    return {static_cast<double>(static_cast<float>(a.value))};
}
BROADSIDE_FORCE_INLINE DoubleW<Scalar> select(DoubleMaskW<Scalar> mask, DoubleW<Scalar> if_true,
                                              DoubleW<Scalar> if_false) {
    return mask.value ? if_true : if_false;
}
BROADSIDE_FORCE_INLINE DoubleMaskW<Scalar> operator&(DoubleMaskW<Scalar> a, DoubleMaskW<Scalar> b) {
    return {a.value && b.value};
}
BROADSIDE_FORCE_INLINE DoubleMaskW<Scalar> operator|(DoubleMaskW<Scalar> a, DoubleMaskW<Scalar> b) {
    return {a.value || b.value};
}
BROADSIDE_FORCE_INLINE std::uint32_t bits(DoubleMaskW<Scalar> mask) { return mask.value ? 1u : 0u; }

}  // namespace broadside::simd
