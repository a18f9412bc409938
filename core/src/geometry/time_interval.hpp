// The time interval in which two moving bodies meet along several axes: an intersection of intervals, for one
// pair.
#pragma once

#include <broadside/float_ops.hpp>

namespace broadside {

/// The intersection of the axes' intervals so far, and the axis that set its begin.
template <class Axis>
struct TimeInterval {
    float t_enter = 0.0f;
    float t_leave = 1.0f;
    Axis axis = Axis::initial;
};

/// Clips to one axis, with its direction turned along the motion. The two meet from near·neg_inv_speed,
/// `near` = the mover's max + radius, to far·neg_inv_speed, `far` = the mover's min - radius. At speed zero
/// these are ±infinity, or the NaN of 0·infinity if they touch. The order of the operands lets NaN change
/// nothing.
template <class Axis>
BROADSIDE_FORCE_INLINE void clip(TimeInterval<Axis>& state, float near, float far, float neg_inv_speed,
                                 Axis axis) {
    const float enter = near * neg_inv_speed;
    const float leave = far * neg_inv_speed;
    if (enter > state.t_enter) state.axis = axis;
    state.t_enter = max_keep(enter, state.t_enter);
    state.t_leave = min_keep(leave, state.t_leave);
}

BROADSIDE_FORCE_INLINE float flip_sign(float a, float sign_source) {
    return has_sign_bit(sign_source) ? -a : a;
}

/// As above for a mover whose interval has the center `center`. `radius` is half its width plus that of the
/// other body.
template <class Axis>
BROADSIDE_FORCE_INLINE void clip_centered(TimeInterval<Axis>& state, float center, float radius, float speed,
                                          Axis axis) {
    const float c = flip_sign(center, speed);
    clip(state, c + radius, c - radius, -1.0f / absolute(speed), axis);
}

}  // namespace broadside
