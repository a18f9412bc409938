// A tree over boxes for spatial queries, one at a time and in batches. The settings and results of the
// queries are in tree_query.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/tree_query.hpp>

// For the sources of the library; a shared library does not export them.
namespace broadside::broadphase {
class FewFinder;
struct TreeView;
struct TreeLayout;
struct TreeRenewal;
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
    explicit BoxTree(const Allocator& allocator = default_allocator()) noexcept;

    // Building. The view is needed during the call only.

    /// Sorts the boxes into a new tree, a function of the boxes alone. Returns ok; invalid_argument for an
    /// unreadable view, more than kMaxBoxCount boxes or a runner without a function; out_of_memory;
    /// unsupported_isa. Under any status but ok the tree is as before. The allocator is called from the
    /// calling thread only, and not at all if as many boxes were built before. 70 bytes a box, 33 more
    /// meanwhile. O(n log n).
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
    /// leaves have grown by kMaxGrowth before that, it is built in one call. Free motion thus never slows
    /// queries for good.
    Status update(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Sets one box: moves a member, or adds the box of any other index, so that `box_count` is at least
    /// box_index + 1 afterwards. An invalid box is in no result until it is set again. A box that has left
    /// the others of its leaf moves to a leaf near it. When changes have degraded the tree, a new one is
    /// made, a part in each call of set_box and remove_box, and then replaces the old one: queries stay
    /// nearly as fast as after a build, and no call takes long. That needs some 200 bytes a box more, once;
    /// without them the tree stays as it is. Returns ok; invalid_argument for an index of kMaxBoxCount or
    /// more; out_of_memory or unsupported_isa, and results are as before. O(log n): refits the leaf and the
    /// nodes above it that change.
    Status set_box(std::uint32_t box_index, const Aabb& box) noexcept;

    /// Removes one box until it is set again; box_count stays. invalid_argument for a non-member. O(log n).
    Status remove_box(std::uint32_t box_index) noexcept;

    /// The factor, on average, by which leaves were larger at the last refit than when built; 1 right after
    /// building. A leaf counts as 8 at most, so that a few teleported boxes do not force a rebuild.
    float growth() const noexcept { return nodes_.shape_.growth; }
    /// The growth at which `update` builds in one call.
    static constexpr float kMaxGrowth = 1.5f;

    /// Boxes of the view, and how many of them are in the tree.
    std::size_t box_count() const noexcept { return nodes_.shape_.box_count; }
    std::size_t member_count() const noexcept { return nodes_.shape_.member_count; }
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
                              QueryScratch& scratch, const PairOutput& out_pairs) const noexcept;
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
    WriteResult find_hits(const HitQueries& queries, const TreeQuerySettings& settings, QueryScratch& scratch,
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
    WriteResult find_pairs(const FindPairsSettings& settings, QueryScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;
    /// Lists all (i, j) with `overlap(box(i), other.box(j))`.
    WriteResult find_pairs(const BoxTree& other, const FindPairsSettings& settings, QueryScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

    /// Visits the pairs that find_pairs lists with these filters, each once, in the order of the walk, until
    /// the visitor ends it; like visit_overlaps.
    Status visit_pairs(const FindPairsSettings& settings, PairVisitor visit) const noexcept;
    Status visit_pairs(const BoxTree& other, const FindPairsSettings& settings,
                       PairVisitor visit) const noexcept;
    /// Whether find_pairs would list a pair; false for bad arguments.
    bool any_pair(const FindPairsSettings& settings = {}) const noexcept;
    bool any_pair(const BoxTree& other, const FindPairsSettings& settings = {}) const noexcept;

    // Pairs by the distance of their boxes, filtered: all i < j, or all (i, j) with the other tree.

    /// Finds the pair of the smallest distance, which is compared exactly; among equal ones, overlapping
    /// pairs included, the first in find_pairs' order. Bad arguments find nothing. About O(log n) between
    /// trees that are apart, and the cost of find_pairs within one tree; both less with a small max_distance.
    ClosePair closest_pair(const ClosePairSettings& settings = {}) const noexcept;
    ClosePair closest_pair(const BoxTree& other, const ClosePairSettings& settings = {}) const noexcept;
    /// Visits all pairs within the largest distance, each once. The visitor may shrink that distance as it
    /// goes: to its own distance of the contents of the boxes, to find the closest of those. Mostly near
    /// before far, in an order that is the same on every ISA and follows the tree, and so its history.
    Status visit_close_pairs(const ClosePairSettings& settings, ClosePairVisitor visit) const noexcept;
    Status visit_close_pairs(const BoxTree& other, const ClosePairSettings& settings,
                             ClosePairVisitor visit) const noexcept;

    // For the sources of the library: nodes and leaves as the kernels read them, and a typical leaf's edge.

    broadphase::TreeView view() const noexcept;
    float leaf_edge() const noexcept { return nodes_.shape_.leaf_edge; }

private:
    friend class broadphase::FewFinder;
    // Nodes and leaves with the boxes in them.
    class Nodes {
        friend class BoxTree;

        explicit Nodes(const Allocator& allocator) noexcept;

        broadphase::TreeView view() const noexcept;
        std::uint32_t slot_of_box(std::uint32_t box_index) const noexcept;
        std::size_t capacity_bytes() const noexcept;

        // Building.
        void forget() noexcept;
        Status reserve(std::size_t box_count, std::size_t member_count) noexcept;
        bool reserve_families(std::size_t family_count) noexcept;
        bool reserve_array(std::size_t number, std::size_t family_count, std::size_t box_count) noexcept;
        void set_family_count(std::uint32_t family_count) noexcept;
        void begin_layout(std::size_t box_count, std::size_t member_count,
                          broadphase::TreeLayout& state_layout) noexcept;
        std::uint32_t lay_out(std::uint32_t box_index, std::uint8_t levels,
                              broadphase::TreeLayout& state_layout) noexcept;
        void begin_family(std::uint32_t level, std::uint32_t parent,
                          broadphase::TreeLayout& state_layout) noexcept;
        void end_layout(broadphase::TreeLayout& state_layout) noexcept;
        void note_built(std::uint32_t first, std::uint32_t count) noexcept;
        void note_leaf_edge(std::uint32_t box_index) noexcept;
        void fill(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
        void measure_growth() noexcept;

        // One box at a time; upkeep.cpp.
        Status set_box(std::uint32_t box_index, const Aabb& box, float& out_wear) noexcept;
        void remove_at(std::uint32_t slot) noexcept;
        void set_box_count(std::size_t box_count) noexcept;
        double joins_left(double joins_of_family) const noexcept;
        void note_validity(std::uint32_t box_index, bool was_invalid, bool is_invalid) noexcept;
        bool is_at_full_depth() const noexcept;

        // For its own use.
        std::size_t first_invalid_member(const BoxSoaView& boxes) const noexcept;
        void fill_built(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
        void fill_changed(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
        void close_below(std::uint32_t node) noexcept;
        void refit_up(std::uint32_t index) noexcept;
        Status reserve_split(std::uint32_t box_index) noexcept;
        void begin_tree() noexcept;
        Status insert_box(std::uint32_t box_index, const Aabb& box) noexcept;
        std::uint32_t leaf_for(const Aabb& box) noexcept;
        void put_box(std::uint32_t leaf, std::uint32_t box_index, const Aabb& box) noexcept;
        void remove_node(std::uint32_t index) noexcept;
        void shorten() noexcept;
        std::uint32_t new_family(std::uint32_t parent) noexcept;
        void free_family(std::uint32_t family) noexcept;
        void move_node(std::uint32_t from, std::uint32_t to) noexcept;
        std::uint32_t push_down_root() noexcept;
        std::uint32_t split(std::uint32_t node) noexcept;
        std::uint32_t new_sibling(std::uint32_t index) noexcept;
        void move_child(std::uint32_t index, std::uint32_t sibling, std::uint32_t lane) noexcept;

        // Deferred work; splits.cpp.
        std::int64_t tidy() noexcept;
        std::size_t families_needed(std::uint32_t join_count) const noexcept;
        std::uint32_t roomy_sibling(std::uint32_t leaf, const Aabb& box) noexcept;
        void note_sparse_leaf(const std::uint32_t* links, std::uint32_t used) noexcept;
        bool move_sparse_box() noexcept;
        bool begin_split() noexcept;
        std::int64_t go_on_with_split() noexcept;
        void end_split_of(std::uint32_t index) noexcept;

        static constexpr std::size_t kArrayCount = 5;
        // Nodes by index, and their families; see broadphase/src/tree/view.hpp.
        AlignedArray<float> planes_;
        AlignedArray<std::uint32_t> links_;
        AlignedArray<std::uint32_t> parents_;
        AlignedArray<std::uint32_t> used_bits_;
        // The box around each leaf when it was built.
        AlignedArray<Aabb> built_bounds_;
        // The slot of each box.
        AlignedArray<std::uint32_t> slots_;
        struct Shape {
            std::uint32_t root = 0xFFFFFFFFu;
            std::uint32_t top = 0;
            std::uint32_t family_count = 0;
            std::uint32_t leaf_count = 0;
            std::uint32_t level_count = 0;
            // The first free family; each free family stores the next one as its parent.
            std::uint32_t free_family = 0xFFFFFFFFu;
            // Unchanged since the build, so that the levels are consecutive rows of nodes, leaves first.
            bool is_as_built = true;
            // Boxes are in the leaves of their neighbours, except for motion since the build.
            bool is_sorted = true;
            std::size_t box_count = 0;
            std::size_t member_count = 0;
            // Members at the build.
            std::size_t built_count = 0;
            float growth = 1.0f;
            // Edge of a typical leaf at the build.
            float leaf_edge = 0.0f;
            InvalidBoxes invalid = {};
            // The node being split, its new sibling, and the lanes still to move there.
            std::uint32_t split_node = 0;
            std::uint32_t split_sibling = 0;
            std::uint32_t split_lanes = 0;
            // A box of a leaf whose family is to be split, and one of a leaf that is to be dissolved.
            std::uint32_t crowded_box = 0xFFFFFFFFu;
            std::uint32_t sparse_box = 0xFFFFFFFFu;
        };
        ResetOnMove<Shape> shape_;
    };

    template <class List>
    Status build_members(const BoxSoaView& boxes, std::size_t member_count, const List& list, bool is_sorted,
                         const TaskRunner* runner) noexcept;
    Status build_again(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    Status build_anew() noexcept;
    // renewal.cpp
    void note_change(std::uint32_t box_index, float wear, std::uint32_t leaf_count) noexcept;
    void note_all_changed() noexcept;
    void note_all() noexcept;
    void take_renewed() noexcept;
    void renew_between_updates() noexcept;
    // Like update, but makes in several calls what update builds in one: in calls of advance_update and of
    // set_box. Queries work in the meantime, slowly.
    Status update_in_steps(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    // Goes on with that; returns whether it is done. Without memory it never is.
    bool advance_update(std::int64_t calls) noexcept;
    bool is_made() const noexcept { return nodes_.shape_.is_sorted && growth() <= kMaxGrowth; }
    void begin_renewal() noexcept;
    void advance_renewal(std::int64_t units) noexcept;
    double joins_left() const noexcept;
    void reserve_next(std::int64_t& state_units) noexcept;
    void sample_members(std::int64_t& state_units) noexcept;
    void copy_members(std::int64_t& state_units) noexcept;
    void count_nodes(std::int64_t& state_units) noexcept;
    void lay_out_next(std::int64_t& state_units) noexcept;
    void close_next(std::int64_t& state_units) noexcept;
    void follow_changes(std::int64_t& state_units) noexcept;
    bool follow_change(std::uint32_t box_index, float& out_wear) noexcept;
    void end_renewal() noexcept;
    void drop_renewal() noexcept;

    Nodes nodes_;
    // Working memory of building.
    AlignedArray<std::byte> build_memory_;
    // Boxes copied from the leaves by a tree that rebuilds itself in one call.
    AlignedArray<float> rebuilt_boxes_;
    // The tree that will replace this one, as far as it is built, and the memory to build it.
    Nodes next_;
    AlignedArray<std::byte> renewal_memory_;
    struct Upkeep {
        // In renewal_memory_; null while nothing is being built.
        broadphase::TreeRenewal* renewal = nullptr;
        // Degradation since the build, in units of boxes that have joined.
        double wear = 0.0;
        // Calls of update since the build.
        std::uint32_t update_count = 0;
    };
    ResetOnMove<Upkeep> upkeep_;
};

}  // namespace broadside
