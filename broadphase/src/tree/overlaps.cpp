// Boxes that shapes overlap: lists, and whether there is one.
#include <broadside/float_environment.hpp>

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/geometry/box_distance.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <type_traits>

namespace broadside {
namespace broadphase {
namespace {

// Every shape comes as a type with `is_valid()`, `walk(queries, block)`, which hands a superset of the boxes to
// the block, and `accepts(tree, hit)`, which decides; kIsExact says that the walk has decided already.

struct BoxOverlap {
    using Hit = std::uint32_t;
    static constexpr bool kIsExact = true;
    BoxQuery query;
    bool is_legal;

    explicit BoxOverlap(const Aabb& box) : query(box), is_legal(broadside::is_valid(box)) {}
    // A point at infinity is no point; contains(box, point) for any other.
    explicit BoxOverlap(Vec3 point) : BoxOverlap(Aabb{point, point}) {}

    bool is_valid() const { return is_legal; }
    void walk(const TreeQueries& queries, HitBlock<Hit>& state_block) const {
        queries.kernels.all_boxes(queries.tree, query, state_block);
    }
    bool any(const TreeQueries& queries) const { return queries.kernels.any_box(queries.tree, query); }
    bool accepts(const TreeView&, Hit) const { return true; }
};

struct VolumeOverlap {
    using Hit = std::uint32_t;
    static constexpr bool kIsExact = true;
    PlanesQuery query;

    explicit VolumeOverlap(const ConvexVolume& volume)
        : query{volume.planes.data(), static_cast<std::uint32_t>(volume.planes.size())} {}

    bool is_valid() const {
        return std::all_of(query.planes, query.planes + query.count,
                           [](const Plane& plane) { return broadside::is_valid(plane); });
    }
    void walk(const TreeQueries& queries, HitBlock<Hit>& state_block) const {
        queries.kernels.all_planes(queries.tree, query, state_block);
    }
    bool accepts(const TreeView&, Hit) const { return true; }
};

struct ObbOverlap {
    using Hit = std::uint64_t;
    static constexpr bool kIsExact = false;
    const Obb& obb;
    ObbFilter filter;

    explicit ObbOverlap(const Obb& obb_in) : obb(obb_in), filter(obb_filter_of(obb)) {}

    bool is_valid() const { return broadside::is_valid(obb); }
    void walk(const TreeQueries& queries, HitBlock<Hit>& state_block) const {
        queries.kernels.all_obbs(queries.tree, filter, state_block);
    }
    // Doubts are rare: the doubles are not made before.
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
    void walk(const TreeQueries& queries, HitBlock<Hit>& state_block) const {
        // Not below the true square: one rounding, and products that underflow.
        const float limit = (sphere.radius * sphere.radius) * (1.0f + 0x1p-20f) + FLT_MIN;
        queries.kernels.all_within(queries.tree, {sphere.center}, min_keep(limit, FLT_MAX), state_block);
    }
    bool accepts(const TreeView& tree, Hit hit) const {
        const auto radius = static_cast<double>(sphere.radius);
        return distance_sq(slot_box(tree, slot_of(hit)), sphere.center) <= radius * radius;
    }
};

std::uint32_t slot_of_hit(std::uint32_t hit) { return hit; }
std::uint32_t slot_of_hit(std::uint64_t hit) { return slot_of(hit); }

// Ascending. `found` is memory of at least twice the count and two blocks of kSortedByRankMax; the numbers
// are at its beginning, and the answer is where they are then.
std::uint32_t* sort_indices(const TreeKernels& kernels, std::uint32_t* indices, std::uint32_t* spare,
                            std::size_t count) {
    if (count > kSortedByRankMax) {
        std::sort(indices, indices + count);
        return indices;
    }
    kernels.sort_by_rank(indices, static_cast<std::uint32_t>(count), spare);
    return spare;
}

// The pairs of one query, appended to the task's.
template <class Shape>
Status append_pairs(const TreeQueries& queries, const Shape& shape, std::uint32_t query_index,
                    PairOrder order, TreeScratch::Task& state_task) {
    if (!shape.is_valid()) return Status::ok;
    GrowingBlock<typename Shape::Hit> block(state_task.found);
    shape.walk(queries, block);
    if (block.is_out_of_memory) return Status::out_of_memory;

    const std::size_t found_count = block.count();
    AlignedArray<IndexPair>& pairs = state_task.pairs;
    const std::size_t begin = pairs.size();
    // Room to sort in behind the pairs.
    if (!pairs.reserve_to_append(found_count + kSortedByRankMax)) return Status::out_of_memory;
    // In place: an index is never written behind the hit that it is read from.
    auto* indices = reinterpret_cast<std::uint32_t*>(block.begin);
    std::size_t count = 0;
    for (std::size_t i = 0; i < found_count; ++i) {
        const std::uint32_t slot = slot_of_hit(block.begin[i]);
        const std::uint32_t box_index = queries.tree.box_index(slot);
        bool is_kept = Shape::kIsExact || shape.accepts(queries.tree, block.begin[i]);
        if (!queries.filter.is_empty()) is_kept = is_kept && queries.passes(query_index, box_index);
        indices[count] = box_index;
        count += is_kept ? 1u : 0u;
    }
    std::uint32_t sorted[kSortedByRankMax];
    const std::uint32_t* ordered = indices;
    if (order == PairOrder::canonical) ordered = sort_indices(queries.kernels, indices, sorted, count);
    if (!pairs.resize(begin + count)) return Status::out_of_memory;
    IndexPair* target = pairs.data() + begin;
    for (std::size_t i = 0; i < count; ++i) target[i] = {query_index, ordered[i]};
    return Status::ok;
}

// Queries of a packet, and by how much more room than one of them the packet may take for the packet to pay.
// Of the room around boxes a leaf's is a part as well, which makes a difference for small ones.
constexpr std::uint32_t kBoxPacketSize = 16;
constexpr float kPacketRoomMax = 4.0f;

// The box around some boxes if they lie close together, else Aabb::empty().
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

// The pairs of a packet; false when there is no packet, and nothing is appended.
template <class Query>
bool append_packet_pairs(const TreeQueries& queries, const Query* shapes, std::uint32_t first,
                         std::uint32_t count, float leaf_edge, PairOrder order, TreeScratch::Task& state_task,
                         Status& out_status) {
    if (count < kBoxPacketSize / 2) return false;
    const Aabb around = packet_bounds(shapes + first, count, leaf_edge);
    if (is_empty(around)) return false;
    PacketBoxes memory[2];
    if (!queries.kernels.take_packet(queries.tree, BoxQuery(around), memory[0])) return false;
    const PacketBoxes* boxes = memory;
    if (order == PairOrder::canonical) {
        queries.kernels.sort_packet(memory[0], memory[1]);
        boxes = memory + 1;
    }
    AlignedArray<IndexPair>& pairs = state_task.pairs;
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
                        std::uint32_t last, float leaf_edge, PairOrder order, TreeScratch::Task& state_task) {
    for (std::uint32_t begin = first; begin < last; begin += kBoxPacketSize) {
        const std::uint32_t end = last - begin < kBoxPacketSize ? last : begin + kBoxPacketSize;
        Status status = Status::ok;
        if constexpr (std::is_same_v<Shape, BoxOverlap>) {
            if (append_packet_pairs(queries, shapes, begin, end - begin, leaf_edge, order, state_task,
                                    status)) {
                if (status != Status::ok) return status;
                continue;
            }
        }
        for (std::uint32_t query = begin; query < end && status == Status::ok; ++query) {
            status = append_pairs(queries, Shape(shapes[query]), query, order, state_task);
        }
        if (status != Status::ok) return status;
    }
    return Status::ok;
}

template <class Shape, class Query>
WriteResult find_shape_overlaps(const BoxTree& tree, std::span<const Query> shapes,
                                const TreeQuerySettings& settings, TreeScratch& scratch,
                                const PairOutput& output) {
    BROADSIDE_ZONE("BoxTree::find_overlaps");
    WriteResult result;
    result.status =
        check_output(output) ? check_query(tree, shapes.size(), settings) : Status::invalid_argument;
    if (result.status != Status::ok) return result;
    PairWriter writer(output, nullptr);
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    const float leaf_edge = tree.leaf_edge();
    const Status status = run_query_runs(
        settings.runner, shapes.size(), scratch,
        [&](TreeScratch::Task& task, std::uint32_t first, std::uint32_t last) {
            return append_run_pairs<Shape>(queries, shapes.data(), first, last, leaf_edge, settings.order,
                                           task);
        },
        [&](const TreeScratch::Task& task) {
            return writer.write({task.pairs.data(), task.pairs.size()});
        });
    writer.report(status, result);
    return result;
}

// Asks hit after hit, in blocks of a leaf or two, until one counts.
template <class Shape>
struct AnyBlock : HitBlock<typename Shape::Hit> {
    using Hit = typename Shape::Hit;
    const TreeQueries& queries;
    const Shape& shape;
    std::uint32_t query_index;
    bool is_met = false;
    Hit hits[3 * kNodeWidth];

    AnyBlock(const TreeQueries& queries_in, const Shape& shape_in, std::uint32_t index)
        : HitBlock<Hit>{hits, hits, hits + 3 * kNodeWidth, &ask},
          queries(queries_in),
          shape(shape_in),
          query_index(index) {}
    AnyBlock(const AnyBlock&) = delete;
    AnyBlock& operator=(const AnyBlock&) = delete;

    static bool ask(HitBlock<Hit>& block) {
        auto& self = static_cast<AnyBlock&>(block);
        for (const Hit* hit = self.begin; hit != self.next && !self.is_met; ++hit) {
            const std::uint32_t slot = slot_of_hit(*hit);
            self.is_met = (Shape::kIsExact || self.shape.accepts(self.queries.tree, *hit)) &&
                          self.queries.passes(self.query_index, self.queries.tree.box_index(slot));
        }
        self.next = self.begin;
        return !self.is_met;
    }
};

template <class Shape>
bool any_hit_of(const TreeQueries& queries, const Shape& shape, std::uint32_t query_index) {
    if (!shape.is_valid()) return false;
    if constexpr (requires { shape.any(queries); }) {
        if (queries.filter.is_empty()) return shape.any(queries);
    }
    AnyBlock<Shape> block(queries, shape, query_index);
    shape.walk(queries, block);
    AnyBlock<Shape>::ask(block);
    return block.is_met;
}

// Hands what counts to the caller's visitor.
template <class Shape>
struct VisitBlock : HitBlock<typename Shape::Hit> {
    using Hit = typename Shape::Hit;
    const TreeQueries& queries;
    const Shape& shape;
    OverlapVisitor visitor;
    bool goes_on = true;
    Hit hits[3 * kNodeWidth];

    VisitBlock(const TreeQueries& queries_in, const Shape& shape_in, OverlapVisitor visitor_in)
        : HitBlock<Hit>{hits, hits, hits + 3 * kNodeWidth, &visit},
          queries(queries_in),
          shape(shape_in),
          visitor(visitor_in) {}
    VisitBlock(const VisitBlock&) = delete;
    VisitBlock& operator=(const VisitBlock&) = delete;

    static bool visit(HitBlock<Hit>& block) {
        auto& self = static_cast<VisitBlock&>(block);
        for (const Hit* hit = self.begin; hit != self.next && self.goes_on; ++hit) {
            const std::uint32_t slot = slot_of_hit(*hit);
            const std::uint32_t box_index = self.queries.tree.box_index(slot);
            if (!Shape::kIsExact && !self.shape.accepts(self.queries.tree, *hit)) continue;
            if (self.queries.passes(0, box_index)) self.goes_on = self.visitor(box_index);
        }
        self.next = self.begin;
        return self.goes_on;
    }
};

template <class Shape>
Status visit_shape_overlaps(const BoxTree& tree, const Shape& shape, const TreeQuerySettings& settings,
                            OverlapVisitor visitor) {
    if (const Status status = check_query(tree, 1, settings); status != Status::ok) return status;
    if (!shape.is_valid()) return Status::ok;
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    VisitBlock<Shape> block(queries, shape, visitor);
    shape.walk(queries, block);
    VisitBlock<Shape>::visit(block);
    return Status::ok;
}

template <class Shape, class Query>
BatchResult any_shape_overlap(const BoxTree& tree, std::span<const Query> shapes,
                              const TreeQuerySettings& settings, std::span<std::uint64_t> out_bits) {
    BROADSIDE_ZONE("BoxTree::any_overlap");
    if (const Status status = check_query(tree, shapes.size(), settings); status != Status::ok)
        return {status};
    if (out_bits.size() < bit_word_count(shapes.size())) return {Status::capacity_exceeded};
    const TreeQueries queries = {tree.view(), *simd::active_kernels<TreeKernels>(), settings.filter};
    // Runs of whole words, so that tasks share none.
    run_chunks(settings.runner, shapes.size(), 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        std::uint64_t word = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_met = any_hit_of(queries, Shape(shapes[i]), static_cast<std::uint32_t>(i));
            word |= std::uint64_t{is_met ? 1u : 0u} << (i - begin);
        }
        out_bits[begin / 64] = word;
    });
    return {};
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

WriteResult BoxTree::find_overlaps(std::span<const Aabb> boxes, const TreeQuerySettings& settings,
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps<BoxOverlap>(*this, boxes, settings, scratch, out_pairs);
}
WriteResult BoxTree::find_overlaps(std::span<const Vec3> points, const TreeQuerySettings& settings,
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps<BoxOverlap>(*this, points, settings, scratch, out_pairs);
}
WriteResult BoxTree::find_overlaps(std::span<const Sphere> spheres, const TreeQuerySettings& settings,
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps<SphereOverlap>(*this, spheres, settings, scratch, out_pairs);
}
WriteResult BoxTree::find_overlaps(std::span<const Obb> obbs, const TreeQuerySettings& settings,
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps<ObbOverlap>(*this, obbs, settings, scratch, out_pairs);
}
WriteResult BoxTree::find_overlaps(std::span<const ConvexVolume> volumes, const TreeQuerySettings& settings,
                                   TreeScratch& scratch, const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    return find_shape_overlaps<VolumeOverlap>(*this, volumes, settings, scratch, out_pairs);
}

Status BoxTree::visit_overlaps(const Aabb& box, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_shape_overlaps(*this, BoxOverlap(box), settings, visit);
}
Status BoxTree::visit_overlaps(Vec3 point, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment(point);
    return visit_shape_overlaps(*this, BoxOverlap(point), settings, visit);
}
Status BoxTree::visit_overlaps(const Sphere& sphere, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_shape_overlaps(*this, SphereOverlap(sphere), settings, visit);
}
Status BoxTree::visit_overlaps(const Obb& obb, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_shape_overlaps(*this, ObbOverlap(obb), settings, visit);
}
Status BoxTree::visit_overlaps(const ConvexVolume& volume, const TreeQuerySettings& settings,
                               OverlapVisitor visit) const noexcept {
    const FloatEnvironment environment;
    return visit_shape_overlaps(*this, VolumeOverlap(volume), settings, visit);
}

BatchResult BoxTree::any_overlap(std::span<const Aabb> boxes, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap<BoxOverlap>(*this, boxes, settings, out_bits);
}
BatchResult BoxTree::any_overlap(std::span<const Vec3> points, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap<BoxOverlap>(*this, points, settings, out_bits);
}
BatchResult BoxTree::any_overlap(std::span<const Sphere> spheres, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap<SphereOverlap>(*this, spheres, settings, out_bits);
}
BatchResult BoxTree::any_overlap(std::span<const Obb> obbs, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap<ObbOverlap>(*this, obbs, settings, out_bits);
}
BatchResult BoxTree::any_overlap(std::span<const ConvexVolume> volumes, const TreeQuerySettings& settings,
                                 std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return any_shape_overlap<VolumeOverlap>(*this, volumes, settings, out_bits);
}

}  // namespace broadside
