// Mesh against mesh: their distance, and the points and triangles where they are closest.
#pragma once

#include <broadside/mesh_pairs.hpp>
#include <broadside/triangle_distance.hpp>

namespace BROADSIDE_API broadside {

/// A triangle of mesh a and one of mesh b, and the points where they are closest.
struct [[nodiscard]] ClosestTrianglePair {
    /// As in a BatchResult.
    Status status = Status::ok;
    /// kNoTriangle if there is no such pair, and only then.
    std::uint32_t a = kNoTriangle;
    std::uint32_t b = kNoTriangle;
    /// In the world, see ClosestTrianglePoints. The distance, used as max_distance, keeps the pair in.
    ClosestTrianglePoints closest = {};
    /// The work that the search has done. Its `triangle_tests` are distances of triangles.
    PairSearchCounts counts = {};
};

/// The triangles of two placed meshes with the smallest distance, which is the float that `closest_points`
/// returns for the triangles `placed(world_from_mesh, triangle)`, and among equals the first by a, then by b.
/// The distance is 0 exactly if triangles meet; the search ends at the first that it finds, so a and b are
/// then any that meet, always the same for the same arguments. Surfaces count, not what they enclose: a mesh
/// inside another has a distance from it.
///
/// Triangles further apart than max_distance are not found, and a small limit makes the search faster. 0
/// finds triangles that meet; NaN or negative finds nothing.
///
/// invalid_argument for a null mesh, and for a transform that is not a placement or takes the mesh out of the
/// range of floats. An empty mesh has no triangle, so no distance. Pure, thread-safe, the same bits on every
/// ISA. Does not allocate. Goes down both trees, near boxes first; a direction that separates the closest
/// triangles so far leaves out boxes and triangles that are further apart along it.
ClosestTrianglePair closest_triangle_pair(
    const PlacedMesh& a, const PlacedMesh& b,
    float max_distance = std::numeric_limits<float>::infinity()) noexcept;

}  // namespace broadside
