// Rays down the tree of a mesh.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/ray_lanes.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"

namespace broadside::narrowphase {

/// One ray on its way. `visitor.visit(mesh, ray, slot, limit)` is told of every triangle that the ray may hit; it may
/// lower the limit, and answers false to end the walk.
template <class Arch, class Visitor>
struct RayWalk {
    MeshWalk<Arch> walk;
    MeshRay ray;
    Visitor visitor;

    BROADSIDE_FORCE_INLINE void begin(const MeshView& mesh, const Ray& ray_in, Sides sides) {
        ray = mesh_ray(ray_in, sides, mesh.bounds);
        walk.begin(mesh, ray.slabs.t_max);
    }

    /// Looks at one node or leaf; false when that was the last.
    BROADSIDE_FORCE_INLINE bool step(const MeshView& mesh) {
        if (walk.is_at_leaf()) {
            if (!visit_leaf(mesh)) return false;
        } else {
            walk.enter_node(mesh, [&](const float* node, float limit, nodes::NodeFloats<Arch>& out_keys) {
                return test_node<Arch>(ray, node, limit, out_keys);
            });
        }
        return walk.next(mesh);
    }

private:
    BROADSIDE_FORCE_INLINE bool visit_leaf(const MeshView& mesh) {
        const std::uint32_t index = leaf_index(walk.child);
        const MeshLeaf& leaf = mesh.leaves[index];
        std::uint32_t rest = candidates<Arch>(ray, leaf, leaf_count(walk.child));
        for (; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            if (!visitor.visit(mesh, ray, index * kNodeWidth + lane, walk.limit)) return false;
        }
        return true;
    }
};

struct ClosestVisitor {
    std::uint32_t slot;
    HitTime t;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t other_slot,
                                      float& state_limit) {
        const Triangle triangle = mesh.triangle_at(other_slot);
        const auto [verdict, other_t] = judge_surely(ray.ray, triangle);
        if (verdict != Verdict::hit) return true;
        if (slot != kNoMeshSlot && other_t.max >= t.min) {
            if (other_t.min > t.max) return true;
            const int order = compare_hit_times(ray.ray, triangle, mesh.triangle_at(slot));
            if (order > 0 || (order == 0 && mesh.index_at(other_slot) > mesh.index_at(slot))) return true;
        }
        slot = other_slot;
        t = other_t;
        state_limit = walk_limit(ray, t.max);
        return true;
    }
};

/// Walks that take turns: while one waits for its node, or for the processor to start over after a wrong guess,
/// the others go on.
inline constexpr std::uint32_t kRayWalkCount = 8;

/// `finish(ray index, walk)` for every ray, in no particular order; `visitor` is what each begins with.
template <class Arch, class Visitor, class Finish>
BROADSIDE_FORCE_INLINE void walk_rays(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                                      const Visitor& visitor, Finish&& finish) {
    RayWalk<Arch, Visitor> walks[kRayWalkCount];
    std::size_t ray_of[kRayWalkCount];
    // Those under way come first.
    std::uint32_t order[kRayWalkCount];
    std::uint32_t active = 0;
    std::size_t next = 0;
    bool is_new[kRayWalkCount];
    for (; active < kRayWalkCount; ++active) {
        order[active] = active;
        is_new[active] = true;
    }
    while (active != 0) {
        for (std::uint32_t i = 0; i < active;) {
            const std::uint32_t k = order[i];
            if (is_new[k]) {
                if (next == count) {
                    order[i] = order[--active];
                    continue;
                }
                ray_of[k] = next;
                walks[k].visitor = visitor;
                walks[k].begin(mesh, rays[next++], sides);
                is_new[k] = false;
            }
            if (walks[k].step(mesh)) {
                ++i;
                continue;
            }
            finish(ray_of[k], walks[k]);
            is_new[k] = true;
        }
    }
}

template <class Arch>
void closest_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest) {
    walk_rays<Arch>(mesh, rays, count, sides, ClosestVisitor{kNoMeshSlot, {}},
                    [&](std::size_t i, const RayWalk<Arch, ClosestVisitor>& walk) {
                        const std::uint32_t slot = walk.visitor.slot;
                        if (slot == kNoMeshSlot) {
                            out_closest[i] = MeshHit{};
                            return;
                        }
                        const RayTriangleHit hit = rounded_hit(walk.ray.ray, mesh.triangle_at(slot));
                        out_closest[i] = {hit.t, hit.u, hit.v, mesh.index_at(slot)};
                    });
}

struct AnyVisitor {
    bool is_met;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot, float&) {
        is_met = judge_surely(ray.ray, mesh.triangle_at(slot)).verdict == Verdict::hit;
        return !is_met;
    }
};
template <class Arch>
std::uint64_t any_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides) {
    std::uint64_t bits = 0;
    walk_rays<Arch>(mesh, rays, count, sides, AnyVisitor{false},
                    [&](std::size_t i, const RayWalk<Arch, AnyVisitor>& walk) {
                        bits |= std::uint64_t{walk.visitor.is_met ? 1u : 0u} << i;
                    });
    return bits;
}

struct SlotVisitor {
    SlotSink* sink;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot, float&) {
        if (judge_surely(ray.ray, mesh.triangle_at(slot)).verdict != Verdict::hit) return true;
        return take(*sink, slot);
    }
};
template <class Arch>
void all_kernel(const MeshView& mesh, const Ray& ray, Sides sides, SlotSink& state_sink) {
    RayWalk<Arch, SlotVisitor> walk;
    walk.visitor.sink = &state_sink;
    walk.begin(mesh, ray, sides);
    while (walk.step(mesh)) {
    }
}

struct CrossingVisitor {
    std::uint32_t count;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot, float&) {
        const Triangle triangle = mesh.triangle_at(slot);
        const EdgeFunctions edges = edge_functions(ray.ray, triangle);
        const double smallest = min_keep(min_keep(edges.of_a, edges.of_b), edges.of_c);
        const double largest = max_keep(max_keep(edges.of_a, edges.of_b), edges.of_c);
        const double error = edges.edge_error;
        if (smallest < -error && largest > error) return true;
        // t is positive where its numerator has the sign of the edge functions.
        const bool is_front = smallest > error;
        const double ahead = is_front ? edges.numerator : -edges.numerator;
        if ((is_front || largest < -error) && absolute_double(ahead) > edges.numerator_error) {
            count += ahead > 0.0 ? 1u : 0u;
            return true;
        }
        count += crossing(ray.ray.origin, ray.ray.direction, triangle) != 0 ? 1u : 0u;
        return true;
    }
};
template <class Arch>
std::uint32_t crossings_kernel(const MeshView& mesh, const Ray& ray) {
    RayWalk<Arch, CrossingVisitor> walk;
    walk.visitor.count = 0;
    walk.begin(mesh, ray, Sides::both);
    if (walk.ray.ray.t_max < 0.0f) return 0;
    // Without end, however short the direction.
    walk.walk.limit = FLT_MAX;
    while (walk.step(mesh)) {
    }
    return walk.visitor.count;
}

}  // namespace broadside::narrowphase
