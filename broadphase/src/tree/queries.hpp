// Shared by the sources of the queries: filters, lists that grow, and the cut into tasks.
#pragma once

#include "broadphase/src/lists/argument_checks.hpp"
#include "broadphase/src/lists/pair_filter.hpp"
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/tree_data.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

namespace broadside::broadphase {

/// Trees that are queried as if they were one; no index is in two of them. Either that of a BoxTree or those
/// of a World, with their kernels and the settings of the call. Refers to all of it.
struct TreeQueries {
    const TreeView* trees;
    std::uint32_t tree_count;
    /// The edge of a typical leaf, the largest of all trees.
    float leaf_edge;
    const TreeKernels& kernels;
    const TreeQuerySettings& settings;
    /// All boxes by index, if there are several trees.
    const BoxSoaView* boxes;

    std::span<const TreeView> all() const { return {trees, tree_count}; }
    bool passes(std::uint32_t query_index, std::uint32_t box_index) const {
        const std::uint64_t category =
            settings.categories.empty() ? ~std::uint64_t{0} : settings.categories[box_index];
        const std::uint64_t mask = settings.masks.empty() ? ~std::uint64_t{0} : settings.masks[query_index];
        return (category & mask) != 0 &&
               (settings.accepts == nullptr || settings.accepts(settings.user, query_index, box_index));
    }
};

/// A single BoxTree as TreeQueries. The settings must outlive it.
class OneTree {
public:
    OneTree(const BoxTree& tree, const TreeQuerySettings& settings)
        : view_(view_of(tree)), queries_{&view_,          view_.is_empty() ? 0u : 1u,
                                         view_.leaf_edge, *simd::active_kernels<TreeKernels>(),
                                         settings,        nullptr} {}
    OneTree(const OneTree&) = delete;
    OneTree& operator=(const OneTree&) = delete;

    operator const TreeQueries&() const { return queries_; }

private:
    TreeView view_;
    TreeQueries queries_;
};

/// The trees of a query of pairs: one, with a null `b`, or two. Refers to both.
struct TwoTrees {
    const BoxTree& a;
    const BoxTree* b;

    bool is_one() const { return b == nullptr; }
    const BoxTree& second() const { return b != nullptr ? *b : a; }
    PairFilter filter(const FindPairsSettings& settings) const {
        return {settings.filter, b != nullptr ? settings.filter_b : settings.filter};
    }
    Status check(const FindPairsSettings& settings) const {
        const bool is_valid = check_filter(settings.filter, a.box_count()) &&
                              (b == nullptr || check_filter(settings.filter_b, b->box_count())) &&
                              check_order(settings.order) && check_runner(settings.runner);
        if (!is_valid) return Status::invalid_argument;
        return simd::active_kernels<TreeKernels>() == nullptr ? Status::unsupported_isa : Status::ok;
    }
    /// In one tree the smaller index comes first.
    IndexPair pair_of(std::uint32_t index_a, std::uint32_t index_b) const {
        return is_one() && index_b < index_a ? IndexPair{index_b, index_a} : IndexPair{index_a, index_b};
    }
};

/// BoxTree::find_pairs, of one tree if `b` is null. Pairs that `decision` rejects are left out.
WriteResult find_tree_pairs(const BoxTree& a, const BoxTree* b, const FindPairsSettings& settings,
                            const PairDecision* decision, BoxScratch& scratch, const PairOutput& output);

// The queries of BoxTree, with checked arguments.

WriteResult find_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, BoxScratch& scratch,
                          const PairOutput& output);
WriteResult find_overlaps(const TreeQueries& queries, std::span<const Aabb> boxes, BoxScratch& scratch,
                          const PairOutput& output);
void any_overlap(const TreeQueries& queries, const OverlapQueries& shapes, std::span<std::uint64_t> out_bits);
void first_overlaps(const TreeQueries& queries, const OverlapQueries& shapes, std::uint32_t shapes_per_state,
                    std::span<std::uint32_t> out_first);
bool any_overlap(const TreeQueries& queries, const OverlapQuery& shape);
void visit_overlaps(const TreeQueries& queries, const OverlapQuery& shape, OverlapVisitor visitor);

WriteResult find_hits(const TreeQueries& queries, const HitQueries& lines, BoxScratch& scratch,
                      const TreeHitOutput& output);
void any_hit(const TreeQueries& queries, const HitQueries& lines, std::span<std::uint64_t> out_bits);
bool any_hit(const TreeQueries& queries, const HitQuery& line);
void visit_hits(const TreeQueries& queries, const HitQuery& line, HitVisitor visitor);
TreeHit closest_hit(const TreeQueries& queries, const HitQuery& line);
/// BoxTree::visit_hits of a legal ray, without faces.
Status visit_times(const BoxTree& tree, const Ray& ray, const RaySettings& ray_settings, HitVisitor visitor);
/// Visits the boxes that each of a packet of rays meets or starts in, those with a greater key than its limit
/// left out; limits are t_max at first. Returns false, and visits none, if the rays do not go the same way, or
/// if one may_underflow.
bool visit_packet(const BoxTree& tree, std::span<const Ray, kPacketSize> rays, const RaySettings& settings,
                  PacketVisitor& state_visitor);
/// Handles `count` queries from `begin` on, at most kHitRun.
inline constexpr std::size_t kHitRun = 256;
void closest_hits(const TreeQueries& queries, const HitQueries& lines, std::size_t begin, std::size_t count,
                  TreeHit* out_closest);

/// Fills the list of one point or box: nearest first, then ClosestBox{}.
void closest_boxes(const TreeQueries& queries, const Aabb& query, std::uint32_t query_index,
                   float max_distance, std::span<ClosestBox> out_list);
inline void closest_boxes(const TreeQueries& queries, Vec3 point, std::uint32_t query_index,
                          float max_distance, std::span<ClosestBox> out_list) {
    closest_boxes(queries, Aabb{point, point}, query_index, max_distance, out_list);
}
/// Visits the boxes near one point or box, mostly nearest first, like BoxTree::visit_close_boxes.
void visit_close_boxes(const TreeQueries& queries, const Aabb& query, float max_distance,
                       ClosePairVisitor visitor);
inline void visit_close_boxes(const TreeQueries& queries, Vec3 point, float max_distance,
                              ClosePairVisitor visitor) {
    visit_close_boxes(queries, Aabb{point, point}, max_distance, visitor);
}

/// The checks that the queries of a World share.
inline bool check_masks(std::span<const std::uint64_t> masks, std::size_t query_count) {
    return check_readable(masks) && BROADSIDE_ARGUMENT(masks.empty() || masks.size() == query_count,
                                                       "masks: neither none nor one per query");
}
template <class... Query>
bool check_queries(const QueryList<Query...>& queries) {
    return check_array(queries.data(), queries.size(), 1) &&
           BROADSIDE_ARGUMENT(queries.size() < kNoBox, "queries: more than an index can count");
}

inline bool check_rules(const HitQueries& lines) {
    return check_inside(lines.ray_settings.inside) && check_touch(lines.touch);
}

/// Checks the arguments that all queries have. Returns ok or the error.
template <class... Query>
Status check_query(const BoxTree& tree, const QueryList<Query...>& queries,
                   const TreeQuerySettings& settings) {
    const bool is_valid =
        check_readable(settings.categories) &&
        BROADSIDE_ARGUMENT(settings.categories.empty() || settings.categories.size() == tree.box_count(),
                           "categories: neither none nor one per box of the tree") &&
        check_masks(settings.masks, queries.size()) && check_runner(settings.runner) &&
        check_order(settings.order) && check_queries(queries);
    if (!is_valid) return Status::invalid_argument;
    return simd::active_kernels<TreeKernels>() == nullptr ? Status::unsupported_isa : Status::ok;
}

inline Status check_hit_query(const BoxTree& tree, const HitQueries& lines,
                              const TreeQuerySettings& settings) {
    return check_rules(lines) ? check_query(tree, lines, settings) : Status::invalid_argument;
}

/// Sets the bit of each query for which `is_met(index)` is true, whole words in a task.
template <class IsMet>
void write_bits(const TaskRunner* runner, std::size_t query_count, std::span<std::uint64_t> out_bits,
                IsMet&& is_met) {
    run_chunks(runner, query_count, 64, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("box tree/query task");
        std::uint64_t word = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const bool is_set = is_met(static_cast<std::uint32_t>(i));
            word |= std::uint64_t{is_set ? 1u : 0u} << (i - begin);
        }
        out_bits[begin / 64] = word;
    });
}

/// A block of hits that grows. Uses all of `memory`.
template <class Hit>
struct GrowingBlock : HitBlock<Hit> {
    AlignedArray<std::uint64_t>* memory;
    bool is_out_of_memory = false;

    explicit GrowingBlock(AlignedArray<std::uint64_t>& memory_in) : memory(&memory_in) {
        this->take = &grow;
        rebase(0);
    }
    /// Starts the block again, behind the first `bytes`.
    void begin_behind(std::size_t bytes) {
        this->next = this->begin + (bytes + sizeof(Hit) - 1) / sizeof(Hit);
    }

private:
    void rebase(std::size_t count) {
        this->begin = reinterpret_cast<Hit*>(memory->data());
        this->next = this->begin + count;
        // NOLINTNEXTLINE(bugprone-sizeof-expression): of a Hit that is a pointer, too.
        this->end = this->begin + memory->size() * (sizeof(std::uint64_t) / sizeof(Hit));
    }
    static bool grow(HitBlock<Hit>& block) {
        auto& self = static_cast<GrowingBlock&>(block);
        const std::size_t count = self.count();
        const std::size_t grown = self.memory->size() * 2 + 512;
        if (!self.memory->resize(grown)) {
            self.is_out_of_memory = true;
            return false;
        }
        self.rebase(count);
        return true;
    }
};

/// Runs `work(task, first, last)`, which appends to the task's lists, for runs of at most kRunOfQueries
/// queries, and `write(task)`, which empties them, in the order of the queries. Both return a status; the
/// first that is not ok ends the work.
inline constexpr std::size_t kRunOfQueries = 64;
template <class Work, class Write>
Status run_query_runs(const TaskRunner* runner, std::size_t query_count, BoxScratch& scratch, Work&& work,
                      Write&& write) {
    constexpr std::size_t kRun = kRunOfQueries;
    const std::size_t round = runner != nullptr ? BoxScratch::kTaskCount * kRun : kRun;
    for (std::size_t begin = 0; begin < query_count; begin += round) {
        const std::size_t end = query_count - begin < round ? query_count : begin + round;
        const auto task_count = static_cast<std::uint32_t>((end - begin + kRun - 1) / kRun);
        BROADSIDE_ASSERT(task_count <= BoxScratch::kTaskCount, "queries: more tasks than the scratch has");
        run_tasks(runner, task_count, [&](std::uint32_t index) {
            BROADSIDE_ZONE("box tree/query task");
            BoxScratch::Task& task = scratch.tasks[index];
            task.pairs.clear();
            task.hits.clear();
            task.status = Status::ok;
            const std::size_t first = begin + index * kRun;
            const std::size_t last = end - first < kRun ? end : first + kRun;
            task.status = work(task, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last));
        });
        for (std::uint32_t index = 0; index < task_count; ++index) {
            BoxScratch::Task& task = scratch.tasks[index];
            if (task.status != Status::ok) return task.status;
            if (const Status status = write(task); status != Status::ok) return status;
        }
    }
    return Status::ok;
}

/// The same, query by query.
template <class Work, class Write>
Status run_query_tasks(const TaskRunner* runner, std::size_t query_count, BoxScratch& scratch, Work&& work,
                       Write&& write) {
    return run_query_runs(
        runner, query_count, scratch,
        [&](BoxScratch::Task& task, std::uint32_t first, std::uint32_t last) {
            Status status = Status::ok;
            for (std::uint32_t query = first; query < last && status == Status::ok; ++query) {
                status = work(task, query);
            }
            return status;
        },
        write);
}

}  // namespace broadside::broadphase
