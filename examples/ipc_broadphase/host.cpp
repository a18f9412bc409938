// A stand-in for the toolkit's own part: boxes of elements, and the elements that can collide.
#include "examples/ipc_broadphase/host.hpp"

#include <algorithm>
#include <cmath>

namespace ipc {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The next number in either direction is beyond any number that rounds to the sum.
AABB box_of_vertex(const Point& at_t0, const Point& at_t1, double radius, std::int32_t id) {
    AABB box;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        box.min[axis] = std::nextafter(std::min(at_t0[axis], at_t1[axis]) - radius, -kInfinity);
        box.max[axis] = std::nextafter(std::max(at_t0[axis], at_t1[axis]) + radius, kInfinity);
    }
    box.vertex_ids[0] = id;
    return box;
}

template <std::size_t kVertexCount>
AABB box_of_element(const std::vector<AABB>& vertex_boxes,
                    const std::array<std::int32_t, kVertexCount>& element) {
    AABB box = vertex_boxes[static_cast<std::size_t>(element[0])];
    for (std::size_t i = 0; i < kVertexCount; ++i) {
        const AABB& vertex = vertex_boxes[static_cast<std::size_t>(element[i])];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.min[axis] = std::min(box.min[axis], vertex.min[axis]);
            box.max[axis] = std::max(box.max[axis], vertex.max[axis]);
        }
        box.vertex_ids[i] = element[i];
    }
    return box;
}

// Elements have one to three vertices each.
bool can_elements_collide(const BroadPhase& broad_phase, const AABB& a, const AABB& b) {
    bool can_any = false;
    for (const std::int32_t vertex_a : a.vertex_ids) {
        for (const std::int32_t vertex_b : b.vertex_ids) {
            if (vertex_a < 0 || vertex_b < 0) continue;
            if (vertex_a == vertex_b) return false;
            can_any = can_any || broad_phase.can_vertices_collide(static_cast<std::size_t>(vertex_a),
                                                                  static_cast<std::size_t>(vertex_b));
        }
    }
    return can_any;
}

}  // namespace

void BroadPhase::build(std::span<const Point> vertices_t0, std::span<const Point> vertices_t1,
                       std::span<const Edge> edges, std::span<const Face> faces, double inflation_radius) {
    clear();
    for (std::size_t i = 0; i < vertices_t0.size(); ++i) {
        vertex_boxes.push_back(
            box_of_vertex(vertices_t0[i], vertices_t1[i], inflation_radius, static_cast<std::int32_t>(i)));
    }
    for (const Edge& edge : edges) edge_boxes.push_back(box_of_element(vertex_boxes, edge));
    for (const Face& face : faces) face_boxes.push_back(box_of_element(vertex_boxes, face));
}

void BroadPhase::clear() {
    vertex_boxes.clear();
    edge_boxes.clear();
    face_boxes.clear();
}

bool BroadPhase::can_edge_vertex_collide(std::size_t edge, std::size_t vertex) const {
    return can_elements_collide(*this, edge_boxes[edge], vertex_boxes[vertex]);
}
bool BroadPhase::can_edges_collide(std::size_t edge0, std::size_t edge1) const {
    return can_elements_collide(*this, edge_boxes[edge0], edge_boxes[edge1]);
}
bool BroadPhase::can_face_vertex_collide(std::size_t face, std::size_t vertex) const {
    return can_elements_collide(*this, face_boxes[face], vertex_boxes[vertex]);
}
bool BroadPhase::can_edge_face_collide(std::size_t edge, std::size_t face) const {
    return can_elements_collide(*this, edge_boxes[edge], face_boxes[face]);
}

}  // namespace ipc
