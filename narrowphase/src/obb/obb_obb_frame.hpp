// Two oriented boxes in the frame of the first, and the parts that the 15 axes share; the tests themselves
// are in obb_obb_lanes.hpp.
#pragma once

#include "narrowphase/src/obb/obb_lanes.hpp"
#include "narrowphase/src/obb/vec3_size_lanes.hpp"

// Why no epsilon. In the frame of a, box b is the parallelepiped of the columns x, y, z of R = Aᵀ·B. The
// usual form takes the half width of b along i × j from single elements of R, which is right for an exactly
// orthonormal R only. For two nearly parallel edges both the axis and those elements are rounding noise, but
// different noise, and overlapping boxes come out apart. The usual remedy adds an epsilon to |R|, which makes
// boxes touch that do not.
//
// Here b is projected on the axis as it is. (i × x)·y is the component i of x × y, so three cross products
// serve all nine axes. Every term is a product with a component of the axis, so its error is 2^-24 of the
// axis' own length, however short that is. An axis is then legal whatever its rounding. Noise in it can only
// fail to separate; where the axis is noise, the face normals, which are nearly parallel too, separate
// instead. The same holds with motion, because the speed along the axis is such a product as well.
//
// The faces of b are tested along b's own axes, so that swapping the boxes transposes R and changes no bit of
// the six face axes. Source: S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996; C. Ericson, "Real-Time
// Collision Detection", 2005, 4.4.1.
namespace broadside::narrowphase {

/// Center of b as seen from a along three axes, and the sums of the two half widths there.
template <class Arch>
struct ThreeAxesW {
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> radius;
};

/// Box b in the frame of box a.
template <class Arch>
struct ObbInObbW {
    /// Along the axes of a, and along those of b.
    simd::Vec3W<Arch> center;
    simd::Vec3W<Arch> center_along_b;
    /// b's axes.
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

/// Whether both boxes are valid. The radii contain every number of both boxes except the centers; if one of
/// these is infinite or NaN, so is the sum.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> are_legal(const ObbInObbW<Arch>& p,
                                                   const ThreeAxesW<Arch>& faces_a) {
    using namespace simd;
    const Vec3W<Arch> r = faces_a.radius;
    return (least_component(p.half_extent_a) >= broadcast<Arch>(0.0f)) &
           (least_component(p.half_extent_b) >= broadcast<Arch>(0.0f)) &
           ((r.x + r.y) + r.z <= broadcast<Arch>(FLT_MAX));
}

/// The three axes of a × `edge`, an axis of b. `cross_1` and `cross_2` are, up to sign, its cross products
/// with the two others of b, whose half extents are h_1 and h_2.
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
