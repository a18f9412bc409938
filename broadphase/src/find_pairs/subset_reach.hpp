// Finds the boxes that a subset could meet, so that the others need not be sorted at all.
#pragma once

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// The reached boxes in the order of their index, in memory of their own.
struct ReachedBoxes {
    BoxSoaView boxes;
    /// The caller's index of each; null if the reduction is not worthwhile, because the set is small, the
    /// subset large, or its reach everywhere.
    const std::uint32_t* indices = nullptr;
    /// Invalid boxes of the whole set.
    InvalidBoxes invalid;
};

/// Finds the subset and every box near it on a coarse grid of bits. The subset marks each cell in which a box
/// of usual size may begin that meets one of its boxes; boxes that begin elsewhere are left out. Larger boxes
/// are always included. Never leaves out a box that a pair needs. `memory` gets 28 bytes a box and 32 KB.
/// Returns false if out of memory.
[[nodiscard]] bool reach_of_subset(const BoxSoaView& boxes, std::span<const std::uint64_t> subset_bits,
                                   AlignedArray<std::byte>& memory, ReachedBoxes& out_reached) noexcept;

}  // namespace broadside::broadphase
