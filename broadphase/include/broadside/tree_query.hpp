// Inputs, settings and results of the queries of a BoxTree.
#pragma once

#include <broadside/cast.hpp>
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

namespace BROADSIDE_API broadside {

/// Rules for the boxes that a query of a BoxTree may find, and how it runs. A rule that is left out lets all
/// pass. Spans of a wrong length are an invalid_argument.
struct TreeQuerySettings {
    /// One per box of the tree: the kinds of the box, as bits. Left out: all bits.
    std::span<const std::uint64_t> categories = {};
    /// One per query: the kinds that it looks for. A box is found if it has any of them. Left out: all bits.
    std::span<const std::uint64_t> masks = {};
    /// Called for a box that passes the other rules and is met, before it counts; if it returns false, a
    /// search for the closest goes on. It must always return the same for the same arguments; the order and
    /// number of its calls are not defined. With a runner it is called on the runner's threads, several at
    /// once. No exception may leave it; see Visitor.
    bool (*accepts)(void* user, std::uint32_t query_index, std::uint32_t box_index) noexcept = nullptr;
    void* user = nullptr;
    /// Default null: the caller's thread does everything. Queries are shared in runs; no result changes.
    const TaskRunner* runner = nullptr;
    /// Default canonical: ascending by query, then by box. by_algorithm leaves the boxes of a query in an
    /// order that is a function of the tree. Only for queries that return lists, and for visit_hits: visitors
    /// then get hits in that order instead of near before far, which costs less if they want all.
    PairOrder order = PairOrder::canonical;

    /// True if there is no rule.
    bool finds_all() const noexcept { return categories.empty() && masks.empty() && accepts == nullptr; }
};

/// The direction in which the box pushes the sphere that meets it at `t`: the unit vector from the nearest
/// point of the box to the sphere's center at that time, or to the nearest point of the capsule's segment.
/// Zero if that is inside the box then, and for invalid input.
Vec3 contact_normal(const SphereCast& cast, const Aabb& box, float t) noexcept;
Vec3 contact_normal(const CapsuleCast& cast, const Aabb& box, float t) noexcept;

/// Shapes that may overlap boxes: one, or many of a kind.
using OverlapQueries = QueryList<Aabb, Vec3, Sphere, Obb, Capsule, ConvexVolume>;
/// One shape.
using OverlapQuery = SingleQuery<OverlapQueries>;

/// Rays or moving boxes, spheres or capsules that may hit boxes: one, or many of a kind, and the kind's rule.
struct HitQueries : QueryList<Ray, BoxCast, SphereCast, CapsuleCast> {
    /// Converts implicitly from a query or a range. Rays and boxes may come with their rule, see below.
    using QueryList::QueryList;
    /// Rays, and what counts as a hit.
    template <class Rays>
    requires std::convertible_to<const Rays&, QueryList<Ray>> HitQueries(const Rays& rays,
                                                                         const RaySettings& settings)
    noexcept : QueryList(rays), ray_settings(settings) {}
    /// Moving boxes, and whether touching counts.
    template <class Casts>
    requires std::convertible_to<const Casts&, QueryList<BoxCast>> HitQueries(const Casts& casts,
                                                                              /// For moving boxes.
                                                                              Touch touch_in)
    noexcept : QueryList(casts), touch(touch_in) {}

    /// For rays.
    RaySettings ray_settings = {};
    Touch touch = Touch::closed;
};
/// One ray or moving shape.
using HitQuery = SingleQuery<HitQueries>;

/// Points or boxes that boxes may be near: one, or many of a kind. A point is a box with equal corners.
using NearQueries = QueryList<Vec3, Aabb>;
/// One point or box.
using NearQuery = SingleQuery<NearQueries>;

/// Visitors of what one query finds; see Visitor. The item of an overlap is the box's index.
using HitVisitor = Visitor<TreeHit, float>;
using OverlapVisitor = Visitor<std::uint32_t, bool>;
/// Takes pairs one by one; see Visitor.
using PairVisitor = Visitor<IndexPair, bool>;

/// Two boxes that are near each other.
using ClosePair = Close<IndexPair>;
/// Takes close pairs one by one and returns the largest distance that is still of interest, in the unit of
/// ClosePair::distance; a negative one ends the search. See Visitor.
using ClosePairVisitor = Visitor<ClosePair, float>;

/// The output for a list of hits.
using TreeHitOutput = ListOutput<Listed<TreeHit>>;

/// The number of boxes to find near a point or box, and how near.
struct ClosestBoxSettings {
    /// Maximum number of boxes; each query has this many slots in the output. Default one.
    std::uint32_t count = 1;
    /// Boxes further away are not found: the distance from the query, as its floats say, to the nearest point
    /// of the box, compared exactly and closed, at every scale. Default infinity: no limit. NaN or negative
    /// finds nothing.
    float max_distance = std::numeric_limits<float>::infinity();
};

/// A box near a point or box.
using ClosestBox = Closest<std::uint32_t>;

}  // namespace broadside
