// From lanes to one number, where the order of the steps cannot show in the answer, and what sorting by lanes needs.
#pragma once

#include "simd/src/int_ops.hpp"

#include <broadside/float_ops.hpp>

namespace broadside::simd {

/// The smallest lane. Not for NaN; which zero answers for -0 and +0 is not defined.
template <class Arch>
BROADSIDE_FORCE_INLINE float smallest(FloatW<Arch> a) {
    if constexpr (Arch::kLanes > 4) {
        return xsimd::reduce_min(a.value);
    } else {
        // On AArch64 xsimd's leaves symbols behind that units would share, against rule R5.
        alignas(16) float lanes[Arch::kLanes];
        store_unaligned(lanes, a);
        return broadside::min_keep(broadside::min_keep(lanes[0], lanes[1]),
                                   broadside::min_keep(lanes[2], lanes[3]));
    }
}
/// The largest lane, as above.
template <class Arch>
BROADSIDE_FORCE_INLINE float largest(FloatW<Arch> a) {
    if constexpr (Arch::kLanes > 4) {
        return xsimd::reduce_max(a.value);
    } else {
        alignas(16) float lanes[Arch::kLanes];
        store_unaligned(lanes, a);
        return broadside::max_keep(broadside::max_keep(lanes[0], lanes[1]),
                                   broadside::max_keep(lanes[2], lanes[3]));
    }
}
/// a < b for signed integers.
template <class Arch>
BROADSIDE_FORCE_INLINE MaskW<Arch> less(IntW<Arch> a, IntW<Arch> b) {
    return {xsimd::batch_bool_cast<float>(a.value < b.value)};
}

}  // namespace broadside::simd
