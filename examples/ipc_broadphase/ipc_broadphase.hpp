// The IPC Toolkit's broad phase on find_pairs of doubles. See README.md.
#pragma once

#include "examples/ipc_broadphase/host.hpp"

#include <broadside/exact_boxes.hpp>
#include <broadside/pair_buffer.hpp>

namespace ipc_example {

/// Replaces the toolkit's own methods: the same candidates, in an order that is the same on every machine and
/// with any number of workers. For one thread at a time, because it keeps its memory from call to call.
/// Throws if there is no memory, and the exceptions of `can_vertices_collide`.
class BroadsideBroadPhase final : public ipc::BroadPhase {
public:
    explicit BroadsideBroadPhase(const broadside::TaskRunner* runner = nullptr) : runner_(runner) {}

    void detect_vertex_vertex_candidates(std::vector<ipc::VertexVertexCandidate>& candidates) const override;
    void detect_edge_vertex_candidates(std::vector<ipc::EdgeVertexCandidate>& candidates) const override;
    void detect_edge_edge_candidates(std::vector<ipc::EdgeEdgeCandidate>& candidates) const override;
    void detect_face_vertex_candidates(std::vector<ipc::FaceVertexCandidate>& candidates) const override;
    void detect_edge_face_candidates(std::vector<ipc::EdgeFaceCandidate>& candidates) const override;

private:
    template <class Candidate, class CanCollide>
    void detect(const std::vector<ipc::AABB>& a, const std::vector<ipc::AABB>& b, CanCollide&& can_collide,
                std::vector<Candidate>& candidates) const;

    const broadside::TaskRunner* runner_;
    mutable broadside::BoxScratch scratch_;
    mutable broadside::PairBuffer pairs_;
};

}  // namespace ipc_example
