// The walks down a tree: all boxes that a query meets, the one it meets first, and candidates in order of their keys.
#pragma once

#include "broadphase/src/tree_shapes_lanes.hpp"

namespace broadside::broadphase {

/// A slot or node with the key of the query there, as one number: the key's bits above, the slot below.
BROADSIDE_FORCE_INLINE std::uint32_t slot_of(std::uint64_t entry) { return static_cast<std::uint32_t>(entry); }
BROADSIDE_FORCE_INLINE float key_of(std::uint64_t entry) {
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(entry >> 32));
}

/// Where a walk puts what it finds. `take` is called with the hits from `begin` to `next` when there is no room for
/// the lanes of another leaf; it makes room, by moving `next` back or by moving all three, and answers false to end the
/// walk. The block needs room for two nodes' lanes at least, since a register is stored in full.
template <class Hit>
struct HitBlock {
    Hit* begin;
    Hit* next;
    Hit* end;
    bool (*take)(HitBlock& block);

    BROADSIDE_FORCE_INLINE bool has_room() const { return static_cast<std::size_t>(end - next) >= 2 * kNodeWidth; }
    std::size_t count() const { return static_cast<std::size_t>(next - begin); }
};
/// The box that is met first: the smallest key, and among equals the smallest index.
inline constexpr std::uint32_t kNoSlot = 0xFFFFFFFFu;
struct FirstBox {
    float key;
    std::uint32_t slot;
};

/// A walk whose reach shrinks with what it finds. `visit` is given the lanes of a leaf whose keys are within `limit`,
/// decides on them, and may lower `limit`. It answers false to end the walk.
struct KeyedVisitor {
    float limit;
    bool (*visit)(KeyedVisitor& self, const std::uint64_t* candidates, std::uint32_t count);
};

/// Up to here comparing each number with each is the fastest way to sort them.
inline constexpr std::uint32_t kSortedByRankMax = 128;

struct TreeKernels {
    void (*all_boxes)(const TreeView& tree, const BoxQuery& query, HitBlock<std::uint32_t>& state_block);
    void (*all_planes)(const TreeView& tree, const PlanesQuery& query, HitBlock<std::uint32_t>& state_block);
    void (*all_slabs)(const TreeView& tree, const SlabQuery& query, HitBlock<std::uint64_t>& state_block);
    void (*all_near)(const TreeView& tree, const DistanceQuery& query, float limit,
                     HitBlock<std::uint64_t>& state_block);
    bool (*any_box)(const TreeView& tree, const BoxQuery& query);
    bool (*any_slab)(const TreeView& tree, const SlabQuery& query);
    /// For every query the box that it meets first. The tree is not empty.
    void (*first_slabs)(const TreeView& tree, const SlabQuery* queries, std::uint32_t count, FirstBox* out_first);
    void (*visit_slabs)(const TreeView& tree, const SlabQuery& query, KeyedVisitor& state_visitor);
    void (*visit_near)(const TreeView& tree, const DistanceQuery& query, KeyedVisitor& state_visitor);
    /// The pairs of the boxes of one leaf of `a` with those of `b`: slot of a below, slot of b above. Within one tree only
    /// those whose slot of b is the greater one.
    void (*leaf_pairs)(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                       HitBlock<std::uint64_t>& state_block);
    /// Sorts up to kSortedByRankMax numbers below 2^31, no two of them equal, ascending. `numbers` and `out_numbers` have
    /// room for kSortedByRankMax, and do not overlap.
    void (*sort_by_rank)(std::uint32_t* numbers, std::uint32_t count, std::uint32_t* out_numbers);
    /// Finishes `count` nodes from `first` on, whose planes stand: writes the box around each to the lane of its
    /// parent, `parent` being that of `first`, which begins it. Of leaves, invalid boxes become empty lanes and -0
    /// becomes +0 before that, and the lanes that are not empty are counted; of other nodes the answer is 0.
    std::uint32_t (*close_nodes)(float* planes, std::uint32_t first, std::uint32_t count, std::uint32_t parent);
    std::uint32_t (*close_leaves)(float* planes, std::uint32_t first, std::uint32_t count, std::uint32_t parent);
};

/// Stores `first` + lane for every lane whose bit is set, in lane order, and returns how many. Writes a register past
/// the last one.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint32_t* target, std::uint32_t first, std::uint32_t mask) {
    std::uint32_t count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            target[count] = first + lane;
            count += mask >> lane & 1u;
        }
    } else {
        using namespace simd;
        auto* place = reinterpret_cast<std::int32_t*>(target);
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            const IntW<Arch> numbers =
                broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
            count += compress_store(place + count, numbers, mask >> lane & kGroupBits);
        }
    }
    return count;
}

/// As above with the key of each lane.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t store_lanes(std::uint64_t* target, std::uint32_t first, std::uint32_t mask,
                                                 const NodeFloats<Arch>& keys) {
    std::uint32_t count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            target[count] = std::uint64_t{__builtin_bit_cast(std::uint32_t, keys.group[lane])} << 32 | (first + lane);
            count += mask >> lane & 1u;
        }
    } else {
        using namespace simd;
        constexpr std::uint32_t kGroupBits = (1u << Arch::kLanes) - 1;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            const IntW<Arch> numbers =
                broadcast_int<Arch>(static_cast<std::int32_t>(first + lane)) + lane_index<Arch>();
            auto* place = reinterpret_cast<std::int32_t*>(target + count);
            count += compress_store_interleaved(place, numbers, as_int(keys.group[lane / Arch::kLanes]),
                                                mask >> lane & kGroupBits);
        }
    }
    return count;
}

/// As the first, with `above` in the upper half of each.
BROADSIDE_FORCE_INLINE std::uint32_t store_pairs(std::uint64_t* target, std::uint32_t first, std::uint32_t mask,
                                                 std::uint32_t above) {
    std::uint32_t count = 0;
    for (std::uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
        target[count++] = std::uint64_t{above} << 32 | (first + lane);
    }
    return count;
}

/// Everything the shape meets, nodes in no particular but always the same order.
template <class Arch, class Shape, class Visit>
BROADSIDE_FORCE_INLINE void walk(const TreeView& tree, const Shape& shape, Visit&& visit_leaf) {
    if (tree.is_empty()) return;
    std::uint32_t stack[kStackSize];
    std::uint32_t stack_count = 0;
    std::uint32_t node = tree.root();
    for (;;) {
        if (tree.is_leaf(node)) {
            if (!visit_leaf(node)) return;
        } else {
            stack_count += store_lanes<Arch>(stack + stack_count, tree.child_of(node), shape(node));
        }
        if (stack_count == 0) return;
        node = stack[--stack_count];
    }
}

template <class Arch, template <class> class Shape, class Query>
void all_kernel(const TreeView& tree, const Query& query, HitBlock<std::uint32_t>& state_block) {
    const Shape<Arch> shape(query);
    const auto test = [&](std::uint32_t node) { return shape.test(tree.node(node)); };
    walk<Arch>(tree, test, [&](std::uint32_t leaf) {
        if (!state_block.has_room() && !state_block.take(state_block)) return false;
        state_block.next += store_lanes<Arch>(state_block.next, leaf * kNodeWidth, test(leaf));
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
        state_block.next += store_lanes<Arch>(state_block.next, leaf * kNodeWidth, mask, keys);
        return true;
    });
}
template <class Arch>
void all_slabs_kernel(const TreeView& tree, const SlabQuery& query, HitBlock<std::uint64_t>& state_block) {
    all_keyed<Arch, SlabShape>(tree, query, query.t_max, state_block);
}
template <class Arch>
void all_near_kernel(const TreeView& tree, const DistanceQuery& query, float limit,
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

/// The nodes that wait for their turn, the nearest of each family on top.
class KeyedStack {
public:
    BROADSIDE_FORCE_INLINE bool is_empty() const { return count_ == 0; }
    BROADSIDE_FORCE_INLINE std::uint64_t pop() { return entries_[--count_]; }

    /// Takes in the lanes of the mask. Families of two and three, which most are, are sorted without a branch.
    template <class Arch>
    BROADSIDE_FORCE_INLINE void push(std::uint32_t first, std::uint32_t mask, const NodeFloats<Arch>& keys) {
        std::uint64_t* family = entries_ + count_;
        const std::uint32_t count = store_lanes<Arch>(family, first, mask, keys);
        count_ += count;
        if (count == 2) {
            sort_two(family);
        } else if (count == 3) {
            sort_three(family);
        } else if (count > 3) {
            sort_many(family, count);
        }
    }
    /// As above for `count` lanes, two, three, or with 0 any number; takes in all but the nearest, which is the answer.
    template <class Arch, std::uint32_t kCount>
    BROADSIDE_FORCE_INLINE std::uint64_t push_but_nearest(std::uint32_t first, std::uint32_t mask,
                                                          const NodeFloats<Arch>& keys) {
        std::uint64_t* family = entries_ + count_;
        const std::uint32_t count = store_lanes<Arch>(family, first, mask, keys);
        if constexpr (kCount == 2) {
            sort_two(family);
        } else if constexpr (kCount == 3) {
            sort_three(family);
        } else {
            sort_many(family, count);
        }
        count_ += count - 1;
        return entries_[count_];
    }

private:
    static BROADSIDE_FORCE_INLINE void put_in_order(std::uint64_t& far_one, std::uint64_t& near_one) {
        const std::uint64_t a = far_one;
        const std::uint64_t b = near_one;
        far_one = a < b ? b : a;
        near_one = a < b ? a : b;
    }
    static BROADSIDE_FORCE_INLINE void sort_two(std::uint64_t* family) { put_in_order(family[0], family[1]); }
    static BROADSIDE_FORCE_INLINE void sort_three(std::uint64_t* family) {
        put_in_order(family[0], family[1]);
        put_in_order(family[1], family[2]);
        put_in_order(family[0], family[1]);
    }
    static BROADSIDE_FORCE_INLINE void sort_many(std::uint64_t* family, std::uint32_t count) {
        sort_three(family);
        for (std::uint32_t i = 3; i < count; ++i) {
            const std::uint64_t entry = family[i];
            std::uint32_t place = i;
            for (; place > 0 && family[place - 1] < entry; --place) family[place] = family[place - 1];
            family[place] = entry;
        }
    }

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
    walk_by_key<Arch>(
        tree, shape, state_visitor.limit,
        [&](std::uint32_t first_slot, std::uint32_t mask, const NodeFloats<Arch>& keys) {
            // Room for a register past the last candidate.
            std::uint64_t candidates[2 * kNodeWidth];
            const std::uint32_t count = store_lanes<Arch>(candidates, first_slot, mask, keys);
            return state_visitor.visit(state_visitor, candidates, count);
        });
}

/// Walks that take turns. One walk alone waits most of its time: for the test of a node, and then, since its outcome
/// is seldom guessed right, for the processor to start over. Side by side the tests overlap, and sorting the walks by
/// the outcome of their tests turns a guess for each into one for each kind.
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
    BROADSIDE_FORCE_INLINE FirstWalks(const TreeView& tree, const SlabQuery* queries, std::uint32_t query_count,
                                      FirstBox* out_first)
        : tree_(tree), queries_(queries), query_count_(query_count), out_first_(out_first) {}

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
                take_boxes(walk);
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
        walk.node = tree_.root();
    }

    BROADSIDE_FORCE_INLINE void test_all() {
        for (std::uint32_t& count : counts_) count = 0;
        for (std::uint32_t i = 0; i < active_count_; ++i) {
            FirstWalk<Arch>& walk = *active_[i];
            walk.mask = SlabShape<Arch>(walk.query).test(tree_.node(walk.node), walk.first.key, walk.keys);
            const auto lane_count = static_cast<std::uint32_t>(__builtin_popcount(walk.mask));
            const std::uint32_t outcome = kOutcomes[tree_.is_leaf(walk.node) ? 1 : 0][lane_count];
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

    BROADSIDE_FORCE_INLINE void take_boxes(FirstWalk<Arch>& walk) {
        for (std::uint32_t rest = walk.mask; rest != 0; rest &= rest - 1) {
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            const float key = key_in(walk.keys, lane);
            const std::uint32_t slot = walk.node * kNodeWidth + lane;
            const bool is_first =
                key < walk.first.key || walk.first.slot == kNoSlot ||
                (key == walk.first.key && tree_.box_index[slot] < tree_.box_index[walk.first.slot]);
            if (is_first) walk.first = {key, slot};
        }
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
         kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren, kMoreChildren,
         kMoreChildren, kMoreChildren, kMoreChildren},
        {kNothing, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes, kBoxes,
         kBoxes, kBoxes, kBoxes, kBoxes}};

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
                        FirstBox* out_first) {
    FirstWalks<Arch>(tree, queries, count, out_first).run();
}

/// Joins the lanes of a node.
template <class Arch>
BROADSIDE_FORCE_INLINE Aabb joined_lanes(const float* node) {
    if constexpr (simd::is_scalar<Arch>) {
        Aabb joined = Aabb::empty();
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) joined = include(joined, lane_box(node, lane));
        return joined;
    } else {
        using namespace simd;
        const auto joined = [&](NodeRow row, auto&& join) {
            FloatW<Arch> value = load_aligned<Arch>(node + row * kNodeWidth);
            for (std::uint32_t lane = Arch::kLanes; lane < kNodeWidth; lane += Arch::kLanes) {
                value = join(value, load_aligned<Arch>(node + row * kNodeWidth + lane));
            }
            return value;
        };
        const auto low = [](FloatW<Arch> a, FloatW<Arch> b) { return min_keep(a, b); };
        const auto high = [](FloatW<Arch> a, FloatW<Arch> b) { return max_keep(a, b); };
        return {{smallest(joined(kMinX, low)), smallest(joined(kMinY, low)), smallest(joined(kMinZ, low))},
                {largest(joined(kMaxX, high)), largest(joined(kMaxY, high)), largest(joined(kMaxZ, high))}};
    }
}

/// Leaves of b that meet the box around the leaf of a; then each box of those that does, against the boxes of a.
template <class Arch>
void leaf_pairs_kernel(const TreeView& a, std::uint32_t leaf, const TreeView& b, bool is_one_tree,
                       HitBlock<std::uint64_t>& state_block) {
    const float* leaf_of_a = a.node(leaf);
    const Aabb around = joined_lanes<Arch>(leaf_of_a);
    // Nothing but empty lanes.
    if (!(around.min.x <= around.max.x)) return;
    const BoxShape<Arch> around_shape(BoxQuery{around});
    walk<Arch>(b, [&](std::uint32_t node) { return around_shape.test(b.node(node)); }, [&](std::uint32_t leaf_b) {
        if (is_one_tree && leaf_b < leaf) return true;
        const float* boxes_of_b = b.node(leaf_b);
        for (std::uint32_t rest = around_shape.test(boxes_of_b); rest != 0; rest &= rest - 1) {
            if (!state_block.has_room() && !state_block.take(state_block)) return false;
            const auto lane = static_cast<std::uint32_t>(__builtin_ctz(rest));
            std::uint32_t mask = BoxShape<Arch>(BoxQuery{lane_box(boxes_of_b, lane)}).test(leaf_of_a);
            if (is_one_tree && leaf_b == leaf) mask &= (1u << lane) - 1;
            state_block.next += store_pairs(state_block.next, leaf * kNodeWidth, mask,
                                                  leaf_b * kNodeWidth + lane);
        }
        return true;
    });
}

/// The place of a number is how many are smaller.
template <class Arch>
void sort_by_rank_kernel(std::uint32_t* numbers, std::uint32_t count, std::uint32_t* out_numbers) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t i = 0; i < count; ++i) {
            std::uint32_t rank = 0;
            for (std::uint32_t j = 0; j < count; ++j) rank += numbers[j] < numbers[i] ? 1u : 0u;
            out_numbers[rank] = numbers[i];
        }
    } else {
        using namespace simd;
        const auto* signed_numbers = reinterpret_cast<const std::int32_t*>(numbers);
        const IntW<Arch> one = broadcast_int<Arch>(1);
        const IntW<Arch> zero = broadcast_int<Arch>(0);
        for (std::uint32_t first = 0; first < count; first += Arch::kLanes) {
            const IntW<Arch> group = load_unaligned_int<Arch>(signed_numbers + first);
            IntW<Arch> rank = zero;
            for (std::uint32_t j = 0; j < count; ++j) {
                rank = rank + select(less(broadcast_int<Arch>(signed_numbers[j]), group), one, zero);
            }
            alignas(64) std::int32_t ranks[Arch::kLanes];
            store_unaligned(ranks, rank);
            // Lanes behind the last number hold anything; they go nowhere.
            const std::uint32_t lane_count = count - first < Arch::kLanes ? count - first : Arch::kLanes;
            for (std::uint32_t lane = 0; lane < lane_count; ++lane) {
                out_numbers[ranks[lane]] = numbers[first + lane];
            }
        }
    }
}

/// Makes empty lanes of the invalid boxes of a leaf, and +0 of every -0, which no test tells apart: then the bits of
/// the boxes above do not depend on the order in which lanes are joined.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t clean_leaf(float* leaf) {
    std::uint32_t valid_count = 0;
    if constexpr (simd::is_scalar<Arch>) {
        for (std::uint32_t lane = 0; lane < kNodeWidth; ++lane) {
            const Aabb box = lane_box(leaf, lane);
            const Aabb kept = is_valid(box) ? box : Aabb::empty();
            valid_count += is_valid(box) ? 1u : 0u;
            leaf[kMinX * kNodeWidth + lane] = kept.min.x + 0.0f;
            leaf[kMinY * kNodeWidth + lane] = kept.min.y + 0.0f;
            leaf[kMinZ * kNodeWidth + lane] = kept.min.z + 0.0f;
            leaf[kMaxX * kNodeWidth + lane] = kept.max.x + 0.0f;
            leaf[kMaxY * kNodeWidth + lane] = kept.max.y + 0.0f;
            leaf[kMaxZ * kNodeWidth + lane] = kept.max.z + 0.0f;
        }
    } else {
        using namespace simd;
        for (std::uint32_t lane = 0; lane < kNodeWidth; lane += Arch::kLanes) {
            float* at = leaf + lane;
            const auto row = [&](NodeRow index) { return load_aligned<Arch>(at + index * kNodeWidth); };
            const BoxW<Arch> box = {{row(kMinX), row(kMinY), row(kMinZ)},
                                    {row(kMaxX), row(kMaxY), row(kMaxZ)}};
            const MaskW<Arch> is_kept = is_valid(box);
            valid_count += static_cast<std::uint32_t>(__builtin_popcount(bits(is_kept)));
            const auto put = [&](NodeRow index, FloatW<Arch> value, float empty) {
                store_unaligned(at + index * kNodeWidth,
                                select(is_kept, value, broadcast<Arch>(empty)) + broadcast<Arch>(0.0f));
            };
            constexpr float kInfinity = __builtin_inff();
            put(kMinX, box.min.x, kInfinity);
            put(kMinY, box.min.y, kInfinity);
            put(kMinZ, box.min.z, kInfinity);
            put(kMaxX, box.max.x, -kInfinity);
            put(kMaxY, box.max.y, -kInfinity);
            put(kMaxZ, box.max.z, -kInfinity);
        }
    }
    return valid_count;
}

template <class Arch, bool kIsLeaf>
std::uint32_t close_kernel(float* planes, std::uint32_t first, std::uint32_t count, std::uint32_t parent) {
    std::uint32_t valid_count = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        float* node = planes + std::size_t{first + i} * kNodeFloats;
        if constexpr (kIsLeaf) valid_count += clean_leaf<Arch>(node);
        const Aabb box = joined_lanes<Arch>(node);
        float* at = planes + std::size_t{parent + i / kNodeWidth} * kNodeFloats + i % kNodeWidth;
        at[kMinX * kNodeWidth] = box.min.x;
        at[kMinY * kNodeWidth] = box.min.y;
        at[kMinZ * kNodeWidth] = box.min.z;
        at[kMaxX * kNodeWidth] = box.max.x;
        at[kMaxY * kNodeWidth] = box.max.y;
        at[kMaxZ * kNodeWidth] = box.max.z;
    }
    return valid_count;
}

template <class Arch>
constexpr TreeKernels make_tree_kernels() {
    return {&all_kernel<Arch, BoxShape, BoxQuery>,
            &all_kernel<Arch, PlanesShape, PlanesQuery>,
            &all_slabs_kernel<Arch>,
            &all_near_kernel<Arch>,
            &any_box_kernel<Arch>,
            &any_slab_kernel<Arch>,
            &first_slabs_kernel<Arch>,
            &visit_kernel<Arch, SlabShape, SlabQuery>,
            &visit_kernel<Arch, DistanceShape, DistanceQuery>,
            &leaf_pairs_kernel<Arch>,
            &sort_by_rank_kernel<Arch>,
            &close_kernel<Arch, false>,
            &close_kernel<Arch, true>};
}

}  // namespace broadside::broadphase
