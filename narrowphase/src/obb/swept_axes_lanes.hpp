// The seven-axis swept rejection over lanes, one triangle to a lane. See swept_axes_scalar.hpp.
#pragma once

#include "narrowphase/src/obb/obb_triangle_frame_lanes.hpp"
#include "narrowphase/src/obb/swept_axes_scalar.hpp"

namespace broadside::narrowphase {

/// False where all three corners lie above radius or all three below -radius.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> projected_overlap(simd::FloatW<Arch> p0, simd::FloatW<Arch> p1,
                                                           simd::FloatW<Arch> p2, simd::FloatW<Arch> radius) {
    using namespace simd;
    const MaskW<Arch> is_above = (p0 > radius) & (p1 > radius) & (p2 > radius);
    const MaskW<Arch> is_below = (p0 < -radius) & (p1 < -radius) & (p2 < -radius);
    return ~(is_above | is_below);
}

/// What the lanes share: the motion's direction and its products with the box, computed once.
struct MotionAxes {
    Vec3 w;
    /// Of the box along W × box axes, and of its margin per unit of operand size.
    Vec3 box_radius;
    Vec3 box_margin;
    float size_without_reach;
    float axis_error;
    /// Along W: radius, margin per unit of operand size, and the way travelled.
    float radius;
    float margin;
    float travel;
};
BROADSIDE_FORCE_INLINE MotionAxes make_motion_axes(const ObbFrame& frame) {
    const Vec3 h = frame.half_extent;
    MotionAxes axes;
    axes.w = motion_axis(frame);
    const Vec3 w = axes.w;
    axes.axis_error = kAxisMargin * component_sum(w);
    axes.box_radius = {h.y * w.z + h.z * w.y, h.x * w.z + h.z * w.x, h.x * w.y + h.y * w.x};
    axes.box_margin = {kGapMargin * (w.y + w.z) + axes.axis_error, kGapMargin * (w.x + w.z) + axes.axis_error,
                       kGapMargin * (w.x + w.y) + axes.axis_error};
    axes.size_without_reach = component_sum(h) + component_sum(frame.motion);
    axes.radius = dot(w, h);
    axes.margin = kGapMargin * component_sum(w);
    axes.travel = dot(w, frame.motion);
    return axes;
}

/// False only in lanes whose pair does not meet within the step. The frame must be moving.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> may_meet(const ObbFrameW<Arch>& frame, const MotionAxes& axes,
                                                  const TriangleInBoxW<Arch>& t) {
    using namespace simd;
    const Vec3W<Arch> w = broadcast<Arch>(axes.w);
    const Vec3W<Arch> ac = {-t.ca.x, -t.ca.y, -t.ca.z};
    const FloatW<Arch> size = broadcast<Arch>(axes.size_without_reach) + t.reach;
    const Vec3W<Arch> w_ab = cross(w, t.ab);
    const Vec3W<Arch> w_ac = cross(w, ac);
    const Vec3W<Arch> w_bc = cross(w, t.bc);
    const FloatW<Arch> wn = dot(w, t.normal_at_a);
    const FloatW<Arch> edge_error = broadcast<Arch>(axes.axis_error) * t.reach;
    const auto edge_radius = [&](Vec3W<Arch> axis) {
        return face_radius(axis, frame.half_extent) +
               size * (broadcast<Arch>(kGapMargin) * component_sum(axis) + edge_error);
    };
    const FloatW<Arch> p_ab = dot(w_ab, t.a);
    const FloatW<Arch> p_ac = dot(w_ac, t.a);
    const FloatW<Arch> p_bc = dot(w_bc, t.a);
    MaskW<Arch> meets = projected_overlap(p_ab, p_ab, p_ab + wn, edge_radius(w_ab)) &
                        projected_overlap(p_ac, p_ac - wn, p_ac, edge_radius(w_ac)) &
                        projected_overlap(p_bc, p_bc - wn, p_bc - wn, edge_radius(w_bc));
    const Vec3W<Arch> p0 = cross(t.a, w);
    const Vec3W<Arch> p1 = p0 - w_ab;
    const Vec3W<Arch> p2 = p0 - w_ac;
    const Vec3W<Arch> box_radius = broadcast<Arch>(axes.box_radius);
    const Vec3W<Arch> box_margin = broadcast<Arch>(axes.box_margin);
    meets = meets & projected_overlap(p0.x, p1.x, p2.x, box_radius.x + size * box_margin.x) &
            projected_overlap(p0.y, p1.y, p2.y, box_radius.y + size * box_margin.y) &
            projected_overlap(p0.z, p1.z, p2.z, box_radius.z + size * box_margin.z);
    // W itself. The way travelled is not negative, so above is judged at the start and below at the end.
    const FloatW<Arch> q0 = dot(w, t.a);
    const IntervalW<Arch> q = interval_of(q0, q0 + dot(w, t.ab), q0 + dot(w, ac));
    const FloatW<Arch> radius = broadcast<Arch>(axes.radius) + size * broadcast<Arch>(axes.margin);
    return meets & ~((q.min > radius) | (q.max + broadcast<Arch>(axes.travel) < -radius));
}

}  // namespace broadside::narrowphase
