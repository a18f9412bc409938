// The box that each of many queries meets first.
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

/// The boxes of a leaf that a query meets, against the first so far.
template <class Arch>
BROADSIDE_FORCE_INLINE void take_boxes(const TreeView& tree, std::uint32_t leaf, std::uint32_t mask,
                                       const NodeFloats<Arch>& keys, FirstBox& state_first) {
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        const float key = key_in(keys, lane);
        const std::uint32_t slot = first_slot(leaf) + lane;
        const bool is_first =
            key < state_first.key || state_first.slot == kNoSlot ||
            (key == state_first.key && tree.box_index(slot) < tree.box_index(state_first.slot));
        if (is_first) state_first = {key, slot};
    }
}

/// Walks that take turns. One walk alone waits most of its time: for the test of a node, and then, since its
/// outcome is seldom guessed right, for the processor to start over. Side by side the tests overlap, and
/// sorting the walks by the outcome of their tests turns a guess for each into one for each kind.
inline constexpr std::uint32_t kWalkCount = 32;

template <class Arch>
struct FirstWalk {
    NodeFloats<Arch> keys;
    SlabQuery query;
    FirstBox first;
    std::uint32_t query_index;
    std::uint32_t node;
    std::uint32_t mask;
    KeyedStack stack;
};

/// What a test can come to: nothing, one to three children, more of them, or boxes.
enum Outcome : std::uint32_t { kNothing, kOneChild, kTwoChildren, kThreeChildren, kMoreChildren, kBoxes };
inline constexpr std::uint32_t kOutcomeCount = 6;

template <class Arch>
class FirstWalks {
public:
    BROADSIDE_FORCE_INLINE FirstWalks(const TreeView& tree, const SlabQuery* queries,
                                      std::uint32_t query_count, FirstBox* out_closest)
        : tree_(tree), queries_(queries), query_count_(query_count), out_first_(out_closest) {}

    BROADSIDE_FORCE_INLINE void run() {
        for (; active_count_ < kWalkCount && next_query_ < query_count_; ++active_count_) {
            active_[active_count_] = walks_ + active_count_;
            begin(walks_[active_count_]);
        }
        while (active_count_ != 0) {
            test_all();
            active_count_ = 0;
            each(kOneChild, [&](FirstWalk<Arch>& walk) {
                walk.node = tree_.child_of(walk.node) + static_cast<std::uint32_t>(__builtin_ctz(walk.mask));
                active_[active_count_++] = &walk;
            });
            each(kTwoChildren, [&](FirstWalk<Arch>& walk) { descend<2>(walk); });
            each(kThreeChildren, [&](FirstWalk<Arch>& walk) { descend<3>(walk); });
            each(kMoreChildren, [&](FirstWalk<Arch>& walk) { descend<0>(walk); });
            each(kBoxes, [&](FirstWalk<Arch>& walk) {
                take_boxes<Arch>(tree_, walk.node, walk.mask, walk.keys, walk.first);
                go_on(walk);
            });
            each(kNothing, [&](FirstWalk<Arch>& walk) { go_on(walk); });
        }
    }

private:
    BROADSIDE_FORCE_INLINE void begin(FirstWalk<Arch>& walk) {
        walk.query = queries_[next_query_];
        walk.first = {walk.query.t_max, kNoSlot};
        walk.query_index = next_query_++;
        walk.node = tree_.root;
    }

    BROADSIDE_FORCE_INLINE void test_all() {
        for (std::uint32_t& count : counts_) count = 0;
        for (std::uint32_t i = 0; i < active_count_; ++i) {
            FirstWalk<Arch>& walk = *active_[i];
            walk.mask = SlabShape<Arch>(walk.query).test(tree_.node(walk.node), walk.first.key, walk.keys);
            const auto lane_count = static_cast<std::uint32_t>(__builtin_popcount(walk.mask));
            const std::uint32_t outcome = kOutcomes[is_leaf(walk.node) ? 1 : 0][lane_count];
            sorted_[outcome][counts_[outcome]++] = &walk;
        }
    }

    template <class Function>
    BROADSIDE_FORCE_INLINE void each(Outcome outcome, Function&& function) {
        for (std::uint32_t i = 0; i < counts_[outcome]; ++i) function(*sorted_[outcome][i]);
    }

    template <std::uint32_t kCount>
    BROADSIDE_FORCE_INLINE void descend(FirstWalk<Arch>& walk) {
        walk.node = slot_of(walk.stack.template push_but_nearest<Arch, kCount>(tree_.child_of(walk.node),
                                                                               walk.mask, walk.keys));
        active_[active_count_++] = &walk;
    }

    /// To the next node that can still matter, or to the next query, or to rest.
    BROADSIDE_FORCE_INLINE void go_on(FirstWalk<Arch>& walk) {
        for (;;) {
            if (walk.stack.is_empty()) {
                out_first_[walk.query_index] = walk.first;
                if (next_query_ == query_count_) return;
                begin(walk);
                break;
            }
            const std::uint64_t next = walk.stack.pop();
            walk.node = slot_of(next);
            if (key_of(next) <= walk.first.key) break;
        }
        active_[active_count_++] = &walk;
    }

    static constexpr std::uint8_t kOutcomes[2][kNodeWidth + 1] = {
        {kNothing, kOneChild, kTwoChildren, kThreeChildren, kMoreChildren, kMoreChildren, kMoreChildren,
         kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren,
         kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren},
        {kNothing, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes,
         kBoxes, kBoxes, kBoxes, kBoxes, kBoxes}};

    const TreeView tree_;
    const SlabQuery* queries_;
    std::uint32_t query_count_;
    std::uint32_t next_query_ = 0;
    FirstBox* out_first_;
    std::uint32_t active_count_ = 0;
    FirstWalk<Arch>* active_[kWalkCount];
    FirstWalk<Arch>* sorted_[kOutcomeCount][kWalkCount];
    std::uint32_t counts_[kOutcomeCount];
    FirstWalk<Arch> walks_[kWalkCount];
};

template <class Arch>
void first_slabs_kernel(const TreeView& tree, const SlabQuery* queries, std::uint32_t count,
                        FirstBox* out_closest) {
    FirstWalks<Arch>(tree, queries, count, out_closest).run();
}

}  // namespace broadside::broadphase
