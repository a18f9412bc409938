// Boxes that shapes overlap: lists, and whether there is any.
#include <broadside/float_environment.hpp>

#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/overlap_search.hpp"
#include "core/src/geometry/capsule_box.hpp"
#include "core/src/geometry/exact_distance.hpp"
#include "core/src/geometry/volume_box.hpp"
#include "core/src/motions.hpp"
#include "core/src/zones.hpp"

namespace broadside {
namespace broadphase {
namespace {

struct VolumeOverlap {
    using Hit = std::uint32_t;
    static constexpr bool kIsExact = false;
    bool is_legal;
    geometry::VolumeOverlaps overlaps;

    explicit VolumeOverlap(const ConvexVolume& volume)
        : is_legal(broadside::is_valid(volume)),
          overlaps(is_legal ? volume.planes : std::span<const Plane>()) {}

    bool is_valid() const { return is_legal; }
    void walk(const TreeQueries&, const TreeView& tree, HitBlock<Hit>& state_block) const {
        simd::active_kernels<TreeShapeKernels>()->all_planes(tree, overlaps.query(), state_block);
    }
    bool accepts(const TreeView& tree, Hit hit) const { return overlaps.holds(slot_box(tree, hit)); }
};

struct ObbOverlap {
    using Hit = std::uint64_t;
    static constexpr bool kIsExact = false;
    const Obb& obb;
    ObbFilter filter;

    explicit ObbOverlap(const Obb& obb_in) : obb(obb_in), filter(obb_filter_of(obb)) {}

    bool is_valid() const { return broadside::is_valid(obb); }
    void walk(const TreeQueries&, const TreeView& tree, HitBlock<Hit>& state_block) const {
        simd::active_kernels<TreeShapeKernels>()->all_obbs(tree, filter, state_block);
    }
    // Doubt is rare, so the doubles are computed only then.
    bool accepts(const TreeView& tree, Hit hit) const {
        return hit >> 32 == 0 || meets(obb_query_of(obb), slot_box(tree, slot_of(hit)));
    }
};

struct SphereOverlap {
    using Hit = std::uint64_t;
    static constexpr bool kIsExact = false;
    Sphere sphere;

    explicit SphereOverlap(const Sphere& sphere_in) : sphere(sphere_in) {}

    bool is_valid() const { return broadside::is_valid(sphere); }
    void walk(const TreeQueries&, const TreeView& tree, HitBlock<Hit>& state_block) const {
        // Not below the true square: allows for one rounding, and for products that underflow.
        const float limit = (sphere.radius * sphere.radius) * (1.0f + 0x1p-20f) + FLT_MIN;
        simd::active_kernels<TreeShapeKernels>()->all_within(tree, {sphere.center}, min_keep(limit, FLT_MAX),
                                                             state_block);
    }
    bool accepts(const TreeView& tree, Hit hit) const {
        const Aabb box = slot_box(tree, slot_of(hit));
        return geometry::Reach(sphere.radius).holds(box, sphere.center, distance_sq(box, sphere.center));
    }
};

struct CapsuleOverlap {
    using Hit = std::uint64_t;
    static constexpr bool kIsExact = false;
    Capsule capsule;
    SphereQuery query;

    explicit CapsuleOverlap(const Capsule& capsule_in)
        : capsule(capsule_in), query(geometry::swept_query(capsule)) {}

    bool is_valid() const { return broadside::is_valid(capsule); }
    void walk(const TreeQueries&, const TreeView& tree, HitBlock<Hit>& state_block) const {
        simd::active_kernels<TreeShapeKernels>()->all_spheres(tree, query, state_block);
    }
    bool accepts(const TreeView& tree, Hit hit) const {
        return geometry::capsule_box_overlap(capsule, slot_box(tree, slot_of(hit)));
    }
};

// The type above that handles a query.
BoxOverlap overlap_of(const Aabb& box) { return BoxOverlap(box); }
BoxOverlap overlap_of(const Vec3& point) { return BoxOverlap(point); }
SphereOverlap overlap_of(const Sphere& sphere) { return SphereOverlap(sphere); }
ObbOverlap overlap_of(const Obb& obb) { return ObbOverlap(obb); }
CapsuleOverlap overlap_of(const Capsule& capsule) { return CapsuleOverlap(capsule); }
VolumeOverlap overlap_of(const ConvexVolume& volume) { return VolumeOverlap(volume); }

// A volume may be anywhere.
MotionReach reach_of(const ConvexVolume&) { return {kEverything, 0.0f}; }
using broadside::reach_of;

// Finds overlaps of the shapes of one motion, see first_met: copies the boxes around a run of states from the
// trees, and tests the states of the run against those.
template <class Query>
class MotionSearch {
public:
    MotionSearch(const TreeQueries& queries, const Query* shapes, std::size_t begin)
        : queries_(queries), asked_(queries), shapes_(shapes), begin_(begin) {}
    MotionSearch(const MotionSearch&) = delete;
    MotionSearch& operator=(const MotionSearch&) = delete;

    MotionReach reach(std::size_t i) const { return reach_of(shapes_[begin_ + i]); }
    bool look_around(const Aabb& bounds) {
        struct : HitBlock<std::uint32_t> {
            std::uint32_t slots[kMostBoxes + 2 * kNodeWidth];
        } block;
        block.begin = block.next = block.slots;
        // Full with one box more.
        block.end = block.slots + thresholds().trees.boxes_around_max + 2 * kNodeWidth;
        block.take = [](HitBlock<std::uint32_t>&) { return false; };
        const BoxQuery around(bounds);
        std::uint32_t count = 0;
        for (const TreeView& tree : queries_.all()) {
            const std::uint32_t* slot = block.next;
            queries_.kernels.all_boxes(tree, around, block);
            if (!block.has_room()) {
                // The walk may have ended early.
                asked_.trees = queries_.trees;
                asked_.tree_count = queries_.tree_count;
                return true;
            }
            for (; slot != block.next; ++slot) append(tree, *slot, count++);
        }
        asked_.trees = leaves_;
        asked_.tree_count = (count + kNodeWidth - 1) / kNodeWidth;
        return count != 0;
    }
    bool is_near(const Aabb& bounds) const {
        const BoxQuery around(bounds);
        return std::any_of(asked_.all().begin(), asked_.all().end(),
                           [&](const TreeView& tree) { return asked_.kernels.any_box(tree, around); });
    }
    bool is_met(std::size_t i) const {
        return is_any_overlapped(asked_, overlap_of(shapes_[begin_ + i]),
                                 static_cast<std::uint32_t>(begin_ + i));
    }

private:
    // If more boxes are around a run, the trees themselves are searched.
    static constexpr std::uint32_t kMostBoxes = 64;

    // Adds a box as a lane of a leaf, which is a tree of its own.
    void append(const TreeView& tree, std::uint32_t slot, std::uint32_t index) {
        const std::uint32_t leaf = index / kNodeWidth;
        float* const planes = planes_ + std::size_t{leaf} * kNodeFloats;
        if (index % kNodeWidth == 0) {
            clear_lanes(planes);
            leaves_[leaf].planes = planes_;
            leaves_[leaf].links = links_;
            leaves_[leaf].root = leaf | kLeafBit;
        }
        set_lane_box(planes, index % kNodeWidth, slot_box(tree, slot));
        links_[index] = tree.box_index(slot);
    }

    const TreeQueries& queries_;
    // The same for the boxes around the run.
    TreeQueries asked_;
    const Query* shapes_;
    std::size_t begin_;
    TreeView leaves_[kMostBoxes / kNodeWidth];
    std::uint32_t links_[kMostBoxes];
    alignas(64) float planes_[kMostBoxes / kNodeWidth * kNodeFloats];
};

}  // namespace

WriteResult find_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, BoxScratch& scratch,
                          const PairOutput& output) {
    WriteResult result;
    shapes.visit([&]<class Query>(std::span<const Query> list) {
        if constexpr (std::is_same_v<Query, Aabb>) {
            result = find_overlaps(queries, list, scratch, output);
        } else {
            result = find_overlaps_of<decltype(overlap_of(list[0]))>(queries, list, scratch, output);
        }
    });
    return result;
}

void any_overlap(const TreeQueries& queries, const OverlapQueries& shapes,
                 std::span<std::uint64_t> out_bits) {
    shapes.visit([&](auto list) {
        write_bits(queries.settings.runner, list.size(), out_bits,
                   [&](std::uint32_t i) { return is_any_overlapped(queries, overlap_of(list[i]), i); });
    });
}

void first_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                    std::span<std::uint32_t> out_first) {
    shapes.visit([&]<class Query>(std::span<const Query> list) {
        write_first_met(queries.settings.runner, list.size(), shapes_per_state, out_first,
                        [&](std::size_t begin) { return MotionSearch<Query>(queries, list.data(), begin); });
    });
}

bool any_overlap(const TreeQueries& queries, const OverlapQuery& shape) {
    bool is_met = false;
    shape.visit([&](auto one) { is_met = is_any_overlapped(queries, overlap_of(one[0]), 0); });
    return is_met;
}

void visit_overlaps(const TreeQueries& queries, const OverlapQuery& shape, OverlapVisitor visitor) {
    shape.visit([&](auto one) {
        const auto overlap = overlap_of(one[0]);
        if (overlap.is_valid()) AskingBlock(queries, overlap, 0, visitor).run();
    });
}

}  // namespace broadphase

using namespace broadphase;

WriteResult BoxTree::find_overlaps(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                                   BoxScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::find_overlaps");
    WriteResult result;
    result.status = check_output(out_pairs) ? check_query(*this, shapes, settings) : Status::invalid_argument;
    if (result.status != Status::ok) return result;
    return broadphase::find_overlaps(OneTree(*this, settings), shapes, scratch, out_pairs);
}
BatchResult BoxTree::any_overlap(const OverlapQueries& shapes, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::any_overlap");
    if (const Status status = check_query(*this, shapes, settings); status != Status::ok) return {status};
    if (!check_readable(out_bits)) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(shapes.size())) return {Status::capacity_exceeded};
    broadphase::any_overlap(OneTree(*this, settings), shapes, out_bits);
    return {};
}
BatchResult BoxTree::first_overlaps(const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                                    const TreeQuerySettings& settings,
                                    std::span<std::uint32_t> out_first) const noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("BoxTree::first_overlaps");
    if (const Status status = check_query(*this, shapes, settings); status != Status::ok) return {status};
    if (!check_motions(shapes.size(), shapes_per_state, out_first)) return {Status::invalid_argument};
    broadphase::first_overlaps(OneTree(*this, settings), shapes, shapes_per_state, out_first);
    return {};
}
bool BoxTree::any_overlap(const OverlapQuery& shape, const TreeQuerySettings& settings) const noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(check_query(*this, shape, settings) == Status::ok &&
                                    broadphase::any_overlap(OneTree(*this, settings), shape));
}
Status BoxTree::visit_overlaps(const OverlapQuery& shape, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment;
    const Status status = check_query(*this, shape, settings);
    if (status == Status::ok) broadphase::visit_overlaps(OneTree(*this, settings), shape, visit);
    return status;
}

}  // namespace broadside
