// A tree over boxes that answers spatial questions, one at a time and in batches. The questions' settings and
// answers are in tree_query.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/tree_query.hpp>

// For the sources of the library; a shared one does not show them.
namespace broadside::broadphase {
class FewFinder;
struct TreeView;
struct TreeLayout;
struct TreeRenewal;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

/// A wide bounding-volume hierarchy. It keeps a copy of the boxes; a box is named by its index in the view
/// that it was built from. Invalid boxes (see `is_valid`) are kept out of every answer, counted, and come in
/// when a later refit finds them valid. There are no bounds to the world: infinite boxes, a single far one,
/// all boxes in one place are ordinary, and the depth is at most 9 for any input.
///
/// Answers are the same bits for every ISA, worker count, history of refits and way of asking, alone or in a
/// batch. Queries are const and may run on several threads at once, each with a scratch of its own where one
/// is asked for.
class BoxTree {
public:
    explicit BoxTree(const Allocator& allocator = default_allocator()) noexcept;

    // Building. The view need live for the call only.

    /// Sorts the boxes into a new tree. The tree is a function of the boxes alone. ok; invalid_argument for
    /// an unreadable view, more than kMaxBoxCount boxes or a runner without a function; out_of_memory;
    /// unsupported_isa; under any but ok the tree is as before. The allocator is called from the calling
    /// thread, and not at all when as many boxes were built before. 70 bytes a box, 33 more while it builds.
    /// O(n log n).
    Status build(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// As above for some of the boxes, those whose bit is set: bit i % 64 of word i / 64, a word for each 64
    /// boxes and the rest (else invalid_argument). The others are never found. Indices, `box_count` and the
    /// filters of queries stay those of the whole view.
    Status build_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                        const TaskRunner* runner = nullptr) noexcept;

    /// Takes new boxes into the old tree: answers are as exact as ever, but get slower the further boxes have
    /// moved from their neighbours; see `growth`. The view must have as many boxes as the tree
    /// (invalid_argument). O(n) at the speed of memory.
    Status refit(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Refits, which leaves grow by as boxes leave their neighbours, and builds when the number of boxes is another
    /// one. Before leaves have grown much a new tree is made, some of it in each call, and then takes the place of
    /// the old one; where leaves have grown by kMaxGrowth before that, it is built in one call. Free motion thus never
    /// slows queries down for good.
    Status update(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// Sets one box: of a member as it moves, of any other index as it joins, so that `box_count` is at least
    /// box_index + 1 afterwards. An invalid box is kept out of answers until it is set again. A box that has
    /// left the others of its leaf goes to where it is now. When changes have worn the tree out, a new one is
    /// made, some of it in each call of set_box and remove_box, and then takes the place of the old one: answers
    /// stay nearly as fast as after a build, and no call takes long. That needs some 200 bytes a box more, once;
    /// without them the tree stays as it is. ok; invalid_argument for an index of kMaxBoxCount or more;
    /// out_of_memory, unsupported_isa, and the tree answers as before. O(log n); what is refitted is the leaf and
    /// what changes above it.
    Status set_box(std::uint32_t box_index, const Aabb& box) noexcept;

    /// Takes one box out, which is never found until it is set again; box_count stays. invalid_argument when
    /// it is no member. O(log n).
    Status remove_box(std::uint32_t box_index) noexcept;

    /// By how much, on average, leaves were larger at the last refit than when they were built; 1 right after
    /// building. A leaf
    /// counts as 8 at most, so that a few teleported boxes do not force a rebuild.
    float growth() const noexcept { return nodes_.shape_.growth; }
    /// The growth at which `update` builds in one call.
    static constexpr float kMaxGrowth = 1.5f;

    /// Boxes of the view, and how many of them are in the tree.
    std::size_t box_count() const noexcept { return nodes_.shape_.box_count; }
    std::size_t member_count() const noexcept { return nodes_.shape_.member_count; }
    InvalidBoxes invalid_boxes() const noexcept;
    /// The box around all valid boxes; Aabb::empty() without one.
    Aabb bounds() const noexcept;
    /// The box as the tree has it, -0 made +0; Aabb::empty() for an invalid one and for no member.
    Aabb box(std::uint32_t box_index) const noexcept;
    std::size_t capacity_bytes() const noexcept;
    void clear() noexcept;

    // Questions. Each takes one query or many of a kind, see OverlapQueries and HitQueries, with the settings of
    // all queries behind them. Arguments are checked before an output is touched: invalid_argument for filters
    // and settings that contradict their documentation, capacity_exceeded for a fixed output that is too short.
    // An invalid shape, ray, cast or point finds nothing. World asks the same questions.

    // Boxes that a shape overlaps.
    // - A box: `overlap(query, box)`. A point: `contains(box, point)`, for finite points.
    // - A sphere: exactly `overlap(sphere, box)`: closed, and decided as if without any rounding.
    // - A capsule: exactly `overlap(capsule, box)`, likewise.
    // - An oriented box: closed; it is the body that its numbers say, its axes being orthonormal or nearly so.
    //   Decided by separating axes, right to 2^-45 of the distances.
    // - A volume, as a frustum: exactly `overlap(volume, box)`, likewise.

    /// All of them: pairs of the query and the box.
    WriteResult find_overlaps(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Whether there is one: bit i % 64 of word i / 64; words for all queries, bits past the last are zero.
    BatchResult any_overlap(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;

    // Boxes that a query hits in the course of time.
    // - A ray: exactly `ray_box`, in t, face and settings.
    // - A moving box: exactly `first_impact` with the tree's box as the stationary one. The t of an answer is
    //   the time of impact as a fraction of the step, the face that of the tree's box.
    // - A moving sphere: closed, decided in double precision, and at 0 exactly where the sphere overlaps the
    //   box. The t is the time of impact; contact_normal makes a vector of it.
    // - A moving capsule: exactly `first_impact(box, capsule, displacement)`: no touch is missed, and it is at 0
    //   exactly where the capsule overlaps the box. contact_normal as above.

    /// For every query the box of the smallest t, and among equals the one of the smallest index.
    BatchResult closest_hits(const HitQueries& queries, const TreeQuerySettings& settings,
                             std::span<ClosestHit> out_closest) const noexcept;
    /// All of them.
    WriteResult find_hits(const HitQueries& queries, const TreeQuerySettings& settings, TreeScratch& scratch,
                          const TreeHitOutput& out_hits) const noexcept;
    /// Whether there is one, as bits.
    BatchResult any_hit(const HitQueries& queries, const TreeQuerySettings& settings,
                        std::span<std::uint64_t> out_bits) const noexcept;

    /// For every point or box the nearest boxes, by distance, which is compared exactly, then by index;
    /// box_settings.count places each, and places without a box hold ClosestBox{}. Best for counts up to some
    /// hundreds: a list is kept in order as it fills.
    BatchResult closest_boxes(const NearQueries& queries, const ClosestBoxSettings& box_settings,
                              const TreeQuerySettings& settings,
                              std::span<ClosestBox> out_closest) const noexcept;

    // One query alone: the same answer as in a batch, at the cost of its walk. Bad arguments find nothing.

    bool any_overlap(const OverlapQuery& shape, const TreeQuerySettings& settings = {}) const noexcept;
    bool any_hit(const HitQuery& query, const TreeQuerySettings& settings = {}) const noexcept;
    ClosestHit closest_hit(const HitQuery& query, const TreeQuerySettings& settings = {}) const noexcept;
    ClosestBox closest_box(Vec3 point, const TreeQuerySettings& settings = {}) const noexcept {
        return closest_box(point, ClosestBoxSettings{}, settings);
    }
    /// Within a distance; of box_settings the count plays no part.
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

    // What one query finds, box by box as the walk comes to it, for whoever wants to stop early or to
    // shorten the way as it goes. The filter comes first: the visitor sees what passes it. The items are
    // those of the list, each once, in an order that is the same on every ISA: hits mostly near before far,
    // those of one leaf by t and then by index, overlaps in no particular order. Both orders follow the tree,
    // and so its history. Settings' order and runner play no part. Answers as the batch does.

    Status visit_hits(const HitQuery& query, const TreeQuerySettings& settings,
                      HitVisitor visit) const noexcept;
    Status visit_overlaps(const OverlapQuery& shape, const TreeQuerySettings& settings,
                          OverlapVisitor visit) const noexcept;
    /// Boxes within the largest distance of a point or box, which the visitor may shrink as it goes: to its own distance
    /// of what is in the boxes, for the closest of that. `first` of a pair is 0, the query, and `second` the box. Mostly
    /// near before far. Of box_settings the count plays no part.
    Status visit_close_boxes(const NearQuery& query, const ClosestBoxSettings& box_settings,
                             const TreeQuerySettings& settings, ClosePairVisitor visit) const noexcept;

    // All pairs, as `broadside::find_pairs` finds them.

    /// All i < j with `overlap(box(i), box(j))`.
    WriteResult find_pairs(const TreePairSettings& settings, TreeScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;
    /// All (i, j) with `overlap(box(i), other.box(j))`.
    WriteResult find_pairs(const BoxTree& other, const TreePairSettings& settings, TreeScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

    /// The pairs that find_pairs lists with these filters, each once, as the walk comes to them and until the visitor
    /// has seen enough; as visit_overlaps.
    Status visit_pairs(const TreePairSettings& settings, PairVisitor visit) const noexcept;
    Status visit_pairs(const BoxTree& other, const TreePairSettings& settings,
                       PairVisitor visit) const noexcept;
    /// Whether find_pairs would list a pair; false for bad arguments.
    bool any_pair(const TreePairSettings& settings = {}) const noexcept;
    bool any_pair(const BoxTree& other, const TreePairSettings& settings = {}) const noexcept;

    // Pairs by the distance of their boxes: all i < j, or all (i, j) with the other tree's, that the filters let pass.

    /// The pair of the smallest distance, which is compared exactly, and among equals, those that overlap too, the
    /// first of find_pairs' order. Bad arguments find nothing. About O(log n) between trees that are apart and, within
    /// one, that of find_pairs, both less with a small max_distance.
    ClosePair closest_pair(const ClosePairSettings& settings = {}) const noexcept;
    ClosePair closest_pair(const BoxTree& other, const ClosePairSettings& settings = {}) const noexcept;
    /// All within the largest distance, each once, which the visitor may shrink as it goes: to its own distance of what
    /// is in the boxes, for the closest of that. Mostly near before far, in an order that is the same on every ISA and
    /// follows the tree, and so its history.
    Status visit_close_pairs(const ClosePairSettings& settings, ClosePairVisitor visit) const noexcept;
    Status visit_close_pairs(const BoxTree& other, const ClosePairSettings& settings,
                             ClosePairVisitor visit) const noexcept;

    // For the sources of the library: nodes and leaves as the kernels read them, and the edge of a typical
    // leaf when it was built.

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

        // What is put off; splits.cpp.
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
            // The first of the families that are free, which name each other as their parents.
            std::uint32_t free_family = 0xFFFFFFFFu;
            // As it was built, so that the levels are rows of places, leaves first.
            bool is_as_built = true;
            // Boxes are in the leaves of their neighbours, as far as they have not moved since.
            bool is_sorted = true;
            std::size_t box_count = 0;
            std::size_t member_count = 0;
            // When it was built.
            std::size_t built_count = 0;
            float growth = 1.0f;
            // Of a typical leaf when it was built.
            float leaf_edge = 0.0f;
            InvalidBoxes invalid = {};
            // A node that is being split, its new sibling, and the lanes that are yet to go there.
            std::uint32_t split_node = 0;
            std::uint32_t split_sibling = 0;
            std::uint32_t split_lanes = 0;
            // A box of a leaf whose family is to be split, and one of a leaf that is to be given up.
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
    // As update, but what that builds in one call is made in so many calls of advance_update, and in those of set_box.
    // Questions are answered in the meantime, slowly.
    Status update_in_steps(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;
    // Whether nothing is left to be made; without memory something always is.
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
    // The boxes of a tree that builds itself anew at once, which it takes from its leaves.
    AlignedArray<float> rebuilt_boxes_;
    // The tree that takes the place of this one, as far as it is built, and what is needed for that.
    Nodes next_;
    AlignedArray<std::byte> renewal_memory_;
    struct Upkeep {
        // In renewal_memory_; null while nothing is being built.
        broadphase::TreeRenewal* renewal = nullptr;
        // What has worn the tree out since it was built, in boxes that have joined.
        double wear = 0.0;
        // Calls of update since then.
        std::uint32_t update_count = 0;
    };
    ResetOnMove<Upkeep> upkeep_;
};

}  // namespace broadside
