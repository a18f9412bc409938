// The pairs of an update: found, freed of what the rules forbid, and taken for the pairs alive.
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/data.hpp"
#include "broadphase/src/world/stopwatch.hpp"
#include "core/src/zones.hpp"

#include <broadside/isa.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>
#include <utility>

namespace broadside::broadphase {
template <class Pair>
void WorldData::sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept {
    if (objects.settings.order == WorldOrder::slot) return;
    std::sort(state_list.begin(), state_list.end(), [data](const Pair& x, const Pair& y) {
        const std::uint64_t keys_x[4] = {data[x.a.slot()], x.a.slot(), data[x.b.slot()], x.b.slot()};
        const std::uint64_t keys_y[4] = {data[y.a.slot()], y.a.slot(), data[y.b.slot()], y.b.slot()};
        return std::lexicographical_compare(keys_x, keys_x + 4, keys_y, keys_y + 4);
    });
}

// The pairs are in a list or beside their objects.
void WorldData::rehash() noexcept {
    BROADSIDE_ASSERT(!pairs_are_tracked, "rehash: pairs are bits of candidates");
    hash = 0;
    const std::uint64_t* const data = objects.known_user_data.data();
    for_each_pair([&](const IndexPair& pair, std::uint64_t) {
        hash +=
            hash_of(ordered(objects.known_handle(pair.first), objects.known_handle(pair.second), data), data);
    });
}

std::span<const WorldPair> WorldData::list(bool with_begun) noexcept {
    AlignedArray<WorldPair>& out_list = with_begun ? pair_list_ : persisting_list_;
    bool& has_list = with_begun ? has_pair_list_ : has_persisting_list_;
    if (!has_list) {
        out_list.clear();
        if (!put_tracked_in_list()) return {};
        const std::size_t count = with_begun ? pair_count() : pair_count() - begun_pairs.size();
        if (!out_list.resize(count)) return {};
        std::size_t next = 0;
        std::size_t written = 0;
        for_each_pair([&](const IndexPair& pair, std::uint64_t) {
            const bool is_begun = next < begun_pairs.size() && begun_pairs[next] == pair;
            next += is_begun ? 1u : 0u;
            if (is_begun && !with_begun) return;
            // As of the update: an object that was removed since still has its pairs.
            out_list[written++] = ordered(objects.known_handle(pair.first), objects.known_handle(pair.second),
                                          objects.known_user_data.data());
        });
        sort(out_list, objects.known_user_data.data());
        has_list = true;
    }
    return {out_list.data(), out_list.size()};
}

std::uint64_t* WorldData::value_of(ObjectHandle a, ObjectHandle b) noexcept {
    if (a.slot() > b.slot()) std::swap(a, b);
    if (!objects.is_known(a) || !objects.is_known(b)) return nullptr;
    const IndexPair wanted = {a.slot(), b.slot()};
    if (pairs_are_by_object) {
        return object_pairs.holds(wanted) && keep_values() ? object_pairs.value(wanted) : nullptr;
    }
    if (!put_tracked_in_list()) return nullptr;
    const IndexPair* const found = std::lower_bound(pairs.begin(), pairs.end(), wanted);
    const bool is_alive = found != pairs.end() && *found == wanted;
    return is_alive && keep_values() ? values.data() + (found - pairs.begin()) : nullptr;
}

bool WorldData::put_tracked_in_list() noexcept {
    if (!pairs_are_tracked) return true;
    if (!tracked.write_known(pairs, scratch_.order)) {
        pairs.clear();
        return false;
    }
    pairs_are_tracked = false;
    return true;
}

bool WorldData::keep_values() noexcept {
    if (has_values) return true;
    if (pairs_are_by_object) {
        has_values = object_pairs.keep_values();
    } else if (values.resize(pairs.size())) {
        std::fill(values.begin(), values.end(), 0);
        has_values = true;
    }
    return has_values;
}

void WorldData::forget_lists() noexcept {
    begun_pairs.clear();
    begun.clear();
    ended.clear();
    ended_data.clear();
    has_persisting_list_ = false;
    has_pair_list_ = false;
}

UpdateResult WorldData::update(const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("World::update");
    UpdateResult result;
    result.changed_count = objects.changes.count();
    result.pair_count = pair_count();
    // A hash is made anew from the pairs, which no update leaves as bits of candidates then.
    const bool is_hash_stale = objects.changes.has_order_changed();
    if (is_hash_stale && !put_tracked_in_list()) {
        result.status = Status::out_of_memory;
        return result;
    }
    if (result.changed_count == 0) {
        forget_lists();
        objects.settle();
    } else {
        result.status = update_changed(runner, result);
    }
    if (result.status == Status::ok && is_hash_stale) rehash();
    return result;
}

Status WorldData::update_changed(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    ++update_number_;
    Status status = prepare_path(runner, state_result);
    if (status != Status::ok) return status;
    if (pairs_are_by_object) return update_by_objects(runner, state_result);
    status = find(runner, state_result);
    if (status != Status::ok) return status;
    const Stopwatch watch;
    if (!has_found_by_tracked_ && !drop_forbidden(state_result.path, runner)) return Status::out_of_memory;
    const bool is_complete = has_found_by_tracked_ || state_result.path == UpdatePath::complete;
    status = compare(is_complete, runner, state_result);
    if (status == Status::ok) commit(state_result, runner);
    state_result.compare_nanoseconds = watch.nanoseconds();
    return status;
}

Status WorldData::find(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/find");
    if (!active_isa()) return Status::unsupported_isa;
    Changes& changes = objects.changes;
    StaggeredPairs::Call call = {
        objects.boxes(true), changes.bits(), changes.count(), nullptr, nullptr, nullptr, &objects,
        pair_count(),        runner,         scratch_};
    if (!changes.find_reborn(call.reborn_bits, call.reruled_bits)) return Status::out_of_memory;
    if (objects.ruled_count != 0 || (!objects.settings.fixed_objects_pair && objects.has_fixed_object())) {
        call.may_pair = [](const void* of, std::uint32_t a, std::uint32_t b) noexcept {
            return static_cast<const ObjectTable*>(of)->may_pair_now(a, b);
        };
    }
    if (changes.are_many_reruled()) tracked.forget_candidates();
    const Stopwatch tracked_watch;
    Status status = Status::ok;
    const bool has_few_movers =
        objects.changes.count() * thresholds().updates.objects_per_mover <= objects.object_count;
    has_found_by_tracked_ = find_by_tracked(call, status);
    state_result.find_nanoseconds = tracked_watch.nanoseconds();
    if (status != Status::ok) return status;
    if (has_found_by_tracked_) {
        state_result.path = has_few_movers ? UpdatePath::movers : UpdatePath::complete;
        resting_.clear();
        return status;
    }
    const Stopwatch rest_watch;
    // What changes now may be at rest in the updates to come, but not where it was.
    if (!is_rest_current()) resting_.clear();
    if (resting_.is_built() && resting_.remove(objects.changes.bits()) != Status::ok) {
        resting_.clear();
    }
    rest_update_ = update_number_;
    // Of so few that they will be looked up one by one candidates are not worth beginning.
    const bool are_starting = tracked.is_starting(call) && !has_few_changes();
    const bool by_movers = has_few_movers && prepare_rest(are_starting, runner, status);
    state_result.rest_nanoseconds = rest_watch.nanoseconds();
    if (status != Status::ok) return status;
    state_result.path = by_movers ? UpdatePath::movers : UpdatePath::complete;
    const Stopwatch watch;
    status = by_movers ? find_of_movers(runner) : find_all(runner);
    if (status == Status::ok) has_few_changes() ? tracked.clear() : tracked.follow(call);
    state_result.find_nanoseconds += watch.nanoseconds();
    return status;
}

// All pairs of what has changed, beside what rests.
Status WorldData::find_of_movers(const TaskRunner* runner) noexcept {
    FindPairsSettings find_settings;
    find_settings.runner = runner;
    find_settings.filter.subset_bits = objects.changes.bits();
    return resting_.find_pairs(objects.boxes(true), find_settings, scratch_, found_).status;
}

// What began and ended by candidates; false when pairs have to be searched for, then they are in the list.
bool WorldData::find_by_tracked(const StaggeredPairs::Call& call, Status& out_status) noexcept {
    has_found_difference_ = false;
    if (!tracked.are_known()) return false;
    if (tracked.find(call, found_.storage())) {
        has_found_difference_ = !has_values && !objects.changes.has_order_changed();
        if (!has_found_difference_ && !tracked.write_found(found_.storage(), scratch_.order))
            out_status = Status::out_of_memory;
        return true;
    }
    if (!put_tracked_in_list()) {
        out_status = Status::out_of_memory;
        return false;
    }
    tracked.leave();
    return false;
}

Status WorldData::find_all(const TaskRunner* runner) noexcept {
    FindPairsSettings find_settings;
    find_settings.runner = runner;
    // The rule for fixed objects, as a subset.
    if (!objects.settings.fixed_objects_pair && objects.has_fixed_object()) {
        find_settings.filter.subset_bits = {objects.mobile_bits.data(), objects.mobile_bits.size()};
    }
    return find_pairs(objects.boxes(true), find_settings, scratch_, found_).status;
}

std::size_t WorldData::rest_drift_max() const noexcept {
    return std::max(thresholds().updates.rest_drift_min,
                    objects.object_count / thresholds().updates.objects_per_rest_drift);
}

// The cells of what rests miss no change but those of this update. Updates by objects leave the cells as they are.
bool WorldData::is_rest_current() const noexcept {
    return rest_update_ + 1 >= update_number_ && resting_.box_count() == objects.boxes(true).count;
}

// Whether the cells of what rests are those of nearly all that has not changed.
bool WorldData::is_rest_good() const noexcept {
    if (!resting_.is_built() || !is_rest_current()) return false;
    return resting_.count_drift(objects.changes.bits()) <= rest_drift_max();
}

// Whether about the same objects change as in the update before, so that cells of the others would stay good;
// these are what the next call compares with.
bool WorldData::is_rest_lasting() noexcept {
    const std::size_t known_words = changed_before_bits_.size();
    if (!changed_before_bits_.resize(objects.changes.bits().size())) return false;
    std::size_t starting_count = 0;
    for (std::size_t word = 0; word < objects.changes.bits().size(); ++word) {
        const std::uint64_t before = word < known_words ? changed_before_bits_.data()[word] : 0;
        starting_count += static_cast<std::size_t>(std::popcount(objects.changes.bits()[word] & ~before));
        changed_before_bits_.data()[word] = objects.changes.bits()[word];
    }
    return starting_count * thresholds().updates.rest_use_count_min <= rest_drift_max();
}

// Makes what rests fit for the changed objects; false when a complete call is the better way, as it is while
// candidates are about to take the place of both.
bool WorldData::prepare_rest(bool are_candidates_starting, const TaskRunner* runner,
                             Status& out_status) noexcept {
    BROADSIDE_ZONE("world/prepare rest");
    const bool is_lasting = is_rest_lasting();
    if (is_rest_good()) return true;
    resting_.clear();
    if (are_candidates_starting || !is_lasting) return false;
    out_status = resting_.build(objects.boxes(true), objects.changes.bits(), runner, scratch_);
    return out_status == Status::ok;
}

// Whether a fixed object is among those whose pairs were looked for.
bool WorldData::has_fixed_mover() const noexcept {
    const std::uint64_t* const mover_bits = resting_.mover_bits().data();
    std::uint64_t fixed = 0;
    for (std::size_t word = 0; word < objects.mobile_bits.size(); ++word)
        fixed |= mover_bits[word] & ~objects.mobile_bits.data()[word];
    return fixed != 0;
}

// Rules are asked about pairs of objects that they could be about, where those begin, or where a rule or the objects.rules of
// an object have changed. Without objects.rules a complete search has left out what is fixed. False without memory.
bool WorldData::drop_forbidden(UpdatePath path, const TaskRunner* runner) noexcept {
    const bool is_fixed_out =
        objects.settings.fixed_objects_pair || path != UpdatePath::movers || !has_fixed_mover();
    if (objects.ruled_count == 0 && is_fixed_out) return true;
    BROADSIDE_ZONE("world/drop forbidden");
    AlignedArray<IndexPair>& list = found_.storage();
    const std::size_t part_count = list.size() / thresholds().updates.pairs_per_drop_task + 1;
    if (!comparison_parts_.resize(part_count)) return false;
    const auto begin_of = [&](std::size_t part) { return list.size() * part / part_count; };
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t part) {
        BROADSIDE_ZONE("world/drop forbidden task");
        const auto either = [](const std::uint64_t* bits, const IndexPair& pair) {
            return ((bits[pair.first / 64] >> pair.first % 64 | bits[pair.second / 64] >> pair.second % 64) &
                    1) != 0;
        };
        const IndexPair* before = pairs.begin();
        const IndexPair* const before_end =
            before + (objects.changes.have_rules_changed() ? 0 : pairs.size());
        const auto persists = [&](const IndexPair& pair) {
            // Mostly a step or two further.
            std::ptrdiff_t step = 1;
            while (step < before_end - before && before[step] < pair) step *= 2;
            before = std::lower_bound(before, before + std::min(step, before_end - before), pair);
            return before != before_end && *before == pair &&
                   !objects.changes.has_newcomer(pair.first, pair.second);
        };
        IndexPair* const begin = list.data() + begin_of(part);
        const std::size_t count = begin_of(part + 1) - begin_of(part);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const IndexPair pair = begin[i];
            if (kept != i) begin[kept] = pair;
            const bool is_allowed = either(objects.ruled_bits.data(), pair)
                                        ? persists(pair) || objects.may_pair(pair.first, pair.second)
                                        : is_fixed_out || either(objects.mobile_bits.data(), pair);
            kept += is_allowed ? 1u : 0u;
        }
        comparison_parts_[part].pair_end = begin_of(part) + kept;
    });
    std::size_t kept_count = 0;
    for (std::size_t part = 0; part < part_count; ++part) {
        const std::size_t begin = begin_of(part);
        const std::size_t count = comparison_parts_[part].pair_end - begin;
        if (begin != kept_count && count != 0)
            std::memmove(list.data() + kept_count, list.data() + begin, count * sizeof(IndexPair));
        kept_count += count;
    }
    (void)list.resize(kept_count);
    return true;
}

void WorldData::commit(const UpdateResult& result, const TaskRunner* runner) noexcept {
    BROADSIDE_ZONE("world/commit");
    if (has_found_difference_) {
        tracked.commit();
        pairs.clear();
        pairs_are_tracked = true;
        tracked_count = result.pair_count;
        commit_events(runner);
        return settle();
    }
    std::swap(pairs, next_pairs_);
    std::swap(values, next_values_);
    tracked.commit();
    BROADSIDE_ASSERT(are_ascending({pairs.data(), pairs.size()}),
                     "pairs: one is there twice, or out of order");
    commit_events(runner);
}

// Once in a life what the first searches took is given back, for pairs that are bits of candidates need little of
// it: a world that searches for everything again keeps what that takes.
void WorldData::settle() noexcept {
    if (std::exchange(is_settled_, true)) return;
    resting_.release();
    scratch_.release();
    found_.release();
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(pairs, next_pairs_, next_begun_pairs_, next_begun_, next_ended_);
    const auto fit = [](auto&... arrays) { (shrink_to_fit(arrays), ...); };
    fit(begun_pairs, begun, ended, ended_data);
}

void WorldData::commit_events(const TaskRunner* runner) noexcept {
    std::swap(begun_pairs, next_begun_pairs_);
    std::swap(begun, next_begun_);
    std::swap(ended, next_ended_);
    has_persisting_list_ = false;
    has_pair_list_ = false;
    sort(begun, objects.user_data.data());
    sort(ended, objects.known_user_data.data());
    // Within the room that was made.
    (void)ended_data.resize(ended.size());
    run_chunks(runner, ended.size(), chunk_for(runner, ended.size(), thresholds().updates.ended_per_task),
               [&](std::size_t begin, std::size_t end) {
                   BROADSIDE_ZONE("world/compare task");
                   for (std::size_t k = begin; k < end; ++k)
                       ended_data[k] = {objects.known_user_data[ended[k].a.slot()],
                                        objects.known_user_data[ended[k].b.slot()]};
               });
    objects.settle();
}

}  // namespace broadside::broadphase
