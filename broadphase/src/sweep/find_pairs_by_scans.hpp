// Brute force and sweep-and-prune.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/sweep/kernels.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Writes the pairs within `a`, or between `a` and `b` when there is one, by a sweep if the plan of the
/// result says so, else by brute force. Fills the rest of the plan and the invalid counts. ok, out_of_memory,
/// or what the writer answers.
Status find_pairs_by_scans(const BoxSoaView& a, const BoxSoaView* b, const FindPairsSettings& settings,
                           const ScanKernels& kernels, AlignedArray<std::byte>& box_memory,
                           AlignedArray<std::byte>& block_memory, PairWriter& state_writer,
                           FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
