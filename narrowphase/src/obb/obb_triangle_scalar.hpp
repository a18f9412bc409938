// Oriented box against triangle for one pair: the specification of the kernels in obb_triangle_kernel.hpp.
#pragma once

#include "core/src/geometry/time_interval.hpp"
#include "narrowphase/src/obb/obb_triangle_frame.hpp"

// In the box's own frame (center subtracted first, then rotated) the box is |x| <= h, the triangle a, b, c.
// By the separating axis theorem they are apart iff one of 13 axes keeps their intervals apart: the box's
// axes, the triangle's normal, and box axis i × edge e. For the last, p·(i × e) = (e × p)_i, so an edge's own
// interval is the point (e × p)_i and the third corner lies n_i from it: center (e × p)_i + n_i/2, half width
// |n_i|/2, with the same n = 2·area for all three edges taken in a cycle. Moving: along an axis the center
// travels at s = axis·motion, the intervals meet from (-r - c)/s to (r - c)/s, and the pair meets while all
// 13 do.
//
// Source: D. Eberly, "Dynamic Collision Detection using Oriented Bounding Boxes"; source_rules.md C and F4.
// We differ in that the exact interval of time replaces the swept prism, and in the care for thin triangles
// and for range that obb_triangle_frame.hpp explains. Accept form throughout: a comparison with NaN means no.
namespace broadside::narrowphase {

// Static.

BROADSIDE_FORCE_INLINE bool meets(Interval interval, float radius) {
    return interval.min <= radius && -radius <= interval.max;
}
BROADSIDE_FORCE_INLINE bool meets(const EdgeAxes& axes) {
    return absolute(axes.center.x) <= axes.radius.x && absolute(axes.center.y) <= axes.radius.y &&
           absolute(axes.center.z) <= axes.radius.z;
}

BROADSIDE_FORCE_INLINE bool overlap_scalar(const ObbFrame& frame, const Triangle& triangle) {
    const Triangle corners = corners_in_box(frame, triangle);
    const auto [a, b, c] = corners;
    const Vec3 h = frame.half_extent;
    const bool is_near = meets(interval_of(a.x, b.x, c.x), h.x) && meets(interval_of(a.y, b.y, c.y), h.y) &&
                         meets(interval_of(a.z, b.z, c.z), h.z);
    if (!is_near) return false;
    const TriangleInBox t = triangle_in_box(corners);
    return t.reach <= frame.max_reach &&                                    //
           meets(interval_along(t.normal, t), face_radius(t.normal, h)) &&  //
           meets(edge_axes(t.ab, t.a, t.normal_at_a, h)) &&                 //
           meets(edge_axes(t.bc, t.b, t.normal_at_b, h)) &&                 //
           meets(edge_axes(t.ca, t.c, t.normal_at_a, h));
}

// Moving.

BROADSIDE_FORCE_INLINE void clip_box_axis(TimeInterval<ContactAxis>& state, Interval interval,
                                          float half_extent, float neg_inv_motion, ContactAxis axis) {
    clip(state, interval.max + half_extent, interval.min - half_extent, neg_inv_motion, axis);
}

BROADSIDE_FORCE_INLINE void clip_normal(TimeInterval<ContactAxis>& state, const TriangleInBox& t,
                                        const ObbFrame& frame) {
    const float speed = dot(t.normal, frame.motion);
    const Vec3 axis = {flip_sign(t.normal.x, speed), flip_sign(t.normal.y, speed),
                       flip_sign(t.normal.z, speed)};
    const Interval interval = interval_along(axis, t);
    const float radius = face_radius(axis, frame.half_extent);
    clip(state, interval.max + radius, interval.min - radius, -1.0f / absolute(speed),
         ContactAxis::triangle_normal);
}

BROADSIDE_FORCE_INLINE void clip_edge(TimeInterval<ContactAxis>& state, Vec3 edge, Vec3 corner, Vec3 normal,
                                      const ObbFrame& frame, ContactAxis axis_x, ContactAxis axis_y,
                                      ContactAxis axis_z) {
    const EdgeAxes axes = edge_axes(edge, corner, normal, frame.half_extent);
    const Vec3 speed = cross(edge, frame.motion);
    clip_centered(state, axes.center.x, axes.radius.x, speed.x, axis_x);
    clip_centered(state, axes.center.y, axes.radius.y, speed.y, axis_y);
    clip_centered(state, axes.center.z, axes.radius.z, speed.z, axis_z);
}

BROADSIDE_FORCE_INLINE TriangleImpact impact_scalar(const ObbFrame& frame, const Triangle& triangle) {
    const TriangleInBox t = triangle_in_box(frame, triangle);
    const Vec3 h = frame.half_extent;
    const Vec3 neg_inv = frame.neg_inv_motion;
    TimeInterval<ContactAxis> state;
    clip_box_axis(state, interval_of(t.a.x, t.b.x, t.c.x), h.x, neg_inv.x, ContactAxis::box_x);
    clip_box_axis(state, interval_of(t.a.y, t.b.y, t.c.y), h.y, neg_inv.y, ContactAxis::box_y);
    clip_box_axis(state, interval_of(t.a.z, t.b.z, t.c.z), h.z, neg_inv.z, ContactAxis::box_z);
    if (!(state.t_enter <= state.t_leave && t.reach <= frame.max_reach)) return {};
    clip_normal(state, t, frame);
    clip_edge(state, t.ab, t.a, t.normal_at_a, frame, ContactAxis::x_ab, ContactAxis::y_ab,
              ContactAxis::z_ab);
    clip_edge(state, t.bc, t.b, t.normal_at_b, frame, ContactAxis::x_bc, ContactAxis::y_bc,
              ContactAxis::z_bc);
    clip_edge(state, t.ca, t.c, t.normal_at_a, frame, ContactAxis::x_ca, ContactAxis::y_ca,
              ContactAxis::z_ca);
    if (!(state.t_enter <= state.t_leave)) return {};
    return {state.t_enter, state.axis};
}

}  // namespace broadside::narrowphase
