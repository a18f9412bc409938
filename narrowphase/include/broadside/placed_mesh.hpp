// A mesh somewhere in the world: where exactly its corners are then.
#pragma once

#include <broadside/export.hpp>
#include <broadside/mesh.hpp>
#include <broadside/transform.hpp>

namespace BROADSIDE_API broadside {

class ObbTree;

/// A mesh that is turned, scaled and moved. What it refers to must live for the call.
struct PlacedMesh {
    const TriangleMesh* mesh = nullptr;
    /// A placement, see `is_placement`. Default: where the mesh is.
    Transform world_from_mesh = {};
    /// The tree of oriented boxes over the same triangles, for calls that are asked to use it; else null.
    const ObbTree* obb_tree = nullptr;
};

/// Whether a transform is a rotation or a reflection, times one scale for all directions, and a translation: its
/// rows have the same length to 2^-12 of it, between 2^-40 and 2^40, and are perpendicular to each other as
/// exactly. Within that, the numbers are taken for what they are.
bool is_placement(const Transform& world_from_mesh) noexcept;

/// Where a vertex is in the world. Each coordinate is ((row.x·x + row.y·y) + row.z·z) + translation, computed in
/// doubles in this order, in which the products are exact, and then rounded to the nearest float. All questions
/// to placed meshes are about the triangles of these points, so the triangles that share a vertex still do.
Vec3 placed(const Transform& world_from_mesh, Vec3 vertex) noexcept;
Triangle placed(const Transform& world_from_mesh, const Triangle& triangle) noexcept;

// Shapes of the world as a placed mesh sees them: by the inverse of the placement, worked out in doubles, each
// number rounded to the nearest float. A t stays a t; lengths are divided by the scale.

Vec3 seen_from_mesh(const Transform& world_from_mesh, Vec3 point) noexcept;
Ray seen_from_mesh(const Transform& world_from_mesh, const Ray& ray) noexcept;
Sphere seen_from_mesh(const Transform& world_from_mesh, const Sphere& sphere) noexcept;
Capsule seen_from_mesh(const Transform& world_from_mesh, const Capsule& capsule) noexcept;
Obb seen_from_mesh(const Transform& world_from_mesh, const Obb& obb) noexcept;
/// A box along the axes of the world is an oriented one to the mesh: that of its center and half extents. Of one that is
/// not finite an invalid one.
Obb seen_from_mesh(const Transform& world_from_mesh, const Aabb& box) noexcept;
/// A way, of no place: a displacement or a direction.
Vec3 way_seen_from_mesh(const Transform& world_from_mesh, Vec3 way) noexcept;

/// A box around all placed triangles, larger by a few roundings than it need be; Aabb::empty() for an empty mesh.
Aabb placed_bounds(const PlacedMesh& placed_mesh) noexcept;

}  // namespace broadside
