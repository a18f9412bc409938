// The boxes that a subset could possibly meet, so that the others need not be sorted at all.
#pragma once

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Those boxes in the order of their index, in memory of their own.
struct ReachedBoxes {
    BoxSoaView boxes;
    /// The caller's index of each; null when it is not worth while, because the set is small or the subset
    /// large, or because the subset reaches everywhere.
    const std::uint32_t* indices = nullptr;
    /// Of the whole set.
    InvalidBoxes invalid;
};

/// The subset and every box near it, found on a coarse grid of bits: the subset marks each cell in which a
/// box of usual size may begin that meets one of it; boxes that begin elsewhere stay behind. Larger boxes
/// come along. Never leaves out a box that a pair needs. `memory` gets 28 bytes a box and 32 KB. False when
/// out of memory.
[[nodiscard]] bool reach_of_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                                   AlignedArray<std::byte>& memory, ReachedBoxes& out_reached) noexcept;

}  // namespace broadside::broadphase
