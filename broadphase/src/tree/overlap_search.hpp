// Shared by the queries for overlaps: lists, any, and visits, of boxes and of all other shapes.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/tree/queries.hpp"

#include <algorithm>
#include <type_traits>

namespace broadside::broadphase {

// Every shape is a type with `is_valid()`, `walk(queries, tree, block)`, which passes a superset of the boxes
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
    void walk(const TreeQueries& queries, const TreeView& tree, HitBlock<Hit>& state_block) const {
        queries.kernels.all_boxes(tree, query, state_block);
    }
    bool any(const TreeQueries& queries, const TreeView& tree) const {
        return queries.kernels.any_box(tree, query);
    }
    bool accepts(const TreeView&, Hit) const { return true; }
};

inline std::uint32_t slot_of_hit(std::uint32_t hit) { return hit; }
inline std::uint32_t slot_of_hit(std::uint64_t hit) { return slot_of(hit); }

// Sorts `indices` ascending; both arrays have room for kSortedByRankMax. Returns the one with the result.
inline std::uint32_t* sort_indices(const TreeKernels& kernels, std::uint32_t* indices, std::uint32_t* spare,
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
                    BoxScratch::Task& state_task) {
    if (!shape.is_valid()) return Status::ok;
    GrowingBlock<typename Shape::Hit> block(state_task.found);
    std::size_t count = 0;
    for (const TreeView& tree : queries.all()) {
        block.begin_behind(count * sizeof(std::uint32_t));
        const auto first = block.count();
        shape.walk(queries, tree, block);
        if (block.is_out_of_memory) return Status::out_of_memory;
        // Overwrites the hits: no index is written behind the hit that it is read from.
        auto* const indices = reinterpret_cast<std::uint32_t*>(block.begin);
        for (const auto* hit = block.begin + first; hit != block.next; ++hit) {
            const std::uint32_t box_index = tree.box_index(slot_of_hit(*hit));
            bool is_kept = Shape::kIsExact || shape.accepts(tree, *hit);
            if (!queries.settings.finds_all()) is_kept = is_kept && queries.passes(query_index, box_index);
            indices[count] = box_index;
            count += is_kept ? 1u : 0u;
        }
    }
    auto* const indices = reinterpret_cast<std::uint32_t*>(block.begin);
    std::uint32_t sorted[kSortedByRankMax];
    const std::uint32_t* ordered = indices;
    if (queries.settings.order == PairOrder::canonical)
        ordered = sort_indices(queries.kernels, indices, sorted, count);
    if (!state_task.pairs.append(count)) return Status::out_of_memory;
    IndexPair* target = state_task.pairs.end() - count;
    for (std::size_t i = 0; i < count; ++i) target[i] = {query_index, ordered[i]};
    return Status::ok;
}

// Queries of a packet, and the most room that a packet may take to pay, as a multiple of a mean query's. The
// room around a box includes the edge of a leaf, which matters for small boxes.
inline constexpr std::uint32_t kBoxPacketSize = 16;
inline constexpr float kPacketRoomMax = 4.0f;

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
                         std::uint32_t count, BoxScratch::Task& state_task, Status& out_status) {
    if (count < kBoxPacketSize / 2) return false;
    const Aabb around = packet_bounds(shapes + first, count, queries.leaf_edge);
    if (is_empty(around)) return false;
    PacketBoxes memory[2];
    if (!queries.kernels.take_packet(queries.trees, queries.tree_count, BoxQuery(around), memory[0]))
        return false;
    const PacketBoxes* boxes = memory;
    if (queries.settings.order == PairOrder::canonical) {
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
        if (!queries.settings.finds_all()) {
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
                        std::uint32_t last, BoxScratch::Task& state_task) {
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
            shape.walk(queries, next_tree, *this);
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
    if constexpr (requires { shape.any(queries, queries.trees[0]); }) {
        if (queries.settings.finds_all()) {
            return std::any_of(queries.all().begin(), queries.all().end(),
                               [&](const TreeView& tree) { return shape.any(queries, tree); });
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

// find_overlaps for a list of shapes that `Shape` handles.
template <class Shape, class Query>
WriteResult find_overlaps_of(const TreeQueries& queries, std::span<const Query> shapes, BoxScratch& scratch,
                             const PairOutput& output) {
    WriteResult result;
    PairWriter writer(output, nullptr);
    const Status status = run_query_runs(
        queries.settings.runner, shapes.size(), scratch,
        [&](BoxScratch::Task& task, std::uint32_t first, std::uint32_t last) {
            return append_run_pairs<Shape>(queries, shapes.data(), first, last, task);
        },
        [&](const BoxScratch::Task& task) {
            return writer.write({task.pairs.data(), task.pairs.size()});
        });
    writer.report(status, result);
    return result;
}

}  // namespace broadside::broadphase
