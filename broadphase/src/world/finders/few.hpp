// Finds the pairs of a few changed objects: trees give those they meet now, their own pairs those before.
#pragma once

#include "broadphase/src/world/finders/rest.hpp"
#include "broadphase/src/world/pairs/pair_store.hpp"
#include "broadphase/src/world/policy.hpp"
#include "broadphase/src/world/queries/tree_copies.hpp"

#include <broadside/box_tree.hpp>

namespace broadside::broadphase {

class FewFinder {
public:
    /// `scratch` is shared with the other searches.
    FewFinder(ObjectTable& objects, PairStore& pairs, TreeCopies& trees, RestFinder& rest,
              BoxScratch& scratch, const Allocator& allocator) noexcept
        : objects_(objects),
          pairs_(pairs),
          query_trees_(trees),
          rest_(rest),
          scratch_(scratch),
          tree_(allocator),
          slots_(allocator),
          boxes_(allocator) {}

    /// Whether the trees of the last such update are still usable.
    bool is_going_on() const noexcept;
    /// Whether an update of few changes is possible: pairs are stored by object, and a tree exists. If not,
    /// the next update is a little nearer to that.
    bool prepare(const UpdateCounts& counts, const TaskRunner* runner, UpdateResult& state_result) noexcept;
    /// Finds what every changed object meets, ascending by its index in `slots`.
    Status find(const TaskRunner* runner, PairBuffer& out_found) noexcept;
    std::span<const std::uint32_t> slots() const noexcept { return {slots_.data(), slots_.size()}; }
    /// Puts the pairs into a list again. Returns false if out of memory.
    bool leave() noexcept;
    void release(const Allocator& allocator) noexcept;
    std::size_t capacity_bytes() const noexcept {
        return tree_.capacity_bytes() + slots_.capacity_bytes() + boxes_.capacity_bytes();
    }

private:
    /// The source of the boxes that a changed one meets: a tree of its own, or the trees of the queries,
    /// which are kept current anyway.
    enum class Trees : std::uint8_t { none, own, of_queries };

    bool may_ask_query_trees() const noexcept;
    bool is_tree_current() const noexcept { return tree_attempt_ + 1 >= objects_.changes.attempt(); }
    bool is_tree_wanted() const noexcept { return wanted_attempt_ + 1 >= objects_.changes.attempt(); }
    bool is_worth_entering(const UpdateCounts& counts) noexcept;
    bool prepare_tree(const TaskRunner* runner) noexcept;
    bool enter(const TaskRunner* runner) noexcept;
    Status find_in_tree(const TaskRunner* runner, PairBuffer& out_found) noexcept;
    Status find_in_query_trees(const TaskRunner* runner, PairBuffer& out_found) noexcept;

    ObjectTable& objects_;
    PairStore& pairs_;
    TreeCopies& query_trees_;
    RestFinder& rest_;
    BoxScratch& scratch_;
    Trees trees_ = Trees::none;
    // A tree of the grown boxes, by slot.
    BoxTree tree_;
    // The attempt whose boxes the tree holds, though some may be in leaves far from their neighbours.
    std::uint64_t tree_attempt_ = 0;
    // The attempt that would have used the tree: the one after it begins to make it.
    std::uint64_t wanted_attempt_ = 0;
    // The objects that have changed.
    AlignedArray<std::uint32_t> slots_;
    AlignedArray<Aabb> boxes_;
    std::uint32_t use_count_ = 0;
    std::uint32_t bypass_count_ = 0;
    std::uint32_t bypass_left_ = 0;
    // Nanoseconds that updates of few would have saved.
    std::uint64_t credit_ = 0;
};

}  // namespace broadside::broadphase
