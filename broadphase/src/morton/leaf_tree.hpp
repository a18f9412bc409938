// Boxes sorted by Morton code into leaves of sixteen, and the bounds above them.
#pragma once

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"
#include "broadphase/src/morton/code.hpp"
#include "broadphase/src/morton/leaf_join_scalar.hpp"

#include <broadside/find_pairs.hpp>

namespace broadside::broadphase {

/// Columns of all levels for `box_count` boxes: 28 bytes a box, 24 for each sixteenth, and so on.
LeafTree take_leaf_tree(Arena& arena, std::size_t box_count) noexcept;

/// Fills a tree that was taken for this many boxes: the valid ones by key, those with equal keys by index.
/// `items` and `spare` hold `boxes.count` items each. O(n), on the runner but for the sort.
void fill_leaf_tree(const BoxSoaView& boxes, const MortonCode& code, const TaskRunner* runner,
                    SortItem* items, SortItem* spare, LeafTree& state_tree,
                    InvalidBoxes& out_invalid) noexcept;

}  // namespace broadside::broadphase
