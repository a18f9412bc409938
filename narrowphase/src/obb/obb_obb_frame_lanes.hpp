// Two oriented boxes in the frame of the first over lanes. See obb_obb_frame.hpp.
#pragma once

#include "narrowphase/src/obb/obb_lanes.hpp"
#include "narrowphase/src/obb/obb_obb_frame.hpp"
#include "narrowphase/src/obb/vec3_size_lanes.hpp"

namespace broadside::narrowphase {

/// See ThreeAxes.
template <class Arch>
struct ThreeAxesW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> radius;
};

/// See ObbInObb.
template <class Arch>
struct ObbInObbW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> center_along_b;
    simd::Vec3W<Arch> x, y, z;
    simd::Vec3W<Arch> half_extent_a;
    simd::Vec3W<Arch> half_extent_b;
};

template <class Arch>
BROADSIDE_FORCE_INLINE ObbInObbW<Arch> obb_in_obb(const ObbW<Arch>& a, const ObbW<Arch>& b) {
    const simd::Vec3W<Arch> between = b.center - a.center;
    return {vector_in_box(a, between),
            vector_in_box(b, between),
            vector_in_box(a, b.axis_x),
            vector_in_box(a, b.axis_y),
            vector_in_box(a, b.axis_z),
            a.half_extent,
            b.half_extent};
}

template <class Arch>
BROADSIDE_FORCE_INLINE ThreeAxesW<Arch> faces_of_a(const ObbInObbW<Arch>& p) {
    using simd::Vec3W;
    const Vec3W<Arch> h = p.half_extent_b;
    return {p.center,
            {p.half_extent_a.x + dot(absolute(Vec3W<Arch>{p.x.x, p.y.x, p.z.x}), h),
             p.half_extent_a.y + dot(absolute(Vec3W<Arch>{p.x.y, p.y.y, p.z.y}), h),
             p.half_extent_a.z + dot(absolute(Vec3W<Arch>{p.x.z, p.y.z, p.z.z}), h)}};
}
template <class Arch>
BROADSIDE_FORCE_INLINE ThreeAxesW<Arch> faces_of_b(const ObbInObbW<Arch>& p) {
    const simd::Vec3W<Arch> h = p.half_extent_a;
    return {p.center_along_b,
            {p.half_extent_b.x + dot(absolute(p.x), h), p.half_extent_b.y + dot(absolute(p.y), h),
             p.half_extent_b.z + dot(absolute(p.z), h)}};
}

/// See the scalar are_legal.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> are_legal(const ObbInObbW<Arch>& p,
                                                   const ThreeAxesW<Arch>& faces_a) {
    using namespace simd;
    const Vec3W<Arch> r = faces_a.radius;
    return (least_component(p.half_extent_a) >= broadcast<Arch>(0.0f)) &
           (least_component(p.half_extent_b) >= broadcast<Arch>(0.0f)) &
           ((r.x + r.y) + r.z <= broadcast<Arch>(FLT_MAX));
}

template <class Arch>
BROADSIDE_FORCE_INLINE ThreeAxesW<Arch> edge_axes(const ObbInObbW<Arch>& p, simd::Vec3W<Arch> edge,
                                                  simd::Vec3W<Arch> cross_1, simd::FloatW<Arch> h_1,
                                                  simd::Vec3W<Arch> cross_2, simd::FloatW<Arch> h_2) {
    using simd::Vec3W;
    const Vec3W<Arch> h = p.half_extent_a;
    const Vec3W<Arch> e = absolute(edge);
    const Vec3W<Arch> c_1 = absolute(cross_1);
    const Vec3W<Arch> c_2 = absolute(cross_2);
    return {cross(edge, p.center),
            {(h.y * e.z + h.z * e.y) + (h_1 * c_1.x + h_2 * c_2.x),
             (h.x * e.z + h.z * e.x) + (h_1 * c_1.y + h_2 * c_2.y),
             (h.x * e.y + h.y * e.x) + (h_1 * c_1.z + h_2 * c_2.z)}};
}
}  // namespace broadside::narrowphase
