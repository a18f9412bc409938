// Sinks for the results of walks.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"

#include <broadside/aligned_array.hpp>

namespace broadside::narrowphase {

/// A sink backed by an array that grows.
struct GrowingSink : SlotSink {
    AlignedArray<std::uint32_t>& slots;
    bool is_out_of_memory = false;

    explicit GrowingSink(AlignedArray<std::uint32_t>& array)
        : SlotSink{array.data(), 0, static_cast<std::uint32_t>(array.capacity()), &grow_array}, slots(array) {
        slots.clear();
    }

private:
    static bool grow_array(SlotSink& self) {
        auto& sink = static_cast<GrowingSink&>(self);
        // The walk has written within the capacity.
        sink.is_out_of_memory = !sink.slots.resize(sink.count) || !sink.slots.reserve_to_append(1);
        sink.begin = sink.slots.data();
        sink.capacity = static_cast<std::uint32_t>(sink.slots.capacity());
        return !sink.is_out_of_memory;
    }
};

/// A sink that passes its values on in blocks: `visit(value)` for each, until it returns false.
template <class Visit>
struct VisitingSink : SlotSink {
    std::uint32_t block[64];
    Visit visit;
    bool has_ended = false;

    explicit VisitingSink(const Visit& visit_in) : SlotSink{block, 0, 64, &hand_on_block}, visit(visit_in) {}
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
