// A stand-in for <ipc/broad_phase/broad_phase.hpp>: the parts that the adapter overrides and reads, with the
// toolkit's names and meaning, and arrays instead of Eigen's. With the toolkit itself, include that instead.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace ipc {

using Point = std::array<double, 3>;
using Edge = std::array<std::int32_t, 2>;
using Face = std::array<std::int32_t, 3>;

/// A box, and the vertices of its element; -1 past the last one. As large as a whole count of doubles, which rows
/// that are read in place must be, on processors that align doubles to 4 bytes too.
struct alignas(8) AABB {
    Point min = {};
    Point max = {};
    std::array<std::int32_t, 3> vertex_ids = {-1, -1, -1};
};

struct VertexVertexCandidate {
    std::size_t vertex0_id, vertex1_id;
};
struct EdgeVertexCandidate {
    std::size_t edge_id, vertex_id;
};
struct EdgeEdgeCandidate {
    std::size_t edge0_id, edge1_id;
};
struct FaceVertexCandidate {
    std::size_t face_id, vertex_id;
};
struct EdgeFaceCandidate {
    std::size_t edge_id, face_id;
};

class BroadPhase {
public:
    virtual ~BroadPhase() = default;

    /// The vertices move on lines from `vertices_t0` to `vertices_t1`. Every box contains all points within
    /// `inflation_radius` of its element on each axis: sums are rounded outwards.
    virtual void build(std::span<const Point> vertices_t0, std::span<const Point> vertices_t1,
                       std::span<const Edge> edges, std::span<const Face> faces, double inflation_radius = 0);
    virtual void clear();

    virtual void detect_vertex_vertex_candidates(std::vector<VertexVertexCandidate>& candidates) const = 0;
    virtual void detect_edge_vertex_candidates(std::vector<EdgeVertexCandidate>& candidates) const = 0;
    virtual void detect_edge_edge_candidates(std::vector<EdgeEdgeCandidate>& candidates) const = 0;
    virtual void detect_face_vertex_candidates(std::vector<FaceVertexCandidate>& candidates) const = 0;
    virtual void detect_edge_face_candidates(std::vector<EdgeFaceCandidate>& candidates) const = 0;

    /// Two elements are a candidate if any two of their vertices can collide.
    std::function<bool(std::size_t, std::size_t)> can_vertices_collide = [](std::size_t, std::size_t) {
        return true;
    };

protected:
    /// Also false if the two have a vertex in common.
    virtual bool can_edge_vertex_collide(std::size_t edge, std::size_t vertex) const;
    virtual bool can_edges_collide(std::size_t edge0, std::size_t edge1) const;
    virtual bool can_face_vertex_collide(std::size_t face, std::size_t vertex) const;
    virtual bool can_edge_face_collide(std::size_t edge, std::size_t face) const;

    std::vector<AABB> vertex_boxes;
    std::vector<AABB> edge_boxes;
    std::vector<AABB> face_boxes;
};

}  // namespace ipc
