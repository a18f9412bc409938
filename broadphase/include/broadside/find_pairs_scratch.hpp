// The working memory of find_pairs, kept by the caller between calls.
#pragma once

#include <broadside/pair_buffer.hpp>
#include <broadside/reset_on_move.hpp>

namespace broadside {

/// Grow-only memory that calls with any boxes and settings can use, one after the other. It holds no state: a
/// used scratch gives the same results as a new one. Movable, not copyable. Not for two calls at once.
///
/// The arrays are named for the sources of the library, each of which gets its own. Callers do not use them,
/// and they may change with any version.
struct FindPairsScratch {
    /// The type of most arrays.
    using Bytes = AlignedArray<std::byte>;

    explicit FindPairsScratch(const Allocator& allocator_in = default_allocator()) noexcept
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
    /// Boxes as the scan reads them, and memory to sort them: sorted columns, leaves, or the cells' records.
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
    /// The list before it is in canonical order, and memory to sort it.
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
    template <class Scratch, class Visit>
    static void for_each_array(Scratch& scratch, Visit&& visit) noexcept {
        const auto visit_all = [&](auto&... arrays) { (visit(arrays), ...); };
        visit_all(scratch.boxes, scratch.blocks, scratch.copies, scratch.deferred, scratch.inner,
                  scratch.large, scratch.large_home, scratch.large_copies, scratch.reached, scratch.collected,
                  scratch.order, scratch.movers, scratch.among_movers, scratch.swept, scratch.rounded);
    }
};

}  // namespace broadside
