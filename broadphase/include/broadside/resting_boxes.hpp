// Boxes that stay where they are, sorted once for many searches.
#pragma once

#include <broadside/export.hpp>
#include <broadside/find_pairs.hpp>

// For the sources of the library; a shared library does not export them.
namespace broadside::broadphase {
struct RestingState;
}  // namespace broadside::broadphase

namespace BROADSIDE_API broadside {

/// The part of a set of boxes that does not move from call to call. Its `find_pairs` reads only the boxes
/// that move: resting boxes cost nothing but the memory accesses around a mover.
///
/// Holds copies of the boxes, not the caller's arrays. Movable, not copyable. Any number of find_pairs calls
/// may read it at once, but not during a build. Memory: 38 bytes a resting box and for each copy in a further
/// cell, and 5 KB for each cell (one for some thousand boxes). To sort them, build takes 64 bytes a box, 36 a
/// copy and 9 KB a cell; all kept for the next build.
class RestingBoxes {
public:
    explicit RestingBoxes(const Allocator& allocator = default_allocator()) noexcept
        : state_(allocator), input_(allocator), records_(allocator), copies_(allocator) {}

    /// Stores the boxes whose bit in `mover_bits` is zero: bit i % 64 of word i / 64 stands for box i, in
    /// bit_word_count words, or no words if every box rests. invalid_argument (a null view, too many boxes,
    /// bits of another length, a runner without a function), unsupported_isa and out_of_memory leave nothing
    /// built. O(boxes); the same on every ISA and for any number of workers.
    Status build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits,
                 const TaskRunner* runner = nullptr) noexcept;
    /// The same, with the caller's scratch as memory for sorting.
    Status build(const BoxSoaView& boxes, std::span<const std::uint64_t> mover_bits, const TaskRunner* runner,
                 BoxScratch& scratch) noexcept;

    /// Finds exactly the pairs of `broadside::find_pairs(boxes, settings, scratch, out_pairs)`, at the cost
    /// of the movers: the boxes in `settings.filter.subset_bits`, which must be given. The other boxes are
    /// where they were in `build`, and are not read; the caller promises that, and find_moved_box checks it.
    /// Boxes that moved at the build and rest now, and the reverse, are legal; each costs as much as a mover
    /// until the next build. Algorithm, sweep axis and cell counts of the settings are ignored. Also
    /// invalid_argument if nothing is built or box_count() differs.
    FindPairsResult find_pairs(const BoxSoaView& boxes, const FindPairsSettings& settings,
                               BoxScratch& scratch, const PairOutput& out_pairs) const noexcept;

    /// Declares that the boxes whose bit is set have moved since `build`, or are about to: from now on they
    /// are movers in every call, wherever they are, until the next build. invalid_argument if nothing is
    /// built or the bits are of another length. O(boxes / 64).
    Status remove(std::span<const std::uint64_t> moved_bits) noexcept;

    bool is_built() const noexcept { return !state_.is_empty(); }
    /// Number of boxes in the set given to `build`, and of those that rest; zero if nothing is built.
    std::size_t box_count() const noexcept;
    std::size_t resting_count() const noexcept;
    /// The boxes that are movers in every call, as bits: those that `build` left out, and those removed
    /// since. Empty if nothing is built.
    std::span<const std::uint64_t> mover_bits() const noexcept;

    /// Finds the smallest index of a resting box that `mover_bits` does not name and that has moved: its
    /// corners in `boxes` differ from those that `build` saw, bit for bit, or it was invalid and is not any
    /// more. kNoIndex if there is none. It lets a caller check that the boxes rest. O(boxes). Also kNoIndex
    /// if nothing is built, and for arguments that do not fit: another count of boxes, a null view, bits that
    /// are null or of another length.
    std::size_t find_moved_box(const BoxSoaView& boxes,
                               std::span<const std::uint64_t> mover_bits) const noexcept;

    /// Number of boxes that cost more than they need: movers that `mover_bits` does not name, and records of
    /// removed boxes. A reason to build anew when there are many. Zero if nothing is built, and for bits that
    /// are null or of another length. O(boxes / 64).
    std::size_t count_drift(std::span<const std::uint64_t> mover_bits) const noexcept;

    /// Forgets what was built, and keeps the memory.
    void clear() noexcept { state_.clear(); }
    std::size_t capacity_bytes() const noexcept {
        return state_.capacity() + input_.capacity() + records_.capacity() + copies_.capacity();
    }
    /// Gives all memory back.
    void release() noexcept {
        for (AlignedArray<std::byte>* memory : {&state_, &input_, &records_, &copies_}) memory->release();
    }

    /// For the sources of the library: the built data.
    const broadphase::RestingState& state() const noexcept;

private:
    // Memory for sorting: the resting boxes as columns, records of the cells, and copies of those.
    struct SortingMemory {
        AlignedArray<std::byte>& input;
        AlignedArray<std::byte>& records;
        AlignedArray<std::byte>& copies;
    };
    Status build_in(const SortingMemory& memory, const BoxSoaView& boxes,
                    std::span<const std::uint64_t> mover_bits, const TaskRunner* runner) noexcept;

    // A RestingState and what it points to; empty while nothing is built.
    AlignedArray<std::byte> state_;
    // Used if no scratch is given.
    AlignedArray<std::byte> input_;
    AlignedArray<std::byte> records_;
    AlignedArray<std::byte> copies_;
};

}  // namespace broadside
