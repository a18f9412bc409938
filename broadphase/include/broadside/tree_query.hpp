// What a question to a BoxTree is made of, and what it is answered with.
#pragma once

#include <broadside/capsule.hpp>
#include <broadside/convex_volume.hpp>
#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/impact.hpp>
#include <broadside/list_output.hpp>
#include <broadside/obb.hpp>
#include <broadside/query_list.hpp>
#include <broadside/ray_hit.hpp>
#include <broadside/sphere.hpp>
#include <broadside/visitor.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace BROADSIDE_API broadside {

/// Which boxes a query may find. Every rule that is left out lets all pass.
struct TreeFilter {
    /// One per box of the tree: the kinds that the box is of, as bits. Left out: all bits.
    std::span<const std::uint64_t> categories = {};
    /// One per query: the kinds that it looks for. A box is found when it has a category that the mask holds.
    /// Left out: all bits.
    std::span<const std::uint64_t> masks = {};
    /// Asked of a box that passes the rest and is met, before it counts; the search for the closest goes on when it
    /// says no. Must answer the same whenever it is asked the same; in which order and how often it is asked is not
    /// defined. With a runner it is called on its threads, several at once. No exception may leave it; see Visitor.
    bool (*accepts)(void* user, std::uint32_t query_index, std::uint32_t box_index) noexcept = nullptr;
    void* user = nullptr;

    bool is_empty() const noexcept { return categories.empty() && masks.empty() && accepts == nullptr; }
};

/// How a question to a BoxTree is asked.
struct TreeQuerySettings {
    /// Default none. Spans of a wrong length answer invalid_argument.
    TreeFilter filter = {};
    /// Default null: the caller's thread does everything. Queries are shared out in runs; no answer depends
    /// on it.
    const TaskRunner* runner = nullptr;
    /// Default canonical: ascending by query, then by box. by_algorithm leaves the boxes of a query in an
    /// order that is a function of the tree. Only for queries that give lists.
    PairOrder order = PairOrder::canonical;
};

/// A box that moves through the tree, which rests.
struct BoxCast {
    Aabb box = {};
    /// How far it moves in the step.
    Vec3 displacement = {};
    /// The part of the step that counts: impacts after it are not found. From 0, where only what is met at
    /// the start is found, to 1, the default; more counts as 1, NaN or less than 0 finds nothing.
    float t_max = 1.0f;
};

/// A sphere that moves through the tree.
struct SphereCast {
    Sphere sphere = {};
    /// How far it moves in the step.
    Vec3 displacement = {};
    /// See BoxCast.
    float t_max = 1.0f;
};

/// A capsule that moves through the tree without turning.
struct CapsuleCast {
    Capsule capsule = {};
    /// How far it moves in the step.
    Vec3 displacement = {};
    /// See BoxCast.
    float t_max = 1.0f;
};

/// The direction in which the box pushes the sphere that meets it at `t`: the unit vector from the nearest
/// point of the box to the sphere's center at that time, or to the nearest point of the capsule's segment.
/// Zero when that is inside the box then, and for invalid input.
Vec3 contact_normal(const SphereCast& cast, const Aabb& box, float t) noexcept;
Vec3 contact_normal(const CapsuleCast& cast, const Aabb& box, float t) noexcept;

/// Shapes that may overlap boxes: one, or many of a kind.
using OverlapQueries = QueryList<Aabb, Vec3, Sphere, Obb, Capsule, ConvexVolume>;
/// One of them.
struct OverlapQuery : OverlapQueries {
    /// Made implicitly of a shape.
    template <class Shape>
    requires OverlapQueries::kIsQuery<Shape> OverlapQuery(const Shape& shape)
    noexcept : OverlapQueries(shape) {}
};

/// Rays, or boxes, spheres or capsules that move, that may hit boxes: one, or many of a kind, and the rule for
/// that kind.
struct HitQueries : QueryList<Ray, BoxCast, SphereCast, CapsuleCast> {
    /// Made implicitly of a query or a range; rays and boxes with their rule, too.
    using QueryList::QueryList;
    /// Rays, and what counts as a hit.
    template <class Rays>
    requires std::convertible_to<const Rays&, QueryList<Ray>> HitQueries(const Rays& rays,
                                                                         const RaySettings& settings)
    noexcept : QueryList(rays), ray_settings(settings) {}
    /// Moving boxes, and whether touching counts.
    template <class Casts>
    requires std::convertible_to<const Casts&, QueryList<BoxCast>> HitQueries(const Casts& casts,
                                                                              /// Of moving boxes.
                                                                              Touch touch_in)
    noexcept : QueryList(casts), touch(touch_in) {}

    /// Of rays.
    RaySettings ray_settings = {};
    Touch touch = Touch::closed;
};
/// One of them.
struct HitQuery : HitQueries {
    /// Made implicitly of a query.
    template <class One>
    requires HitQueries::kIsQuery<One> HitQuery(const One& query)
    noexcept : HitQueries(query) {}
    /// A ray, and what counts as a hit.
    HitQuery(const Ray& ray, const RaySettings& settings) noexcept : HitQueries(ray, settings) {}
    /// A moving box, and whether touching counts.
    HitQuery(const BoxCast& cast, Touch touch_in) noexcept : HitQueries(cast, touch_in) {}
};

/// Points or boxes that boxes may be near: one, or many of a kind. A point is a box whose corners are the same.
using NearQueries = QueryList<Vec3, Aabb>;
/// One of them.
struct NearQuery : NearQueries {
    /// Made implicitly of a point or box.
    template <class One>
    requires NearQueries::kIsQuery<One> NearQuery(const One& query)
    noexcept : NearQueries(query) {}
};

/// A query and a box that it meets in the course of time.
struct TreeHit {
    std::uint32_t query;
    std::uint32_t box;
    /// A ray's t, or a cast's time of impact.
    float t;
    /// The face of the box through which it is met; see RayBoxHit and Impact. Of a sphere or capsule the
    /// face that it meets away from the face's edges; none at an edge, at a corner and where it overlaps from the start.
    Face face;

    friend constexpr bool operator==(const TreeHit&, const TreeHit&) = default;
};

/// Take what one question finds; see Visitor. Of an overlap the item is the index of the box, and of a hit
/// the query is 0.
using HitVisitor = Visitor<TreeHit, float>;
using OverlapVisitor = Visitor<std::uint32_t, bool>;
/// Takes pairs as they are found; see Visitor.
using PairVisitor = Visitor<IndexPair, bool>;

/// Two boxes that are near each other.
struct [[nodiscard]] ClosePair {
    /// The smallest float that is no less than the distance of the two closed boxes: 0 exactly where they overlap,
    /// infinity where it is above FLT_MAX and where there is no pair. As a largest distance it leaves the pair in.
    float distance = std::numeric_limits<float>::infinity();
    /// kNoBox twice where there is no such pair, and only there.
    IndexPair pair = {kNoBox, kNoBox};

    friend constexpr bool operator==(const ClosePair&, const ClosePair&) = default;
};
/// Takes close pairs as they are found and answers with the largest distance that is still of interest, in the unit of
/// ClosePair::distance; a negative one ends the search. See Visitor.
using ClosePairVisitor = Visitor<ClosePair, float>;

/// Where lists of hits go.
using TreeHitOutput = ListOutput<TreeHit>;

/// How many boxes near a point or box, and how near.
struct ClosestBoxSettings {
    /// How many boxes at most; each query has so many places in the output. Default one.
    std::uint32_t count = 1;
    /// Boxes further away are not found: the distance from the query, as its floats say, to the nearest point
    /// of the box, compared exactly and closed, at every scale. Default infinity: no limit. NaN or negative
    /// finds nothing.
    float max_distance = std::numeric_limits<float>::infinity();
};

/// A box near a point or box.
struct [[nodiscard]] ClosestBox {
    /// Squared distance of the query to the box: 0 where they overlap, at most FLT_MAX. In double precision, then
    /// rounded; what is found, and in which order, rests on the distance itself, not on this.
    float distance_sq = kNoIntersection;
    /// kNoBox where there is no such box, and only there; kNoIntersection is then the distance.
    std::uint32_t box_index = kNoBox;

    friend constexpr bool operator==(const ClosestBox&, const ClosestBox&) = default;
};

/// How BoxTree::find_pairs answers.
struct TreePairSettings {
    /// Default canonical, ascending by first, then by second. by_algorithm is a function of the trees.
    PairOrder order = PairOrder::canonical;
    /// Default null: the caller's thread does everything.
    const TaskRunner* runner = nullptr;
    /// Default none. Which boxes of the tree may pair.
    BoxFilter filter = {};
    /// The same for the other tree; ignored where there is one.
    BoxFilter filter_b = {};
};

/// Which pairs BoxTree::closest_pair and visit_close_pairs look for.
struct ClosePairSettings {
    /// Pairs further apart are not found: the distance of the closed boxes, compared exactly, at every scale. Default
    /// infinity: no limit. NaN or negative finds nothing.
    float max_distance = std::numeric_limits<float>::infinity();
    /// Boxes of the tree that may pair. Default: all.
    BoxFilter filter = {};
    /// Boxes of the other tree that may. A question of one tree ignores it.
    BoxFilter filter_b = {};
};

/// Grow-only memory for queries that give lists, kept by the caller between calls; it holds no state, so a
/// used scratch answers like a new one. Movable, not copyable. Not for two calls at once. With a runner its
/// allocator is called from the runner's threads.
///
/// The arrays are named for the sources of the library; to a caller they mean nothing, and they may change
/// with any version.
struct TreeScratch {
    /// Runs of queries that can be worked on at once.
    static constexpr std::size_t kTaskCount = 16;

    explicit TreeScratch(const Allocator& allocator = default_allocator()) noexcept
        : TreeScratch(allocator, std::make_index_sequence<kTaskCount>{}) {}

    std::size_t capacity_bytes() const noexcept {
        std::size_t bytes = 0;
        for_each_array(*this, [&](const auto& array) { bytes += array.capacity_bytes(); });
        return bytes;
    }
    /// Gives all memory back.
    void release() noexcept {
        for_each_array(*this, [](auto& array) { array.release(); });
    }

    /// What one of the caller's threads works in.
    struct Task {
        /// What the walk of one query found, in slots.
        AlignedArray<std::uint64_t> found;
        /// What the queries of a run found, one after the other.
        PairBuffer pairs;
        /// As `pairs`, of hits.
        AlignedArray<TreeHit> hits;
        Status status = Status::ok;
    };
    /// One each.
    Task tasks[kTaskCount];
    /// The pairs of whole trees before they are put in order, and what orders them.
    PairBuffer collected;
    /// See `collected`.
    AlignedArray<std::byte> order;

private:
    template <std::size_t... kIndex>
    TreeScratch(const Allocator& allocator, std::index_sequence<kIndex...>) noexcept
        : tasks{(static_cast<void>(kIndex),
                 Task{AlignedArray<std::uint64_t>(allocator), PairBuffer(allocator),
                      AlignedArray<TreeHit>(allocator)})...},
          collected(allocator),
          order(allocator) {}

    template <class Scratch, class Visit>
    static void for_each_array(Scratch& scratch, Visit&& visit) noexcept {
        for (auto& task : scratch.tasks) {
            visit(task.found);
            visit(task.pairs);
            visit(task.hits);
        }
        visit(scratch.collected);
        visit(scratch.order);
    }
};

}  // namespace broadside
