// Sinks for the results of walks.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"

namespace broadside::narrowphase {

/// The time up to which hits matter after a visitor has returned `wanted`; below zero if none does, and never -0.
inline float narrowed(float limit, float wanted) {
    return wanted >= 0.0f ? min_keep(wanted, limit) + 0.0f : -1.0f;
}

/// A sink that passes its values on in blocks: `visit(value)` for each, until it returns false.
template <class Visit, std::uint32_t kBlock = 64>
struct VisitingSink : SlotSink {
    std::uint32_t block[kBlock];
    Visit visit;
    bool has_ended = false;

    explicit VisitingSink(const Visit& visit_in)
        : SlotSink{block, 0, kBlock, &hand_on_block}, visit(visit_in) {}
    VisitingSink(const VisitingSink&) = delete;

    /// Passes on the rest, once the walk has ended.
    void finish() { (void)hand_on(); }

private:
    static bool hand_on_block(SlotSink& self) { return static_cast<VisitingSink&>(self).hand_on(); }
    bool hand_on() {
        for (std::uint32_t i = 0; i < count && !has_ended; ++i) has_ended = !visit(block[i]);
        count = 0;
        return !has_ended;
    }
};

/// Calls `visit(leaf, count, first slot)` for leaves that the moving box may reach, until it returns false.
template <class Visit>
void for_each_leaf(const MeshKernels& kernels, const MeshView& mesh, const Obb& obb, Vec3 displacement,
                   Visit&& visit) {
    if (mesh.is_empty()) return;
    VisitingSink sink([&](std::uint32_t name) {
        const std::uint32_t index = leaf_index(name);
        return visit(mesh.leaves[index], leaf_count(name), index * kNodeWidth);
    });
    kernels.leaves(mesh, make_group_filter(obb, -displacement), sink);
    sink.finish();
}

}  // namespace broadside::narrowphase
