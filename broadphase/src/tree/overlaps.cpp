// Boxes that shapes overlap: lists, and whether there is any.
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/capsule_box.hpp"
#include "core/src/geometry/exact_distance.hpp"
#include "core/src/geometry/volume_box.hpp"
#include "core/src/motions.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <type_traits>

namespace broadside {
namespace broadphase {
namespace {

// Every shape is a type with `is_valid()`, `walk(kernels, tree, block)`, which passes a superset of the boxes
// to the block, and `accepts(tree, hit)`, which decides. kIsExact says that the walk has decided already.

struct BoxOverlap {
    using Hit = std::uint32_t;
    static constexpr bool kIsExact = true;
    BoxQuery query;
    bool is_legal;

    explicit BoxOverlap(const Aabb& box) : query(box), is_legal(broadside::is_valid(box)) {}
    // A point at infinity is invalid; for all others this is contains(box, point).
    explicit BoxOverlap(Vec3 point) : BoxOverlap(Aabb{point, point}) {}

    bool is_valid() const { return is_legal; }
    void walk(const TreeKernels& kernels, const TreeView& tree, HitBlock<Hit>& state_block) const {
        kernels.all_boxes(tree, query, state_block);
    }
    bool any(const TreeKernels& kernels, const TreeView& tree) const { return kernels.any_box(tree, query); }
    bool accepts(const TreeView&, Hit) const { return true; }
};

struct VolumeOverlap {
    using Hit = std::uint32_t;
    static constexpr bool kIsExact = false;
    bool is_legal;
    geometry::VolumeOverlaps overlaps;

    explicit VolumeOverlap(const ConvexVolume& volume)
        : is_legal(broadside::is_valid(volume)),
          overlaps(is_legal ? volume.planes : std::span<const Plane>()) {}

    bool is_valid() const { return is_legal; }
    void walk(const TreeKernels& kernels, const TreeView& tree, HitBlock<Hit>& state_block) const {
        kernels.all_planes(tree, overlaps.query(), state_block);
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
    void walk(const TreeKernels& kernels, const TreeView& tree, HitBlock<Hit>& state_block) const {
        kernels.all_obbs(tree, filter, state_block);
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
    void walk(const TreeKernels& kernels, const TreeView& tree, HitBlock<Hit>& state_block) const {
        // Not below the true square: allows for one rounding, and for products that underflow.
        const float limit = (sphere.radius * sphere.radius) * (1.0f + 0x1p-20f) + FLT_MIN;
        kernels.all_within(tree, {sphere.center}, min_keep(limit, FLT_MAX), state_block);
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
    void walk(const TreeKernels& kernels, const TreeView& tree, HitBlock<Hit>& state_block) const {
        kernels.all_spheres(tree, query, state_block);
    }
    bool accepts(const TreeView& tree, Hit hit) const {
        return geometry::capsule_box_overlap(capsule, slot_box(tree, slot_of(hit)));
    }
};

std::uint32_t slot_of_hit(std::uint32_t hit) { return hit; }
std::uint32_t slot_of_hit(std::uint64_t hit) { return slot_of(hit); }

// Sorts `indices` ascending; both arrays have room for kSortedByRankMax. Returns the one with the result.
std::uint32_t* sort_indices(const TreeKernels& kernels, std::uint32_t* indices, std::uint32_t* spare,
                            std::size_t count) {
    if (count > kSortedByRankMax) {
        std::sort(indices, indices + count);
        return indices;
    }
    kernels.sort_by_rank(indices, static_cast<std::uint32_t>(count), spare);
    return spare;
}

// Appends the pairs of one query to the task's.
template <class Shape>
Status append_pairs(const TreeQueries& queries, const Shape& shape, std::uint32_t query_index,
                    TreeScratch::Task& state_task) {
    if (!shape.is_valid()) return Status::ok;
    GrowingBlock<typename Shape::Hit> block(state_task.found);
    std::size_t count = 0;
    for (const TreeView& tree : queries.all()) {
        block.begin_behind(count * sizeof(std::uint32_t));
        const auto first = block.count();
        shape.walk(queries.kernels, tree, block);
        if (block.is_out_of_memory) return Status::out_of_memory;
        // Overwrites the hits: no index is written behind the hit that it is read from.
        auto* const indices = reinterpret_cast<std::uint32_t*>(block.begin);
        for (const auto* hit = block.begin + first; hit != block.next; ++hit) {
            const std::uint32_t box_index = tree.box_index(slot_of_hit(*hit));
            bool is_kept = Shape::kIsExact || shape.accepts(tree, *hit);
            if (!queries.filter.is_empty()) is_kept = is_kept && queries.passes(query_index, box_index);
            indices[count] = box_index;
            count += is_kept ? 1u : 0u;
        }
    }
    auto* const indices = reinterpret_cast<std::uint32_t*>(block.begin);
    std::uint32_t sorted[kSortedByRankMax];
    const std::uint32_t* ordered = indices;
    if (queries.order == PairOrder::canonical)
        ordered = sort_indices(queries.kernels, indices, sorted, count);
    if (!state_task.pairs.append(count)) return Status::out_of_memory;
    IndexPair* target = state_task.pairs.end() - count;
    for (std::size_t i = 0; i < count; ++i) target[i] = {query_index, ordered[i]};
    return Status::ok;
}

// Queries of a packet, and the most room that a packet may take to pay, as a multiple of a mean query's. The
// room around a box includes the edge of a leaf, which matters for small boxes.
constexpr std::uint32_t kBoxPacketSize = 16;
constexpr float kPacketRoomMax = 4.0f;

// The box around some boxes if they are close together, else Aabb::empty().
template <class Query>
Aabb packet_bounds(const Query* queries, std::uint32_t count, float leaf_edge) {
    Aabb around = Aabb::empty();
    float room = 0.0f;
    const auto room_of = [leaf_edge](const Aabb& box) {
        const Vec3 edges = size(box);
        return ((edges.x + leaf_edge) * (edges.y + leaf_edge)) * (edges.z + leaf_edge);
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        const BoxOverlap overlap(queries[i]);
        if (!overlap.is_valid()) return Aabb::empty();
        around = include(around, overlap.query.box);
        room += room_of(overlap.query.box);
    }
    return room_of(around) * static_cast<float>(count) <= room * kPacketRoomMax ? around : Aabb::empty();
}

// Appends the pairs of a packet. Returns false, and appends nothing, if the queries are no packet.
template <class Query>
bool append_packet_pairs(const TreeQueries& queries, const Query* shapes, std::uint32_t first,
                         std::uint32_t count, TreeScratch::Task& state_task, Status& out_status) {
    if (count < kBoxPacketSize / 2) return false;
    const Aabb around = packet_bounds(shapes + first, count, queries.leaf_edge);
    if (is_empty(around)) return false;
    PacketBoxes memory[2];
    if (!queries.kernels.take_packet(queries.trees, queries.tree_count, BoxQuery(around), memory[0]))
        return false;
    const PacketBoxes* boxes = memory;
    if (queries.order == PairOrder::canonical) {
        queries.kernels.sort_packet(memory[0], memory[1]);
        boxes = memory + 1;
    }
    PairBuffer& pairs = state_task.pairs;
    out_status = Status::out_of_memory;
    for (std::uint32_t query = first; query < first + count; ++query) {
        const std::size_t begin = pairs.size();
        if (!pairs.reserve_to_append(PacketBoxes::kRoom)) return true;
        IndexPair* const target = pairs.data() + begin;
        std::uint32_t found =
            queries.kernels.test_packet(*boxes, BoxOverlap(shapes[query]).query, query, target);
        if (!queries.filter.is_empty()) {
            const auto fails = [&](const IndexPair& pair) { return !queries.passes(query, pair.second); };
            found = static_cast<std::uint32_t>(std::remove_if(target, target + found, fails) - target);
        }
        if (!pairs.resize(begin + found)) return true;
    }
    out_status = Status::ok;
    return true;
}

template <class Shape, class Query>
Status append_run_pairs(const TreeQueries& queries, const Query* shapes, std::uint32_t first,
                        std::uint32_t last, TreeScratch::Task& state_task) {
    for (std::uint32_t begin = first; begin < last; begin += kBoxPacketSize) {
        const std::uint32_t end = last - begin < kBoxPacketSize ? last : begin + kBoxPacketSize;
        Status status = Status::ok;
        if constexpr (std::is_same_v<Shape, BoxOverlap>) {
            if (append_packet_pairs(queries, shapes, begin, end - begin, state_task, status)) {
                if (status != Status::ok) return status;
                continue;
            }
        }
        for (std::uint32_t query = begin; query < end && status == Status::ok; ++query) {
            status = append_pairs(queries, Shape(shapes[query]), query, state_task);
        }
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

// Calls `ask(box_index)` for each hit that passes the filter, in blocks of leaves, until it returns false.
template <class Shape, class Ask>
struct AskingBlock : HitBlock<typename Shape::Hit> {
    using Hit = typename Shape::Hit;
    const TreeQueries& queries;
    const Shape& shape;
    std::uint32_t query_index;
    Ask& ask;
    const TreeView* tree = nullptr;
    bool goes_on = true;
    Hit hits[3 * kNodeWidth];

    AskingBlock(const TreeQueries& queries_in, const Shape& shape_in, std::uint32_t index, Ask& ask_in)
        : HitBlock<Hit>{hits, hits, hits + 3 * kNodeWidth, &empty},
          queries(queries_in),
          shape(shape_in),
          query_index(index),
          ask(ask_in) {}
    AskingBlock(const AskingBlock&) = delete;
    AskingBlock& operator=(const AskingBlock&) = delete;

    void run() {
        for (const TreeView& next_tree : queries.all()) {
            tree = &next_tree;
            shape.walk(queries.kernels, next_tree, *this);
            if (!empty(*this)) return;
        }
    }
    static bool empty(HitBlock<Hit>& block) {
        auto& self = static_cast<AskingBlock&>(block);
        for (const Hit* hit = self.begin; hit != self.next && self.goes_on; ++hit) {
            const std::uint32_t box_index = self.tree->box_index(slot_of_hit(*hit));
            if (!Shape::kIsExact && !self.shape.accepts(*self.tree, *hit)) continue;
            if (self.queries.passes(self.query_index, box_index)) self.goes_on = self.ask(box_index);
        }
        self.next = self.begin;
        return self.goes_on;
    }
};

template <class Shape>
bool is_any_overlapped(const TreeQueries& queries, const Shape& shape, std::uint32_t query_index) {
    if (!shape.is_valid()) return false;
    if constexpr (requires { shape.any(queries.kernels, queries.trees[0]); }) {
        if (queries.filter.is_empty()) {
            return std::any_of(queries.all().begin(), queries.all().end(),
                               [&](const TreeView& tree) { return shape.any(queries.kernels, tree); });
        }
    }
    bool is_met = false;
    const auto ask = [&](std::uint32_t) {
        is_met = true;
        return false;
    };
    AskingBlock(queries, shape, query_index, ask).run();
    return is_met;
}

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

WriteResult find_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, TreeScratch& scratch,
                          const PairOutput& output) {
    WriteResult result;
    PairWriter writer(output, nullptr);
    shapes.visit([&](auto list) {
        const Status status = run_query_runs(
            queries.runner, list.size(), scratch,
            [&](TreeScratch::Task& task, std::uint32_t first, std::uint32_t last) {
                return append_run_pairs<decltype(overlap_of(list[0]))>(queries, list.data(), first, last,
                                                                       task);
            },
            [&](const TreeScratch::Task& task) {
                return writer.write({task.pairs.data(), task.pairs.size()});
            });
        writer.report(status, result);
    });
    return result;
}

void any_overlap(const TreeQueries& queries, const OverlapQueries& shapes,
                 std::span<std::uint64_t> out_bits) {
    shapes.visit([&](auto list) {
        write_bits(queries.runner, list.size(), out_bits,
                   [&](std::uint32_t i) { return is_any_overlapped(queries, overlap_of(list[i]), i); });
    });
}

void first_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                    std::span<std::uint32_t> out_first) {
    shapes.visit([&]<class Query>(std::span<const Query> list) {
        write_first_met(queries.runner, list.size(), shapes_per_state, out_first,
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
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
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
