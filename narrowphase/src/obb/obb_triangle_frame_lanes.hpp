// The frame of the box over lanes: loads, and the shared parts of the 13 axes. See obb_triangle_frame.hpp.
#pragma once

#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_lanes.hpp"
#include "narrowphase/src/obb/obb_triangle_frame.hpp"
#include "narrowphase/src/obb/vec3_size_lanes.hpp"

namespace broadside::narrowphase {

template <class Arch>
struct TriangleW {
    simd::Vec3W<Arch> a;
    simd::Vec3W<Arch> b;
    simd::Vec3W<Arch> c;
};

/// The triangles from `first` on. Lanes without one hold NaN corners, whose reach no comparison accepts.
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE TriangleW<Arch> load_triangles(const TriangleSoaView& triangles, std::size_t first,
                                                      Group group) {
    constexpr float kNoTriangle = __builtin_nanf("");
    return {{group.load(triangles.a_x + first, kNoTriangle), group.load(triangles.a_y + first, kNoTriangle),
             group.load(triangles.a_z + first, kNoTriangle)},
            {group.load(triangles.b_x + first, kNoTriangle), group.load(triangles.b_y + first, kNoTriangle),
             group.load(triangles.b_z + first, kNoTriangle)},
            {group.load(triangles.c_x + first, kNoTriangle), group.load(triangles.c_y + first, kNoTriangle),
             group.load(triangles.c_z + first, kNoTriangle)}};
}
/// Each lane holds the triangle at index_of(lane).
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE TriangleW<Arch> load_triangles_indexed(const Triangle* triangles, IndexOf index_of) {
    static_assert(sizeof(Triangle) == 9 * sizeof(float));
    simd::FloatW<Arch> c[9];
    simd::load_rows<Arch>([=](std::uint32_t lane) { return &triangles[index_of(lane)].a.x; }, c);
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]}};
}
/// As above from arrays, in which every float of a lane lies in a cache line of its own.
template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE TriangleW<Arch> load_triangles_indexed(const TriangleSoaView& triangles,
                                                              IndexOf index_of) {
    using simd::load_indexed;
    std::uint32_t indices[Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) indices[lane] = index_of(lane);
    return {{load_indexed<Arch>(triangles.a_x, indices), load_indexed<Arch>(triangles.a_y, indices),
             load_indexed<Arch>(triangles.a_z, indices)},
            {load_indexed<Arch>(triangles.b_x, indices), load_indexed<Arch>(triangles.b_y, indices),
             load_indexed<Arch>(triangles.b_z, indices)},
            {load_indexed<Arch>(triangles.c_x, indices), load_indexed<Arch>(triangles.c_y, indices),
             load_indexed<Arch>(triangles.c_z, indices)}};
}

template <class Arch, class IndexOf>
BROADSIDE_FORCE_INLINE TriangleW<Arch> load_triangles_indexed(const TriangleList& triangles,
                                                              IndexOf index_of) {
    return triangles.structs != nullptr ? load_triangles_indexed<Arch>(triangles.structs, index_of)
                                        : load_triangles_indexed<Arch>(triangles.arrays, index_of);
}

/// ObbFrame in every lane.
template <class Arch>
struct ObbFrameW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> axis_x;
    simd::Vec3W<Arch> axis_y;
    simd::Vec3W<Arch> axis_z;
    simd::Vec3W<Arch> half_extent;
    simd::Vec3W<Arch> motion;
    simd::Vec3W<Arch> neg_inv_motion;
    simd::FloatW<Arch> max_reach;
};
template <class Arch>
BROADSIDE_FORCE_INLINE ObbFrameW<Arch> broadcast_frame(const ObbFrame& frame) {
    using simd::broadcast;
    return {broadcast<Arch>(frame.center),         broadcast<Arch>(frame.axis_x),
            broadcast<Arch>(frame.axis_y),         broadcast<Arch>(frame.axis_z),
            broadcast<Arch>(frame.half_extent),    broadcast<Arch>(frame.motion),
            broadcast<Arch>(frame.neg_inv_motion), broadcast<Arch>(frame.max_reach)};
}

/// Components of `motion_in_world` along the axes; axes with a negative one are reversed. See face_motion.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> face_motion(simd::Vec3W<Arch>& state_axis,
                                                      simd::Vec3W<Arch> motion_in_world) {
    const simd::FloatW<Arch> along = dot(state_axis, motion_in_world);
    state_axis = {flip_sign(state_axis.x, along), flip_sign(state_axis.y, along),
                  flip_sign(state_axis.z, along)};
    return flip_sign(along, along);
}

/// make_obb_frame with a box in every lane. Without kMoves the motion is not used, and the axes keep their
/// direction, which changes no result.
template <bool kMoves, class Arch>
BROADSIDE_FORCE_INLINE ObbFrameW<Arch> make_obb_frames(const ObbW<Arch>& obb,
                                                       simd::Vec3W<Arch> motion_in_world) {
    using namespace simd;
    const FloatW<Arch> max_reach = broadcast<Arch>(kMaxReach);
    const FloatW<Arch> minus_one = broadcast<Arch>(-1.0f);
    const Vec3W<Arch> h = obb.half_extent;
    ObbFrameW<Arch> frame = {obb.center, obb.axis_x, obb.axis_y, obb.axis_z, h, {}, {}, {}};
    // is_valid(obb) && h <= kMaxReach && motion <= kMaxReach
    MaskW<Arch> is_legal = is_finite(obb.center) & is_finite(obb.axis_x) & is_finite(obb.axis_y) &
                           is_finite(obb.axis_z) & (least_component(h) >= broadcast<Arch>(0.0f)) &
                           (h.x <= max_reach) & (h.y <= max_reach) & (h.z <= max_reach);
    if constexpr (kMoves) {
        const Vec3W<Arch> motion = flush_denormals(motion_in_world);
        const FloatW<Arch> x = face_motion(frame.axis_x, motion);
        const FloatW<Arch> y = face_motion(frame.axis_y, motion);
        const FloatW<Arch> z = face_motion(frame.axis_z, motion);
        frame.motion = {x, y, z};
        frame.neg_inv_motion = {minus_one / x, minus_one / y, minus_one / z};
        is_legal = is_legal & (x <= max_reach) & (y <= max_reach) & (z <= max_reach);
    }
    frame.max_reach = select(is_legal, max_reach, minus_one);
    return frame;
}

template <class Arch>
BROADSIDE_FORCE_INLINE TriangleW<Arch> broadcast_triangle(const Triangle& triangle) {
    using simd::broadcast;
    return {broadcast<Arch>(triangle.a), broadcast<Arch>(triangle.b), broadcast<Arch>(triangle.c)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> scaled(simd::Vec3W<Arch> a, simd::FloatW<Arch> s) {
    return {a.x * s, a.y * s, a.z * s};
}
/// See TriangleInBox.
template <class Arch>
struct TriangleInBoxW {
    simd::Vec3W<Arch> a, b, c;
    simd::Vec3W<Arch> ab, bc, ca;
    simd::Vec3W<Arch> normal_at_a;
    simd::Vec3W<Arch> normal_at_b;
    simd::Vec3W<Arch> normal;
    simd::FloatW<Arch> reach;
};

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> point_in_box(const ObbFrameW<Arch>& frame, simd::Vec3W<Arch> point) {
    const simd::Vec3W<Arch> d = point - frame.center;
    return {dot(frame.axis_x, d), dot(frame.axis_y, d), dot(frame.axis_z, d)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE TriangleW<Arch> corners_in_box(const ObbFrameW<Arch>& frame,
                                                      const TriangleW<Arch>& triangle) {
    return {point_in_box(frame, triangle.a), point_in_box(frame, triangle.b),
            point_in_box(frame, triangle.c)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE TriangleInBoxW<Arch> triangle_in_box(const TriangleW<Arch>& corners) {
    using namespace simd;
    TriangleInBoxW<Arch> t;
    t.a = corners.a;
    t.b = corners.b;
    t.c = corners.c;
    t.ab = t.b - t.a;
    t.bc = t.c - t.b;
    t.ca = t.a - t.c;
    t.normal_at_a = cross(t.ca, t.ab);
    t.normal_at_b = cross(t.ab, t.bc);
    const FloatW<Arch> size_ca = component_sum(t.ca);
    // normal = |bc| < |ca| ? normal_at_b : normal_at_a
    const MaskW<Arch> is_bc_shorter = component_sum(t.bc) < size_ca;
    const Vec3W<Arch> normal = {select(is_bc_shorter, t.normal_at_b.x, t.normal_at_a.x),
                                select(is_bc_shorter, t.normal_at_b.y, t.normal_at_a.y),
                                select(is_bc_shorter, t.normal_at_b.z, t.normal_at_a.z)};
    t.normal = scaled(normal, inverse_power_of_two(largest_component(normal)));
    t.reach = component_sum(t.ab) + size_ca;
    return t;
}

/// See Interval.
template <class Arch>
struct IntervalW {
    simd::FloatW<Arch> min;
    simd::FloatW<Arch> max;
};
template <class Arch>
BROADSIDE_FORCE_INLINE IntervalW<Arch> interval_of(simd::FloatW<Arch> a, simd::FloatW<Arch> b,
                                                   simd::FloatW<Arch> c) {
    return {min_keep(min_keep(a, b), c), max_keep(max_keep(a, b), c)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE IntervalW<Arch> interval_along(simd::Vec3W<Arch> axis, const TriangleInBoxW<Arch>& t) {
    return interval_of(dot(axis, t.a), dot(axis, t.b), dot(axis, t.c));
}

/// See EdgeAxes.
template <class Arch>
struct EdgeAxesW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> radius;
};
template <class Arch>
BROADSIDE_FORCE_INLINE EdgeAxesW<Arch> edge_axes(simd::Vec3W<Arch> edge, simd::Vec3W<Arch> corner,
                                                 simd::Vec3W<Arch> normal, simd::Vec3W<Arch> half_extent) {
    using namespace simd;
    const Vec3W<Arch> half_normal = scaled(normal, broadcast<Arch>(0.5f));
    const Vec3W<Arch> half_width = absolute(half_normal);
    const Vec3W<Arch> e = absolute(edge);
    const Vec3W<Arch> h = half_extent;
    return {cross(edge, corner) + half_normal,
            {(h.y * e.z + h.z * e.y) + half_width.x, (h.x * e.z + h.z * e.x) + half_width.y,
             (h.x * e.y + h.y * e.x) + half_width.z}};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> face_radius(simd::Vec3W<Arch> axis, simd::Vec3W<Arch> half_extent) {
    return dot(absolute(axis), half_extent);
}

}  // namespace broadside::narrowphase
