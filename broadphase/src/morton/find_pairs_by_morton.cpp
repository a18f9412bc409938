// Memory, trees, and the join as passes of rows.
#include "broadphase/src/morton/find_pairs_by_morton.hpp"

#include "broadphase/src/morton/leaf_tree.hpp"
#include "broadphase/src/sweep/passes.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Leaves that make a task: about as long as the task of a sweep, which has as many boxes.
constexpr std::size_t kTaskLeafCount = 32;

}  // namespace

Status find_pairs_by_morton(const BoxSets& sets, const TaskRunner* runner, FindPairsScratch& scratch,
                            PairWriter& state_writer, FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("morton");
    const bool is_one = sets.is_one();
    LeafTree tree_a = {};
    LeafTree tree_b = {};
    SortItem* items = nullptr;
    SortItem* spare = nullptr;
    const bool has_memory = reserve_arrays(scratch.boxes, [&](Arena& arena) {
        tree_a = take_leaf_tree(arena, sets.a.count);
        if (!is_one) tree_b = take_leaf_tree(arena, sets.b->count);
        items = arena.reserve<SortItem>(std::max(sets.a.count, sets.count_b()));
        spare = arena.reserve<SortItem>(std::max(sets.a.count, sets.count_b()));
    });
    if (!has_memory) return Status::out_of_memory;
    const MortonCode code(sets);
    fill_leaf_tree(sets.a, code, runner, items, spare, tree_a, state_result.invalid);
    if (!is_one) fill_leaf_tree(*sets.b, code, runner, items, spare, tree_b, state_result.invalid_b);
    const LeafTree& others = is_one ? tree_a : tree_b;
    if (tree_a.box_count == 0 || others.box_count == 0) return Status::ok;
    const RowScan scan = {tree_a.levels[0],
                          others.levels[0],
                          nullptr,
                          is_one ? kFollowing : 0,
                          0,
                          is_one ? PairSides::by_index : PairSides::query,
                          &tree_a,
                          &others};
    const LeafKernels& kernels = *simd::active_kernels<LeafKernels>();
    const ScanPass pass = {scan, 0, tree_a.leaf_count(), kernels.join_rows, kTaskLeafCount};
    return run_passes({&pass, 1}, runner, scratch.blocks, state_writer, state_result.plan.tested_count);
}

}  // namespace broadside::broadphase
