// The boxes that a few queries of similar direction and origin meet, all or first: one walk for all of them.
#pragma once

#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/near_first_kernel.hpp"

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

/// Keys beyond any other.
template <class Arch>
BROADSIDE_FORCE_INLINE NodeFloats<Arch> furthest_keys() {
    NodeFloats<Arch> keys;
    for (auto& group : keys.group) group = simd::broadcast<Arch>(__builtin_inff());
    return keys;
}

/// A node tested for several queries.
template <class Arch>
struct PacketTest {
    /// The lanes that some query meets within its limit, and for each the queries that do.
    std::uint32_t lanes = 0;
    std::uint32_t members_of_lane[kNodeWidth] = {};
    /// For each lane the smallest key of all queries, also of those that miss it.
    NodeFloats<Arch> nearest = furthest_keys<Arch>();

    /// Writes the keys of each query to `out_keys`, unless that is null.
    template <class LimitOf>
    BROADSIDE_FORCE_INLINE void run(const float* planes, const SlabQuery* queries, std::uint32_t members,
                                    LimitOf&& limit_of, NodeFloats<Arch>* out_keys = nullptr) {
        NodeFloats<Arch> keys;
        for (std::uint32_t rest = members; rest != 0; rest &= rest - 1) {
            const auto member = static_cast<std::uint32_t>(__builtin_ctz(rest));
            const std::uint32_t mask = SlabShape<Arch>(queries[member]).test(planes, limit_of(member), keys);
            for (std::uint32_t group = 0; group < NodeFloats<Arch>::kGroups; ++group)
                nearest.group[group] = min_keep(keys.group[group], nearest.group[group]);
            if (out_keys != nullptr) out_keys[member] = keys;
            lanes |= mask;
            for (std::uint32_t met = mask; met != 0; met &= met - 1)
                members_of_lane[__builtin_ctz(met)] |= 1u << member;
        }
    }
};

/// One walk for a few queries of similar direction and origin: every node is tested for all members that still
/// need it, one after the other, so nothing waits, and the members share the branches of the walk. A node's key
/// is the smallest that any member of the packet has there, also one that misses it; that can cost a visit but
/// never a hit. `limit_of(member)` is the key beyond which a member does not search; `visit_leaf(leaf, members)`
/// may lower it.
template <class Arch, class LimitOf, class VisitLeaf>
BROADSIDE_FORCE_INLINE void walk_packet(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                                        LimitOf&& limit_of, VisitLeaf&& visit_leaf) {
    std::uint64_t entries[kStackSize];
    std::uint32_t members[kStackSize];
    std::uint32_t stack_count = 0;
    // Beyond the largest limit no member searches.
    const auto furthest_limit = [&] {
        float limit = limit_of(0);
        for (std::uint32_t i = 1; i < count; ++i) limit = max_keep(limit_of(i), limit);
        return limit;
    };
    float limit = furthest_limit();
    std::uint32_t node = tree.root;
    std::uint32_t concerned = (1u << count) - 1;
    for (;;) {
        if (is_leaf(node)) {
            visit_leaf(node, concerned);
            limit = furthest_limit();
        } else {
            PacketTest<Arch> test;
            test.run(tree.node(node), queries, concerned, limit_of);
            const std::uint32_t first_child = tree.child_of(node);
            std::uint64_t* family = entries + stack_count;
            const std::uint32_t family_count =
                store_lanes<Arch>(family, first_child, test.lanes, test.nearest);
            sort_family(family, family_count);
            for (std::uint32_t i = 0; i < family_count; ++i) {
                members[stack_count + i] = test.members_of_lane[slot_of(family[i]) - first_child];
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

template <class Arch>
void first_slabs_packet_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                               FirstBox* out_closest) {
    for (std::uint32_t i = 0; i < count; ++i) out_closest[i] = {queries[i].t_max, kNoSlot};
    walk_packet<Arch>(
        tree, queries, count, [&](std::uint32_t member) { return out_closest[member].key; },
        [&](std::uint32_t leaf, std::uint32_t concerned) {
            NodeFloats<Arch> keys;
            for (std::uint32_t rest = concerned; rest != 0; rest &= rest - 1) {
                const auto member = static_cast<std::uint32_t>(__builtin_ctz(rest));
                FirstBox& first = out_closest[member];
                const std::uint32_t mask =
                    SlabShape<Arch>(queries[member]).test(tree.node(leaf), first.key, keys);
                if (mask != 0) look_at_leaf<Arch>(tree, leaf, mask, keys, first);
            }
        });
}

template <class Arch>
void visit_slabs_packet_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                               PacketVisitor& state_visitor) {
    const auto limit_of = [&](std::uint32_t member) { return state_visitor.limits[member]; };
    walk_packet<Arch>(tree, queries, count, limit_of, [&](std::uint32_t leaf, std::uint32_t concerned) {
        NodeFloats<Arch> keys[kPacketSize];
        PacketTest<Arch> test;
        test.run(tree.node(leaf), queries, concerned, limit_of, keys);
        // Room for a register past the last box.
        std::uint64_t boxes[2 * kNodeWidth];
        const std::uint32_t box_count = store_lanes<Arch>(boxes, 0, test.lanes, test.nearest);
        sort_family(boxes, box_count);
        for (std::uint32_t i = box_count; i-- > 0;) {
            const std::uint32_t lane = slot_of(boxes[i]);
            std::uint32_t members = 0;
            for (std::uint32_t rest = test.members_of_lane[lane]; rest != 0; rest &= rest - 1) {
                const auto member = static_cast<std::uint32_t>(__builtin_ctz(rest));
                const float key = key_in(keys[member], lane);
                state_visitor.keys[member] = key;
                members |= (key <= limit_of(member) ? 1u : 0u) << member;
            }
            if (members != 0)
                state_visitor.visit(state_visitor, tree.box_index(first_slot(leaf) + lane), members);
        }
    });
}

}  // namespace broadside::broadphase
