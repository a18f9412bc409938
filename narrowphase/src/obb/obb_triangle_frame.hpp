// The frame of the box, and the parts that the 13 axes of a triangle share in it; the tests themselves are in
// obb_triangle_scalar.hpp.
#pragma once

#include "core/src/geometry/vec3_size.hpp"

#include <broadside/obb_triangle.hpp>

// Why no epsilon. Box axis i × edge e has the exact components ±e_j and 0, so it is a legal axis however
// close to parallel the two are. The error of the normal n is 2^-24 of the two edges that it is made of, so
// edge bc, which can be far shorter than both ab and ca, takes n from its own corner b. The noise of n also
// tilts the face axis, so that axis uses the interval of all three corners, not of one: a wrong direction may
// then fail to separate but never separates wrongly. Of the two normals it uses the one with the shorter
// edges, scaled by a power of two, which keeps every product of the test quadratic in the coordinates.
namespace broadside::narrowphase {

/// The box and the motion, prepared once for all triangles.
struct ObbFrame {
    Vec3 center;
    /// The axes of the box, reversed if needed to make the motion positive: the box is symmetric.
    Vec3 axis_x;
    Vec3 axis_y;
    Vec3 axis_z;
    Vec3 half_extent;
    /// Displacement of the triangle relative to the box, in the frame; no component is negative.
    Vec3 motion;
    /// -1/motion; -infinity for a motion of zero.
    Vec3 neg_inv_motion;
    /// kMaxReach, or -1 for an invalid box or motion, so that no triangle passes.
    float max_reach;
};

// Reverses the axis if the motion along it is negative.
BROADSIDE_FORCE_INLINE float face_motion(Vec3& state_axis, Vec3 motion_in_world) {
    const float along = dot(state_axis, motion_in_world);
    if (!has_sign_bit(along)) return along;
    state_axis = -state_axis;
    return -along;
}

/// `motion_in_world` is the displacement of the triangle minus that of the box: W = -V for a moving box and a
/// resting triangle (source_rules.md C5, G14). Its components below FLT_MIN count as zero (G4). One that
/// falls below by the rotation may have an infinite inverse, which `clip` takes as no motion.
BROADSIDE_FORCE_INLINE ObbFrame make_obb_frame(const Obb& obb, Vec3 motion_in_world) {
    ObbFrame frame = {obb.center, obb.axis_x, obb.axis_y, obb.axis_z, obb.half_extent, {}, {}, kMaxReach};
    const Vec3 motion = {flush_denormal(motion_in_world.x), flush_denormal(motion_in_world.y),
                         flush_denormal(motion_in_world.z)};
    frame.motion = {face_motion(frame.axis_x, motion), face_motion(frame.axis_y, motion),
                    face_motion(frame.axis_z, motion)};
    frame.neg_inv_motion = {-1.0f / frame.motion.x, -1.0f / frame.motion.y, -1.0f / frame.motion.z};
    const bool is_legal = is_valid(obb) && obb.half_extent.x <= kMaxReach && obb.half_extent.y <= kMaxReach &&
                          obb.half_extent.z <= kMaxReach &&  //
                          frame.motion.x <= kMaxReach && frame.motion.y <= kMaxReach &&
                          frame.motion.z <= kMaxReach;
    if (!is_legal) frame.max_reach = -1.0f;
    return frame;
}

/// The triangle in the frame of the box, and the parts that all axes share.
struct TriangleInBox {
    Vec3 a, b, c;
    Vec3 ab, bc, ca;
    /// ca × ab and ab × bc: equal except for rounding.
    Vec3 normal_at_a;
    Vec3 normal_at_b;
    /// The better of the two, scaled so that its largest component lies in [1, 2).
    Vec3 normal;
    /// ab| + |ca| by components: at most max_reach exactly if the triangle is finite and within the domain.
    float reach;
};

BROADSIDE_FORCE_INLINE Vec3 point_in_box(const ObbFrame& frame, Vec3 point) {
    const Vec3 d = point - frame.center;
    return {dot(frame.axis_x, d), dot(frame.axis_y, d), dot(frame.axis_z, d)};
}

/// The corners alone: enough for the box's own axes, which decide most triangles.
BROADSIDE_FORCE_INLINE Triangle corners_in_box(const ObbFrame& frame, const Triangle& triangle) {
    return {point_in_box(frame, triangle.a), point_in_box(frame, triangle.b),
            point_in_box(frame, triangle.c)};
}

BROADSIDE_FORCE_INLINE TriangleInBox triangle_in_box(const Triangle& corners) {
    TriangleInBox t;
    t.a = corners.a;
    t.b = corners.b;
    t.c = corners.c;
    t.ab = t.b - t.a;
    t.bc = t.c - t.b;
    t.ca = t.a - t.c;
    t.normal_at_a = cross(t.ca, t.ab);
    t.normal_at_b = cross(t.ab, t.bc);
    const float size_ca = component_sum(t.ca);
    const Vec3 normal = component_sum(t.bc) < size_ca ? t.normal_at_b : t.normal_at_a;
    t.normal = normal * inverse_power_of_two(largest_component(normal));
    t.reach = component_sum(t.ab) + size_ca;
    return t;
}

BROADSIDE_FORCE_INLINE TriangleInBox triangle_in_box(const ObbFrame& frame, const Triangle& triangle) {
    return triangle_in_box(corners_in_box(frame, triangle));
}

/// Projections of the three corners on one axis.
struct Interval {
    float min;
    float max;
};
BROADSIDE_FORCE_INLINE Interval interval_of(float a, float b, float c) {
    return {min_keep(min_keep(a, b), c), max_keep(max_keep(a, b), c)};
}
BROADSIDE_FORCE_INLINE Interval interval_along(Vec3 axis, const TriangleInBox& t) {
    return interval_of(dot(axis, t.a), dot(axis, t.b), dot(axis, t.c));
}

/// The triangle's centers along x × edge, y × edge, z × edge, and the sum of the two half widths there.
/// `corner` is an end of the edge; `normal` is the cross product of two edges in a cycle, one of them this.
struct EdgeAxes {
    Vec3 center;
    Vec3 radius;
};
BROADSIDE_FORCE_INLINE EdgeAxes edge_axes(Vec3 edge, Vec3 corner, Vec3 normal, Vec3 half_extent) {
    const Vec3 half_normal = normal * 0.5f;
    const Vec3 half_width = absolute(half_normal);
    const Vec3 e = absolute(edge);
    const Vec3 h = half_extent;
    return {cross(edge, corner) + half_normal,
            {(h.y * e.z + h.z * e.y) + half_width.x, (h.x * e.z + h.z * e.x) + half_width.y,
             (h.x * e.y + h.y * e.x) + half_width.z}};
}

BROADSIDE_FORCE_INLINE float face_radius(Vec3 axis, Vec3 half_extent) {
    return dot(absolute(axis), half_extent);
}

}  // namespace broadside::narrowphase
