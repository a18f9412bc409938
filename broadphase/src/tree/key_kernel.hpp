// The walk that takes near nodes before far ones, for whoever decides on its candidates.
#pragma once

#include "broadphase/src/tree/walk.hpp"

namespace broadside::broadphase {

BROADSIDE_FORCE_INLINE void put_in_order(std::uint64_t& far_one, std::uint64_t& near_one) {
    const std::uint64_t a = far_one;
    const std::uint64_t b = near_one;
    far_one = a < b ? b : a;
    near_one = a < b ? a : b;
}
BROADSIDE_FORCE_INLINE void sort_three(std::uint64_t* family) {
    put_in_order(family[0], family[1]);
    put_in_order(family[1], family[2]);
    put_in_order(family[0], family[1]);
}
/// For more than three.
BROADSIDE_FORCE_INLINE void sort_many(std::uint64_t* family, std::uint32_t count) {
    sort_three(family);
    for (std::uint32_t i = 3; i < count; ++i) {
        const std::uint64_t entry = family[i];
        std::uint32_t place = i;
        for (; place > 0 && family[place - 1] < entry; --place) family[place] = family[place - 1];
        family[place] = entry;
    }
}
/// By falling key, so that the nearest comes last. Families of two and three, which most are, without a
/// branch on the data.
BROADSIDE_FORCE_INLINE void sort_family(std::uint64_t* family, std::uint32_t count) {
    if (count == 2) {
        put_in_order(family[0], family[1]);
    } else if (count == 3) {
        sort_three(family);
    } else if (count > 3) {
        sort_many(family, count);
    }
}

/// The nodes that wait for their turn, the nearest of each family on top.
class KeyedStack {
public:
    BROADSIDE_FORCE_INLINE bool is_empty() const { return count_ == 0; }
    BROADSIDE_FORCE_INLINE std::uint64_t pop() { return entries_[--count_]; }

    /// Takes in the lanes of the mask.
    template <class Arch>
    BROADSIDE_FORCE_INLINE void push(std::uint32_t first, std::uint32_t mask, const NodeFloats<Arch>& keys) {
        std::uint64_t* family = entries_ + count_;
        const std::uint32_t count = store_lanes<Arch>(family, first, mask, keys);
        count_ += count;
        sort_family(family, count);
    }
    /// As above for `kCount` lanes, two, three, or with 0 any more; takes in all but the nearest, which is
    /// the answer.
    template <class Arch, std::uint32_t kCount>
    BROADSIDE_FORCE_INLINE std::uint64_t push_but_nearest(std::uint32_t first, std::uint32_t mask,
                                                          const NodeFloats<Arch>& keys) {
        std::uint64_t* family = entries_ + count_;
        const std::uint32_t count = store_lanes<Arch>(family, first, mask, keys);
        if constexpr (kCount == 2) {
            put_in_order(family[0], family[1]);
        } else if constexpr (kCount == 3) {
            sort_three(family);
        } else {
            sort_many(family, count);
        }
        count_ += count - 1;
        return entries_[count_];
    }

private:
    std::uint64_t entries_[kStackSize];
    std::uint32_t count_ = 0;
};

/// Leaves in about the order of their keys; none whose key is above `limit` when its turn comes.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk_by_key(const TreeView& tree, const Shape& shape, const float& limit,
                                        Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    KeyedStack stack;
    NodeFloats<Arch> keys;
    std::uint32_t node = tree.root();
    for (;;) {
        const std::uint32_t mask = shape.test(tree.node(node), limit, keys);
        if (tree.is_leaf(node)) {
            if (mask != 0 && !visit_leaf(node * kNodeWidth, mask, keys)) return;
        } else {
            stack.push<Arch>(tree.child_of(node), mask, keys);
        }
        std::uint64_t next;
        do {
            if (stack.is_empty()) return;
            next = stack.pop();
        } while (key_of(next) > limit);
        node = slot_of(next);
    }
}

template <class Arch, template <class> class Shape, class Query>
void visit_kernel(const TreeView& tree, const Query& query, KeyedVisitor& state_visitor) {
    const Shape<Arch> shape(query);
    walk_by_key<Arch>(tree, shape, state_visitor.limit,
                      [&](std::uint32_t first_slot, std::uint32_t mask, const NodeFloats<Arch>& keys) {
                          // Room for a register past the last candidate.
                          std::uint64_t candidates[2 * kNodeWidth];
                          const std::uint32_t count = store_lanes<Arch>(candidates, first_slot, mask, keys);
                          return state_visitor.visit(state_visitor, candidates, count);
                      });
}

}  // namespace broadside::broadphase
