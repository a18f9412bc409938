// When it pays to look up a few objects, and what they meet.
#include "broadphase/src/world/finders/few.hpp"

#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "broadphase/src/world/queries/trees.hpp"
#include "broadphase/src/world/stopwatch.hpp"
#include "core/src/zones.hpp"

#include <algorithm>
#include <memory>
#include <new>

namespace broadside::broadphase {

// Query trees may be used while pairs are of the same boxes as queries, and queries are made at all.
bool FewFinder::may_ask_query_trees() const noexcept {
    return !objects_.object_boxes.are_shaped() && query_trees_.current() != nullptr;
}

bool FewFinder::is_going_on() const noexcept {
    return (trees_ == Trees::own && is_tree_current()) ||
           (trees_ == Trees::of_queries && may_ask_query_trees());
}

bool FewFinder::prepare(const UpdateCounts& counts, const TaskRunner* runner,
                        UpdateResult& state_result) noexcept {
    // Current query trees cost nothing.
    if (pairs_.are_by_object() && may_ask_query_trees() && query_trees_.is_current(objects_))
        trees_ = Trees::of_queries;
    if (is_going_on()) return true;
    const Stopwatch watch;
    const bool has_entered = is_worth_entering(counts) && prepare_tree(runner) && enter(runner);
    state_result.rest_nanoseconds = watch.nanoseconds();
    return has_entered;
}

// If cells of resting objects exist, waits until the loss by using them would have paid for the beginning. If
// they would have to be made, begins at once, because they cost as much.
bool FewFinder::is_worth_entering(const UpdateCounts& counts) noexcept {
    if (is_tree_current() || is_tree_wanted()) return true;
    // With trees that were queried since about the last update, only the lists of pairs must be made. If that
    // costs less than one search of all pairs, nothing is lost if many objects change in the next update.
    const bool has_near_trees = may_ask_query_trees() && objects_.unasked.count() <= 2 * counts.changed;
    const bool has_few_pairs =
        counts.cost_of_moving() <= counts.slots * thresholds().by_objects.searched_slot_cost;
    if (has_near_trees && has_few_pairs && !rest_.is_good()) return true;
    if (bypass_left_ != 0) {
        --bypass_left_;
        return false;
    }
    if (!rest_.is_good()) return true;
    credit_ += counts.cost_by_list() - counts.cost_by_objects();
    const std::uint64_t tree_cost =
        may_ask_query_trees() ? 0 : counts.slots * thresholds().by_objects.tree_slot_cost;
    return credit_ >= tree_cost + counts.cost_of_moving();
}

// The tree takes as long as some searches for everything. It is therefore made a little in each update, while
// pairs are found the other way.
bool FewFinder::prepare_tree(const TaskRunner* runner) noexcept {
    if (may_ask_query_trees()) return true;
    BROADSIDE_ZONE("world/prepare tree");
    Status status = Status::ok;
    if (is_tree_current()) {
        objects_.changes.for_each([&](std::uint32_t slot) {
            if (status == Status::ok) status = tree_.set_box(slot, objects_.boxes(false)[slot]);
        });
    } else if (is_tree_wanted()) {
        TreeData* const tree = TreeData::made_of(tree_);
        status =
            tree == nullptr ? Status::out_of_memory : tree->update_in_steps(objects_.boxes(false), runner);
    } else {
        // Other work may begin in this update; the tree begins in the next one.
        wanted_attempt_ = objects_.changes.attempt();
        return false;
    }
    tree_attempt_ = status == Status::ok ? objects_.changes.attempt() : 0;
    if (status != Status::ok) bypass_left_ = thresholds().by_objects.bypass_count_max;
    return status == Status::ok &&
           TreeData::made_of(tree_)->advance_update(thresholds().by_objects.tree_updates);
}

bool FewFinder::enter(const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("world/pairs to objects");
    credit_ = 0;
    use_count_ = 0;
    const bool asks_queries = may_ask_query_trees();
    const Status status = asks_queries ? query_trees_.make_current(objects_, runner) : Status::ok;
    if (status == Status::ok && pairs_.put_by_object()) {
        trees_ = asks_queries ? Trees::of_queries : Trees::own;
        rest_.clear();
        return true;
    }
    trees_ = Trees::none;
    bypass_left_ = thresholds().by_objects.bypass_count_max;
    return false;
}

bool FewFinder::leave() noexcept {
    if (!pairs_.are_by_object() && trees_ == Trees::none) return true;
    BROADSIDE_ZONE("world/pairs to a list");
    if (!pairs_.put_in_list()) return false;
    if (trees_ == Trees::none) return true;
    const bool was_worth_it = use_count_ >= thresholds().by_objects.use_count_min;
    bypass_count_ =
        was_worth_it ? 0 : std::min(2 * bypass_count_ + 1, thresholds().by_objects.bypass_count_max);
    bypass_left_ = bypass_count_;
    trees_ = Trees::none;
    return true;
}

// Under any status but ok nothing but the tree has changed, and the next update corrects that.
Status FewFinder::find(const TaskRunner* runner, PairBuffer& out_found) noexcept {
    ++use_count_;
    if (!pairs_.list_changed(slots_) || !boxes_.resize(slots_.size())) return Status::out_of_memory;
    const BoxSoaView view = objects_.boxes(false);
    for (std::size_t k = 0; k < slots_.size(); ++k) boxes_.data()[k] = view[slots_.data()[k]];
    return trees_ == Trees::own ? find_in_tree(runner, out_found) : find_in_query_trees(runner, out_found);
}

Status FewFinder::find_in_tree(const TaskRunner* runner, PairBuffer& out_found) noexcept {
    tree_attempt_ = 0;
    for (std::size_t k = 0; k < slots_.size(); ++k) {
        const Status status = tree_.set_box(slots_.data()[k], boxes_.data()[k]);
        if (status != Status::ok) return status;
    }
    tree_attempt_ = objects_.changes.attempt();
    TreeQuerySettings settings;
    settings.runner = runner;
    const std::span<const Aabb> boxes(boxes_.data(), boxes_.size());
    return find_overlaps(OneTree(tree_, settings), boxes, scratch_, out_found).status;
}

Status FewFinder::find_in_query_trees(const TaskRunner* runner, PairBuffer& out_found) noexcept {
    if (const Status status = query_trees_.make_current(objects_, runner); status != Status::ok)
        return status;
    const KindViews& views = query_trees_.current()->all_views();
    TreeQuerySettings settings;
    settings.runner = runner;
    const TreeQueries queries = {
        views.trees, views.count, views.leaf_edge, *simd::active_kernels<TreeKernels>(), settings, nullptr};
    return find_overlaps(queries, std::span<const Aabb>(boxes_.data(), boxes_.size()), scratch_, out_found)
        .status;
}

void FewFinder::release(const Allocator& allocator) noexcept {
    std::destroy_at(&tree_);
    new (&tree_) BoxTree(allocator);
    tree_attempt_ = 0;
    trees_ = Trees::none;
    slots_.release();
    boxes_.release();
}

}  // namespace broadside::broadphase
