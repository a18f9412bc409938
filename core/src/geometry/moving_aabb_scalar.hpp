// The specification of the moving-box time of impact: one pair in ordinary C++.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/impact.hpp>

namespace broadside {

/// When the slabs of two boxes on one axis meet and part, as fractions of the step without end in either
/// direction.
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

/// The face of s that m reaches on an axis whose min face is `min_face`.
BROADSIDE_FORCE_INLINE constexpr Face reached_face(float displacement, Face min_face) noexcept {
    const int code = static_cast<int>(min_face) + (has_sign_bit(displacement) ? 1 : 0);
    return static_cast<Face>(code);
}

/// Source: F. Dunn and I. Parberry, "3D Math Primer for Graphics and Game Development", section 13.17;
/// source_rules.md A4-A14 and B20-B27. The times during which the slabs overlap on x, y and z are intersected
/// with the step [0, 1]; what is left begins with the impact. We differ by accepting instead of rejecting
/// (G4: NaN, inverted boxes and boxes at infinity have no impact), by `touch` (G2), by choosing faces instead
/// of swapping times, and by the flush of displacements whose reciprocal would overflow (G4).
///
/// A NaN time, which says "touching without motion", is neutral for the running interval by the operand order
/// of max_keep and min_keep; the policies that do not count such a touch ask for it separately. The running
/// start is +0 and is only replaced by something greater, so no impact has time -0 and neither time is ever
/// NaN. What is illegal is refused last, since most pairs miss before. The face is read off afterwards: the
/// first axis whose own time is the impact's. At time 0 that is an axis on which the boxes touch and press on
/// (G2); overlapping axes have negative times and resting ones NaN.
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
    if (touch == Touch::open && !(t_enter < t_leave)) return {};

    if (x.t_near == t_enter) return {t_enter, reached_face(d.x, Face::min_x)};
    if (y.t_near == t_enter) return {t_enter, reached_face(d.y, Face::min_y)};
    if (z.t_near == t_enter) return {t_enter, reached_face(d.z, Face::min_z)};
    return {t_enter, Face::none};
}

}  // namespace broadside
