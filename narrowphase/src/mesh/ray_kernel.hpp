// Rays down the tree of a mesh.
#pragma once

#include "narrowphase/src/mesh/judged_lanes.hpp"
#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/ray_lanes.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"

namespace broadside::narrowphase {

/// Rays that follow each other: each begins when the one before has ended. The leaf in which that one was hit
/// is kept, because neighbouring rays often hit the same leaf.
template <class Arch>
struct RayRun {
    ReadyRays<Arch> ready;
    std::size_t next = 0;
    std::size_t end = 0;
    /// kNoChild if it was not hit.
    std::uint32_t last_leaf = kNoChild;
    /// Not negative if it is worth testing the last leaf first: a leaf costs a fifth of a walk.
    std::int32_t score = 0;
    bool has_asked_last_leaf = false;

    BROADSIDE_FORCE_INLINE bool ask_last_leaf() {
        has_asked_last_leaf = last_leaf != kNoChild && score >= 0;
        return has_asked_last_leaf;
    }
    /// `leaf` is the leaf in which the ray was hit, else kNoChild.
    BROADSIDE_FORCE_INLINE void end_ray(std::uint32_t leaf) {
        const bool is_same = leaf == last_leaf && leaf != kNoChild;
        if (has_asked_last_leaf)
            score = is_same ? (score < kMaxScore ? score + 1 : kMaxScore) : score - 1;
        else if (is_same)
            score = 0;
        last_leaf = leaf;
    }

private:
    /// One less than the misses in a row that are tolerated.
    static constexpr std::int32_t kMaxScore = 2;
};

/// One ray under way. `visitor.visit(mesh, ray, slot)` is called for every triangle that the ray may hit; it
/// returns false to end the walk. Visitors that judge in lanes get the verdict, and may lower the limit.
template <class Arch, class Visitor>
struct RayWalk {
    MeshWalk<Arch> walk;
    MeshRay ray;
    Visitor visitor;
    RayRun<Arch>* run;
    std::size_t ray_index;
    /// The first slot of the current leaf, and its triangles that are still to be tested.
    std::uint32_t first_slot;
    std::uint32_t triangle_lanes;

    BROADSIDE_FORCE_INLINE bool go_down(const MeshView& mesh) {
        return walk.go_down(mesh, [&](const float* node, float limit, std::int32_t* out_entries) {
            return test_node<Arch>(ray, node, limit, out_entries);
        });
    }
    /// Returns false to end the walk.
    BROADSIDE_FORCE_INLINE bool look_at_leaf(const MeshView& mesh) {
        const std::uint32_t index = leaf_index(walk.child);
        first_slot = index * kNodeWidth;
        std::uint32_t sure_lanes;
        triangle_lanes = test_leaf<Arch, Visitor::kQuestion>(ray, mesh.leaves[index], leaf_count(walk.child),
                                                             walk.limit, sure_lanes);
        return visitor.visit_sure(sure_lanes);
    }
    BROADSIDE_FORCE_INLINE bool has_triangles_left() const { return triangle_lanes != 0; }
    BROADSIDE_FORCE_INLINE std::uint32_t next_slot() {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(triangle_lanes));
        triangle_lanes &= triangle_lanes - 1;
        return first_slot + lane;
    }
};

/// Walks grouped by their next step, which cannot be predicted: a walk is dealt without a branch.
template <class Walk, std::uint32_t kCount>
struct DealtWalks {
    enum Step : std::uint32_t { kNode, kLeaf, kTriangle, kUp, kEnd, kStepCount };
    Walk* walks[kStepCount][kCount];
    std::uint32_t counts[kStepCount] = {};

    BROADSIDE_FORCE_INLINE void deal(Walk* walk, std::uint32_t step) { walks[step][counts[step]++] = walk; }
    /// Takes all walks that need a step; some of them may need it again.
    template <class Take>
    BROADSIDE_FORCE_INLINE void take_all(Step step, Take&& take) {
        const std::uint32_t count = counts[step];
        counts[step] = 0;
        for (std::uint32_t i = 0; i < count; ++i) take(walks[step][i]);
    }
    BROADSIDE_FORCE_INLINE bool is_any_left() const {
        return (counts[kNode] | counts[kLeaf] | counts[kTriangle] | counts[kUp]) != 0;
    }
    /// Takes walks that need a triangle tested, `kLanes` at a time; fewer only if all others wait too.
    template <std::uint32_t kLanes, class Take>
    BROADSIDE_FORCE_INLINE void take_triangle_lanes(Take&& take) {
        const std::uint32_t count = counts[kTriangle];
        const bool is_last = (counts[kNode] | counts[kLeaf] | counts[kUp] | counts[kEnd]) == 0;
        if (count < kLanes && !is_last) return;
        counts[kTriangle] = 0;
        std::uint32_t i = 0;
        for (; count - i >= kLanes; i += kLanes) take(walks[kTriangle] + i, kLanes);
        if (is_last && i < count) {
            take(walks[kTriangle] + i, count - i);
            i = count;
        }
        for (; i < count; ++i) deal(walks[kTriangle][i], kTriangle);
    }
};

/// Number of walks side by side: while one waits for its node, the others go on. Each takes two kilobytes of
/// stack, and half as much again if it has a run of its own.
inline constexpr std::uint32_t kRayWalkCount = 24;
inline constexpr std::uint32_t kRayWalkCountOfRuns = 16;

/// Rays of a run if there are several runs. With more, fewer rays begin without a last leaf, but the last
/// runs are waited for longer. A multiple of the rays that are made ready at once.
inline constexpr std::size_t kRayRunLength = 16;

/// Calls `finish(ray index, walk)` for every ray, unordered; each walk begins with `visitor`.
template <class Arch, std::uint32_t kWalkCount, class Visitor, class Finish>
BROADSIDE_FORCE_INLINE void walk_rays(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                                      const Visitor& visitor, Finish&& finish) {
    using Walk = RayWalk<Arch, Visitor>;
    using Dealt = DealtWalks<Walk, kWalkCount>;
    // Walks that test last leaves have runs of their own, the others share one.
    constexpr bool kHasOwnRuns = Visitor::kAsksLastLeaf && kWalkCount > 1;
    constexpr auto kReadyCount = ReadyRays<Arch>::kCount;
    static_assert(kRayRunLength % kReadyCount == 0);
    const MeshExtent extent(mesh.bounds);
    Walk walks[kWalkCount];
    RayRun<Arch> runs[kHasOwnRuns ? kWalkCount : 1];
    using Judged = typename Visitor::template Judged<Arch>;
    Judged judged;
    Dealt dealt;
    std::size_t next_ray = 0;
    const auto down = [](const Walk& walk) { return walk.walk.is_at_leaf() ? Dealt::kLeaf : Dealt::kNode; };
    const auto up = [](const Walk& walk) { return walk.walk.has_ways_left() ? Dealt::kUp : Dealt::kEnd; };
    // Returns false if there is no ray left for the walk.
    const auto begin_next = [&](Walk& walk) {
        RayRun<Arch>& run = *walk.run;
        if (run.next == run.end) {
            if (next_ray == count) return false;
            const std::size_t length = kHasOwnRuns ? kRayRunLength : count;
            run.next = next_ray;
            run.end = length < count - next_ray ? next_ray + length : count;
            run.last_leaf = kNoChild;
            next_ray = run.end;
        }
        const auto lane = static_cast<std::uint32_t>(run.next % kReadyCount);
        if (lane == 0) make_ready<Arch>(rays + run.next, run.end - run.next, extent, run.ready);
        walk.ray_index = run.next;
        walk.visitor = visitor;
        if ((run.ready.usual_lanes >> lane & 1u) != 0)
            begin_ready(walk.ray, run.ready, lane, rays[run.next], sides);
        else
            begin(walk.ray, rays[run.next], sides, extent);
        ++run.next;
        const float limit = visitor.first_limit(walk.ray);
        if (kHasOwnRuns && run.ask_last_leaf())
            walk.walk.begin_at(mesh, run.last_leaf, limit);
        else
            walk.walk.begin(mesh, limit);
        dealt.deal(&walk, down(walk));
        return true;
    };
    for (std::uint32_t i = 0; i < kWalkCount; ++i) {
        walks[i].run = runs + (kHasOwnRuns ? i : 0u);
        if (!begin_next(walks[i])) break;
    }
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
        const auto after_triangle = [&](Walk& walk) {
            return walk.has_triangles_left() ? Dealt::kTriangle : up(walk);
        };
        if constexpr (Visitor::kJudgesInLanes) {
            dealt.template take_triangle_lanes<Judged::kLanes>([&](Walk** asked, std::uint32_t lane_count) {
                Walk* lanes[Judged::kLanes];
                std::uint32_t slots[Judged::kLanes];
                for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
                    lanes[lane] = asked[lane];
                    slots[lane] = lanes[lane]->next_slot();
                    judged.set(lane, lanes[lane]->ray.ray, mesh, slots[lane]);
                }
                judged.judge(sides);
                for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
                    Walk& walk = *lanes[lane];
                    walk.visitor.visit_judged(mesh, walk.ray, slots[lane], judged, lane, walk.walk.limit);
                    dealt.deal(&walk, after_triangle(walk));
                }
            });
        } else {
            dealt.take_all(Dealt::kTriangle, [&](Walk* walk) {
                const bool is_on = walk->visitor.visit(mesh, walk->ray, walk->next_slot());
                dealt.deal(walk, is_on ? after_triangle(*walk) : Dealt::kEnd);
            });
        }
        dealt.take_all(Dealt::kUp, [&](Walk* walk) {
            const bool is_on = walk->walk.go_up(mesh);
            dealt.deal(walk, is_on ? down(*walk) : up(*walk));
        });
        dealt.take_all(Dealt::kEnd, [&](Walk* walk) {
            finish(walk->ray_index, *walk);
            if constexpr (kHasOwnRuns) walk->run->end_ray(walk->visitor.is_met ? walk->walk.child : kNoChild);
            (void)begin_next(*walk);
        });
    }
}

/// The defaults of visitors.
struct RayVisitor {
    /// True for a visitor that accepts any triangle, has an `is_met` and ends the walk there: each ray first
    /// tests the leaf in which the ray before was hit.
    static constexpr bool kAsksLastLeaf = false;
    static constexpr bool kJudgesInLanes = false;
    template <class Arch>
    using Judged = NoJudgedLanes;
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) { return ray.limit; }
    /// For `any`, visit_sure gets the triangles of a leaf that are certainly hit; `visit` may get them again.
    static constexpr LeafQuestion kQuestion = LeafQuestion::all;
    static BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t) { return true; }
};

struct ClosestVisitor : RayVisitor {
    static constexpr LeafQuestion kQuestion = LeafQuestion::closest;
    static constexpr bool kJudgesInLanes = true;
    template <class Arch>
    using Judged = JudgedLanes<Arch>;
    std::uint32_t slot = kNoMeshSlot;
    /// Bounds of the time at which the ray certainly hits it.
    HitTime t = {};
    /// The result, if it is known.
    RoundedTriple rounded = {};

    template <class Arch>
    BROADSIDE_FORCE_INLINE void visit_judged(const MeshView& mesh, const MeshRay& ray, std::uint32_t other,
                                             const JudgedLanes<Arch>& judged, std::uint32_t lane,
                                             float& state_limit) {
        TriangleVerdict verdict = judged.verdict(lane);
        if (verdict.verdict == Verdict::unsure) verdict = judge_exactly(ray.ray, mesh.triangle_at(other));
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
};

struct AnyVisitor : RayVisitor {
    static constexpr bool kAsksLastLeaf = true;
    static constexpr LeafQuestion kQuestion = LeafQuestion::any;
    bool is_met = false;

    BROADSIDE_FORCE_INLINE bool visit_sure(std::uint32_t lanes) {
        is_met = lanes != 0;
        return !is_met;
    }
    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot) {
        is_met = judge_surely(ray.ray, mesh.triangle_at(slot)).verdict == Verdict::hit;
        return !is_met;
    }
};
template <class Arch>
void any_kernel(const MeshView& mesh, const Ray* rays, std::size_t count, Sides sides,
                std::uint64_t* out_bits) {
    for (std::size_t i = 0; i < count; i += 64) out_bits[i / 64] = 0;
    walk_rays<Arch, kRayWalkCountOfRuns>(
        mesh, rays, count, sides, AnyVisitor{}, [&](std::size_t i, const RayWalk<Arch, AnyVisitor>& walk) {
            out_bits[i / 64] |= std::uint64_t{walk.visitor.is_met ? 1u : 0u} << (i % 64);
        });
}

struct SlotVisitor : RayVisitor {
    SlotSink* sink;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot) {
        if (judge_surely(ray.ray, mesh.triangle_at(slot)).verdict != Verdict::hit) return true;
        return take(*sink, slot);
    }
};
template <class Arch>
void all_kernel(const MeshView& mesh, const Ray& ray, Sides sides, SlotSink& state_sink) {
    SlotVisitor visitor;
    visitor.sink = &state_sink;
    walk_rays<Arch, 1>(mesh, &ray, 1, sides, visitor, [](std::size_t, const RayWalk<Arch, SlotVisitor>&) {});
}

struct CrossingVisitor : RayVisitor {
    /// Unbounded, however short the direction.
    static BROADSIDE_FORCE_INLINE float first_limit(const MeshRay& ray) {
        return ray.ray.t_max < 0.0f ? -1.0f : FLT_MAX;
    }

    std::uint32_t count = 0;

    BROADSIDE_FORCE_INLINE bool visit(const MeshView& mesh, const MeshRay& ray, std::uint32_t slot) {
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
