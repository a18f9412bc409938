// All boxes that a query meets, and whether there is any.
#pragma once

#include "broadphase/src/tree/kernels/walk.hpp"

namespace broadside::broadphase {

template <class Arch, template <class> class Shape, class Query>
void all_kernel(const TreeView& tree, const Query& query, HitBlock<std::uint32_t>& state_block) {
    const Shape<Arch> shape(query);
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node)); };
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        if (!state_block.has_room() && !state_block.take(state_block)) return false;
        state_block.next += store_lanes<Arch>(state_block.next, first_slot(leaf), test(leaf));
        return true;
    });
}

template <class Arch, template <class> class Shape, class Query>
BROADSIDE_FORCE_INLINE void all_keyed(const TreeView& tree, const Query& query, float limit,
                                      HitBlock<std::uint64_t>& state_block) {
    const Shape<Arch> shape(query);
    NodeFloats<Arch> keys;
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node), limit, keys); };
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        if (!state_block.has_room() && !state_block.take(state_block)) return false;
        const std::uint32_t mask = test(leaf);
        state_block.next += store_lanes<Arch>(state_block.next, first_slot(leaf), mask, keys);
        return true;
    });
}
template <class Arch>
void all_slabs_kernel(const TreeView& tree, const SlabQuery& query, HitBlock<std::uint64_t>& state_block) {
    all_keyed<Arch, SlabShape>(tree, query, query.t_max, state_block);
}
template <class Arch>
void all_spheres_kernel(const TreeView& tree, const SphereQuery& query,
                        HitBlock<std::uint64_t>& state_block) {
    all_keyed<Arch, SphereShape>(tree, query, query.slabs.t_max, state_block);
}
template <class Arch>
void all_within_kernel(const TreeView& tree, const DistanceQuery& query, float limit,
                       HitBlock<std::uint64_t>& state_block) {
    all_keyed<Arch, DistanceShape>(tree, query, limit, state_block);
}

template <class Arch>
bool any_box_kernel(const TreeView& tree, const BoxQuery& query) {
    const BoxShape<Arch> shape(query);
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node)); };
    bool is_met = false;
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        is_met = test(leaf) != 0;
        return !is_met;
    });
    return is_met;
}
template <class Arch>
bool any_slab_kernel(const TreeView& tree, const SlabQuery& query) {
    const SlabShape<Arch> shape(query);
    NodeFloats<Arch> keys;
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node), query.t_max, keys); };
    bool is_met = false;
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        is_met = test(leaf) != 0;
        return !is_met;
    });
    return is_met;
}

}  // namespace broadside::broadphase
