// An update in which few objects have changed: a tree says what each of them meets now, its own pairs what it
// met before.
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/tree/queries.hpp"
#include "broadphase/src/world/data.hpp"
#include "broadphase/src/world/stopwatch.hpp"
#include "broadphase/src/world/trees.hpp"
#include "core/src/zones.hpp"

#include <broadside/world_query.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
// While pairs are of the boxes that questions are about, and somebody asks.
bool WorldData::may_ask_query_trees() const noexcept {
    return !object_boxes.are_shaped() && trees.current() != nullptr;
}

// The trees of the last update by objects are still to be had.
bool WorldData::has_meeting_trees() const noexcept {
    return (meeting_trees_ == MeetingTrees::own && is_pair_tree_current()) ||
           (meeting_trees_ == MeetingTrees::of_queries && may_ask_query_trees());
}

bool WorldData::is_pair_tree_current() const noexcept { return pair_tree_update_ + 1 >= update_number_; }

std::uint64_t WorldData::cost_by_list() const noexcept {
    return pair_count() * thresholds().by_objects.listed_pair_cost +
           generations.size() * thresholds().by_objects.slot_cost + thresholds().by_objects.list_update_cost;
}

std::uint64_t WorldData::cost_by_objects() const noexcept {
    const std::uint64_t pairs_per_object = 2 * pair_count() / std::max<std::size_t>(object_count, 1);
    return changed_count * (thresholds().by_objects.changed_object_cost +
                            pairs_per_object * thresholds().by_objects.compared_pair_cost);
}

bool WorldData::has_few_changes() const noexcept {
    if (changed_count * thresholds().by_objects.objects_per_change > object_count) return false;
    const bool goes_on = pairs_are_by_object && has_meeting_trees();
    return cost_by_objects() <= cost_by_list() * (goes_on ? thresholds().by_objects.stay_factor : 1);
}

// When cells of what rests are there, not before what was lost by using them pays for the beginning; when they
// would have to be made, at once, for they cost as much.
bool WorldData::is_worth_entering() noexcept {
    if (is_pair_tree_current() || is_pair_tree_wanted()) return true;
    // With trees that were asked since about the last update only the lists of pairs are made. Where that costs less
    // than one search of all pairs, nothing is lost if many change again in the next update.
    const bool has_near_trees = may_ask_query_trees() && trees.change_count() <= 2 * changed_count;
    const bool has_few_pairs = pair_count() * thresholds().by_objects.moved_pair_cost <=
                               generations.size() * thresholds().by_objects.searched_slot_cost;
    if (has_near_trees && has_few_pairs && !is_rest_good()) return true;
    if (by_objects_bypass_left_ != 0) {
        --by_objects_bypass_left_;
        return false;
    }
    if (!is_rest_good()) return true;
    by_objects_credit_ += cost_by_list() - cost_by_objects();
    const std::uint64_t tree_cost =
        may_ask_query_trees() ? 0 : generations.size() * thresholds().by_objects.tree_slot_cost;
    return by_objects_credit_ >= tree_cost + pair_count() * thresholds().by_objects.moved_pair_cost;
}

// Afterwards the pairs are where this update wants them. out_of_memory: they are where they were.
Status WorldData::prepare_path(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    if (has_few_changes()) {
        // Somebody has just asked: then these trees cost nothing.
        if (pairs_are_by_object && may_ask_query_trees() && trees.is_current(*this))
            meeting_trees_ = MeetingTrees::of_queries;
        if (pairs_are_by_object && has_meeting_trees()) return Status::ok;
        const Stopwatch watch;
        const bool has_entered = is_worth_entering() && prepare_pair_tree(runner) && enter_by_objects(runner);
        state_result.rest_nanoseconds = watch.nanoseconds();
        if (has_entered) return Status::ok;
    }
    if (!pairs_are_by_object) return Status::ok;
    BROADSIDE_ZONE("world/pairs to a list");
    return put_pairs_in_list() ? Status::ok : Status::out_of_memory;
}

// Whether the tree is there that updates by objects ask. It takes as long as some searches for everything, and so it is
// made a little in each update, while pairs are found the other way.
bool WorldData::prepare_pair_tree(const TaskRunner* runner) noexcept {
    if (may_ask_query_trees()) return true;
    BROADSIDE_ZONE("world/prepare tree");
    Status status = Status::ok;
    if (is_pair_tree_current()) {
        for_each_changed([&](std::uint32_t slot) {
            if (status == Status::ok) status = pair_tree_.set_box(slot, boxes(false)[slot]);
        });
    } else if (is_pair_tree_wanted()) {
        status = pair_tree_.update_in_steps(boxes(false), runner);
    } else {
        // What else makes a beginning makes it in this update.
        pair_tree_wanted_update_ = update_number_;
        return false;
    }
    pair_tree_update_ = status == Status::ok ? update_number_ : 0;
    if (status != Status::ok) by_objects_bypass_left_ = thresholds().by_objects.bypass_count_max;
    return status == Status::ok && pair_tree_.advance_update(thresholds().by_objects.tree_updates);
}

bool WorldData::enter_by_objects(const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("world/pairs to objects");
    by_objects_credit_ = 0;
    by_objects_use_count_ = 0;
    const bool asks_queries = may_ask_query_trees();
    const Status status = asks_queries ? trees.make_current(*this, runner) : Status::ok;
    if (status == Status::ok && (pairs_are_by_object || put_pairs_by_object())) {
        meeting_trees_ = asks_queries ? MeetingTrees::of_queries : MeetingTrees::own;
        resting_.clear();
        return true;
    }
    meeting_trees_ = MeetingTrees::none;
    by_objects_bypass_left_ = thresholds().by_objects.bypass_count_max;
    return false;
}

bool WorldData::put_pairs_by_object() noexcept {
    if (!put_tracked_in_list()) return false;
    tracked.clear();
    if (!object_pairs.build({known_generations.data(), known_generations.size()},
                            {pairs.data(), pairs.size()}, has_values, values.data())) {
        return false;
    }
    pairs.clear();
    values.clear();
    pairs_are_by_object = true;
    return true;
}

bool WorldData::put_pairs_in_list() noexcept {
    if (!pairs.resize(pair_count()) || !values.resize(has_values ? pair_count() : 0)) {
        pairs.clear();
        values.clear();
        return false;
    }
    std::size_t count = 0;
    object_pairs.for_each([&](const IndexPair& pair, std::uint64_t value) {
        pairs.data()[count] = pair;
        if (has_values) values.data()[count] = value;
        ++count;
    });
    object_pairs.clear();
    pairs_are_by_object = false;
    if (meeting_trees_ != MeetingTrees::none) {
        const bool was_worth_it = by_objects_use_count_ >= thresholds().by_objects.use_count_min;
        by_objects_bypass_count_ = was_worth_it ? 0
                                                : std::min(2 * by_objects_bypass_count_ + 1,
                                                           thresholds().by_objects.bypass_count_max);
        by_objects_bypass_left_ = by_objects_bypass_count_;
        meeting_trees_ = MeetingTrees::none;
    }
    return true;
}

std::span<const ObjectHandle> WorldData::pairs_of(ObjectHandle handle) noexcept {
    const std::uint32_t slot = handle.slot();
    if (slot >= known_generations.size() || known_handle(slot) != handle) return {};
    if (!pairs_are_by_object && !put_pairs_by_object()) return {};
    const std::span<const ObjectHandle> others = object_pairs.of(slot);
    if (settings.order == WorldOrder::slot) return others;
    if (!pairs_of_list_.resize(others.size())) return {};
    std::copy(others.begin(), others.end(), pairs_of_list_.begin());
    const auto key = [&](ObjectHandle other) {
        return std::pair(known_user_data[other.slot()], other.slot());
    };
    std::sort(pairs_of_list_.begin(), pairs_of_list_.end(),
              [&](ObjectHandle a, ObjectHandle b) { return key(a) < key(b); });
    return {pairs_of_list_.data(), pairs_of_list_.size()};
}

// Nothing but the tree has changed under any status but ok, and the next update sets that right.
Status WorldData::update_by_objects(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/by objects");
    const Stopwatch watch;
    state_result.path = UpdatePath::movers;
    ++by_objects_use_count_;
    const Status status = find_by_objects(runner);
    state_result.find_nanoseconds = watch.nanoseconds();
    if (status != Status::ok) return status;
    if (!compare_by_objects()) return Status::out_of_memory;
    const std::size_t pair_count_after = pair_count() + next_begun_pairs_.size() - next_ended_pairs_.size();
    if (pair_count_after > max_pair_count()) return Status::capacity_exceeded;
    if (!reserve_events()) return Status::out_of_memory;
    name_events();
    for (const EndedIndexPair& end : next_ended_pairs_) object_pairs.remove(end.pair);
    for (const IndexPair& pair : next_begun_pairs_)
        object_pairs.insert(pair, handle_at(pair.first), handle_at(pair.second));
    state_result.pair_count = pair_count_after;
    state_result.begun_count = next_begun_.size();
    state_result.ended_count = next_ended_.size();
    commit_events(runner);
    state_result.compare_nanoseconds = watch.nanoseconds() - state_result.find_nanoseconds;
    return Status::ok;
}

// What every changed object meets, by its place among them, ascending.
Status WorldData::find_by_objects(const TaskRunner* runner) noexcept {
    if (!few_slots_.resize(changed_count) || !few_boxes_.resize(changed_count) ||
        !object_pairs.grow(generations.size())) {
        return Status::out_of_memory;
    }
    std::size_t count = 0;
    for_each_changed([&](std::uint32_t slot) {
        few_slots_.data()[count++] = slot;
        object_pairs.prefetch_block(slot);
    });
    const BoxSoaView view = boxes(false);
    for (std::size_t k = 0; k < count; ++k) {
        few_boxes_.data()[k] = view[few_slots_.data()[k]];
        object_pairs.prefetch(few_slots_.data()[k]);
    }
    return meeting_trees_ == MeetingTrees::own ? find_in_pair_tree(runner) : find_in_query_trees(runner);
}

Status WorldData::find_in_pair_tree(const TaskRunner* runner) noexcept {
    pair_tree_update_ = 0;
    for (std::size_t k = 0; k < few_slots_.size(); ++k) {
        const Status status = pair_tree_.set_box(few_slots_.data()[k], few_boxes_.data()[k]);
        if (status != Status::ok) return status;
    }
    pair_tree_update_ = update_number_;
    TreeQuerySettings query_settings;
    query_settings.runner = runner;
    return pair_tree_
        .find_overlaps(std::span<const Aabb>(few_boxes_.data(), few_boxes_.size()), query_settings,
                       tree_scratch_, found_)
        .status;
}

Status WorldData::find_in_query_trees(const TaskRunner* runner) noexcept {
    if (const Status status = trees.make_current(*this, runner); status != Status::ok) return status;
    const KindViews& views = trees.current()->all_views();
    const TreeFilter no_filter;
    const TreeQueries queries = {
        views.trees, views.count, views.leaf_edge,      *simd::active_kernels<TreeKernels>(),
        no_filter,   runner,      PairOrder::canonical, nullptr};
    return find_overlaps(queries, std::span<const Aabb>(few_boxes_.data(), few_boxes_.size()), tree_scratch_,
                         found_)
        .status;
}

bool WorldData::may_pair_now(std::uint32_t a, std::uint32_t b) const noexcept {
    if (has_bit(ruled_bits, a) || has_bit(ruled_bits, b)) return may_pair(a, b);
    return settings.fixed_objects_pair || has_bit(mobile_bits, a) || has_bit(mobile_bits, b);
}

// Every changed object's pairs before beside those that it has now. A pair of two changed objects is the lower
// one's.
bool WorldData::compare_by_objects() noexcept {
    next_begun_pairs_.clear();
    next_ended_pairs_.clear();
    const IndexPair* found = found_.begin();
    for (std::uint32_t k = 0; k < few_slots_.size(); ++k) {
        const std::uint32_t slot = few_slots_[k];
        const std::span<const ObjectHandle> before = object_pairs.of(slot);
        const auto is_reborn = [&](std::uint32_t of_slot) { return has_bit(newcomer_bits, of_slot); };
        const bool is_slot_reborn = has_newcomers && is_reborn(slot);
        std::size_t i = 0;
        while (i < before.size() || (found != found_.end() && found->first == k)) {
            const bool has_found = found != found_.end() && found->first == k;
            const std::uint32_t other_before = i < before.size() ? before[i].slot() : kNoObjectSlot;
            const std::uint32_t other_now = has_found ? found->second : kNoObjectSlot;
            const std::uint32_t other = std::min(other_before, other_now);
            const bool was_pair = other == other_before;
            const bool is_met = other == other_now;
            i += was_pair ? 1u : 0u;
            found += is_met ? 1 : 0;
            if (other == slot || (other < slot && is_marked(other))) continue;
            const bool is_pair = is_met && may_pair_now(slot, other);
            if (was_pair && is_pair && !(has_newcomers && (is_slot_reborn || is_reborn(other)))) continue;
            const IndexPair pair = {std::min(slot, other), std::max(slot, other)};
            const std::uint64_t value = was_pair && has_values ? *object_pairs.value(pair) : 0;
            if (was_pair && !next_ended_pairs_.push_back({pair, value})) return false;
            if (is_pair && !next_begun_pairs_.push_back(pair)) return false;
        }
    }
    return true;
}

bool WorldData::reserve_events() noexcept {
    return next_begun_.resize(next_begun_pairs_.size()) && next_ended_.resize(next_ended_pairs_.size()) &&
           ended_data.reserve_to_append(next_ended_pairs_.size()) &&
           object_pairs.reserve({next_begun_pairs_.data(), next_begun_pairs_.size()});
}

void WorldData::name_events() noexcept {
    std::sort(next_begun_pairs_.begin(), next_begun_pairs_.end());
    std::sort(next_ended_pairs_.begin(), next_ended_pairs_.end(),
              [](const EndedIndexPair& a, const EndedIndexPair& b) { return a.pair < b.pair; });
    for (std::size_t k = 0; k < next_begun_pairs_.size(); ++k) {
        const IndexPair pair = next_begun_pairs_[k];
        next_begun_[k] = ordered(handle_at(pair.first), handle_at(pair.second), user_data.data());
        hash += hash_of(next_begun_[k], user_data.data());
    }
    for (std::size_t k = 0; k < next_ended_pairs_.size(); ++k) {
        const EndedIndexPair end = next_ended_pairs_[k];
        const std::uint64_t* const data = known_user_data.data();
        const WorldPair in_order = ordered(known_handle(end.pair.first), known_handle(end.pair.second), data);
        next_ended_[k] = {in_order.a, in_order.b, end.value};
        hash -= hash_of(in_order, data);
    }
}

}  // namespace broadside::broadphase
