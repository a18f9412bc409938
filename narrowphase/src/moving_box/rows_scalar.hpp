// The specification of prepared rows: how a box becomes a row, and the impact of a pair of rows.
#pragma once

#include "core/src/geometry/may_underflow.hpp"
#include "core/src/geometry/moving_aabb_scalar.hpp"

#include <broadside/moving_aabb_rows.hpp>

namespace broadside::narrowphase {

/// A box at rest, in half a cache line. An invalid box is a row of NaN.
struct alignas(32) RestingBoxRow {
    Vec3 min;
    float zero;
    Vec3 max;
    float other_zero;
};

/// A moving box, with max before min so that two subtractions give all gaps to a RestingBoxRow.
struct alignas(64) MovingBoxRow {
    Vec3 max;
    /// Minus the sum of 1, 2 and 4 for motion down along x, y and z, and of 8 if a time may underflow.
    float direction_code;
    Vec3 min;
    float zero;
    /// 1 / displacement; +infinity if it does not move.
    Vec3 inv_displacement;
    float one;
    Vec3 same_inv_displacement;
    float same_one;
};

/// A box and its displacement; both boxes of a pair may move.
struct alignas(64) BodyBoxRow {
    Vec3 min;
    float min_zero;
    Vec3 max;
    float max_zero;
    Vec3 displacement;
    float displacement_zero;
    float unused[4];
};

/// The corners of a box that meets nothing. A function, because a variable that is not folded would be shared
/// by the units of all instruction sets.
BROADSIDE_FORCE_INLINE constexpr Vec3 corner_of_none() noexcept {
    return {__builtin_nanf(""), __builtin_nanf(""), __builtin_nanf("")};
}

BROADSIDE_FORCE_INLINE constexpr RestingBoxRow resting_row(const Aabb& box) noexcept {
    if (!is_valid(box)) return {corner_of_none(), 0.0f, corner_of_none(), 0.0f};
    return {box.min, 0.0f, box.max, 0.0f};
}

BROADSIDE_FORCE_INLINE constexpr BodyBoxRow body_row(const Aabb& box, Vec3 displacement) noexcept {
    const bool is_legal = is_valid(box) && is_finite(displacement);
    return {is_legal ? box.min : corner_of_none(),
            0.0f,
            is_legal ? box.max : corner_of_none(),
            0.0f,
            displacement,
            0.0f,
            {0.0f, 0.0f, 0.0f, 0.0f}};
}

/// One axis of a mover's row.
struct MoverSide {
    float min;
    float max;
    float inv_displacement;
    float direction_code;
};
BROADSIDE_FORCE_INLINE constexpr bool may_underflow(const MoverSide& side) noexcept {
    return broadside::may_underflow(side.min, side.inv_displacement) ||
           broadside::may_underflow(side.max, side.inv_displacement);
}
/// On an axis without motion, Touch::closed for a box equals the open rule for the box grown by the next
/// float on both sides: s_min <= max is s_min < next_up(max). So one kernel serves all policies. A zero
/// displacement becomes +0, whatever its sign: both give [-infinity, +infinity], a miss, or NaN.
BROADSIDE_FORCE_INLINE constexpr MoverSide mover_side(float min, float max, float displacement, float code,
                                                      bool is_closed) noexcept {
    const bool rests = absolute(displacement) < FLT_MIN;
    const bool is_grown = rests && is_closed;
    const float way = rests ? 0.0f : displacement;
    return {is_grown ? next_down(min) : min, is_grown ? next_up(max) : max, 1.0f / way,
            has_sign_bit(way) ? code : 0.0f};
}
BROADSIDE_FORCE_INLINE constexpr MovingBoxRow moving_row(const Aabb& box, Vec3 displacement,
                                                         Touch touch) noexcept {
    const bool is_closed = touch == Touch::closed;
    const bool is_legal = is_valid(box) && is_finite(displacement);
    const MoverSide x = mover_side(box.min.x, box.max.x, displacement.x, -1.0f, is_closed);
    const MoverSide y = mover_side(box.min.y, box.max.y, displacement.y, -2.0f, is_closed);
    const MoverSide z = mover_side(box.min.z, box.max.z, displacement.z, -4.0f, is_closed);
    const Vec3 inv = {x.inv_displacement, y.inv_displacement, z.inv_displacement};
    const float code = (x.direction_code + y.direction_code) + z.direction_code;
    const bool is_tiny = may_underflow(x) || may_underflow(y) || may_underflow(z);
    return {is_legal ? Vec3{x.max, y.max, z.max} : corner_of_none(),
            is_tiny ? code - 8.0f : code,
            is_legal ? Vec3{x.min, y.min, z.min} : corner_of_none(),
            0.0f,
            inv,
            1.0f,
            inv,
            1.0f};
}

/// As slab_times, with the nearer time found by comparison. If one side is NaN, the operand order passes it
/// to one of the two times, so `near <= far` is false.
struct RowTimes {
    float t_near;
    float t_far;
};
BROADSIDE_FORCE_INLINE constexpr RowTimes row_times(float s_min, float s_max, float m_min, float m_max,
                                                    float inv_displacement) noexcept {
    const float to_min_face = (s_min - m_max) * inv_displacement;
    const float to_max_face = (s_max - m_min) * inv_displacement;
    return {min_keep(to_min_face, to_max_face), max_keep(to_max_face, to_min_face)};
}

/// The result of first_impact_scalar for the boxes of the rows. A NaN now always means "no impact". It comes
/// from an invalid box, from a displacement that is not finite, or from a touch at rest; in the grown rows of
/// the closed policy, that is a gap of one float. No difference of valid sides is infinity minus infinity.
BROADSIDE_FORCE_INLINE constexpr Impact impact_of_rows(const RestingBoxRow& s, const MovingBoxRow& m,
                                                       bool is_open) noexcept {
    const RowTimes x = row_times(s.min.x, s.max.x, m.min.x, m.max.x, m.inv_displacement.x);
    const RowTimes y = row_times(s.min.y, s.max.y, m.min.y, m.max.y, m.inv_displacement.y);
    const RowTimes z = row_times(s.min.z, s.max.z, m.min.z, m.max.z, m.inv_displacement.z);
    const float t_enter = max_keep(max_keep(max_keep(z.t_near, y.t_near), x.t_near), 0.0f);
    const float t_leave = min_keep(min_keep(min_keep(z.t_far, y.t_far), x.t_far), 1.0f);
    const bool is_in_order = x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far;
    if (!is_in_order) return {};
    if (t_enter == 0.0f && t_leave >= 0.0f) {
        // 1 / (1 / displacement) has the sign of the displacement, and is zero if that is.
        const Vec3 way = {1.0f / m.inv_displacement.x, 1.0f / m.inv_displacement.y,
                          1.0f / m.inv_displacement.z};
        return impact_at_start({s.min, s.max}, {m.min, m.max}, way, t_leave, is_open);
    }
    if (!(is_open ? t_enter < t_leave : t_enter <= t_leave)) return {};

    const int moves_down = static_cast<int>(-m.direction_code);
    const auto face = [&](Face min_face, int code) {
        return static_cast<Face>(static_cast<int>(min_face) + ((moves_down & code) != 0 ? 1 : 0));
    };
    if (x.t_near == t_enter) return {t_enter, face(Face::min_x, 1)};
    if (y.t_near == t_enter) return {t_enter, face(Face::min_y, 2)};
    return {t_enter, face(Face::min_z, 4)};
}

BROADSIDE_FORCE_INLINE constexpr Impact impact_of_rows(const BodyBoxRow& a, const BodyBoxRow& b,
                                                       Touch touch) noexcept {
    return first_impact_scalar({a.min, a.max}, {b.min, b.max}, b.displacement - a.displacement, touch);
}

}  // namespace broadside::narrowphase
