// Tests whether a time of a ray or a moving box can underflow, and so lose its sign.
#pragma once

#include <broadside/float_ops.hpp>

namespace broadside {

/// True if gap · inv can underflow, where `place` is one end of the gap and inv the inverse of the speed.
/// That takes a speed above 1, because a gap that is not zero is at least 2^-149. It also takes a coordinate
/// near zero, because the gap is at least 2^-25 of it: its neighbours are no nearer.
BROADSIDE_FORCE_INLINE constexpr bool may_underflow(float place, float inv) noexcept {
    const float inv_size = absolute(inv);
    return inv_size < 1.0f && absolute(place) * inv_size < 0x1p-123f;
}

}  // namespace broadside
