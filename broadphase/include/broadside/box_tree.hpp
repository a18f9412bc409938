// A tree over boxes that answers spatial questions, one at a time and in batches. The questions' settings and
// answers are in tree_query.hpp.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>
#include <broadside/reset_on_move.hpp>
#include <broadside/tree_query.hpp>

namespace BROADSIDE_API broadside {

namespace broadphase {
struct TreeView;
}

/// A wide bounding-volume hierarchy. It keeps a copy of the boxes; a box is named by its index in the view
/// that it was built from. Invalid boxes (see `is_valid`) are kept out of every answer, counted, and come in
/// when a later refit finds them valid. There are no bounds to the world: infinite boxes, a single far one,
/// all boxes in one place are ordinary, and the depth is at most 8 for any input.
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
    /// thread, and not at all when as many boxes were built before. 40 bytes a box, 40 more while it builds.
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

    /// Refits where that keeps the tree good, else builds: when the number of boxes is another one, or leaves
    /// have grown by kMaxGrowth. Free motion thus never slows queries down for good.
    Status update(const BoxSoaView& boxes, const TaskRunner* runner = nullptr) noexcept;

    /// By how much, on average, leaves are larger than when they were built; 1 right after building. A leaf
    /// counts as 8 at most, so that a few teleported boxes do not force a rebuild.
    float growth() const noexcept { return shape_.growth; }
    /// The growth at which `update` builds.
    static constexpr float kMaxGrowth = 1.5f;

    /// Boxes of the view, and how many of them are in the tree.
    std::size_t box_count() const noexcept { return shape_.box_count; }
    std::size_t member_count() const noexcept { return shape_.member_count; }
    InvalidBoxes invalid_boxes() const noexcept { return shape_.invalid; }
    /// The box around all valid boxes; Aabb::empty() without one.
    Aabb bounds() const noexcept;
    /// The box as the tree has it, -0 made +0; Aabb::empty() for an invalid one. O(n): for inspection, not
    /// for speed.
    Aabb box(std::uint32_t box_index) const noexcept;
    std::size_t capacity_bytes() const noexcept;
    void clear() noexcept;

    // Every question below comes for a batch, with the settings of its kind first and those of all queries
    // last; the commonest also come alone, see below. Arguments are checked before an output is touched:
    // invalid_argument for filters and settings that contradict their documentation, capacity_exceeded for a
    // fixed output that is too short. An invalid shape, ray, cast or point finds nothing.

    // Lists of the boxes that shapes overlap: pairs of the query and the box.

    /// `overlap(query, box)`.
    WriteResult find_overlaps(std::span<const Aabb> boxes, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// `contains(box, point)`, for finite points.
    WriteResult find_overlaps(std::span<const Vec3> points, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Exactly `overlap(sphere, box)`: closed, decided by squares in double precision.
    WriteResult find_overlaps(std::span<const Sphere> spheres, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// Closed: the oriented box is the body that its numbers say, its axes being orthonormal or nearly so.
    /// Decided by separating axes in double precision, right to 2^-45 of the distances.
    WriteResult find_overlaps(std::span<const Obb> obbs, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;
    /// See ConvexVolume.
    WriteResult find_overlaps(std::span<const ConvexVolume> volumes, const TreeQuerySettings& settings,
                              TreeScratch& scratch, const PairOutput& out_pairs) const noexcept;

    // Whether a shape overlaps any box: bit i % 64 of word i / 64; words for all queries, bits past the last
    // are zero.

    BatchResult any_overlap(std::span<const Aabb> boxes, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Vec3> points, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Sphere> spheres, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const Obb> obbs, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;
    BatchResult any_overlap(std::span<const ConvexVolume> volumes, const TreeQuerySettings& settings,
                            std::span<std::uint64_t> out_bits) const noexcept;

    // Boxes that a ray meets: exactly `ray_box`, in t, face and settings.

    /// For every ray the box of the smallest t, and among equals the one of the smallest index.
    BatchResult closest_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                             const TreeQuerySettings& settings,
                             std::span<ClosestHit> out_closest) const noexcept;
    /// All of them.
    WriteResult find_hits(std::span<const Ray> rays, const RaySettings& ray_settings,
                          const TreeQuerySettings& settings, TreeScratch& scratch,
                          const TreeHitOutput& out_hits) const noexcept;
    /// Whether there is one, as bits.
    BatchResult any_hit(std::span<const Ray> rays, const RaySettings& ray_settings,
                        const TreeQuerySettings& settings, std::span<std::uint64_t> out_bits) const noexcept;

    // Boxes that a moving box meets: exactly `first_impact` with the tree's box as the stationary one. The t
    // of an answer is the time of impact, the face that of the tree's box.

    /// For every cast the box of the earliest impact, and among equals the one of the smallest index.
    BatchResult closest_impacts(std::span<const BoxCast> casts, Touch touch,
                                const TreeQuerySettings& settings,
                                std::span<ClosestHit> out_closest) const noexcept;
    WriteResult find_impacts(std::span<const BoxCast> casts, Touch touch, const TreeQuerySettings& settings,
                             TreeScratch& scratch, const TreeHitOutput& out_hits) const noexcept;
    BatchResult any_impact(std::span<const BoxCast> casts, Touch touch, const TreeQuerySettings& settings,
                           std::span<std::uint64_t> out_bits) const noexcept;

    // Boxes that a moving sphere meets: closed, decided in double precision, and at 0 exactly where the sphere
    // overlaps the box. The t of an answer is the time of impact as a fraction of the step; contact_normal
    // makes a vector of it.

    BatchResult closest_impacts(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                                std::span<ClosestHit> out_closest) const noexcept;
    WriteResult find_impacts(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                             TreeScratch& scratch, const TreeHitOutput& out_hits) const noexcept;
    BatchResult any_impact(std::span<const SphereCast> casts, const TreeQuerySettings& settings,
                           std::span<std::uint64_t> out_bits) const noexcept;

    /// For every point the nearest boxes, by distance, which is compared exactly, then by index;
    /// box_settings.count places each, and places without a box hold ClosestBox{}. Best for counts up to some
    /// hundreds: a list is kept in order as it fills.
    BatchResult closest_boxes(std::span<const Vec3> points, const ClosestBoxSettings& box_settings,
                              const TreeQuerySettings& settings,
                              std::span<ClosestBox> out_closest) const noexcept;

    // One question alone: the same answer as in a batch, which is the way for many. Lists of one query are
    // batches of one: std::span(&ray, 1). Bad arguments find nothing.

    ClosestHit closest_hit(const Ray& ray, const RaySettings& ray_settings = {},
                           const TreeQuerySettings& settings = {}) const noexcept {
        ClosestHit closest;
        (void)closest_hits({&ray, 1}, ray_settings, settings, {&closest, 1});
        return closest;
    }
    ClosestHit closest_impact(const BoxCast& cast, Touch touch = Touch::closed,
                              const TreeQuerySettings& settings = {}) const noexcept {
        ClosestHit first;
        (void)closest_impacts({&cast, 1}, touch, settings, {&first, 1});
        return first;
    }
    ClosestHit closest_impact(const SphereCast& cast, const TreeQuerySettings& settings = {}) const noexcept {
        ClosestHit first;
        (void)closest_impacts({&cast, 1}, settings, {&first, 1});
        return first;
    }
    ClosestBox closest_box(Vec3 point, const TreeQuerySettings& settings = {}) const noexcept {
        ClosestBox nearest;
        (void)closest_boxes({&point, 1}, {}, settings, {&nearest, 1});
        return nearest;
    }
    /// For boxes, oriented boxes, points, spheres and convex volumes.
    template <class Shape>
    bool any_overlap(const Shape& shape, const TreeQuerySettings& settings = {}) const noexcept {
        std::uint64_t bits = 0;
        (void)any_overlap(std::span<const Shape>(&shape, 1), settings, {&bits, 1});
        return bits != 0;
    }

    // All pairs, as `broadside::find_pairs` finds them.

    /// All i < j with `overlap(box(i), box(j))`.
    WriteResult find_pairs(const TreePairSettings& settings, TreeScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;
    /// All (i, j) with `overlap(box(i), other.box(j))`.
    WriteResult find_pairs(const BoxTree& other, const TreePairSettings& settings, TreeScratch& scratch,
                           const PairOutput& out_pairs) const noexcept;

    // For the sources of the library: nodes and leaves as the kernels read them, and the edge of a typical
    // leaf when it was built.

    broadphase::TreeView view() const noexcept;
    float leaf_edge() const noexcept { return shape_.leaf_edge; }

private:
    template <class List>
    Status build_members(const BoxSoaView& boxes, std::size_t member_count, const List& list,
                         const TaskRunner* runner) noexcept;
    Status reserve(std::size_t member_count) noexcept;
    void lay_out(std::size_t member_count) noexcept;
    std::size_t first_invalid_member(const BoxSoaView& boxes) const noexcept;
    void fill(const BoxSoaView& boxes, const TaskRunner* runner) noexcept;

    // Nodes, leaves first; see broadphase/src/tree/view.hpp.
    AlignedArray<float> planes_;
    AlignedArray<std::uint32_t> first_children_;
    AlignedArray<std::uint32_t> box_indices_;
    // The edge sum of each leaf when it was built.
    AlignedArray<float> built_sizes_;
    // Working memory of building.
    AlignedArray<std::byte> build_memory_;
    struct Shape {
        std::uint32_t leaf_count = 0;
        std::uint32_t node_count = 0;
        std::size_t box_count = 0;
        std::size_t member_count = 0;
        float growth = 1.0f;
        // Of a typical leaf when it was built.
        float leaf_edge = 0.0f;
        InvalidBoxes invalid = {};
    };
    ResetOnMove<Shape> shape_;
};

}  // namespace broadside
