// Placed meshes in numbers: positions of vertices, and the boxes of one mesh in the space of the other.
#pragma once

#include "core/src/geometry/vec3_double.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"

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
BROADSIDE_FORCE_INLINE double scale_of(const Placement& placement) {
    return __builtin_sqrt(dot(placement.row_x, placement.row_x));
}
/// The inverse of the rotation and scale, without a translation.
Placement inverse(const Placement& p) noexcept;
/// The specification of `placed`; the kernels do the same operations.
BROADSIDE_FORCE_INLINE Vec3 placed_scalar(const Placement& placement, Vec3 vertex) {
    return narrowed(turned(placement, widened(vertex)) + placement.translation);
}
BROADSIDE_FORCE_INLINE Triangle placed_scalar(const Placement& placement, const Triangle& triangle) {
    return {placed_scalar(placement, triangle.a), placed_scalar(placement, triangle.b),
            placed_scalar(placement, triangle.c)};
}

/// Does what seen_from_mesh does. Its inverse serves many shapes.
struct MeshSpace {
    Placement world_from_mesh;
    Placement mesh_from_world;

    explicit MeshSpace(const Transform& transform) noexcept
        : world_from_mesh(widened(transform)), mesh_from_world(inverse(world_from_mesh)) {}
    Vec3 point(Vec3 at) const {
        return narrowed(turned(mesh_from_world, widened(at) - world_from_mesh.translation));
    }
    Vec3 way(Vec3 way) const { return narrowed(turned(mesh_from_world, widened(way))); }
    float length(float length) const {
        return static_cast<float>(static_cast<double>(length) / scale_of(world_from_mesh));
    }
    /// Components that count as zero do so in the world, too.
    BROADSIDE_FORCE_INLINE Ray ray(const Ray& ray) const {
        return {point(ray.origin), way(flushed(ray.direction)), ray.t_max};
    }
};

/// The transform of the other mesh's boxes into the space of this mesh. The pad is added on all sides,
/// because vertices of both meshes are rounded once placed: a padded box contains the other's vertices, and
/// those of this mesh are within their boxes.
struct BoxFrame {
    Placement space_from_other;
    double pad;
    /// Displacement of the other mesh in this space; zero if nothing moves.
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
    // The pad also covers the rounding of the results to floats.
    const auto pad = [&](double place, double half_size) {
        return half_size + frame.pad + (__builtin_fabs(place) + half_size) * 0x1p-22;
    };
    const Vec3Double around = {pad(middle.x, reach(p.row_x)), pad(middle.y, reach(p.row_y)),
                               pad(middle.z, reach(p.row_z))};
    return {narrowed(middle - around), narrowed(middle + around)};
}

/// A non-empty mesh in relation to boxes of the world: triangles whose placed form reaches into a box are
/// found in its `seen_box`.
BoxFrame mesh_from_world(const PlacedMesh& placed_mesh) noexcept;

/// Two placed meshes, and each in the space of the other.
struct PlacedPair {
    Placement place_a;
    Placement place_b;
    BoxFrame a_from_b;
    BoxFrame b_from_a;
    /// Displacement of b relative to a, in the world.
    Vec3Double motion;
    /// Bound of the rounding of placed vertices, in the world.
    double pad;
    /// Margin of the boxes of triangles in the world if they move; at rest their own boxes decide.
    float world_pad;
    bool is_moving;
    /// The scale of b relative to a.
    float scale_of_b;
};
/// For valid meshes that are not empty.
PlacedPair placed_pair(const PlacedMesh& a, const PlacedMesh& b, const Vec3Double& motion) noexcept;

}  // namespace broadside::narrowphase
