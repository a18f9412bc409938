// Visitors of the triangles that a ray may hit: the closest one, any, all, and crossings of the surface.
#pragma once

#include "narrowphase/src/mesh/judged_lanes.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/mesh_ray_lanes.hpp"

namespace broadside::narrowphase {

/// The defaults of visitors. `visit(mesh, ray, slot, limit)` is called for every triangle that the ray may hit;
/// it returns false to end the walk, and may lower the limit.
struct RayVisitor {
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) { return ray.limit; }
    /// For `any`, visit_sure gets the triangles of a leaf that are certainly hit; `visit` may get them again.
    static constexpr LeafQuestion kQuestion = LeafQuestion::all;
    static BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t) { return true; }
};

struct ClosestVisitor : RayVisitor {
    static constexpr LeafQuestion kQuestion = LeafQuestion::closest;
    std::uint32_t slot = kNoMeshSlot;
    /// Bounds of the time at which the ray certainly hits it.
    HitTime t = {};
    /// The result, if it is known.
    RoundedTriple rounded = {};

    /// Instead of `visit`: the triangle has been judged in a lane.
    template <class Arch>
    BROADSIDE_FORCE_INLINE void visit_judged(const MeshView& mesh, const TimedRay& ray, std::uint32_t other,
                                             const JudgedLanes<Arch>& judged, std::uint32_t lane,
                                             float& state_limit) {
        TriangleVerdict verdict = judged.verdict(ray.ray, mesh, other, lane);
        if (verdict.verdict == Verdict::miss) return;
        if (slot != kNoMeshSlot && verdict.t.max >= t.min) {
            if (verdict.t.min > t.max || !is_closer(mesh, ray.ray, other, slot)) return;
            verdict.t.max = min_keep(verdict.t.max, t.max);
        }
        slot = other;
        t = verdict.t;
        rounded = judged.rounded(lane);
        state_limit = walk_limit(ray, t.max);
    }
    BROADSIDE_FORCE_INLINE MeshHit result(const MeshView& mesh, const TriangleRay& ray) const {
        if (slot == kNoMeshSlot) return {};
        const std::uint32_t index = mesh.index_at(slot);
        if (rounded.is_known) return {rounded.t, rounded.u, rounded.v, index};
        const RayTriangleHit exact = rounded_hit(ray, mesh.triangle_at(slot));
        return {exact.t, exact.u, exact.v, index};
    }
};

struct AnyVisitor : RayVisitor {
    static constexpr LeafQuestion kQuestion = LeafQuestion::any;
    bool is_met = false;

    BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t lanes) {
        is_met = lanes != 0;
        return !is_met;
    }
    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot, float&) {
        is_met = judge_surely(ray.ray, mesh.triangle_at(slot)).verdict == Verdict::hit;
        return !is_met;
    }
};

struct SlotVisitor : RayVisitor {
    SlotSink* sink;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot,
                                      float& state_limit) {
        if (judge_surely(ray.ray, mesh.triangle_at(slot)).verdict != Verdict::hit) return true;
        if (!take(*sink, slot)) return false;
        // Of exact times, some beyond the limit are rounded to it.
        if (sink->t_max != nullptr)
            state_limit = min_keep(walk_limit(ray, static_cast<double>(next_up(*sink->t_max))), state_limit);
        return true;
    }
};

struct CrossingVisitor : RayVisitor {
    /// Unbounded, however short the direction.
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) {
        return ray.ray.t_max < 0.0f ? -1.0f : FLT_MAX;
    }

    std::uint32_t count = 0;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot, float&) {
        const Triangle triangle = mesh.triangle_at(slot);
        const EdgeFunctions edges = edge_functions(ray.ray, triangle);
        const double smallest = min_keep(min_keep(edges.of_a, edges.of_b), edges.of_c);
        const double largest = max_keep(max_keep(edges.of_a, edges.of_b), edges.of_c);
        const double error = edges.edge_error;
        if (smallest < -error && largest > error) return true;
        // t is positive if its numerator has the sign of the edge functions.
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

}  // namespace broadside::narrowphase
