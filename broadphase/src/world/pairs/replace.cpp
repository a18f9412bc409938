// Prepares the found pairs to replace the pairs alive, and the lists of events.
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/pairs/pair_store.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace broadside::broadphase {

Status PairStore::find(const StaggeredPairs::Call& call, PairBuffer& state_found, Found& out_kind) noexcept {
    out_kind = Found::nothing;
    if (objects_.changes.are_many_reruled()) candidates_.forget_candidates();
    if (!candidates_.are_known()) return Status::ok;
    if (!candidates_.find(call, state_found)) {
        if (!put_in_list()) return Status::out_of_memory;
        candidates_.leave();
        return Status::ok;
    }
    const bool is_difference = !has_values_ && !objects_.changes.has_order_changed();
    if (!is_difference && !candidates_.write_found(state_found, scratch_.pairs.order))
        return Status::out_of_memory;
    out_kind = is_difference ? Found::difference : Found::all;
    return Status::ok;
}

bool PairStore::drop_forbidden(bool is_fixed_out, const TaskRunner* runner,
                               PairBuffer& state_found) noexcept {
    if (objects_.ruled_count == 0 && is_fixed_out) return true;
    BROADSIDE_ZONE("world/drop forbidden");
    const std::size_t part_count = state_found.size() / thresholds().tasks.pairs_per_task + 1;
    if (!parts_.resize(part_count)) return false;
    const auto begin_of = [&](std::size_t part) { return part_begin(state_found.size(), part, part_count); };
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t part) {
        BROADSIDE_ZONE("world/drop forbidden task");
        const auto either = [](const std::uint64_t* bits, const IndexPair& pair) {
            return ((bits[pair.first / 64] >> pair.first % 64 | bits[pair.second / 64] >> pair.second % 64) &
                    1) != 0;
        };
        const IndexPair* before = list_.begin();
        const IndexPair* const before_end =
            before + (objects_.changes.have_rules_changed() ? 0 : list_.size());
        const auto persists = [&](const IndexPair& pair) {
            // Mostly one or two steps further.
            std::ptrdiff_t step = 1;
            while (step < before_end - before && before[step] < pair) step *= 2;
            before = std::lower_bound(before, before + std::min(step, before_end - before), pair);
            return before != before_end && *before == pair &&
                   !objects_.changes.has_newcomer(pair.first, pair.second);
        };
        IndexPair* const begin = state_found.data() + begin_of(part);
        const std::size_t count = begin_of(part + 1) - begin_of(part);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const IndexPair pair = begin[i];
            if (kept != i) begin[kept] = pair;
            const bool is_allowed = either(objects_.ruled_bits.data(), pair)
                                        ? persists(pair) || objects_.may_pair(pair.first, pair.second)
                                        : is_fixed_out || either(objects_.mobile_bits.data(), pair);
            kept += is_allowed ? 1u : 0u;
        }
        parts_[part].pair_end = begin_of(part) + kept;
    });
    std::size_t kept_count = 0;
    for (std::size_t part = 0; part < part_count; ++part) {
        const std::size_t begin = begin_of(part);
        const std::size_t count = parts_[part].pair_end - begin;
        if (begin != kept_count && count != 0)
            std::memmove(state_found.data() + kept_count, state_found.data() + begin,
                         count * sizeof(IndexPair));
        kept_count += count;
    }
    (void)state_found.resize(kept_count);
    return true;
}

void PairStore::commit_events(const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("world/commit");
    std::swap(events_, next_events_);
    ++version_;
    sort(events_.begun, objects_.user_data.data());
    sort(events_.ended, objects_.known_user_data.data());
    const AlignedArray<EndedPair>& ended = events_.ended;
    // Within the reserved room.
    (void)ended_data_.resize(ended.size());
    run_chunks(runner, ended.size(), chunk_for(runner, ended.size(), thresholds().tasks.items_per_task),
               [&](std::size_t begin, std::size_t end) {
                   BROADSIDE_ZONE("world/compare task");
                   for (std::size_t k = begin; k < end; ++k)
                       ended_data_[k] = {objects_.known_user_data[ended[k].a.slot()],
                                         objects_.known_user_data[ended[k].b.slot()]};
               });
}

bool PairStore::add_lasting(PairBuffer& state_found) noexcept {
    if (!resize_amply(next_list_, list_.size() + state_found.size())) return false;
    IndexPair* out = next_list_.data();
    IndexPair* next = state_found.begin();
    for (const IndexPair& pair : list_) {
        if (objects_.changes.holds(pair.first) || objects_.changes.holds(pair.second)) continue;
        while (next != state_found.end() && *next < pair) *out++ = *next++;
        *out++ = pair;
    }
    out = std::copy(next, state_found.end(), out);
    (void)next_list_.resize(static_cast<std::size_t>(out - next_list_.data()));
    std::swap(next_list_, state_found);
    return true;
}

void PairStore::forget_events() noexcept {
    events_.begun_pairs.clear();
    events_.begun.clear();
    events_.ended.clear();
    ended_data_.clear();
    ++version_;
}

bool PairStore::list_changed(AlignedArray<std::uint32_t>& out_slots) noexcept {
    if (!out_slots.resize(objects_.changes.count()) || !object_pairs_.grow(objects_.slot_count()))
        return false;
    std::size_t count = 0;
    objects_.changes.for_each([&](std::uint32_t slot) {
        out_slots.data()[count++] = slot;
        object_pairs_.prefetch_block(slot);
    });
    for (const std::uint32_t slot : out_slots) object_pairs_.prefetch(slot);
    return true;
}

}  // namespace broadside::broadphase
