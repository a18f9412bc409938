// Rays down the tree of a mesh.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/ray_lanes.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"

namespace broadside::narrowphase {

/// A triangle that a ray may hit, or certainly hits: then between a key and a limit that is not below zero.
struct RayCandidate {
    std::uint32_t slot;
    float key;
    float limit;
};

/// One ray on its way. `visitor.visit(mesh, ray, candidate, limit)` is told of every triangle that the ray may
/// hit; it may lower the limit, and answers false to end the walk.
template <class Arch, class Visitor>
struct RayWalk {
    MeshWalk<Arch> walk;
    MeshRay ray;
    Visitor visitor;
    std::size_t ray_index;
    /// Of the leaf that the walk is at; its triangles that are yet to be looked at, of which the nearest is next.
    std::uint32_t first_slot;
    std::int32_t nearest;
    alignas(64) std::int32_t entries[kNodeWidth];
    float limits[kNodeWidth];

    BROADSIDE_FORCE_INLINE bool go_down(const MeshView& mesh) {
        return walk.go_down(mesh, [&](const float* node, float limit, std::int32_t* out_entries) {
            return test_node<Arch>(ray, node, limit, out_entries);
        });
    }
    /// False to end the walk.
    BROADSIDE_FORCE_INLINE bool look_at_leaf(const MeshView& mesh) {
        const std::uint32_t index = leaf_index(walk.child);
        first_slot = index * kNodeWidth;
        std::uint32_t sure_lanes;
        nearest = test_leaf<Arch, Visitor::kHasLimits>(ray, mesh.leaves[index], leaf_count(walk.child),
                                                       walk.limit, entries, limits, sure_lanes)
                      .nearest;
        return visitor.visit_sure(sure_lanes);
    }
    BROADSIDE_FORCE_INLINE bool has_triangles_left() const { return nearest <= last_entry(walk.limit); }
    /// False to end the walk.
    BROADSIDE_FORCE_INLINE bool look_at_triangle(const MeshView& mesh) {
        const std::uint32_t bits = static_cast<std::uint32_t>(nearest);
        const std::uint32_t lane = bits & nodes::kLaneBits;
        entries[lane] = kNoEntry;
        nearest = nearest_of<Arch>(entries);
        return visitor.visit(mesh, ray,
                             {first_slot + lane, __builtin_bit_cast(float, bits & ~nodes::kLaneBits),
                              Visitor::kHasLimits ? limits[lane] : -1.0f},
                             walk.limit);
    }
};

/// Walks by what they do next. One is dealt without a branch, for which way it goes cannot be foretold.
template <class Walk, std::uint32_t kCount>
struct DealtWalks {
    enum Step : std::uint32_t { kNode, kLeaf, kTriangle, kUp, kEnd, kStepCount };
    Walk* walks[kStepCount][kCount];
    std::uint32_t counts[kStepCount] = {};

    BROADSIDE_FORCE_INLINE void deal(Walk* walk, std::uint32_t step) { walks[step][counts[step]++] = walk; }
    /// Takes all that want a step; some of them may want it again.
    template <class Take>
    BROADSIDE_FORCE_INLINE void take_all(Step step, Take&& take) {
        const std::uint32_t count = counts[step];
        counts[step] = 0;
        for (std::uint32_t i = 0; i < count; ++i) take(walks[step][i]);
    }
    BROADSIDE_FORCE_INLINE bool is_any_left() const {
        return (counts[kNode] | counts[kLeaf] | counts[kTriangle] | counts[kUp]) != 0;
    }
};

/// Walks side by side: while one waits for its node, the others go on.
inline constexpr std::uint32_t kRayWalkCount = 24;

/// `finish(ray index, walk)` for every ray, in no particular order; `visitor` is what each begins with.
template <class Arch, std::uint32_t kWalkCount, class Visitor, class Finish>
BROADSIDE_FORCE_INLINE void walk_rays(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                                      const Visitor& visitor, Finish&& finish) {
    using Walk = RayWalk<Arch, Visitor>;
    using Dealt = DealtWalks<Walk, kWalkCount>;
    const MeshExtent extent(mesh.bounds);
    Walk walks[kWalkCount];
    Dealt dealt;
    std::size_t next_ray = 0;
    const auto down = [](const Walk& walk) { return walk.walk.is_at_leaf() ? Dealt::kLeaf : Dealt::kNode; };
    const auto up = [](const Walk& walk) { return walk.walk.has_ways_left() ? Dealt::kUp : Dealt::kEnd; };
    ReadyRays<Arch> ready;
    const auto begin_next = [&](Walk& walk) {
        if (next_ray == count) return;
        const auto lane = static_cast<std::uint32_t>(next_ray % ReadyRays<Arch>::kCount);
        if (lane == 0) make_ready<Arch>(rays + next_ray, count - next_ray, extent, ready);
        walk.ray_index = next_ray;
        walk.visitor = visitor;
        if ((ready.usual_lanes >> lane & 1u) != 0)
            begin_ready(walk.ray, ready, lane, rays[next_ray], sides);
        else
            begin(walk.ray, rays[next_ray], sides, extent);
        ++next_ray;
        walk.walk.begin(mesh, visitor.first_limit(walk.ray));
        dealt.deal(&walk, down(walk));
    };
    for (Walk& walk : walks) begin_next(walk);
    while (dealt.is_any_left()) {
        dealt.take_all(Dealt::kNode, [&](Walk* walk) {
            const bool is_on = walk->go_down(mesh);
            dealt.deal(walk, is_on ? down(*walk) : up(*walk));
        });
        dealt.take_all(Dealt::kLeaf, [&](Walk* walk) {
            const bool is_on = walk->look_at_leaf(mesh);
            dealt.deal(walk, !is_on                       ? Dealt::kEnd
                             : walk->has_triangles_left() ? Dealt::kTriangle
                                                          : up(*walk));
        });
        dealt.take_all(Dealt::kTriangle, [&](Walk* walk) {
            const bool is_on = walk->look_at_triangle(mesh);
            dealt.deal(walk, !is_on                       ? Dealt::kEnd
                             : walk->has_triangles_left() ? Dealt::kTriangle
                                                          : up(*walk));
        });
        dealt.take_all(Dealt::kUp, [&](Walk* walk) {
            const bool is_on = walk->walk.go_up(mesh);
            dealt.deal(walk, is_on ? down(*walk) : up(*walk));
        });
        dealt.take_all(Dealt::kEnd, [&](Walk* walk) {
            finish(walk->ray_index, *walk);
            begin_next(*walk);
        });
    }
}

/// What most visitors do.
struct RayVisitor {
    static constexpr bool kHasLimits = false;
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) { return ray.limit; }
    /// Is told of triangles of a leaf that are certainly hit, all of which it may be told of again.
    static BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t) { return true; }
};

struct ClosestVisitor : RayVisitor {
    static constexpr bool kHasLimits = true;
    std::uint32_t slot = kNoMeshSlot;
    /// The ray certainly hits it between these.
    float key = 0.0f;
    float limit = 0.0f;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, RayCandidate other,
                                      float& state_limit) {
        if (other.limit < 0.0f) {
            const TriangleVerdict verdict = judge_surely(ray.ray, mesh.triangle_at(other.slot));
            if (verdict.verdict != Verdict::hit) return true;
            other.key = walk_key(ray, verdict.t.min);
            other.limit = walk_limit(ray, verdict.t.max);
        }
        if (slot != kNoMeshSlot && other.limit >= key) {
            if (other.key > limit || !is_closer(mesh, ray.ray, other.slot, slot)) return true;
            other.limit = min_keep(other.limit, limit);
        }
        slot = other.slot;
        key = other.key;
        limit = other.limit;
        state_limit = limit;
        return true;
    }
};

template <class Arch>
void closest_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                    MeshHit* out_closest) {
    walk_rays<Arch, kRayWalkCount>(mesh, rays, count, sides, ClosestVisitor{},
                                   [&](std::size_t i, const RayWalk<Arch, ClosestVisitor>& walk) {
                                       const std::uint32_t slot = walk.visitor.slot;
                                       if (slot == kNoMeshSlot) {
                                           out_closest[i] = MeshHit{};
                                           return;
                                       }
                                       const RayTriangleHit hit =
                                           rounded_hit(walk.ray.ray, mesh.triangle_at(slot));
                                       out_closest[i] = {hit.t, hit.u, hit.v, mesh.index_at(slot)};
                                   });
}

struct AnyVisitor : RayVisitor {
    bool is_met = false;

    BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t lanes) {
        is_met = lanes != 0;
        return !is_met;
    }
    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, const RayCandidate& candidate,
                                      float&) {
        is_met = judge_surely(ray.ray, mesh.triangle_at(candidate.slot)).verdict == Verdict::hit;
        return !is_met;
    }
};
template <class Arch>
std::uint64_t any_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides) {
    std::uint64_t bits = 0;
    walk_rays<Arch, kRayWalkCount>(mesh, rays, count, sides, AnyVisitor{},
                                   [&](std::size_t i, const RayWalk<Arch, AnyVisitor>& walk) {
                                       bits |= std::uint64_t{walk.visitor.is_met ? 1u : 0u} << i;
                                   });
    return bits;
}

struct SlotVisitor : RayVisitor {
    SlotSink* sink;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, const RayCandidate& candidate,
                                      float&) {
        if (judge_surely(ray.ray, mesh.triangle_at(candidate.slot)).verdict != Verdict::hit) return true;
        return take(*sink, candidate.slot);
    }
};
template <class Arch>
void all_kernel(const MeshView& mesh, const Ray& ray, Sides sides, SlotSink& state_sink) {
    SlotVisitor visitor;
    visitor.sink = &state_sink;
    walk_rays<Arch, 1>(mesh, &ray, 1, sides, visitor, [](std::size_t, const RayWalk<Arch, SlotVisitor>&) {});
}

struct CrossingVisitor : RayVisitor {
    /// Without end, however short the direction.
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) {
        return ray.ray.t_max < 0.0f ? -1.0f : FLT_MAX;
    }

    std::uint32_t count = 0;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, const RayCandidate& candidate,
                                      float&) {
        const Triangle triangle = mesh.triangle_at(candidate.slot);
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
    std::uint32_t crossing_count = 0;
    walk_rays<Arch, 1>(mesh, &ray, 1, Sides::both, CrossingVisitor{},
                       [&](std::size_t, const RayWalk<Arch, CrossingVisitor>& walk) {
                           crossing_count = walk.visitor.count;
                       });
    return crossing_count;
}

}  // namespace broadside::narrowphase
