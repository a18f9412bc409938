// The intersection of intervals of time over lanes. See core/src/geometry/time_interval.hpp.
#pragma once

#include "core/src/geometry/time_interval.hpp"
#include "simd/src/lanes.hpp"

namespace broadside::narrowphase {

/// See TimeInterval. Without HasAxis the axis is not tracked.
template <class Arch, class Axis, bool HasAxis>
struct TimeIntervalW {
    simd::FloatW<Arch> t_enter = simd::broadcast<Arch>(0.0f);
    simd::FloatW<Arch> t_leave = simd::broadcast<Arch>(1.0f);
    simd::IntW<Arch> axis = simd::broadcast_int<Arch>(static_cast<std::int32_t>(Axis::initial));
};

template <class Arch, class Axis, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip(TimeIntervalW<Arch, Axis, HasAxis>& state, simd::FloatW<Arch> near,
                                 simd::FloatW<Arch> far, simd::FloatW<Arch> neg_inv_speed, Axis axis) {
    using namespace simd;
    const FloatW<Arch> enter = near * neg_inv_speed;
    const FloatW<Arch> leave = far * neg_inv_speed;
    if constexpr (HasAxis) {
        // if (enter > t_enter) state.axis = axis
        state.axis =
            select(enter > state.t_enter, broadcast_int<Arch>(static_cast<std::int32_t>(axis)), state.axis);
    }
    state.t_enter = max_keep(enter, state.t_enter);
    state.t_leave = min_keep(leave, state.t_leave);
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> neg_inverse(simd::FloatW<Arch> speed) {
    return simd::broadcast<Arch>(-1.0f) / absolute(speed);
}

template <class Arch, class Axis, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip_centered(TimeIntervalW<Arch, Axis, HasAxis>& state,
                                          simd::FloatW<Arch> center, simd::FloatW<Arch> radius,
                                          simd::FloatW<Arch> speed, Axis axis) {
    const simd::FloatW<Arch> c = flip_sign(center, speed);
    clip(state, c + radius, c - radius, neg_inverse(speed), axis);
}

}  // namespace broadside::narrowphase
