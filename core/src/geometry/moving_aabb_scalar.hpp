// The specification of the moving-box time of impact: one pair in ordinary C++.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/impact.hpp>

namespace broadside {

/// The times at which the slabs of two boxes on one axis meet and part, as fractions of the step, unbounded
/// in both directions.
struct SlabTimes {
    float t_near;
    float t_far;
};

/// `displacement` is that of m relative to s, zero or at least FLT_MIN. One division an axis, then two
/// multiplications (source_rules.md A10). The faces are chosen by the sign bit of the displacement, so
/// nothing has to be swapped afterwards (A7), and t_near <= t_far unless one is NaN.
///
/// Without motion the reciprocal is an infinity of the sign that chose the faces: slabs that overlap strictly
/// give [-infinity, +infinity], separated ones twice the same infinity, and only where faces coincide is
/// there 0·infinity, a NaN. With motion there is no NaN: the reciprocal is neither zero nor infinite.
/// Differences of the sides of valid boxes are never infinity minus infinity, and one that overflows has a
/// true time beyond 1 as well.
BROADSIDE_FORCE_INLINE constexpr SlabTimes slab_times(float s_min, float s_max, float m_min, float m_max,
                                                      float displacement) noexcept {
    const float inv_displacement = 1.0f / displacement;
    const float to_min_face = s_min - m_max;
    const float to_max_face = s_max - m_min;
    const bool moves_down = has_sign_bit(displacement);
    return {(moves_down ? to_max_face : to_min_face) * inv_displacement,
            (moves_down ? to_min_face : to_max_face) * inv_displacement};
}

/// The face of s that m reaches on an axis with the min face `min_face`.
BROADSIDE_FORCE_INLINE constexpr Face reached_face(float displacement, Face min_face) noexcept {
    const int code = static_cast<int>(min_face) + (has_sign_bit(displacement) ? 1 : 0);
    return static_cast<Face>(code);
}

/// True if m, at the start of the step, is before the slab of s that it moves towards, or touches it.
BROADSIDE_FORCE_INLINE constexpr bool is_ahead(float s_min, float s_max, float m_min, float m_max,
                                               float displacement) noexcept {
    return displacement != 0.0f && (has_sign_bit(displacement) ? m_min >= s_max : m_max <= s_min);
}
/// True if m is behind the slab of s at the start.
BROADSIDE_FORCE_INLINE constexpr bool has_left(float s_min, float s_max, float m_min, float m_max,
                                               float displacement) noexcept {
    return has_sign_bit(displacement) ? m_max < s_min : m_min > s_max;
}
/// True if the boxes meet at the start of the step under Touch::open.
BROADSIDE_FORCE_INLINE constexpr bool share_volume(const Aabb& s, const Aabb& m) noexcept {
    return s.min.x < m.max.x && m.min.x < s.max.x &&  //
           s.min.y < m.max.y && m.min.y < s.max.y &&  //
           s.min.z < m.max.z && m.min.z < s.max.z;
}

/// The impact of boxes that meet at time 0, if at all, and part at t_leave. The coordinates decide which axes
/// overlap, touch or have parted, because a time that underflows has lost its sign. The face is that of the
/// first axis still to be entered. A gap too small for any float time is entered at 0.
BROADSIDE_FORCE_INLINE constexpr Impact impact_at_start(const Aabb& s, const Aabb& m, Vec3 d, float t_leave,
                                                        bool is_open) noexcept {
    if (has_left(s.min.x, s.max.x, m.min.x, m.max.x, d.x) ||
        has_left(s.min.y, s.max.y, m.min.y, m.max.y, d.y) ||
        has_left(s.min.z, s.max.z, m.min.z, m.max.z, d.z)) {
        return {};
    }
    if (is_open && !(0.0f < t_leave || share_volume(s, m))) return {};
    if (is_ahead(s.min.x, s.max.x, m.min.x, m.max.x, d.x)) return {0.0f, reached_face(d.x, Face::min_x)};
    if (is_ahead(s.min.y, s.max.y, m.min.y, m.max.y, d.y)) return {0.0f, reached_face(d.y, Face::min_y)};
    if (is_ahead(s.min.z, s.max.z, m.min.z, m.max.z, d.z)) return {0.0f, reached_face(d.z, Face::min_z)};
    return {0.0f, Face::none};
}

/// The impact of one pair. Source: F. Dunn and I. Parberry, "3D Math Primer for Graphics and Game
/// Development", section 13.17; source_rules.md A4-A14 and B20-B27. The intervals of time in which the slabs
/// overlap on x, y and z are intersected with the step [0, 1]; the impact is the begin of the result. We
/// differ in four ways. We accept instead of rejecting (G4: NaN, inverted boxes and boxes at infinity have no
/// impact). We have `touch` (G2). We choose faces instead of swapping times. We flush displacements whose
/// reciprocal would overflow (G4).
///
/// A NaN time means "touching without motion". It leaves the running interval unchanged by the operand order
/// of max_keep and min_keep; the policies that do not count such a touch test for it separately. The running
/// start is +0 and only something greater replaces it, so no impact has time -0 and neither time is ever NaN.
/// Illegal input is refused last, because most pairs miss earlier. The face is read off afterwards: the first
/// axis whose own time is the impact's or, at time 0, the first on which the boxes do not overlap yet (G2).
BROADSIDE_FORCE_INLINE constexpr Impact first_impact_scalar(const Aabb& stationary, const Aabb& moving,
                                                            Vec3 displacement, Touch touch) noexcept {
    const Aabb& s = stationary;
    const Aabb& m = moving;
    const Vec3 d = {flush_denormal(displacement.x), flush_denormal(displacement.y),
                    flush_denormal(displacement.z)};

    const SlabTimes x = slab_times(s.min.x, s.max.x, m.min.x, m.max.x, d.x);
    float t_enter = max_keep(x.t_near, 0.0f);
    float t_leave = min_keep(x.t_far, 1.0f);
    if (t_enter > t_leave) return {};
    const SlabTimes y = slab_times(s.min.y, s.max.y, m.min.y, m.max.y, d.y);
    t_enter = max_keep(y.t_near, t_enter);
    t_leave = min_keep(y.t_far, t_leave);
    if (t_enter > t_leave) return {};
    const SlabTimes z = slab_times(s.min.z, s.max.z, m.min.z, m.max.z, d.z);
    t_enter = max_keep(z.t_near, t_enter);
    t_leave = min_keep(z.t_far, t_leave);
    if (t_enter > t_leave) return {};

    if (!(is_valid(stationary) && is_valid(moving) && is_finite(displacement))) return {};
    const bool is_in_order = x.t_near <= x.t_far && y.t_near <= y.t_far && z.t_near <= z.t_far;
    if (touch != Touch::closed && !is_in_order) return {};
    Face face = Face::none;
    if (z.t_near == t_enter) face = reached_face(d.z, Face::min_z);
    if (y.t_near == t_enter) face = reached_face(d.y, Face::min_y);
    if (x.t_near == t_enter) face = reached_face(d.x, Face::min_x);
    // Only a time of zero depends on the sign; all other times are right.
    const bool hangs_on_sign = t_leave == 0.0f || (t_enter == 0.0f && face != Face::none);
    if (hangs_on_sign) [[unlikely]]
        return impact_at_start(s, m, d, t_leave, touch == Touch::open);
    if (touch == Touch::open && !(t_enter < t_leave)) return {};
    return {t_enter, face};
}

}  // namespace broadside
