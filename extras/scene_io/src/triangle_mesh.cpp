// Boxes, edges and sweeps of a triangle mesh.
#include <broadside/scene_io/triangle_mesh.hpp>

#include <broadside/triangle.hpp>

#include <algorithm>

namespace broadside::scene_io {

std::vector<Edge> unique_edges(const TriangleMesh& mesh) {
    std::vector<Edge> edges;
    edges.reserve(mesh.triangles.size() * 3);
    for (const auto& [a, b, c] : mesh.triangles) {
        if (a != b) edges.push_back({std::min(a, b), std::max(a, b)});
        if (b != c) edges.push_back({std::min(b, c), std::max(b, c)});
        if (c != a) edges.push_back({std::min(c, a), std::max(c, a)});
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    return edges;
}

std::vector<Aabb> triangle_boxes(const TriangleMesh& mesh) {
    std::vector<Aabb> boxes;
    boxes.reserve(mesh.triangles.size());
    for (const auto& [a, b, c] : mesh.triangles) {
        boxes.push_back(bounds(Triangle{mesh.positions[a], mesh.positions[b], mesh.positions[c]}));
    }
    return boxes;
}

std::vector<Aabb> vertex_boxes(const TriangleMesh& mesh) {
    std::vector<Aabb> boxes;
    boxes.reserve(mesh.positions.size());
    for (const Vec3 position : mesh.positions) boxes.push_back({position, position});
    return boxes;
}

std::vector<Aabb> edge_boxes(const TriangleMesh& mesh, std::span<const Edge> edges) {
    std::vector<Aabb> boxes;
    boxes.reserve(edges.size());
    for (const auto& [a, b] : edges) {
        boxes.push_back(
            {min_keep(mesh.positions[a], mesh.positions[b]), max_keep(mesh.positions[a], mesh.positions[b])});
    }
    return boxes;
}

bool has_same_topology(const TriangleMesh& a, const TriangleMesh& b) {
    return a.positions.size() == b.positions.size() && a.triangles == b.triangles;
}

std::vector<Aabb> swept_boxes(std::span<const Aabb> at_start, std::span<const Aabb> at_end) {
    const std::size_t count = std::min(at_start.size(), at_end.size());
    std::vector<Aabb> boxes;
    boxes.reserve(count);
    for (std::size_t i = 0; i < count; ++i) boxes.push_back(include(at_start[i], at_end[i]));
    return boxes;
}

}  // namespace broadside::scene_io
