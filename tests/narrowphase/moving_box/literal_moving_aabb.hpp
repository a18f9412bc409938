// The source texts' moving-box test, letter for letter: the reference for time_of_impact_text_a, and the
// example for the errata. Test code only.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/no_intersection.hpp>

#include <utility>

namespace broadside::test {

/// One axis of the texts' loop body; false means "return kNoIntersection".
inline bool literal_axis(float s_min, float s_max, float m_min, float m_max, float d, float& t_enter,
                         float& t_leave) {
    if (d == 0.0f) {
        if (s_min >= m_max || s_max <= m_min) return false;
        return true;
    }
    const float one_over_d = 1.0f / d;
    float axis_enter = (s_min - m_max) * one_over_d;
    float axis_leave = (s_max - m_min) * one_over_d;
    if (axis_enter > axis_leave) std::swap(axis_enter, axis_leave);
    if (axis_enter > t_enter) t_enter = axis_enter;
    if (axis_leave < t_leave) t_leave = axis_leave;
    return !(t_enter > t_leave);
}

inline float literal_moving_aabb(const Aabb& s, const Aabb& m, Vec3 d) {
    float t_enter = 0.0f;
    float t_leave = 1.0f;
    if (!literal_axis(s.min.x, s.max.x, m.min.x, m.max.x, d.x, t_enter, t_leave)) return kNoIntersection;
    if (!literal_axis(s.min.y, s.max.y, m.min.y, m.max.y, d.y, t_enter, t_leave)) return kNoIntersection;
    if (!literal_axis(s.min.z, s.max.z, m.min.z, m.max.z, d.z, t_enter, t_leave)) return kNoIntersection;
    return t_enter;
}

}  // namespace broadside::test
