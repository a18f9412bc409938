// The tests of oriented box against oriented box, one pair per lane: with one lane, the specification.
#pragma once

#include "narrowphase/src/obb/obb_obb_frame.hpp"
#include "narrowphase/src/obb/time_interval_lanes.hpp"

// By the separating axis theorem two boxes are apart iff their intervals are along one of 15 axes: the faces
// of a, the faces of b, and the cross products of an edge of a and an edge of b. Depth of an axis that does
// not separate: (radius - |center|) / length. Moving: along an axis the center of b travels at s =
// axis·motion, the intervals meet from (-r - c)/s to (r - c)/s, and the pair meets while all 15 do.
// obb_obb_frame.hpp explains why this is right for parallel edges. Accept form throughout: NaN means no.
//
// Witnesses: integers and long double (tests/narrowphase/obb/obb_obb_exact_test.cpp).
namespace broadside::narrowphase {

// Static.

template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> meets(const ThreeAxesW<Arch>& axes) {
    const simd::MaskW<Arch> meets_x = absolute(axes.center.x) <= axes.radius.x;
    if (fails_alone(meets_x)) return meets_x;
    return meets_x & (absolute(axes.center.y) <= axes.radius.y) & (absolute(axes.center.z) <= axes.radius.z);
}

/// Do the two boxes of a lane overlap? One branch for groups that the faces decide.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> overlap_lanes(const ObbW<Arch>& a, const ObbW<Arch>& b) {
    using namespace simd;
    const ObbInObbW<Arch> p = obb_in_obb(a, b);
    const ThreeAxesW<Arch> faces_a = faces_of_a(p);
    const MaskW<Arch> near_a = meets(faces_a);
    if (fails_alone(near_a)) return near_a;
    const MaskW<Arch> near_both = near_a & meets(faces_of_b(p));
    if (fails_alone(near_both)) return near_both;
    const MaskW<Arch> near = near_both & are_legal(p, faces_a);
    if (none(near)) return near;
    const Vec3W<Arch> h = p.half_extent_b;
    const Vec3W<Arch> xy = cross(p.x, p.y);
    const Vec3W<Arch> zx = cross(p.z, p.x);
    const MaskW<Arch> meets_x = meets(edge_axes(p, p.x, xy, h.y, zx, h.z));
    if (fails_alone(meets_x)) return meets_x;
    const Vec3W<Arch> yz = cross(p.y, p.z);
    return near & meets_x & meets(edge_axes(p, p.y, xy, h.x, yz, h.z)) &
           meets(edge_axes(p, p.z, zx, h.x, yz, h.y));
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
template <class Arch>
struct LeastDepthW {
    simd::FloatW<Arch> depth = simd::broadcast<Arch>(FLT_MAX);
    simd::FloatW<Arch> length_sq = simd::broadcast<Arch>(1.0f);
    /// The square of the compared value: depth in units of the boxes, with the preference.
    simd::FloatW<Arch> rank_sq = simd::broadcast<Arch>(FLT_MAX);
    simd::IntW<Arch> axis = simd::broadcast_int<Arch>(static_cast<std::int32_t>(ObbAxis::none));
};

template <class Arch>
BROADSIDE_FORCE_INLINE void try_face(LeastDepthW<Arch>& state, simd::FloatW<Arch> center,
                                     simd::FloatW<Arch> radius, ObbAxis axis) {
    using namespace simd;
    const FloatW<Arch> depth = radius - absolute(center);
    // if (depth < state.depth) state.axis = axis
    state.axis =
        select(depth < state.depth, broadcast_int<Arch>(static_cast<std::int32_t>(axis)), state.axis);
    state.depth = min_keep(depth, state.depth);
}
template <class Arch>
BROADSIDE_FORCE_INLINE void try_faces(LeastDepthW<Arch>& state, const ThreeAxesW<Arch>& axes, ObbAxis axis_x,
                                      ObbAxis axis_y, ObbAxis axis_z) {
    try_face(state, axes.center.x, axes.radius.x, axis_x);
    try_face(state, axes.center.y, axes.radius.y, axis_y);
    try_face(state, axes.center.z, axes.radius.z, axis_z);
}

template <class Arch>
BROADSIDE_FORCE_INLINE void try_edge(LeastDepthW<Arch>& state, simd::FloatW<Arch> center,
                                     simd::FloatW<Arch> radius, simd::FloatW<Arch> length_sq,
                                     simd::FloatW<Arch> scale, ObbAxis axis) {
    using namespace simd;
    const FloatW<Arch> depth = radius - absolute(center);
    const FloatW<Arch> rank = (depth + radius * broadcast<Arch>(kFacePreference)) * scale;
    const FloatW<Arch> rank_sq = rank * rank;
    // if (!is_less) keep the state
    const MaskW<Arch> is_less = (rank_sq * state.length_sq < state.rank_sq * length_sq) &
                                (length_sq >= broadcast<Arch>(kLeastAxisLengthSq));
    state.depth = select(is_less, depth, state.depth);
    state.length_sq = select(is_less, length_sq, state.length_sq);
    state.rank_sq = select(is_less, rank_sq, state.rank_sq);
    state.axis = select(is_less, broadcast_int<Arch>(static_cast<std::int32_t>(axis)), state.axis);
}
template <class Arch>
BROADSIDE_FORCE_INLINE void try_edges(LeastDepthW<Arch>& state, const ThreeAxesW<Arch>& axes,
                                      simd::Vec3W<Arch> edge, simd::FloatW<Arch> scale, ObbAxis axis_x,
                                      ObbAxis axis_y, ObbAxis axis_z) {
    const simd::Vec3W<Arch> sq = {edge.x * edge.x, edge.y * edge.y, edge.z * edge.z};
    try_edge(state, axes.center.x, axes.radius.x, sq.y + sq.z, scale, axis_x);
    try_edge(state, axes.center.y, axes.radius.y, sq.x + sq.z, scale, axis_y);
    try_edge(state, axes.center.z, axes.radius.z, sq.x + sq.y, scale, axis_z);
}

/// The result of a lane: a depth or a time, and an axis.
template <class Arch>
struct ObbAnswerW {
    simd::FloatW<Arch> value;
    simd::IntW<Arch> axis;
};

/// Axis and depth of the smallest translation that separates the boxes of a lane.
template <class Arch>
BROADSIDE_FORCE_INLINE ObbAnswerW<Arch> contact_lanes(const ObbW<Arch>& a, const ObbW<Arch>& b) {
    using namespace simd;
    const ObbAnswerW<Arch> miss = {broadcast<Arch>(0.0f),
                                   broadcast_int<Arch>(static_cast<std::int32_t>(ObbAxis::none))};
    const ObbInObbW<Arch> p = obb_in_obb(a, b);
    const ThreeAxesW<Arch> faces_a = faces_of_a(p);
    const MaskW<Arch> near_a = meets(faces_a);
    if (fails_alone(near_a)) return miss;
    const ThreeAxesW<Arch> faces_b = faces_of_b(p);
    const MaskW<Arch> near = near_a & meets(faces_b) & are_legal(p, faces_a);
    if (none(near)) return miss;
    const Vec3W<Arch> h = p.half_extent_b;
    const Vec3W<Arch> yz = cross(p.y, p.z);
    const Vec3W<Arch> zx = cross(p.z, p.x);
    const Vec3W<Arch> xy = cross(p.x, p.y);
    const ThreeAxesW<Arch> edges_x = edge_axes(p, p.x, xy, h.y, zx, h.z);
    const ThreeAxesW<Arch> edges_y = edge_axes(p, p.y, xy, h.x, yz, h.z);
    const ThreeAxesW<Arch> edges_z = edge_axes(p, p.z, zx, h.x, yz, h.y);
    const MaskW<Arch> is_hit = near & meets(edges_x) & meets(edges_y) & meets(edges_z);
    if (fails_alone(is_hit)) return miss;
    LeastDepthW<Arch> state;
    try_faces(state, faces_a, ObbAxis::a_x, ObbAxis::a_y, ObbAxis::a_z);
    try_faces(state, faces_b, ObbAxis::b_x, ObbAxis::b_y, ObbAxis::b_z);
    const Vec3W<Arch> r = faces_a.radius;
    const FloatW<Arch> scale = inverse_power_of_two((r.x + r.y) + r.z);
    const FloatW<Arch> face_rank = state.depth * scale;
    state.rank_sq = face_rank * face_rank;
    try_edges(state, edges_x, p.x, scale, ObbAxis::x_x, ObbAxis::y_x, ObbAxis::z_x);
    try_edges(state, edges_y, p.y, scale, ObbAxis::x_y, ObbAxis::y_y, ObbAxis::z_y);
    try_edges(state, edges_z, p.z, scale, ObbAxis::x_z, ObbAxis::y_z, ObbAxis::z_z);
    return {select(is_hit, state.depth / square_root(state.length_sq), miss.value),
            select(is_hit, state.axis, miss.axis)};
}

// Moving.

template <class Arch, bool HasAxis>
BROADSIDE_FORCE_INLINE void clip_three(TimeIntervalW<Arch, ObbAxis, HasAxis>& state,
                                       const ThreeAxesW<Arch>& axes, simd::Vec3W<Arch> speed, ObbAxis axis_x,
                                       ObbAxis axis_y, ObbAxis axis_z) {
    clip_centered(state, axes.center.x, axes.radius.x, speed.x, axis_x);
    clip_centered(state, axes.center.y, axes.radius.y, speed.y, axis_y);
    clip_centered(state, axes.center.z, axes.radius.z, speed.z, axis_z);
}

/// When do the boxes of a lane first meet? Components of `motion_in_world` below FLT_MIN count as zero
/// (source_rules.md G4). Its 15 divisions run in parallel with the rest.
template <bool HasAxis, class Arch>
BROADSIDE_FORCE_INLINE ObbAnswerW<Arch> impact_lanes(const ObbW<Arch>& a, const ObbW<Arch>& b,
                                                     simd::Vec3W<Arch> motion_in_world) {
    using namespace simd;
    const ObbAnswerW<Arch> miss = {broadcast<Arch>(kNoIntersection),
                                   broadcast_int<Arch>(static_cast<std::int32_t>(ObbAxis::none))};
    const ObbInObbW<Arch> p = obb_in_obb(a, b);
    const Vec3W<Arch> motion = flush_denormals(motion_in_world);
    const Vec3W<Arch> w = vector_in_box(a, motion);
    const ThreeAxesW<Arch> faces_a = faces_of_a(p);
    TimeIntervalW<Arch, ObbAxis, HasAxis> state;
    clip_three(state, faces_a, w, ObbAxis::a_x, ObbAxis::a_y, ObbAxis::a_z);
    clip_three(state, faces_of_b(p), vector_in_box(b, motion), ObbAxis::b_x, ObbAxis::b_y, ObbAxis::b_z);
    const FloatW<Arch> largest = broadcast<Arch>(FLT_MAX);
    const MaskW<Arch> near = (state.t_enter <= state.t_leave) & are_legal(p, faces_a) &
                             (component_sum(p.center) <= largest) & (component_sum(w) <= largest);
    if (none(near)) return miss;
    const Vec3W<Arch> h = p.half_extent_b;
    const Vec3W<Arch> xy = cross(p.x, p.y);
    const Vec3W<Arch> zx = cross(p.z, p.x);
    clip_three(state, edge_axes(p, p.x, xy, h.y, zx, h.z), cross(p.x, w), ObbAxis::x_x, ObbAxis::y_x,
               ObbAxis::z_x);
    const Vec3W<Arch> yz = cross(p.y, p.z);
    clip_three(state, edge_axes(p, p.y, xy, h.x, yz, h.z), cross(p.y, w), ObbAxis::x_y, ObbAxis::y_y,
               ObbAxis::z_y);
    clip_three(state, edge_axes(p, p.z, zx, h.x, yz, h.y), cross(p.z, w), ObbAxis::x_z, ObbAxis::y_z,
               ObbAxis::z_z);
    // if (!(t_enter <= t_leave)) miss
    const MaskW<Arch> hit = near & (state.t_enter <= state.t_leave);
    return {select(hit, state.t_enter, miss.value), select(hit, state.axis, miss.axis)};
}

}  // namespace broadside::narrowphase
