// The triangle mesh that the mesh readers return, and the boxes of its triangles, edges and vertices.
#pragma once

#include <broadside/aabb.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace broadside::scene_io {

/// Indexed triangles. Readers guarantee finite positions and indices below positions.size(); repeated indices
/// in a triangle are legal.
struct TriangleMesh {
    std::vector<Vec3> positions;
    /// Three indices into `positions`, in the winding of the file.
    std::vector<std::array<std::uint32_t, 3>> triangles;
};

/// An undirected edge, the smaller index first.
using Edge = std::array<std::uint32_t, 2>;

/// Every undirected edge of the triangles once, sorted; an edge of a vertex with itself is left out.
/// O(T log T) for T triangles.
std::vector<Edge> unique_edges(const TriangleMesh& mesh);

/// One closed box a triangle, in the order of `mesh.triangles`.
std::vector<Aabb> triangle_boxes(const TriangleMesh& mesh);
/// One point box a vertex, in the order of `mesh.positions`.
std::vector<Aabb> vertex_boxes(const TriangleMesh& mesh);
/// One closed box an edge, in the order of `edges`, whose indices must be below mesh.positions.size().
std::vector<Aabb> edge_boxes(const TriangleMesh& mesh, std::span<const Edge> edges);

/// True if both meshes have as many vertices and the same triangles in the same order, so that index i means
/// the same vertex, edge or triangle in both.
bool has_same_topology(const TriangleMesh& a, const TriangleMesh& b);

/// The boxes of the union of both instants, item by item, which enclose linear motion from one to the other.
/// Both spans must have the same length (the shorter one counts).
std::vector<Aabb> swept_boxes(std::span<const Aabb> at_start, std::span<const Aabb> at_end);

}  // namespace broadside::scene_io
