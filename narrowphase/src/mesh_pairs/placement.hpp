// Placed meshes in numbers: where vertices come to lie, and the boxes of one mesh in the space of the other.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/placed_mesh.hpp>

namespace broadside::narrowphase {

/// A transform in doubles.
struct Placement {
    Vec3Double row_x;
    Vec3Double row_y;
    Vec3Double row_z;
    Vec3Double translation;
};
BROADSIDE_FORCE_INLINE Placement widened(const Transform& transform) {
    return {widened(transform.row_x), widened(transform.row_y), widened(transform.row_z),
            widened(transform.translation)};
}
BROADSIDE_FORCE_INLINE Vec3Double turned(const Placement& placement, const Vec3Double& a) {
    return {dot(placement.row_x, a), dot(placement.row_y, a), dot(placement.row_z, a)};
}
/// The specification of `placed`; the kernels do the same operations.
BROADSIDE_FORCE_INLINE Vec3 placed_scalar(const Placement& placement, Vec3 vertex) {
    return narrowed(turned(placement, widened(vertex)) + placement.translation);
}
BROADSIDE_FORCE_INLINE Triangle placed_scalar(const Placement& placement, const Triangle& triangle) {
    return {placed_scalar(placement, triangle.a), placed_scalar(placement, triangle.b),
            placed_scalar(placement, triangle.c)};
}

/// How boxes of the other mesh are seen from one: space_from_other and what is added on all sides, so that a box
/// holds the other's vertices and those of this mesh are where their boxes are, both being rounded once placed.
struct BoxFrame {
    Placement space_from_other;
    double pad;
    /// How far the other mesh moves, in this space; none where nothing does.
    Vec3 displacement;
};
/// The box around the box of the other mesh.
BROADSIDE_FORCE_INLINE Aabb seen_box(const BoxFrame& frame, const Aabb& box) {
    const Vec3Double min = widened(box.min);
    const Vec3Double max = widened(box.max);
    const Vec3Double center = (min + max) * 0.5;
    const Vec3Double half = (max - min) * 0.5;
    const Placement& p = frame.space_from_other;
    const auto reach = [&](const Vec3Double& row) {
        return (__builtin_fabs(row.x) * half.x + __builtin_fabs(row.y) * half.y) +
               __builtin_fabs(row.z) * half.z;
    };
    const Vec3Double middle = turned(p, center) + p.translation;
    // The pad also covers that the results are rounded to floats.
    const auto pad = [&](double place, double half_size) {
        return half_size + frame.pad + (__builtin_fabs(place) + half_size) * 0x1p-22;
    };
    const Vec3Double around = {pad(middle.x, reach(p.row_x)), pad(middle.y, reach(p.row_y)),
                               pad(middle.z, reach(p.row_z))};
    return {narrowed(middle - around), narrowed(middle + around)};
}

/// How a mesh that is not empty sees boxes of the world: whose placed triangles reach into one is found in `seen_box`.
BoxFrame mesh_from_world(const PlacedMesh& placed_mesh) noexcept;

/// Two placed meshes and how they see each other.
struct PlacedPair {
    Placement place_a;
    Placement place_b;
    BoxFrame a_from_b;
    BoxFrame b_from_a;
    /// How far b moves, a being at rest, in the world.
    Vec3Double motion;
    /// What boxes of triangles of the world are grown by, where they move or may be apart.
    float world_pad;
    bool is_moving;
    /// How much larger b is than a, by their scales.
    float scale_of_b;
};
/// Of valid meshes that are not empty. Pairs within `reach` of each other are to be found.
PlacedPair placed_pair(const PlacedMesh& a, const PlacedMesh& b, double reach,
                       const Vec3Double& motion) noexcept;

}  // namespace broadside::narrowphase
