// From lanes to one number, where the order of the steps cannot show in the answer, and what sorting by lanes
// needs.
#pragma once

#include "simd/src/int_ops.hpp"

namespace broadside::simd {

/// The smallest lane. Not for NaN; which zero answers for -0 and +0 is not defined.
template <class Arch>
BROADSIDE_FORCE_INLINE float smallest(FloatW<Arch> a) {
    return xsimd::reduce_min(a.value);
}
/// The largest lane, as above.
template <class Arch>
BROADSIDE_FORCE_INLINE float largest(FloatW<Arch> a) {
    return xsimd::reduce_max(a.value);
}
/// a < b for signed integers.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> less(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::batch_bool_cast<float>(a.value < b.value)};
}

}  // namespace broadside::simd
