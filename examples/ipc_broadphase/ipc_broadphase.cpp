// The IPC Toolkit's broad phase on find_pairs of doubles.
#include "examples/ipc_broadphase/ipc_broadphase.hpp"

#include <stdexcept>

namespace ipc_example {

using namespace broadside;
using ipc::AABB;

namespace {

// The toolkit's own boxes, read in place: rows of which the first six numbers are used.
ExactBoxView<double> view_of(const std::vector<AABB>& boxes) {
    if (boxes.empty()) return {};
    static_assert(sizeof(AABB) % sizeof(double) == 0);
    const AABB& box = boxes.front();
    return {&box.min[0], &box.min[1], &box.min[2],  &box.max[0],
            &box.max[1], &box.max[2], boxes.size(), sizeof(AABB) / sizeof(double)};
}

}  // namespace

// Finds the pairs within `a` if `b` is the same list, else those of a box of `a` and one of `b`, except those
// that the toolkit rules out.
template <class Candidate, class CanCollide>
void BroadsideBroadPhase::detect(const std::vector<AABB>& a, const std::vector<AABB>& b,
                                 CanCollide&& can_collide, std::vector<Candidate>& candidates) const {
    FindPairsSettings settings;
    settings.runner = runner_;
    const FindPairsResult result = &a == &b ? find_pairs(view_of(a), settings, scratch_, pairs_)
                                            : find_pairs(view_of(a), view_of(b), settings, scratch_, pairs_);
    if (result.status != Status::ok) throw std::runtime_error(status_name(result.status));
    for (const IndexPair pair : pairs_) {
        if (can_collide(pair.first, pair.second)) candidates.push_back({pair.first, pair.second});
    }
}

void BroadsideBroadPhase::detect_vertex_vertex_candidates(
    std::vector<ipc::VertexVertexCandidate>& candidates) const {
    detect(vertex_boxes, vertex_boxes, can_vertices_collide, candidates);
}

void BroadsideBroadPhase::detect_edge_vertex_candidates(
    std::vector<ipc::EdgeVertexCandidate>& candidates) const {
    const auto can_collide = [this](std::size_t e, std::size_t v) { return can_edge_vertex_collide(e, v); };
    detect(edge_boxes, vertex_boxes, can_collide, candidates);
}

void BroadsideBroadPhase::detect_edge_edge_candidates(std::vector<ipc::EdgeEdgeCandidate>& candidates) const {
    const auto can_collide = [this](std::size_t e0, std::size_t e1) { return can_edges_collide(e0, e1); };
    detect(edge_boxes, edge_boxes, can_collide, candidates);
}

void BroadsideBroadPhase::detect_face_vertex_candidates(
    std::vector<ipc::FaceVertexCandidate>& candidates) const {
    const auto can_collide = [this](std::size_t f, std::size_t v) { return can_face_vertex_collide(f, v); };
    detect(face_boxes, vertex_boxes, can_collide, candidates);
}

void BroadsideBroadPhase::detect_edge_face_candidates(std::vector<ipc::EdgeFaceCandidate>& candidates) const {
    const auto can_collide = [this](std::size_t e, std::size_t f) { return can_edge_face_collide(e, f); };
    detect(edge_boxes, face_boxes, can_collide, candidates);
}

}  // namespace ipc_example
