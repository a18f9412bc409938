// Memory, trees, and the join as passes of rows.
#include "broadphase/src/morton/find_pairs_by_morton.hpp"

#include "broadphase/src/morton/leaf_tree.hpp"
#include "broadphase/src/sweep/passes.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Leaves that make a task: about as long as the task of a sweep, which has as many boxes.
constexpr std::size_t kTaskLeafCount = 32;

}  // namespace

Status find_pairs_by_morton(const BoxSoaView& a, const BoxSoaView* b, const TaskRunner* runner,
                            const LeafKernels& kernels, AlignedArray<std::byte>& box_memory,
                            AlignedArray<std::byte>& block_memory, PairWriter& state_writer,
                            FindPairsResult& state_result) noexcept {
    BROADSIDE_ZONE("morton");
    const std::size_t count_b = b != nullptr ? b->count : 0;
    LeafTree tree_a = {};
    LeafTree tree_b = {};
    SortItem* items = nullptr;
    SortItem* spare = nullptr;
    const bool has_memory = place_in(box_memory, [&](Arena& arena) {
        tree_a = take_leaf_tree(arena, a.count);
        if (b != nullptr) tree_b = take_leaf_tree(arena, count_b);
        items = arena.take<SortItem>(std::max(a.count, count_b));
        spare = arena.take<SortItem>(std::max(a.count, count_b));
    });
    if (!has_memory) return Status::out_of_memory;
    const MortonCode code(a, b);
    fill_leaf_tree(a, code, runner, items, spare, tree_a, state_result.invalid);
    if (b != nullptr) fill_leaf_tree(*b, code, runner, items, spare, tree_b, state_result.invalid_b);
    const LeafTree& others = b != nullptr ? tree_b : tree_a;
    if (tree_a.box_count == 0 || others.box_count == 0) return Status::ok;
    const RowScan scan = {tree_a.levels[0],
                          others.levels[0],
                          nullptr,
                          b != nullptr ? 0 : kFollowing,
                          0,
                          b != nullptr ? PairSides::query : PairSides::by_index,
                          &tree_a,
                          &others};
    const ScanPass pass = {scan, 0, tree_a.leaf_count(), kernels.join_rows, kTaskLeafCount};
    return run_passes({&pass, 1}, runner, block_memory, state_writer, state_result.plan.tested_count);
}

}  // namespace broadside::broadphase
