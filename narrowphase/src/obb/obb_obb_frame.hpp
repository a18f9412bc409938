// Two oriented boxes in the frame of the first, and the parts that the 15 axes share; the tests themselves
// are in obb_obb_scalar.hpp.
#pragma once

#include "core/src/geometry/vec3_size.hpp"

#include <broadside/obb_obb.hpp>

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
struct ThreeAxes {
    Vec3 center;
    Vec3 radius;
};

/// Box b in the frame of box a.
struct ObbInObb {
    /// Along the axes of a, and along those of b.
    Vec3 center;
    Vec3 center_along_b;
    /// b's axes.
    Vec3 x, y, z;
    Vec3 half_extent_a;
    Vec3 half_extent_b;
};

BROADSIDE_FORCE_INLINE ObbInObb obb_in_obb(const Obb& a, const Obb& b) {
    const Vec3 between = b.center - a.center;
    return {vector_in_box(a, between),
            vector_in_box(b, between),
            vector_in_box(a, b.axis_x),
            vector_in_box(a, b.axis_y),
            vector_in_box(a, b.axis_z),
            a.half_extent,
            b.half_extent};
}

BROADSIDE_FORCE_INLINE ThreeAxes faces_of_a(const ObbInObb& p) {
    const Vec3 h = p.half_extent_b;
    return {p.center,
            {p.half_extent_a.x + dot(absolute(Vec3{p.x.x, p.y.x, p.z.x}), h),
             p.half_extent_a.y + dot(absolute(Vec3{p.x.y, p.y.y, p.z.y}), h),
             p.half_extent_a.z + dot(absolute(Vec3{p.x.z, p.y.z, p.z.z}), h)}};
}
BROADSIDE_FORCE_INLINE ThreeAxes faces_of_b(const ObbInObb& p) {
    const Vec3 h = p.half_extent_a;
    return {p.center_along_b,
            {p.half_extent_b.x + dot(absolute(p.x), h), p.half_extent_b.y + dot(absolute(p.y), h),
             p.half_extent_b.z + dot(absolute(p.z), h)}};
}

/// Whether both boxes are valid. The radii contain every number of both boxes except the centers; if one of
/// these is infinite or NaN, so is the sum.
BROADSIDE_FORCE_INLINE bool are_legal(const ObbInObb& p, const ThreeAxes& faces_a) {
    const Vec3 r = faces_a.radius;
    return least_component(p.half_extent_a) >= 0.0f && least_component(p.half_extent_b) >= 0.0f &&
           (r.x + r.y) + r.z <= FLT_MAX;
}

/// The three axes of a × `edge`, an axis of b. `cross_1` and `cross_2` are, up to sign, its cross products
/// with the two others of b, whose half extents are h_1 and h_2.
BROADSIDE_FORCE_INLINE ThreeAxes edge_axes(const ObbInObb& p, Vec3 edge, Vec3 cross_1, float h_1,
                                           Vec3 cross_2, float h_2) {
    const Vec3 h = p.half_extent_a;
    const Vec3 e = absolute(edge);
    const Vec3 c_1 = absolute(cross_1);
    const Vec3 c_2 = absolute(cross_2);
    return {cross(edge, p.center),
            {(h.y * e.z + h.z * e.y) + (h_1 * c_1.x + h_2 * c_2.x),
             (h.x * e.z + h.z * e.x) + (h_1 * c_1.y + h_2 * c_2.y),
             (h.x * e.y + h.y * e.x) + (h_1 * c_1.z + h_2 * c_2.z)}};
}
}  // namespace broadside::narrowphase
