// ExactBoxTree: builds, and queries of the tree of floats.
#include <broadside/exact_box_tree.hpp>
#include <broadside/float_environment.hpp>

#include "broadphase/src/exact/rounding.hpp"
#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <atomic>
#include <new>

namespace broadside {
namespace broadphase {
namespace {

// The boxes of a tree as rows, and the rules of a query.
template <class Number>
struct ExactDecision {
    ExactBoxView<Number> queries;
    ExactBoxView<Number> boxes;
    const TreeQuerySettings& settings;

    static bool accepts(void* user, std::uint32_t query, std::uint32_t box) noexcept {
        const ExactDecision& self = *static_cast<const ExactDecision*>(user);
        if (!exact_overlap(self.queries, query, self.boxes, box)) return false;
        return self.settings.accepts == nullptr || self.settings.accepts(self.settings.user, query, box);
    }
};

// Rounds the queries. Returns whether floats leave any of them undecided.
template <class Number>
bool round_queries(const ExactBoxView<Number>& queries, const AxisMaps<Number>& maps,
                   const TaskRunner* runner, Aabb* out_rounded) {
    std::atomic<bool> is_lossy{false};
    const std::size_t chunk = thresholds().tasks.exact_queries_per_task;
    run_chunks(runner, queries.count, chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("exact/queries task");
        bool is_task_lossy = false;
        for (std::size_t i = begin; i < end; ++i)
            out_rounded[i] = rounded_box(queries, i, maps, is_task_lossy);
        if (is_task_lossy) is_lossy.store(true, std::memory_order_relaxed);
    });
    return is_lossy.load(std::memory_order_relaxed);
}

// Queries the tree of floats, with a decision for results that floats leave open.
template <class Result, class Shape, class Number, class Ask>
Result ask_exactly(const ExactBoxTree<Number>& tree, const Shape& shape, const ExactBoxView<Number>& queries,
                   const TreeQuerySettings& settings, BoxScratch& scratch, Ask&& ask) {
    const std::uint32_t axis_count = tree.box_count() != 0 ? tree.axis_count() : queries.axis_count;
    if (!check_exact_boxes(queries) || !check_axis_counts(queries.axis_count, axis_count) ||
        !check_runner(settings.runner)) {
        return {Status::invalid_argument};
    }
    if (!scratch.rounded.resize(queries.count)) return {Status::out_of_memory};
    const bool is_lossy =
        tree.box_count() != 0 && round_queries(queries, *shape.maps, settings.runner, scratch.rounded.data());
    if (tree.box_count() == 0) std::fill_n(scratch.rounded.data(), queries.count, Aabb::empty());
    ExactDecision<Number> decision = {queries, tree.boxes(), settings};
    TreeQuerySettings exact = settings;
    if (is_lossy || shape.is_lossy) {
        exact.accepts = &ExactDecision<Number>::accepts;
        exact.user = &decision;
    }
    return ask(std::span<const Aabb>(scratch.rounded.data(), queries.count), exact);
}

template <class Number>
void copy_rows(const ExactBoxView<Number>& boxes, Number* out_rows) {
    for (std::size_t i = 0; i < boxes.count; ++i) {
        for (std::uint32_t axis = 0; axis < boxes.axis_count; ++axis) {
            out_rows[axis] = min_side(boxes, axis)[i * boxes.stride];
            out_rows[axis + boxes.axis_count] = max_side(boxes, axis)[i * boxes.stride];
        }
        out_rows += 2 * boxes.axis_count;
    }
}

}  // namespace
}  // namespace broadphase

using namespace broadphase;

template <BoxNumber Number>
ExactBoxTree<Number>::ExactBoxTree(const Allocator& allocator) noexcept
    : tree_(allocator), rows_(allocator), memory_(allocator) {}

template <BoxNumber Number>
Status ExactBoxTree<Number>::build(const ExactBoxView<Number>& boxes, const TaskRunner* runner) noexcept {
    const FloatEnvironment environment;
    BROADSIDE_ZONE("ExactBoxTree::build");
    if (!check_exact_boxes(boxes) || !check_runner(runner)) return Status::invalid_argument;
    const ExactBoxView<Number>* const sets[] = {&boxes};
    AxisMaps<Number> chosen;
    choose_maps<Number>(sets, chosen);
    clear();
    RoundedArrays arrays;
    AxisMaps<Number>* kept = nullptr;
    Number* listed[3] = {};
    const auto lay_out = [&](Arena& arena) {
        kept = arena.reserve<AxisMaps<Number>>(1);
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            if (chosen.axes[axis].is_by_rank())
                listed[axis] = arena.reserve<Number>(listed_count_max<Number>(sets));
        }
        for (std::uint32_t axis = 0; axis < 3; ++axis) {
            const bool is_there = axis < boxes.axis_count;
            arrays.min[axis] = arena.reserve<float>(boxes.count);
            arrays.max[axis] = is_there ? arena.reserve<float>(boxes.count) : arrays.min[axis];
        }
    };
    if (!rows_.resize(boxes.count * 2 * boxes.axis_count) || !reserve_arrays(memory_, lay_out)) {
        clear();
        return Status::out_of_memory;
    }
    AxisMaps<Number>& maps = *new (kept) AxisMaps<Number>(chosen);
    shape_.maps = &maps;
    run_tasks(runner, 3, [&](std::uint32_t axis) {
        BROADSIDE_ZONE("exact/list task");
        if (maps.axes[axis].is_by_rank()) list_numbers<Number>(sets, axis, listed[axis], maps.axes[axis]);
    });
    copy_rows(boxes, rows_.data());
    shape_.axis_count = boxes.axis_count;
    shape_.is_lossy = round_boxes(boxes, maps, runner, arrays);
    if (boxes.axis_count == 2) std::fill_n(arrays.min[2], boxes.count, 0.0f);
    const Status status = tree_.build(arrays.view(boxes.count), runner);
    if (status != Status::ok) clear();
    return status;
}

template <BoxNumber Number>
std::size_t ExactBoxTree<Number>::capacity_bytes() const noexcept {
    return tree_.capacity_bytes() + rows_.capacity_bytes() + memory_.capacity_bytes();
}

template <BoxNumber Number>
void ExactBoxTree<Number>::clear() noexcept {
    tree_.clear();
    rows_.clear();
    static_cast<Shape&>(shape_) = {};
}

template <BoxNumber Number>
WriteResult ExactBoxTree<Number>::find_overlaps(const ExactBoxView<Number>& queries,
                                                const TreeQuerySettings& settings, BoxScratch& scratch,
                                                const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    const WriteResult result =
        ask_exactly<WriteResult, Shape>(*this, shape_, queries, settings, scratch,
                                        [&](std::span<const Aabb> rounded, const TreeQuerySettings& exact) {
                                            return tree_.find_overlaps(rounded, exact, scratch, out_pairs);
                                        });
    // Clears an array, as any search does, if there was no memory to round the queries.
    if (result.status == Status::out_of_memory && result.written == 0) PairWriter(out_pairs, nullptr);
    return result;
}

template <BoxNumber Number>
BatchResult ExactBoxTree<Number>::any_overlap(const ExactBoxView<Number>& queries,
                                              const TreeQuerySettings& settings, BoxScratch& scratch,
                                              std::span<std::uint64_t> out_bits) const noexcept {
    const FloatEnvironment environment;
    return ask_exactly<BatchResult, Shape>(
        *this, shape_, queries, settings, scratch,
        [&](std::span<const Aabb> rounded, const TreeQuerySettings& exact) {
            return tree_.any_overlap(rounded, exact, out_bits);
        });
}

template <BoxNumber Number>
WriteResult ExactBoxTree<Number>::find_pairs(const FindPairsSettings& settings, BoxScratch& scratch,
                                             const PairOutput& out_pairs) const noexcept {
    const FloatEnvironment environment;
    const ExactBoxView<Number> view = boxes();
    const ExactPairs<Number> exact = {view, view};
    const PairDecision decision = {&ExactPairs<Number>::keep, &exact};
    return find_tree_pairs(tree_, nullptr, settings, shape_.is_lossy ? &decision : nullptr, scratch,
                           out_pairs);
}

template class ExactBoxTree<float>;
template class ExactBoxTree<double>;
template class ExactBoxTree<std::int32_t>;
template class ExactBoxTree<std::int64_t>;

}  // namespace broadside
