// The tests of oriented box against triangle, one triangle per lane. Specification: obb_triangle_scalar.hpp.
#pragma once

#include "narrowphase/src/obb/obb_triangle_frame_lanes.hpp"
#include "narrowphase/src/obb/time_interval_lanes.hpp"

namespace broadside::narrowphase {

// Static.

template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> meets(IntervalW<Arch> interval, simd::FloatW<Arch> radius) {
    return (interval.min <= radius) & (-radius <= interval.max);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> meets(const EdgeAxesW<Arch>& axes) {
    return (absolute(axes.center.x) <= axes.radius.x) & (absolute(axes.center.y) <= axes.radius.y) &
           (absolute(axes.center.z) <= axes.radius.z);
}

/// Does the triangle of a lane overlap the box? As overlap_scalar: all 13 axes, with one branch. It ends a
/// group that the box's axes decide, which halves the time on a coherent mesh. Padding lanes hold NaN and
/// give no.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> overlap_lanes(const ObbFrameW<Arch>& frame,
                                                       const TriangleW<Arch>& triangle) {
    using namespace simd;
    const TriangleW<Arch> corners = corners_in_box(frame, triangle);
    const auto [a, b, c] = corners;
    const Vec3W<Arch> h = frame.half_extent;
    const MaskW<Arch> near = meets(interval_of(a.x, b.x, c.x), h.x) & meets(interval_of(a.y, b.y, c.y), h.y) &
                             meets(interval_of(a.z, b.z, c.z), h.z);
    if (none(near)) return near;
    const TriangleInBoxW<Arch> t = triangle_in_box(corners);
    return near & (t.reach <= frame.max_reach) &
           meets(interval_along(t.normal, t), face_radius(t.normal, h)) &
           meets(edge_axes(t.ab, t.a, t.normal_at_a, h)) & meets(edge_axes(t.bc, t.b, t.normal_at_b, h)) &
           meets(edge_axes(t.ca, t.c, t.normal_at_a, h));
}

// Moving.

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip_box_axis(TimeIntervalW<Arch, ContactAxis, HasAxis>& state,
                                          IntervalW<Arch> interval, simd::FloatW<Arch> half_extent,
                                          simd::FloatW<Arch> neg_inv_motion, ContactAxis axis) {
    clip(state, interval.max + half_extent, interval.min - half_extent, neg_inv_motion, axis);
}

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip_normal(TimeIntervalW<Arch, ContactAxis, HasAxis>& state,
                                        const TriangleInBoxW<Arch>& t, const ObbFrameW<Arch>& frame) {
    using namespace simd;
    const FloatW<Arch> speed = dot(t.normal, frame.motion);
    const Vec3W<Arch> axis = {flip_sign(t.normal.x, speed), flip_sign(t.normal.y, speed),
                              flip_sign(t.normal.z, speed)};
    const IntervalW<Arch> interval = interval_along(axis, t);
    const FloatW<Arch> radius = face_radius(axis, frame.half_extent);
    clip(state, interval.max + radius, interval.min - radius, neg_inverse(speed),
         ContactAxis::triangle_normal);
}

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip_edge(TimeIntervalW<Arch, ContactAxis, HasAxis>& state,
                                      simd::Vec3W<Arch> edge, simd::Vec3W<Arch> corner,
                                      simd::Vec3W<Arch> normal, const ObbFrameW<Arch>& frame,
                                      ContactAxis axis_x, ContactAxis axis_y, ContactAxis axis_z) {
    const EdgeAxesW<Arch> axes = edge_axes(edge, corner, normal, frame.half_extent);
    const simd::Vec3W<Arch> speed = cross(edge, frame.motion);
    clip_centered(state, axes.center.x, axes.radius.x, speed.x, axis_x);
    clip_centered(state, axes.center.y, axes.radius.y, speed.y, axis_y);
    clip_centered(state, axes.center.z, axes.radius.z, speed.z, axis_z);
}

template <class Arch>
struct TriangleImpactW {
    simd::FloatW<Arch> toi;
    simd::IntW<Arch> axis;
};

template <class Arch>
BROADSIDE_FORCE_INLINE TriangleImpactW<Arch> no_impact() {
    return {simd::broadcast<Arch>(kNoIntersection),
            simd::broadcast_int<Arch>(static_cast<std::int32_t>(ContactAxis::none))};
}

/// When does the triangle of a lane first meet the box? As impact_scalar. Padding lanes hold NaN and miss.
/// Ten divisions a lane; those of the box's own axes are shared by all triangles.
template <bool HasAxis, class Arch>
BROADSIDE_FORCE_INLINE TriangleImpactW<Arch> impact_lanes(const ObbFrameW<Arch>& frame,
                                                          const TriangleW<Arch>& triangle) {
    using namespace simd;
    const TriangleImpactW<Arch> miss = no_impact<Arch>();
    const TriangleW<Arch> corners = corners_in_box(frame, triangle);
    const auto [a, b, c] = corners;
    const Vec3W<Arch> h = frame.half_extent;
    const Vec3W<Arch> neg_inv = frame.neg_inv_motion;
    TimeIntervalW<Arch, ContactAxis, HasAxis> state;
    clip_box_axis(state, interval_of(a.x, b.x, c.x), h.x, neg_inv.x, ContactAxis::box_x);
    clip_box_axis(state, interval_of(a.y, b.y, c.y), h.y, neg_inv.y, ContactAxis::box_y);
    clip_box_axis(state, interval_of(a.z, b.z, c.z), h.z, neg_inv.z, ContactAxis::box_z);
    MaskW<Arch> near = state.t_enter <= state.t_leave;
    if (none(near)) return miss;
    const TriangleInBoxW<Arch> t = triangle_in_box(corners);
    near = near & (t.reach <= frame.max_reach);
    clip_normal(state, t, frame);
    clip_edge(state, t.ab, t.a, t.normal_at_a, frame, ContactAxis::x_ab, ContactAxis::y_ab,
              ContactAxis::z_ab);
    clip_edge(state, t.bc, t.b, t.normal_at_b, frame, ContactAxis::x_bc, ContactAxis::y_bc,
              ContactAxis::z_bc);
    clip_edge(state, t.ca, t.c, t.normal_at_a, frame, ContactAxis::x_ca, ContactAxis::y_ca,
              ContactAxis::z_ca);
    // if (!(t_enter <= t_leave)) miss
    const MaskW<Arch> hit = near & (state.t_enter <= state.t_leave);
    return {select(hit, state.t_enter, miss.toi), select(hit, state.axis, miss.axis)};
}

}  // namespace broadside::narrowphase
