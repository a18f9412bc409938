// Oriented box against oriented box for one pair: the specification of the kernels in obb_obb_kernel.hpp.
#pragma once

#include "core/src/geometry/time_interval.hpp"
#include "narrowphase/src/obb/obb_obb_frame.hpp"

// By the separating axis theorem two boxes are apart iff their intervals are along one of 15 axes: the faces
// of a, the faces of b, and the cross products of an edge of a and an edge of b. Depth of an axis that does
// not separate: (radius - |center|) / length. Moving: along an axis the center of b travels at s =
// axis·motion, the intervals meet from (-r - c)/s to (r - c)/s, and the pair meets while all 15 do.
// obb_obb_frame.hpp explains why this is right for parallel edges. Accept form throughout: NaN means no.
namespace broadside::narrowphase {

// Static.

BROADSIDE_FORCE_INLINE bool meets(const ThreeAxes& axes) {
    return absolute(axes.center.x) <= axes.radius.x && absolute(axes.center.y) <= axes.radius.y &&
           absolute(axes.center.z) <= axes.radius.z;
}

BROADSIDE_FORCE_INLINE bool overlap_scalar(const Obb& a, const Obb& b) {
    const ObbInObb p = obb_in_obb(a, b);
    const ThreeAxes faces_a = faces_of_a(p);
    if (!(meets(faces_a) && meets(faces_of_b(p)) && are_legal(p, faces_a))) return false;
    const Vec3 h = p.half_extent_b;
    const Vec3 xy = cross(p.x, p.y);
    const Vec3 zx = cross(p.z, p.x);
    if (!meets(edge_axes(p, p.x, xy, h.y, zx, h.z))) return false;
    const Vec3 yz = cross(p.y, p.z);
    return meets(edge_axes(p, p.y, xy, h.x, yz, h.z)) && meets(edge_axes(p, p.z, zx, h.x, yz, h.y));
}

// Depth.

/// An edge pair is returned only if its depth is less than that of a face by this share of the radii. For
/// boxes that lie flat on one another both are the same axis, and rounding must not choose.
inline constexpr float kFacePreference = 0x1p-20f;
/// Square of the sine of the angle from which on two edges define an axis of their own; the axes of an Obb
/// are rounded by a quarter of that. The depth lost is at most that share of the boxes, because near so thin
/// an edge pair the faces are equally close.
inline constexpr float kLeastAxisLengthSq = 0x1p-44f;

/// The axis of least depth so far. Edge axes are not of unit length. To compare depth/length without ten
/// roots and divisions, the quotient is squared and cross-multiplied, after scaling by a power of two near 1.
struct LeastDepth {
    float depth = FLT_MAX;
    float length_sq = 1.0f;
    /// The square of the compared value: depth in units of the boxes, with the preference.
    float rank_sq = FLT_MAX;
    ObbAxis axis = ObbAxis::none;
};

BROADSIDE_FORCE_INLINE void try_face(LeastDepth& state, float center, float radius, ObbAxis axis) {
    const float depth = radius - absolute(center);
    if (depth < state.depth) state.axis = axis;
    state.depth = min_keep(depth, state.depth);
}
BROADSIDE_FORCE_INLINE void try_faces(LeastDepth& state, const ThreeAxes& axes, ObbAxis axis_x,
                                      ObbAxis axis_y, ObbAxis axis_z) {
    try_face(state, axes.center.x, axes.radius.x, axis_x);
    try_face(state, axes.center.y, axes.radius.y, axis_y);
    try_face(state, axes.center.z, axes.radius.z, axis_z);
}

BROADSIDE_FORCE_INLINE void try_edge(LeastDepth& state, float center, float radius, float length_sq,
                                     float scale, ObbAxis axis) {
    const float depth = radius - absolute(center);
    const float rank = (depth + radius * kFacePreference) * scale;
    const float rank_sq = rank * rank;
    const bool is_less =
        rank_sq * state.length_sq < state.rank_sq * length_sq && length_sq >= kLeastAxisLengthSq;
    if (!is_less) return;
    state = {depth, length_sq, rank_sq, axis};
}
BROADSIDE_FORCE_INLINE void try_edges(LeastDepth& state, const ThreeAxes& axes, Vec3 edge, float scale,
                                      ObbAxis axis_x, ObbAxis axis_y, ObbAxis axis_z) {
    const Vec3 sq = {edge.x * edge.x, edge.y * edge.y, edge.z * edge.z};
    try_edge(state, axes.center.x, axes.radius.x, sq.y + sq.z, scale, axis_x);
    try_edge(state, axes.center.y, axes.radius.y, sq.x + sq.z, scale, axis_y);
    try_edge(state, axes.center.z, axes.radius.z, sq.x + sq.y, scale, axis_z);
}

BROADSIDE_FORCE_INLINE ObbContact contact_scalar(const Obb& a, const Obb& b) {
    const ObbInObb p = obb_in_obb(a, b);
    const ThreeAxes faces_a = faces_of_a(p);
    const ThreeAxes faces_b = faces_of_b(p);
    if (!(meets(faces_a) && meets(faces_b) && are_legal(p, faces_a))) return {};
    const Vec3 h = p.half_extent_b;
    const Vec3 yz = cross(p.y, p.z);
    const Vec3 zx = cross(p.z, p.x);
    const Vec3 xy = cross(p.x, p.y);
    const ThreeAxes edges_x = edge_axes(p, p.x, xy, h.y, zx, h.z);
    const ThreeAxes edges_y = edge_axes(p, p.y, xy, h.x, yz, h.z);
    const ThreeAxes edges_z = edge_axes(p, p.z, zx, h.x, yz, h.y);
    if (!(meets(edges_x) && meets(edges_y) && meets(edges_z))) return {};
    LeastDepth state;
    try_faces(state, faces_a, ObbAxis::a_x, ObbAxis::a_y, ObbAxis::a_z);
    try_faces(state, faces_b, ObbAxis::b_x, ObbAxis::b_y, ObbAxis::b_z);
    const Vec3 r = faces_a.radius;
    const float scale = inverse_power_of_two((r.x + r.y) + r.z);
    const float face_rank = state.depth * scale;
    state.rank_sq = face_rank * face_rank;
    try_edges(state, edges_x, p.x, scale, ObbAxis::x_x, ObbAxis::y_x, ObbAxis::z_x);
    try_edges(state, edges_y, p.y, scale, ObbAxis::x_y, ObbAxis::y_y, ObbAxis::z_y);
    try_edges(state, edges_z, p.z, scale, ObbAxis::x_z, ObbAxis::y_z, ObbAxis::z_z);
    return {state.depth / __builtin_sqrtf(state.length_sq), state.axis};
}

// Moving.

/// The motion of b relative to a, along the axes of a and of b.
struct ObbMotion {
    Vec3 along_a;
    Vec3 along_b;
};

/// Components of `motion_in_world` below FLT_MIN count as zero (source_rules.md G4).
BROADSIDE_FORCE_INLINE ObbMotion make_obb_motion(const Obb& a, const Obb& b, Vec3 motion_in_world) {
    const Vec3 motion = {flush_denormal(motion_in_world.x), flush_denormal(motion_in_world.y),
                         flush_denormal(motion_in_world.z)};
    return {vector_in_box(a, motion), vector_in_box(b, motion)};
}

BROADSIDE_FORCE_INLINE void clip_three(TimeInterval<ObbAxis>& state, const ThreeAxes& axes, Vec3 speed,
                                       ObbAxis axis_x, ObbAxis axis_y, ObbAxis axis_z) {
    clip_centered(state, axes.center.x, axes.radius.x, speed.x, axis_x);
    clip_centered(state, axes.center.y, axes.radius.y, speed.y, axis_y);
    clip_centered(state, axes.center.z, axes.radius.z, speed.z, axis_z);
}

BROADSIDE_FORCE_INLINE ObbImpact impact_scalar(const Obb& a, const Obb& b, Vec3 motion_in_world) {
    const ObbInObb p = obb_in_obb(a, b);
    const ObbMotion motion = make_obb_motion(a, b, motion_in_world);
    const Vec3 w = motion.along_a;
    const ThreeAxes faces_a = faces_of_a(p);
    TimeInterval<ObbAxis> state;
    clip_three(state, faces_a, w, ObbAxis::a_x, ObbAxis::a_y, ObbAxis::a_z);
    clip_three(state, faces_of_b(p), motion.along_b, ObbAxis::b_x, ObbAxis::b_y, ObbAxis::b_z);
    const bool is_near = state.t_enter <= state.t_leave && are_legal(p, faces_a) &&
                         component_sum(p.center) <= FLT_MAX && component_sum(w) <= FLT_MAX;
    if (!is_near) return {};
    const Vec3 h = p.half_extent_b;
    const Vec3 xy = cross(p.x, p.y);
    const Vec3 zx = cross(p.z, p.x);
    const Vec3 yz = cross(p.y, p.z);
    clip_three(state, edge_axes(p, p.x, xy, h.y, zx, h.z), cross(p.x, w), ObbAxis::x_x, ObbAxis::y_x,
               ObbAxis::z_x);
    clip_three(state, edge_axes(p, p.y, xy, h.x, yz, h.z), cross(p.y, w), ObbAxis::x_y, ObbAxis::y_y,
               ObbAxis::z_y);
    clip_three(state, edge_axes(p, p.z, zx, h.x, yz, h.y), cross(p.z, w), ObbAxis::x_z, ObbAxis::y_z,
               ObbAxis::z_z);
    if (!(state.t_enter <= state.t_leave)) return {};
    return {state.t_enter, state.axis};
}

}  // namespace broadside::narrowphase
