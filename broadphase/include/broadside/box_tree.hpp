// A tree over boxes for spatial queries, one at a time and in batches. The settings and results of the
// queries are in tree_query.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/tree_query.hpp>

// For the sources of the library; a shared library does not export them.
namespace broadside::broadphase {
class TreeData;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

/// A wide bounding-volume hierarchy. It keeps a copy of the boxes and names a box by its index in the view
/// that it was built from. Invalid boxes (see `is_valid`) are in no result; they are counted, and join when a
/// later refit finds them valid. The world has no bounds: infinite boxes, a single far box, or all boxes at
/// one point are ordinary, and the depth is at most 9 for any input.
///
/// Results are the same bits for every ISA, worker count and history of refits, alone or in a batch. Queries
/// are const and may run on several threads at once, each with its own scratch if it takes one.
class BoxTree {
public:
    explicit BoxTree(const Allocator& allocator = default_allocator()) noexcept : allocator_(allocator) {}
    BoxTree(BoxTree&& other) noexcept;
    BoxTree& operator=(BoxTree&& other) noexcept;
    ~BoxTree();

    // Building. The view is needed during the call only.

    /// Sorts the boxes into a new tree, a function of the boxes alone. Returns ok; invalid_argument for an
    /// unreadable view, more than kMaxBoxCount boxes or a runner without a function; out_of_memory;
    /// unsupported_isa. Under any status but ok the tree is as before. The allocator is called from the
    /// calling thread only, and not at all if as many boxes were built before. 110 to 140 bytes a box
    /// of some thousands. O(n log n).
    Status build(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Builds from some of the boxes, those whose bit is set: bit i % 64 of word i / 64, a word for each 64
    /// boxes and the rest (else invalid_argument). The others are never found. Indices, `box_count` and the
    /// filters of queries stay those of the whole view. Otherwise as above.
    Status build_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                        const TaskRunner* runner = nullptr) noexcept;

    /// Replaces the boxes in the existing tree. Results stay exact, but queries get slower the further boxes
    /// have moved from their neighbours; see `growth`. The view must have as many boxes as the tree (else
    /// invalid_argument). O(n) at the speed of memory.
    Status refit(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Refits, or builds if the number of boxes differs. Leaves grow as boxes leave their neighbours. Before
    /// they have grown much, a new tree is made, a part in each call, and then replaces the old one. If
    /// leaves have grown by kMaxGrowth before that, it is built in one call, if there is memory for it. Free
    /// motion thus never slows queries for good. As `build` otherwise.
    Status update(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Sets one box: moves a member, or adds the box of any other index, so that `box_count` is at least
    /// box_index + 1 afterwards. An invalid box is in no result until it is set again. A box that has left
    /// the others of its leaf moves to a leaf near it. When changes have degraded the tree, a new one is
    /// made, a part in each call of set_box and remove_box, and then replaces the old one: queries stay
    /// nearly as fast as after a build, and no call takes long. That needs some 350 bytes a box more, once;
    /// without them the tree stays as it is. Returns ok; invalid_argument for an index of kMaxBoxCount or
    /// more; out_of_memory or unsupported_isa, and results are as before. O(log n): refits the leaf and the
    /// nodes above it that change.
    Status set_box(std::uint32_t box_index, const Aabb& box) noexcept;

    /// Removes one box until it is set again; box_count stays. invalid_argument for a non-member. O(log n).
    Status remove_box(std::uint32_t box_index) noexcept;

    /// The factor, on average, by which leaves were larger at the last refit than when built; 1 right after
    /// building. A leaf counts as 8 at most, so that a few teleported boxes do not force a rebuild.
    float growth() const noexcept;
    /// The growth at which `update` builds in one call.
    static constexpr float kMaxGrowth = 1.5f;

    /// Boxes of the view, and how many of them are in the tree.
    std::size_t box_count() const noexcept;
    std::size_t member_count() const noexcept;
    InvalidBoxes invalid_boxes() const noexcept;
    /// The box around all valid boxes; Aabb::empty() if there are none.
    Aabb bounds() const noexcept;
    /// The box as the tree stores it, with -0 made +0; Aabb::empty() for an invalid box or a non-member.
    Aabb box(std::uint32_t box_index) const noexcept;
    std::size_t capacity_bytes() const noexcept;
    void clear() noexcept;

    // Queries. Each function takes one query or many of a kind, see OverlapQueries and HitQueries, and
    // settings for all of them. Arguments are checked before an output is touched: invalid_argument for
    // filters and settings that contradict their documentation, capacity_exceeded for a fixed output that is
    // too short. An invalid shape, ray, cast or point finds nothing. World has the same queries.

    // Boxes that a shape overlaps.
    // - A box: `overlap(query, box)`. A point: `contains(box, point)`, for finite points.
    // - A sphere: exactly `overlap(sphere, box)`: closed, and decided as if without any rounding.
    // - A capsule: exactly `overlap(capsule, box)`, likewise.
    // - An oriented box: closed; the body that its numbers describe, with axes that are orthonormal or nearly
    //   so. Decided by separating axes, right to 2^-45 of the distances.
    // - A volume, for example a frustum: exactly `overlap(volume, box)`, likewise.

    /// Lists all overlaps: pairs of the query and the box.
    WriteResult find_overlaps(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                              BoxScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Tests whether each query overlaps any box: bit i % 64 of word i / 64, zeros past the last query.
    BatchResult any_overlap(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    /// Finds, for each motion of a body, the first of its shapes that overlaps a box. shapes_per_state
    /// consecutive shapes are the body in one state. Consecutive states are a motion, and all motions have
    /// equally many (else invalid_argument). out_first has one element per motion and receives the index of
    /// the shape within the motion, which divided by shapes_per_state is the state; or the number of shapes
    /// of a motion if none overlaps. The results are those of any_overlap, at a fraction of the cost if
    /// consecutive states are close to each other. With one state per motion, every state is tested. A runner
    /// shares out motions.
    BatchResult first_overlaps(const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                               const TreeQuerySettings& settings,
                               std::span<std::uint32_t> out_first) const noexcept;

    // Boxes that a query hits in the course of time.
    // - A ray: exactly `ray_box`, in t, face and settings.
    // - A moving box: exactly `first_impact` with the tree's box as the stationary one. The t of a result is
    //   the time of impact as a fraction of the step, the face that of the tree's box.
    // - A moving sphere: closed, decided in double precision, and at 0 exactly if the sphere overlaps the
    //   box. The t is the time of impact; contact_normal makes a vector of it.
    // - A moving capsule: exactly `first_impact(box, capsule, displacement)`: no touch is missed, and it is
    //   at 0 exactly if the capsule overlaps the box. contact_normal as above.

    /// Finds for every query the box of the smallest t, and among equal ones that of the smallest index.
    BatchResult closest_hits(const HitQueries& queries, const TreeQuerySettings& settings,
                             std::span<TreeHit> out_closest) const noexcept;
    /// Lists all hits.
    WriteResult find_hits(const HitQueries& queries, const TreeQuerySettings& settings, BoxScratch& scratch,
                          const TreeHitOutput& out_hits) const noexcept;
    /// Tests whether each query hits any box, as bits like any_overlap.
    BatchResult any_hit(const HitQueries& queries, const TreeQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;

    /// Finds for every point or box the nearest boxes, by distance, which is compared exactly, then by index.
    /// Each query has box_settings.count slots in the output; slots without a box hold ClosestBox{}. Best for
    /// counts up to some hundreds, because a list is kept in order as it fills.
    BatchResult closest_boxes(const NearQueries& queries, const ClosestBoxSettings& box_settings,
                              const TreeQuerySettings& settings,
                              std::span<ClosestBox> out_closest) const noexcept;

    // One query alone: the same result as in a batch, at the cost of its walk. Bad arguments find nothing.

    bool any_overlap(const OverlapQuery& shape, const TreeQuerySettings& settings = {}) const noexcept;
    bool any_hit(const HitQuery& query, const TreeQuerySettings& settings = {}) const noexcept;
    TreeHit closest_hit(const HitQuery& query, const TreeQuerySettings& settings = {}) const noexcept;
    ClosestBox closest_box(Vec3 point, const TreeQuerySettings& settings = {}) const noexcept {
        return closest_box(point, ClosestBoxSettings{}, settings);
    }
    /// Finds the closest box within a distance; box_settings.count is ignored.
    ClosestBox closest_box(Vec3 point, const ClosestBoxSettings& box_settings,
                           const TreeQuerySettings& settings = {}) const noexcept {
        return closest_box(NearQuery(point), box_settings, settings);
    }
    ClosestBox closest_box(const NearQuery& query, const ClosestBoxSettings& box_settings = {},
                           const TreeQuerySettings& settings = {}) const noexcept {
        ClosestBox nearest;
        (void)closest_boxes(query, {.max_distance = box_settings.max_distance}, settings, {&nearest, 1});
        return nearest;
    }

    // Visitors get what one query finds, box by box as the walk reaches it, so that the caller can stop early
    // or shorten the search on the way. The visitor sees only boxes that pass the filter. The items are those
    // of the list, each once, in an order that is the same on every ISA: hits mostly near before far, those
    // of one leaf by t and then by index, or in no particular order with PairOrder::by_algorithm; overlaps in
    // no particular order. All orders follow the tree, and so its history. The runner is ignored. The status
    // is that of the batch.

    Status visit_hits(const HitQuery& query, const TreeQuerySettings& settings,
                      HitVisitor visit) const noexcept;
    Status visit_overlaps(const OverlapQuery& shape, const TreeQuerySettings& settings,
                          OverlapVisitor visit) const noexcept;
    /// Visits the boxes within the largest distance of a point or box. The visitor may shrink that distance
    /// as it goes: to its own distance to the contents of the boxes, to find the closest of those. `first` of
    /// a pair is 0, the query, and `second` the box. Mostly near before far. box_settings.count is ignored.
    Status visit_close_boxes(const NearQuery& query, const ClosestBoxSettings& box_settings,
                             const TreeQuerySettings& settings, ClosePairVisitor visit) const noexcept;

    // All pairs, as `broadside::find_pairs` finds them. Algorithm, sweep axis and cell counts are ignored.
    // by_algorithm is a function of the trees.

    /// Lists all i < j with `overlap(box(i), box(j))`.
    WriteResult find_pairs(const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;
    /// Lists all (i, j) with `overlap(box(i), other.box(j))`.
    WriteResult find_pairs(const BoxTree& other, const FindPairsSettings& settings, BoxScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

    /// Visits the pairs that find_pairs lists with these filters, each once, in the order of the walk, until
    /// the visitor ends it; like visit_overlaps.
    Status visit_pairs(const FindPairsSettings& settings, PairVisitor visit) const noexcept;
    Status visit_pairs(const BoxTree& other, const FindPairsSettings& settings,
                       PairVisitor visit) const noexcept;
    /// Whether find_pairs would list a pair; false for bad arguments.
    bool any_pair(const FindPairsSettings& settings = {}) const noexcept;
    bool any_pair(const BoxTree& other, const FindPairsSettings& settings = {}) const noexcept;

    // Pairs by the distance of their boxes, filtered: all i < j, or all (i, j) with the other tree. Pairs
    // further apart than max_distance are not found: the distance of the closed boxes, compared exactly, at
    // every scale. Infinity is no limit; NaN or negative finds nothing. Of the settings only filters count.

    /// Finds the pair of the smallest distance, which is compared exactly; among equal ones, overlapping
    /// pairs included, the first in find_pairs' order. Bad arguments find nothing. About O(log n) between
    /// trees that are apart, and the cost of find_pairs within one tree; both less with a small max_distance.
    ClosePair closest_pair(float max_distance = std::numeric_limits<float>::infinity(),
                           const FindPairsSettings& settings = {}) const noexcept;
    ClosePair closest_pair(const BoxTree& other, float max_distance = std::numeric_limits<float>::infinity(),
                           const FindPairsSettings& settings = {}) const noexcept;
    /// Visits all pairs within the largest distance, each once. The visitor may shrink that distance as it
    /// goes: to its own distance of the contents of the boxes, to find the closest of those. Mostly near
    /// before far, in an order that is the same on every ISA and follows the tree, and so its history.
    Status visit_close_pairs(float max_distance, const FindPairsSettings& settings,
                             ClosePairVisitor visit) const noexcept;
    Status visit_close_pairs(const BoxTree& other, float max_distance, const FindPairsSettings& settings,
                             ClosePairVisitor visit) const noexcept;

private:
    friend class broadphase::TreeData;

    Allocator allocator_;
    // Null until the first boxes come.
    broadphase::TreeData* data_ = nullptr;
};

}  // namespace broadside
