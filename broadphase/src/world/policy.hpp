// How many changes are few: counts that decide how an update finds its pairs.
#pragma once

#include "broadphase/src/thresholds.hpp"

#include <algorithm>

namespace broadside::broadphase {

/// Counts that an update knows beforehand. Costs are in nanoseconds of one thread.
struct UpdateCounts {
    std::size_t objects;
    std::size_t slots;
    std::size_t changed;
    std::size_t pairs;

    /// Cost of pairs in a list that is copied.
    std::uint64_t cost_by_list() const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        return pairs * costs.listed_pair_cost + slots * costs.slot_cost + costs.list_update_cost;
    }
    /// Cost of looking up changed objects one by one.
    std::uint64_t cost_by_objects() const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        const std::uint64_t pairs_per_object = 2 * pairs / std::max<std::size_t>(objects, 1);
        return changed * (costs.changed_object_cost + pairs_per_object * costs.compared_pair_cost);
    }
    /// Cost of storing pairs by object.
    std::uint64_t cost_of_moving() const noexcept { return pairs * thresholds().by_objects.moved_pair_cost; }
    /// Whether looking them up is better; true for longer while that goes on.
    bool are_few(bool goes_on) const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        return changed * costs.objects_per_change <= objects &&
               cost_by_objects() <= cost_by_list() * (goes_on ? costs.stay_factor : 1);
    }
    /// Tasks would take longer to start than they save.
    bool are_small(bool are_candidates_known) const noexcept {
        return changed < thresholds().tasks.shared_item_count_min &&
               (are_candidates_known || objects < thresholds().tasks.shared_object_count_min);
    }
    /// Whether resting objects are worth sorting.
    bool are_some() const noexcept { return changed * thresholds().updates.objects_per_mover <= objects; }
};

}  // namespace broadside::broadphase
