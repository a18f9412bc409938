// Lists of new candidates, and their way into lists by key.
#include "broadphase/src/candidates/new_candidates.hpp"

#include "broadphase/src/lists/task_cut.hpp"
#include "core/src/zones.hpp"

#include <broadside/assert.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {

void NewCandidates::clear() noexcept {
    candidates_.clear();
    list_count_ = 0;
}

std::size_t NewCandidates::count() const noexcept {
    std::size_t count = 0;
    for (std::uint32_t k = 0; k < list_count_; ++k) count += lists_[k].count;
    return count;
}

NewCandidates::List* NewCandidates::open(std::uint32_t list_count, std::size_t room) noexcept {
    BROADSIDE_ASSERT(list_count_ + list_count <= kListMax, "new candidates: more lists than a step has");
    const std::size_t begin = candidates_.size();
    if (!grow(begin + room)) return nullptr;
    List* const first = lists_ + list_count_;
    for (std::uint32_t k = 0; k < list_count; ++k)
        lists_[list_count_++] = {begin + part_begin(room, k, list_count), 0};
    return first;
}

void NewCandidates::count_keys(const TaskRunner* runner, std::uint32_t key_count,
                               KeyCounts* out_counts) const noexcept {
    run_tasks(runner, list_count_, [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/renew task");
        std::uint32_t* const counts = out_counts[index];
        std::fill_n(counts, key_count, 0u);
        const Candidate* const begin = candidates_.data() + lists_[index].begin;
        const Candidate* const end = begin + lists_[index].count;
        for (const Candidate* each = begin; each != end; ++each) ++counts[each->key];
    });
}

void NewCandidates::put_by_key(const TaskRunner* runner, KeyCounts* state_positions,
                               const std::size_t* begins, IndexPair* out_pairs) const noexcept {
    run_tasks(runner, list_count_, [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/renew task");
        std::uint32_t* const positions = state_positions[index];
        const Candidate* const begin = candidates_.data() + lists_[index].begin;
        const Candidate* const end = begin + lists_[index].count;
        for (const Candidate* each = begin; each != end; ++each)
            out_pairs[begins[each->key] + positions[each->key]++] = each->pair;
    });
}

}  // namespace broadside::broadphase
