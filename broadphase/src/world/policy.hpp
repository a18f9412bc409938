// How many changes are few, by counts: what decides how an update finds its pairs.
#pragma once

#include "broadphase/src/thresholds.hpp"

#include <algorithm>

namespace broadside::broadphase {

/// What an update knows beforehand. Costs are in nanoseconds of one thread.
struct UpdateCounts {
    std::size_t objects;
    std::size_t slots;
    std::size_t changed;
    std::size_t pairs;

    /// Of pairs in a list that is copied.
    std::uint64_t cost_by_list() const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        return pairs * costs.listed_pair_cost + slots * costs.slot_cost + costs.list_update_cost;
    }
    /// Of changed objects that are looked up one by one.
    std::uint64_t cost_by_objects() const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        const std::uint64_t pairs_per_object = 2 * pairs / std::max<std::size_t>(objects, 1);
        return changed * (costs.changed_object_cost + pairs_per_object * costs.compared_pair_cost);
    }
    /// Of pairs put to their objects.
    std::uint64_t cost_of_moving() const noexcept { return pairs * thresholds().by_objects.moved_pair_cost; }
    /// Whether looking them up is the better way; longer while that goes on.
    bool are_few(bool goes_on) const noexcept {
        const Thresholds::ByObjects& costs = thresholds().by_objects;
        return changed * costs.objects_per_change <= objects &&
               cost_by_objects() <= cost_by_list() * (goes_on ? costs.stay_factor : 1);
    }
    /// Whether what rests is worth sorting.
    bool are_some() const noexcept { return changed * thresholds().updates.objects_per_mover <= objects; }
};

}  // namespace broadside::broadphase
