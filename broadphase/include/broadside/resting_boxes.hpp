// Boxes that stay where they are, sorted once for many searches.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>

// For the sources of the library; a shared one does not show them.
namespace broadside::broadphase {
struct RestingState;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

/// The part of a set of boxes that does not move from call to call. Its `find_pairs` reads only the boxes
/// that move: what rests costs nothing but the memory that a mover's surroundings take.
///
/// Holds copies of the boxes, not the caller's arrays. Movable, not copyable. Any number of calls of
/// find_pairs may read it at once, build not among them. Memory: 38 bytes a resting box and for each copy in
/// a further cell, and 5 KB for each cell (some thousand boxes have one). To sort them, build takes 64 bytes
/// a box, 36 a copy and 9 KB a cell; all kept for the next build.
class RestingBoxes {
public:
    explicit RestingBoxes(const Allocator& allocator = default_allocator()) noexcept
        : state_(allocator), input_(allocator), records_(allocator), copies_(allocator) {}

    /// Takes the boxes whose bit in `mover_bits` is zero: bit i % 64 of word i / 64 stands for box i, in
    /// bit_word_count words, or no words where every box rests. invalid_argument (a null view, too many
    /// boxes, bits of another length, a runner without a function), unsupported_isa and out_of_memory leave
    /// nothing built. O(boxes); the same on every ISA and for any number of workers.
    Status build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits,
                 const TaskRunner* runner = nullptr) noexcept;
    /// The same; what sorting takes is the caller's, who has it at hand for other calls.
    Status build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits, const TaskRunner* runner,
                 FindPairsScratch& scratch) noexcept;

    /// Exactly the pairs of `broadside::find_pairs(boxes, settings, scratch, out_pairs)`, at the cost of the
    /// movers: these are the boxes in `settings.filter.subset_bits`, which must be given. The others are
    /// where they were in `build`, and are not read; that this is so is the caller's promise, and
    /// find_moved_box checks it. Boxes that moved when this was built and rest now, and the reverse, are
    /// legal; each costs as much as a mover until the next build. Algorithm, sweep axis and cell counts of
    /// the settings do not matter. invalid_argument, besides, when nothing is built or box_count() is
    /// another.
    FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                               FindPairsScratch& scratch, const PairOutput& out_pairs) const noexcept;

    /// Says that the boxes whose bit is set have moved since `build`, or are about to: from now on they are
    /// movers in every call, wherever they are, until the next build. invalid_argument when nothing is built
    /// or the bits are of another length. O(boxes / 64).
    Status remove(std::span<const std::uint64_t> moved_bits) noexcept;

    bool is_built() const noexcept { return !state_.is_empty(); }
    /// Boxes in the set that was given to `build`, and how many of them rest; zero when nothing is built.
    std::size_t box_count() const noexcept;
    std::size_t resting_count() const noexcept;
    /// The boxes that are movers in every call, as bits: those that `build` left out, and those removed
    /// since. None when nothing is built.
    std::span<const std::uint64_t> mover_bits() const noexcept;

    /// The smallest index of a box that rests, that `mover_bits` does not name either, and whose corners in
    /// `boxes` are not those that `build` saw, bit for bit, or that was invalid and is not any more; kNoIndex
    /// when there is none. Whoever doubts that the boxes rest finds out here. O(boxes). kNoIndex, too, when
    /// nothing is built, and for arguments that do not belong to what is: another count of boxes, a null view,
    /// bits that are null or of another length.
    std::size_t find_moved_box(const BoxSoaView& boxes,
                               std::span<const std::uint64_t> mover_bits) const noexcept;

    /// Boxes that cost more than they need: movers that `mover_bits` does not name, and records of boxes that
    /// were removed. A reason to build anew when there are many. Zero when nothing is built, and for bits
    /// that are null or of another length. O(boxes / 64).
    std::size_t count_drift(std::span<const std::uint64_t> mover_bits) const noexcept;

    /// Nothing is built any more; the memory stays.
    void clear() noexcept { state_.clear(); }
    std::size_t capacity_bytes() const noexcept {
        return state_.capacity() + input_.capacity() + records_.capacity() + copies_.capacity();
    }
    /// Gives all memory back.
    void release() noexcept {
        for (AlignedArray<std::byte>* memory : {&state_, &input_, &records_, &copies_}) memory->release();
    }

    /// What was built, for the sources of the library.
    const broadphase::RestingState& state() const noexcept;

private:
    // What sorting works in: the resting boxes side by side, records of the cells, and copies of those.
    struct SortingMemory {
        AlignedArray<std::byte>& input;
        AlignedArray<std::byte>& records;
        AlignedArray<std::byte>& copies;
    };
    Status build_in(const SortingMemory& memory, const BoxSoaView& boxes,
                    std::span<const std::uint64_t> mover_bits, const TaskRunner* runner) noexcept;

    // A RestingState and what it points to; of no size while nothing is built.
    AlignedArray<std::byte> state_;
    // Where no scratch is given.
    AlignedArray<std::byte> input_;
    AlignedArray<std::byte> records_;
    AlignedArray<std::byte> copies_;
};

}  // namespace broadside
