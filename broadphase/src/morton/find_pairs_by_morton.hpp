// The Morton algorithm: boxes near each other in leaves of sixteen, and a join of leaves whose bounds meet.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"
#include "broadphase/src/morton/kernels.hpp"

#include <broadside/find_pairs.hpp>

// 1. Code: the middle of the scene and its usual box size from a sample (morton_code).
// 2. Tree: boxes sorted by size class and Morton code, sixteen to a leaf, sixteen bounds to a node above
//    (leaf_tree).
// 3. Join: each leaf against those that its bounds meet, itself and those behind it within one set
//    (leaf_join).
// No parameters, no copies and no cells that could overflow: slower than cells where those fit, but hardly
// touched by what spoils a grid (rows broadphase/choice_morton and choice_cells of the benches).
namespace broadside::broadphase {

/// Writes the pairs within `a`, or between `a` and `b` when there is one. Fills plan and invalid counts of
/// the result. `box_memory` gets 44 bytes a box (28 and a tenth of b's, and 16 of the larger set),
/// `block_memory` the blocks of the tasks. ok, out_of_memory, or what the writer answers.
Status find_pairs_by_morton(const BoxSoaView& a, const BoxSoaView* b, const TaskRunner* runner,
                            const LeafKernels& kernels, AlignedArray<std::byte>& box_memory,
                            AlignedArray<std::byte>& block_memory, PairWriter& state_writer,
                            FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
