// The walk down a tree.
#pragma once

#include "broadphase/src/tree/hits.hpp"
#include "simd/src/node_shapes_lanes.hpp"

namespace broadside::broadphase {

/// Visits everything that the shape meets; the order of nodes is arbitrary but always the same.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk(const TreeView& tree, const Shape& shape, Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    std::uint32_t stack[kStackSize];
    std::uint32_t stack_count = 0;
    std::uint32_t node = tree.root;
    for (;;) {
        if (is_leaf(node)) {
            if (!visit_leaf(node)) return;
        } else {
            stack_count += store_lanes<Arch>(stack + stack_count, tree.child_of(node), shape(node));
        }
        if (stack_count == 0) return;
        node = stack[--stack_count];
    }
}

}  // namespace broadside::broadphase
