// The frame of the box over lanes: triangles in, and the shared parts of the 13 axes. See obb_triangle_frame.hpp.
#pragma once

#include "narrowphase/src/obb_triangle_frame.hpp"
#include "narrowphase/src/vec3_size_lanes.hpp"

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
/// Lane i holds the triangle at indices[i].
template <class Arch>
BROADSIDE_FORCE_INLINE TriangleW<Arch> load_triangles_indexed(const TriangleSoaView& triangles,
                                                              const std::uint32_t* indices) {
    using simd::load_indexed;
    return {{load_indexed<Arch>(triangles.a_x, indices), load_indexed<Arch>(triangles.a_y, indices),
             load_indexed<Arch>(triangles.a_z, indices)},
            {load_indexed<Arch>(triangles.b_x, indices), load_indexed<Arch>(triangles.b_y, indices),
             load_indexed<Arch>(triangles.b_z, indices)},
            {load_indexed<Arch>(triangles.c_x, indices), load_indexed<Arch>(triangles.c_y, indices),
             load_indexed<Arch>(triangles.c_z, indices)}};
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
BROADSIDE_FORCE_INLINE TriangleInBoxW<Arch> triangle_in_box(const ObbFrameW<Arch>& frame,
                                                            const TriangleW<Arch>& triangle) {
    using namespace simd;
    TriangleInBoxW<Arch> t;
    t.a = point_in_box(frame, triangle.a);
    t.b = point_in_box(frame, triangle.b);
    t.c = point_in_box(frame, triangle.c);
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
