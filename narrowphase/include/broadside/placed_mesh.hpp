// A mesh placed in the world, and the exact position of its corners there.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mesh.hpp>
#include <broadside/transform.hpp>

namespace BROADSIDE_API broadside {

class ObbTree;

/// A mesh that is rotated, scaled and moved. The mesh and the tree must live for the call.
struct PlacedMesh {
    const TriangleMesh* mesh = nullptr;
    /// A placement, see `is_placement`. Default: the identity.
    Transform world_from_mesh = {};
    /// A tree of oriented boxes over the same triangles for mesh_pairs.hpp to descend, or null.
    const ObbTree* obb_tree = nullptr;
};

/// Whether a transform is a rotation or a reflection, times one scale for all directions, and a translation.
/// Its rows must have the same length, between 2^-40 and 2^40, to 2^-12 of it, and be perpendicular to each
/// other just as exactly. Within these bounds the numbers are used as they are.
bool is_placement(const Transform& world_from_mesh) noexcept;

/// A vertex in the world. Each coordinate is ((row.x·x + row.y·y) + row.z·z) + translation, computed in this
/// order in doubles, in which the products are exact, and then rounded to the nearest float. All queries on
/// placed meshes are about the triangles of these points, so triangles that share a vertex still share it.
Vec3 placed(const Transform& world_from_mesh, Vec3 vertex) noexcept;
Triangle placed(const Transform& world_from_mesh, const Triangle& triangle) noexcept;

// Shapes of the world in the space of a placed mesh: the inverse of the placement, computed in doubles, each
// number rounded to the nearest float. A t stays a t; lengths are divided by the scale.

Vec3 seen_from_mesh(const Transform& world_from_mesh, Vec3 point) noexcept;
Ray seen_from_mesh(const Transform& world_from_mesh, const Ray& ray) noexcept;
Sphere seen_from_mesh(const Transform& world_from_mesh, const Sphere& sphere) noexcept;
Capsule seen_from_mesh(const Transform& world_from_mesh, const Capsule& capsule) noexcept;
Obb seen_from_mesh(const Transform& world_from_mesh, const Obb& obb) noexcept;
/// A box along the axes of the world is an oriented box in the mesh, with its center and half extents. A box
/// that is not finite gives an invalid one.
Obb seen_from_mesh(const Transform& world_from_mesh, const Aabb& box) noexcept;
/// A displacement or a direction: the translation is not applied.
Vec3 way_seen_from_mesh(const Transform& world_from_mesh, Vec3 way) noexcept;

/// A moving shape: its shape and its displacement as above. A moving box is an ObbCast there.
template <class Shape>
auto seen_from_mesh(const Transform& world_from_mesh, const Cast<Shape>& cast) noexcept {
    const auto shape = seen_from_mesh(world_from_mesh, cast.shape);
    return Cast<std::remove_const_t<decltype(shape)>>{
        shape, way_seen_from_mesh(world_from_mesh, cast.displacement), cast.t_max};
}

/// A box around all placed triangles, a few roundings larger than necessary; Aabb::empty() for an empty mesh.
Aabb placed_bounds(const PlacedMesh& placed_mesh) noexcept;

}  // namespace broadside
