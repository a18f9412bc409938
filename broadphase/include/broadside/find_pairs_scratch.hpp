// The working memory of find_pairs, kept by the caller between calls.
#pragma once

#include <broadside/pair_buffer.hpp>
#include <broadside/reset_on_move.hpp>

namespace broadside {

/// Grow-only memory that one call after the other can use, for whatever boxes and settings. It holds no
/// state: a used scratch answers like a new one. Movable, not copyable. Not for two calls at once.
///
/// The arrays are named for the sources of the library, each of which is handed what it works in; to a caller
/// they mean nothing, and they may change with any version.
struct FindPairsScratch {
    /// What most of it is.
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
    /// Boxes as the scan reads them, and what sorts them: sorted columns, leaves, or the cells' records.
    Bytes boxes{allocator};
    /// Where tasks put pairs until they are written in order.
    Bytes blocks{allocator};
    /// Cells: records beside their home cell.
    Bytes copies{allocator};
    /// Cells: what is put off, overfull cells and large boxes, and the one of them that is at work.
    Bytes deferred{allocator};
    Bytes inner{allocator};
    /// Cells: large boxes, and where they lie in the grid.
    Bytes large{allocator};
    Bytes large_home{allocator};
    Bytes large_copies{allocator};
    /// The boxes that a subset can reach.
    Bytes reached{allocator};
    /// The list before it is in canonical order, and what sorts it.
    PairBuffer collected{allocator};
    /// See `collected`.
    Bytes order{allocator};
    /// RestingBoxes: the boxes that do not rest, and the pairs among them.
    Bytes movers{allocator};
    /// See `movers`.
    PairBuffer among_movers{allocator};
    /// Cells: pairs of a run that is swept instead.
    PairBuffer swept{allocator};

private:
    template <class Scratch, class Visit>
    static void for_each_array(Scratch& scratch, Visit&& visit) noexcept {
        const auto visit_all = [&](auto&... arrays) { (visit(arrays), ...); };
        visit_all(scratch.boxes, scratch.blocks, scratch.copies, scratch.deferred, scratch.inner,
                  scratch.large, scratch.large_home, scratch.large_copies, scratch.reached, scratch.collected,
                  scratch.order, scratch.movers, scratch.among_movers, scratch.swept);
    }
};

}  // namespace broadside
