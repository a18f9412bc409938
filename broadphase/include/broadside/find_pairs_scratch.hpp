// The working memory of find_pairs, kept by the caller between calls.
#pragma once

#include <broadside/pair_buffer.hpp>
#include <broadside/reset_on_move.hpp>

namespace broadside {

namespace broadphase {
struct ScratchAccess;
}

/// Grow-only memory that one call after the other can use, for whatever boxes and settings. A used scratch
/// answers like a new one; a sorted list that did not fit its output stays here until the next call, which
/// may want its next piece. Movable, not copyable. Not for two calls at once.
class FindPairsScratch {
public:
    explicit FindPairsScratch(const Allocator& allocator = default_allocator()) noexcept
        : boxes_(allocator),
          copies_(allocator),
          blocks_(allocator),
          collected_(allocator),
          order_(allocator),
          reached_(allocator),
          deferred_(allocator),
          inner_(allocator),
          large_(allocator),
          large_home_(allocator),
          large_copies_(allocator),
          movers_(allocator),
          among_movers_(allocator) {}

    std::size_t capacity_bytes() const noexcept {
        return boxes_.capacity() + copies_.capacity() + blocks_.capacity() + order_.capacity() +
               reached_.capacity() + deferred_.capacity() + inner_.capacity() + large_.capacity() +
               large_home_.capacity() + large_copies_.capacity() + movers_.capacity() +
               (collected_.capacity() + among_movers_.capacity()) * sizeof(IndexPair);
    }
    /// Gives all memory back.
    void release() noexcept {
        boxes_.release();
        copies_.release();
        blocks_.release();
        collected_.storage().release();
        order_.release();
        reached_.release();
        kept_ = {};
        inner_.release();
        deferred_.release();
        large_.release();
        large_home_.release();
        large_copies_.release();
        movers_.release();
        among_movers_.storage().release();
    }

private:
    friend struct broadphase::ScratchAccess;

    // Boxes as the scan reads them, and what sorts them.
    AlignedArray<std::byte> boxes_;
    // Records of the cells algorithm beside their home cell.
    AlignedArray<std::byte> copies_;
    // Where tasks put pairs until they are written in order.
    AlignedArray<std::byte> blocks_;
    // The list before it is put in canonical order, and what orders it.
    PairBuffer collected_;
    AlignedArray<std::byte> order_;
    // The boxes that a subset can reach.
    AlignedArray<std::byte> reached_;
    struct Kept {
        // Name of the sorted list that `collected_` still holds, zero when it holds none.
        std::uint64_t list = 0;
    };
    ResetOnMove<Kept> kept_;
    // How many there were; counted on by both sides of a move, so that no name comes again.
    std::uint64_t kept_list_count_ = 0;
    // What the cells algorithm puts off, overfull cells and large boxes, and the one of them that is at work.
    AlignedArray<std::byte> deferred_;
    AlignedArray<std::byte> inner_;
    // Large boxes, and where they lie in the grid.
    AlignedArray<std::byte> large_;
    AlignedArray<std::byte> large_home_;
    AlignedArray<std::byte> large_copies_;
    // Where there is a resting set: the other boxes, and the pairs among them.
    AlignedArray<std::byte> movers_;
    PairBuffer among_movers_;
};

}  // namespace broadside
