// The Morton algorithm: boxes near each other in leaves of sixteen, and a join of leaves whose bounds meet.
#pragma once

#include "broadphase/src/lists/box_sets.hpp"
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

/// Writes the pairs of the sets. Fills plan and invalid counts of the result. `scratch.boxes` gets 44 bytes a
/// box (28 and a tenth of b's, and 16 of the larger set). ok, or out_of_memory.
Status find_pairs_by_morton(const BoxSets& sets, const TaskRunner* runner, FindPairsScratch& scratch,
                            PairWriter& state_writer, FindPairsResult& state_result) noexcept;

}  // namespace broadside::broadphase
