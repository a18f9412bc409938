// The seven-axis swept rejection for one pair, in the frame of the box: the specification of its lanes form.
#pragma once

#include "narrowphase/src/obb/obb_triangle_frame.hpp"

#include <broadside/swept_axes.hpp>

// The triangle that moves by W sweeps a prism. Its axes that the 13 static ones lack are W × edges and W ×
// box axes, all perpendicular to W, so nothing travels along them; L = W itself bounds the ends. Source:
// source_rules.md C7-C10, with E0 = ab, E1 = ac, E2 = bc, D = a, N = E0 × E1, and W scaled by a power of two,
// since its length does not matter.
//
// Why a margin. Rejection must never contradict the exact test, whose own rounding can call a cap (see
// obb_triangle.hpp) touching that is 2^-11.5 of the operands away, and √3 times that between a corner and a
// corner. So a gap counts from 2^-9 of their size on. W × E has an error of 2^-22 of |W||E|, however short
// the product is: the second part of the margin is sixteen times that.
namespace broadside::narrowphase {

inline constexpr float kGapMargin = 0x1p-9f;
inline constexpr float kAxisMargin = 0x1p-18f;

BROADSIDE_FORCE_INLINE bool is_moving(const ObbFrame& frame) {
    return largest_component(frame.motion) > 0.0f;
}

/// The motion's direction, its largest component in [1, 2).
BROADSIDE_FORCE_INLINE Vec3 motion_axis(const ObbFrame& frame) {
    return frame.motion * inverse_power_of_two(largest_component(frame.motion));
}

BROADSIDE_FORCE_INLINE float operand_size(const ObbFrame& frame, float reach) {
    return (component_sum(frame.half_extent) + component_sum(frame.motion)) + reach;
}

/// False only when the pair does not meet within the step. The frame must be moving.
BROADSIDE_FORCE_INLINE bool may_meet_scalar(const ObbFrame& frame, const TriangleInBox& t) {
    const Vec3 h = frame.half_extent;
    const Vec3 w = motion_axis(frame);
    const Vec3 ac = -t.ca;
    const float size = operand_size(frame, t.reach);
    const float axis_error = kAxisMargin * component_sum(w);
    // W × edges.
    const Vec3 w_ab = cross(w, t.ab);
    const Vec3 w_ac = cross(w, ac);
    const Vec3 w_bc = cross(w, t.bc);
    const float wn = dot(w, t.normal_at_a);
    const auto edge_radius = [&](Vec3 axis) {
        return face_radius(axis, h) + size * (kGapMargin * component_sum(axis) + axis_error * t.reach);
    };
    const Float4 e0 = {{dot(w_ab, t.a), dot(w_ac, t.a), dot(w_bc, t.a), 0.0f}};
    const Float4 e1 = {{e0.lane[0], e0.lane[1] - wn, e0.lane[2] - wn, 0.0f}};
    const Float4 e2 = {{e0.lane[0] + wn, e0.lane[1], e0.lane[2] - wn, 0.0f}};
    const Float4 edge_radii = {{edge_radius(w_ab), edge_radius(w_ac), edge_radius(w_bc), 0.0f}};
    if (!all(projected_overlap(e0, e1, e2, edge_radii), kMaskXyz)) return false;
    // W × box axes: (W × i)·p = (p × W)_i. No component of w is negative.
    const Vec3 p0 = cross(t.a, w);
    const Vec3 p1 = p0 - w_ab;
    const Vec3 p2 = p0 - w_ac;
    const auto box_radius = [&](float h_1, float w_2, float h_2, float w_1) {
        return (h_1 * w_2 + h_2 * w_1) + size * (kGapMargin * (w_1 + w_2) + axis_error);
    };
    const Float4 box_radii = {{box_radius(h.y, w.z, h.z, w.y), box_radius(h.x, w.z, h.z, w.x),
                               box_radius(h.x, w.y, h.y, w.x), 0.0f}};
    if (!all(projected_overlap({{p0.x, p0.y, p0.z, 0.0f}}, {{p1.x, p1.y, p1.z, 0.0f}},
                               {{p2.x, p2.y, p2.z, 0.0f}}, box_radii),
             kMaskXyz)) {
        return false;
    }
    // W.
    const float q0 = dot(w, t.a);
    const Float4 q0_4 = {{q0, 0.0f, 0.0f, 0.0f}};
    const Float4 q1_4 = {{q0 + dot(w, t.ab), 0.0f, 0.0f, 0.0f}};
    const Float4 q2_4 = {{q0 + dot(w, ac), 0.0f, 0.0f, 0.0f}};
    const Float4 radius = {{dot(w, h) + size * (kGapMargin * component_sum(w)), 0.0f, 0.0f, 0.0f}};
    const Float4 travel = {{dot(w, frame.motion), 0.0f, 0.0f, 0.0f}};
    return all(projected_overlap_moving(q0_4, q1_4, q2_4, radius, travel), kMaskXyz);
}

}  // namespace broadside::narrowphase
