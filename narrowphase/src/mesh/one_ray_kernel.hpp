// One ray alone down the tree of a mesh: no set-up for others, and no lists of walks.
#pragma once

#include "narrowphase/src/mesh/ray_visitors.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"

namespace broadside::narrowphase {

/// One walk of walk_rays. Triangles are judged a group of the leaf at a time.
template <class Arch, class Visitor>
BROADSIDE_FORCE_INLINE void walk_ray(const MeshView& mesh, const Ray& ray_in, Sides sides, MeshRay& out_ray,
                                     Visitor& state_visitor) {
    const MeshRay& ray = out_ray;
    begin(out_ray, ray_in, sides, MeshExtent(mesh.bounds));
    MeshWalk<Arch> walk;
    walk.begin(mesh, Visitor::first_limit(ray));
    [[maybe_unused]] JudgedLanes<Arch> judged;
    bool is_on = true;
    while (is_on) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, [&](const float* node, float limit, std::int32_t* out_entries) {
                return test_node<Arch>(ray, node, limit, out_entries);
            }) || walk.next(mesh);
            continue;
        }
        const std::uint32_t index = leaf_index(walk.child);
        const MeshLeaf& leaf = mesh.leaves[index];
        std::uint32_t sure_lanes;
        std::uint32_t lanes =
            test_leaf<Arch, Visitor::kQuestion>(ray, leaf, leaf_count(walk.child), walk.limit, sure_lanes);
        if (!state_visitor.visit_sure(sure_lanes)) return;
        [[maybe_unused]] std::uint32_t judged_group = kNodeWidth;
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes));
            const std::uint32_t slot = index * kNodeWidth + lane;
            if constexpr (Visitor::kQuestion == LeafQuestion::closest) {
                constexpr std::uint32_t kGroup = JudgedLanes<Arch>::kLanes;
                const std::uint32_t group = lane / kGroup * kGroup;
                if (group != judged_group) judged.judge_triangles(ray.ray, leaf, group);
                judged_group = group;
                state_visitor.visit_judged(mesh, ray, slot, judged, lane - group, walk.limit);
            } else {
                if (!state_visitor.visit(mesh, ray, slot, walk.limit)) return;
            }
        }
        is_on = walk.next(mesh);
    }
}

template <class Arch>
MeshHit closest_of_one(const MeshView& mesh, const Ray& ray_in, Sides sides) {
    MeshRay ray;
    ClosestVisitor visitor;
    walk_ray<Arch>(mesh, ray_in, sides, ray, visitor);
    return visitor.result(mesh, ray.ray);
}

template <class Arch>
bool is_any_met(const MeshView& mesh, const Ray& ray_in, Sides sides) {
    MeshRay ray;
    AnyVisitor visitor;
    walk_ray<Arch>(mesh, ray_in, sides, ray, visitor);
    return visitor.is_met;
}

template <class Arch>
void all_kernel(const MeshView& mesh, const Ray& ray_in, Sides sides, SlotSink& state_sink) {
    MeshRay ray;
    SlotVisitor visitor;
    visitor.sink = &state_sink;
    walk_ray<Arch>(mesh, ray_in, sides, ray, visitor);
}

template <class Arch>
std::uint32_t crossings_kernel(const MeshView& mesh, const Ray& ray_in) {
    MeshRay ray;
    CrossingVisitor visitor;
    walk_ray<Arch>(mesh, ray_in, Sides::both, ray, visitor);
    return visitor.count;
}

}  // namespace broadside::narrowphase
