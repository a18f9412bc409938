// The box that each query meets first, for a few of similar direction and origin: one walk for all of them.
#pragma once

#include "broadphase/src/tree/kernels/near_first_kernel.hpp"
#include "broadphase/src/tree/kernels.hpp"

namespace broadside::broadphase {

BROADSIDE_FORCE_INLINE void put_in_order(std::uint64_t& far_one, std::uint64_t& near_one) {
    const std::uint64_t a = far_one;
    const std::uint64_t b = near_one;
    far_one = a < b ? b : a;
    near_one = a < b ? a : b;
}
/// Sorts by descending key, so that the nearest comes last. Families of two and three, which most are, are
/// sorted without a branch on the data.
BROADSIDE_FORCE_INLINE void sort_family(std::uint64_t* family, std::uint32_t count) {
    if (count == 2) {
        put_in_order(family[0], family[1]);
        return;
    }
    if (count < 3) return;
    put_in_order(family[0], family[1]);
    put_in_order(family[1], family[2]);
    put_in_order(family[0], family[1]);
    for (std::uint32_t i = 3; i < count; ++i) {
        const std::uint64_t entry = family[i];
        std::uint32_t place = i;
        for (; place > 0 && family[place - 1] < entry; --place) family[place] = family[place - 1];
        family[place] = entry;
    }
}

/// Keeps the smaller key of each lane.
template <class Arch>
BROADSIDE_FORCE_INLINE void keep_nearest(const NodeFloats<Arch>& keys, NodeFloats<Arch>& state_closest_keys) {
    for (std::uint32_t group = 0; group < NodeFloats<Arch>::kGroups; ++group) {
        state_closest_keys.group[group] = min_keep(keys.group[group], state_closest_keys.group[group]);
    }
}

/// Keys beyond any other.
template <class Arch>
BROADSIDE_FORCE_INLINE NodeFloats<Arch> furthest_keys() {
    NodeFloats<Arch> keys;
    for (std::uint32_t group = 0; group < NodeFloats<Arch>::kGroups; ++group) {
        if constexpr (simd::is_scalar<Arch>) {
            keys.group[group] = __builtin_inff();
        } else {
            keys.group[group] = simd::broadcast<Arch>(__builtin_inff());
        }
    }
    return keys;
}

/// The largest limit of the packet: beyond it no member searches.
BROADSIDE_FORCE_INLINE float furthest_limit(const FirstBox* first, std::uint32_t count) {
    float limit = first[0].key;
    for (std::uint32_t i = 1; i < count; ++i) limit = max_keep(first[i].key, limit);
    return limit;
}

/// Tests every node for all members that still need it, one after the other: nothing waits, and the members
/// share the branches of the walk. A node's key is the smallest that any member of the packet has there, also
/// one that misses it; that can cost a visit but never a hit.
template <class Arch>
void first_slabs_packet_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                               FirstBox* out_closest) {
    std::uint64_t entries[kStackSize];
    std::uint32_t members[kStackSize];
    std::uint32_t stack_count = 0;
    for (std::uint32_t i = 0; i < count; ++i) out_closest[i] = {queries[i].t_max, kNoSlot};
    float limit = furthest_limit(out_closest, count);
    std::uint32_t node = tree.root;
    std::uint32_t concerned = (1u << count) - 1;
    NodeFloats<Arch> keys;
    for (;;) {
        const float* planes = tree.node(node);
        if (is_leaf(node)) {
            for (std::uint32_t rest = concerned; rest != 0; rest &= rest - 1) {
                const auto member = static_cast<std::uint32_t>(__builtin_ctz(rest));
                FirstBox& first = out_closest[member];
                const std::uint32_t mask = SlabShape<Arch>(queries[member]).test(planes, first.key, keys);
                if (mask != 0) look_at_leaf<Arch>(tree, node, mask, keys, first);
            }
            limit = furthest_limit(out_closest, count);
        } else {
            std::uint32_t members_of_lane[kNodeWidth] = {};
            std::uint32_t mask_of_all = 0;
            NodeFloats<Arch> nearest = furthest_keys<Arch>();
            for (std::uint32_t rest = concerned; rest != 0; rest &= rest - 1) {
                const auto member = static_cast<std::uint32_t>(__builtin_ctz(rest));
                const std::uint32_t mask =
                    SlabShape<Arch>(queries[member]).test(planes, out_closest[member].key, keys);
                keep_nearest<Arch>(keys, nearest);
                mask_of_all |= mask;
                for (std::uint32_t lanes = mask; lanes != 0; lanes &= lanes - 1) {
                    members_of_lane[__builtin_ctz(lanes)] |= 1u << member;
                }
            }
            const std::uint32_t first_child = tree.child_of(node);
            std::uint64_t* family = entries + stack_count;
            const std::uint32_t family_count = store_lanes<Arch>(family, first_child, mask_of_all, nearest);
            sort_family(family, family_count);
            for (std::uint32_t i = 0; i < family_count; ++i) {
                members[stack_count + i] = members_of_lane[slot_of(family[i]) - first_child];
            }
            stack_count += family_count;
        }
        do {
            if (stack_count == 0) return;
            --stack_count;
        } while (key_of(entries[stack_count]) > limit);
        node = slot_of(entries[stack_count]);
        concerned = members[stack_count];
    }
}

}  // namespace broadside::broadphase
