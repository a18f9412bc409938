// The frame of every call on two placed meshes: its checks, and the walk.
#pragma once

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/mesh_pairs/obb_walk.hpp"

#include <broadside/mesh_pairs.hpp>

namespace broadside::narrowphase {

// The checks that all calls share. A mesh beyond the range of floats in the other's space has no box there.
class PairCall {
public:
    PairCall(const PlacedMesh& a, const PlacedMesh& b, const Vec3Double& motion = {}) : a_(a), b_(b) {
        const bool has_meshes = a.mesh != nullptr && b.mesh != nullptr;
        call_.legal(has_meshes, "mesh: there is none");
        if (!has_meshes) return;
        const bool has_placements = is_placement(a.world_from_mesh) && is_placement(b.world_from_mesh);
        call_.legal(has_placements, "world_from_mesh: no rotation times a scale");
        call_.legal(fits_tree(a) && fits_tree(b), "obb_tree: none of the triangles of the mesh");
        is_empty_ = a.mesh->triangle_count() == 0 || b.mesh->triangle_count() == 0;
        if (!has_placements || is_empty_) return;
        pair_ = placed_pair(a, b, motion);
        call_.legal(is_finite_box(placed_bounds(a)) && is_finite_box(placed_bounds(b)) &&
                        is_finite_box(seen_box(pair_.a_from_b, b.mesh->bounds())) &&
                        is_finite_box(seen_box(pair_.b_from_a, a.mesh->bounds())) &&
                        is_finite(pair_.a_from_b.displacement) && is_finite(pair_.b_from_a.displacement),
                    "world_from_mesh: out of the range of floats");
    }

    BatchCall& checks() { return call_; }
    const PlacedPair& pair() const { return pair_; }
    bool is_empty() const { return is_empty_; }
    /// Calls `walk(kernels)` if both meshes have triangles and no check has failed.
    template <class Walk>
    Status run_walk(Walk&& walk) {
        return call_
            .run<MeshPairKernels>([&](const MeshPairKernels& kernels) {
                if (!is_empty_) walk(kernels);
            })
            .status;
    }
    /// Passes the pairs of triangles whose boxes meet to the sink.
    Status run(TrianglePairSink& state_sink) {
        return run_walk([&](const MeshPairKernels& kernels) { walk(kernels, state_sink); });
    }
    /// Passes them to the sink, inside a function of `run_walk`.
    void walk(const MeshPairKernels& kernels, TrianglePairSink& state_sink) const {
        if (a_.obb_tree != nullptr && b_.obb_tree != nullptr)
            walk_obb_trees(kernels, pair_, *a_.obb_tree, *b_.obb_tree, state_sink);
        else
            kernels.walk(pair_, a_.mesh->view(), b_.mesh->view(), state_sink);
    }

private:
    static bool is_finite_box(const Aabb& box) { return is_finite(box.min) && is_finite(box.max); }
    static bool fits_tree(const PlacedMesh& placed) {
        return placed.obb_tree == nullptr ||
               placed.obb_tree->triangle_count() == placed.mesh->triangle_count();
    }

    const PlacedMesh& a_;
    const PlacedMesh& b_;
    BatchCall call_;
    PlacedPair pair_ = {};
    bool is_empty_ = false;
};

}  // namespace broadside::narrowphase
