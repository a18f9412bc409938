// The working memory of calls about boxes, kept by the caller between calls.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/hit.hpp>
#include <broadside/pair_buffer.hpp>
#include <broadside/status.hpp>

#include <utility>

namespace broadside {

/// Grow-only memory that find_pairs, queries of trees and worlds that return lists, and find_clashes can use
/// with any arguments, one after the other. It holds no state: a used scratch gives the same results as a new
/// one. Movable, not copyable. Not for two calls at once. With a runner, queries call its allocator from the
/// runner's threads.
///
/// The arrays are named for the sources of the library, each of which gets its own. Callers do not use them,
/// and they may change with any version.
struct BoxScratch {
    /// The type of most arrays.
    using Bytes = AlignedArray<std::byte>;
    /// Runs of queries that can be processed at once.
    static constexpr std::size_t kTaskCount = 16;

    explicit BoxScratch(const Allocator& allocator = default_allocator()) noexcept
        : BoxScratch(allocator, std::make_index_sequence<kTaskCount>{}) {}

    std::size_t capacity_bytes() const noexcept {
        std::size_t bytes = pairs.capacity_bytes() + (boxes_a.capacity() + boxes_b.capacity()) * sizeof(Aabb);
        for_each_array(*this, [&](const auto& array) { bytes += array.capacity_bytes(); });
        return bytes;
    }
    /// Gives all memory back.
    void release() noexcept {
        pairs.release();
        boxes_a = BoxSoa(pairs.allocator);
        boxes_b = BoxSoa(pairs.allocator);
        for_each_array(*this, [](auto& array) { array.release(); });
    }

    /// Memory of find_pairs alone.
    struct Pairs {
        explicit Pairs(const Allocator& allocator_in = default_allocator()) noexcept
            : allocator(allocator_in) {}

        std::size_t capacity_bytes() const noexcept {
            std::size_t bytes = 0;
            for_each_array(*this, [&](const auto& array) { bytes += array.capacity_bytes(); });
            return bytes;
        }
        /// Gives all memory back.
        void release() noexcept {
            for_each_array(*this, [](auto& array) { array.release(); });
        }

        Allocator allocator;
        /// Boxes as the scan reads them, and memory to sort them: sorted columns, leaves, or records of cells.
        Bytes boxes{allocator};
        /// Pairs of tasks until they are written in order.
        Bytes blocks{allocator};
        /// Cells: copies of records outside their home cell.
        Bytes copies{allocator};
        /// Cells: the deferred boxes, of overfull cells and large ones, and those being searched.
        Bytes deferred{allocator};
        Bytes inner{allocator};
        /// Cells: large boxes, and their cells in the grid.
        Bytes large{allocator};
        Bytes large_home{allocator};
        Bytes large_copies{allocator};
        /// The boxes that a subset can reach.
        Bytes reached{allocator};
        /// The boxes by the axes on which they are long.
        Bytes parted{allocator};
        /// The list before it is in canonical order, that of trees too, and memory to sort it.
        PairBuffer collected{allocator};
        /// See `collected`.
        Bytes order{allocator};
        /// RestingBoxes: the boxes that move, and the pairs among them.
        Bytes movers{allocator};
        /// See `movers`.
        PairBuffer among_movers{allocator};
        /// Cells: pairs of a run that is swept instead.
        PairBuffer swept{allocator};
        /// Boxes of other numbers, as floats.
        Bytes rounded{allocator};

    private:
        template <class Arrays, class Visit>
        static void for_each_array(Arrays& of, Visit&& visit) noexcept {
            const auto visit_all = [&](auto&... arrays) { (visit(arrays), ...); };
            visit_all(of.boxes, of.blocks, of.copies, of.deferred, of.inner, of.large, of.large_home,
                      of.large_copies, of.reached, of.parted, of.collected, of.order, of.movers,
                      of.among_movers, of.swept, of.rounded);
        }
    };
    /// See `Pairs`.
    Pairs pairs;

    /// Memory of one of the caller's threads in a query.
    struct Task {
        /// Slots that the walk of one query found.
        AlignedArray<std::uint64_t> found;
        /// Pairs of the queries of a run, one query after the other.
        PairBuffer pairs;
        /// Hits of the queries of a run, one query after the other.
        AlignedArray<Listed<TreeHit>> hits;
        Status status = Status::ok;
    };
    /// One for each run at work.
    Task tasks[kTaskCount];
    /// World: overlaps and hits by slot. Clashes: the candidates.
    PairBuffer listed_pairs;
    /// See `listed_pairs`.
    AlignedArray<Listed<TreeHit>> listed_hits;
    /// ExactBoxTree: the queries as floats.
    AlignedArray<Aabb> rounded;
    /// Clashes: the boxes of both sets.
    BoxSoa boxes_a;
    BoxSoa boxes_b;
    /// Clashes: the relation of each candidate.
    AlignedArray<std::uint8_t> relations;

private:
    template <std::size_t... kIndex>
    BoxScratch(const Allocator& allocator, std::index_sequence<kIndex...>) noexcept
        : pairs(allocator),
          tasks{
              (static_cast<void>(kIndex), Task{AlignedArray<std::uint64_t>(allocator), PairBuffer(allocator),
                                               AlignedArray<Listed<TreeHit>>(allocator)})...},
          listed_pairs(allocator),
          listed_hits(allocator),
          rounded(allocator),
          boxes_a(allocator),
          boxes_b(allocator),
          relations(allocator) {}

    template <class Scratch, class Visit>
    static void for_each_array(Scratch& scratch, Visit&& visit) noexcept {
        for (auto& task : scratch.tasks) {
            visit(task.found);
            visit(task.pairs);
            visit(task.hits);
        }
        visit(scratch.listed_pairs);
        visit(scratch.listed_hits);
        visit(scratch.rounded);
        visit(scratch.relations);
    }
};

}  // namespace broadside
