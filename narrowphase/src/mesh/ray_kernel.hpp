// Many rays down the tree of a mesh, by turns.
#pragma once

#include "narrowphase/src/mesh/one_ray_kernel.hpp"

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

/// One ray under way.
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
    constexpr bool kIsClosest = Visitor::kQuestion == LeafQuestion::closest;
    // Walks that any triangle ends begin at the leaf in which the ray before was hit, and so have runs of their
    // own. The others share one.
    constexpr bool kHasOwnRuns = !kIsClosest;
    constexpr auto kReadyCount = ReadyRays<Arch>::kCount;
    static_assert(kRayRunLength % kReadyCount == 0);
    const MeshExtent extent(mesh.bounds);
    Walk walks[kWalkCount];
    RayRun<Arch> runs[kHasOwnRuns ? kWalkCount : 1];
    using Judged = GatheredLanes<Arch>;
    [[maybe_unused]] Judged judged;
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
        if (lane == 0) make_ready(rays + run.next, run.end - run.next, extent, run.ready);
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
        if constexpr (kIsClosest) {
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
                const bool is_on = walk->visitor.visit(mesh, walk->ray, walk->next_slot(), walk->walk.limit);
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

}  // namespace broadside::narrowphase
