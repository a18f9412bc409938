// The events of an update: what was found compared with the pairs before, both ascending.
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/pairs/pair_store.hpp"
#include "core/src/zones.hpp"

#include <broadside/compiler.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <utility>

namespace broadside::broadphase {
namespace {

// Names are prefetched this many pairs ahead.
constexpr std::size_t kNamedAhead = 12;
// Parts that one task compares side by side.
constexpr std::size_t kPartsAtOnce = 4;

}  // namespace

/// Names the events of an update that are known by slot.
struct EventNames {
    const PairStore& store;
    const ObjectTable& objects = store.objects_;
    /// The pairs that ended are some of these.
    const IndexPair* before;
    const IndexPair* begun_pairs;
    WorldPair* begun;
    /// Their values are the positions of the pairs in `before` until they are named.
    EndedPair* ended;
    std::uint64_t hash = 0;

    EventNames(PairStore& of_store, const IndexPair* pairs_before) noexcept
        : store(of_store),
          before(pairs_before),
          begun_pairs(of_store.next_events_.begun_pairs.data()),
          begun(of_store.next_events_.begun.data()),
          ended(of_store.next_events_.ended.data()) {}

    // First indices ascend, second ones are random.
    void name_begun(std::size_t first, std::size_t end) {
        const std::uint64_t* const data = objects.user_data.data();
        for (std::size_t k = first; k < end; ++k) {
            const std::uint32_t ahead = begun_pairs[std::min(k + kNamedAhead, end - 1)].second;
            __builtin_prefetch(objects.generations.data() + ahead);
            begun[k] = store.pair_now(begun_pairs[k]);
            hash += store.hash_of(begun[k], data);
        }
    }
    void name_ended(std::size_t first, std::size_t end) {
        const std::uint64_t* const data = objects.known_user_data.data();
        for (std::size_t k = first; k < end; ++k) {
            const std::uint32_t ahead = before[ended[std::min(k + kNamedAhead, end - 1)].value].second;
            __builtin_prefetch(objects.known_generations.data() + ahead);
            // For ended_data.
            __builtin_prefetch(data + ahead);
            const auto place = static_cast<std::size_t>(ended[k].value);
            const WorldPair in_order = store.known_pair(before[place]);
            ended[k] = {in_order.a, in_order.b, store.value_before(before[place], place)};
            hash -= store.hash_of(in_order, data);
        }
    }
};

bool PairStore::make_event_lists(std::size_t begun_count, std::size_t ended_count) noexcept {
    return resize_amply(next_events_.begun_pairs, begun_count) &&
           resize_amply(next_events_.begun, begun_count) && resize_amply(next_events_.ended, ended_count) &&
           reserve_amply(ended_data_, ended_count);
}

// The events are known and only need names.
Status PairStore::name_difference(const PairBuffer& found, const TaskRunner* runner,
                                  UpdateResult& state_result) noexcept {
    const std::span<const IndexPair> gone = candidates_.gone();
    const std::size_t begun_count = found.size();
    const std::size_t event_count = begun_count + gone.size();
    const std::size_t chunk = chunk_for(runner, event_count, thresholds().tasks.items_per_task);
    const std::size_t alive = count() + begun_count - gone.size();
    if (alive > count_max()) return Status::capacity_exceeded;
    if (!parts_.resize(event_count / chunk + 1) || !make_event_lists(begun_count, gone.size()))
        return Status::out_of_memory;
    run_chunks(runner, event_count, chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/compare task");
        EventNames names(*this, gone.data());
        const std::size_t begun_begin = std::min(begin, begun_count);
        const std::size_t begun_end = std::min(end, begun_count);
        std::copy(found.begin() + begun_begin, found.begin() + begun_end,
                  next_events_.begun_pairs.begin() + begun_begin);
        names.name_begun(begun_begin, begun_end);
        for (std::size_t k = begin - begun_begin; k < end - begun_end; ++k) next_events_.ended[k].value = k;
        names.name_ended(begin - begun_begin, end - begun_end);
        parts_[begin / chunk].hash = names.hash;
    });
    for (std::size_t part = 0; part * chunk < event_count; ++part) hash_ += parts_[part].hash;
    state_result.pair_count = alive;
    return Status::ok;
}

// Cuts the found pairs into a multiple of kPartsAtOnce parts, and the pairs before at the same slots.
bool PairStore::cut_comparison(const PairBuffer& found) noexcept {
    const std::size_t part_count =
        kPartsAtOnce * (found.size() / (kPartsAtOnce * thresholds().tasks.pairs_per_task) + 1);
    if (!parts_.resize(part_count + 1)) return false;
    parts_[0] = {};
    parts_[part_count] = {found.size(), list_.size(), 0, 0, 0, 0, 0, 0};
    for (std::size_t part = 1; part < part_count; ++part) {
        const std::size_t begin = part_begin(found.size(), part, part_count);
        const auto before =
            begin == found.size() ? list_.end() : std::lower_bound(list_.begin(), list_.end(), found[begin]);
        parts_[part] = {begin, static_cast<std::size_t>(before - list_.begin()), 0, 0, 0, 0, 0, 0};
    }
    return true;
}

// Handles some parts side by side, because a step waits for the one before it. No branch tests which pair is
// the lower one, which is a coin toss if many begin and end. The positions of events are marked in
// next_list_, which is still empty: begun pairs as firsts, from the part's begin in the found pairs on, ended
// ones as seconds, from its begin in those before.
template <bool kHasNewcomers>
void PairStore::mark_events_of_some(const PairBuffer& found, ComparisonPart* parts) noexcept {
    struct Cursor {
        std::size_t found;
        std::size_t before;
        std::size_t begun;
        std::size_t ended;
    };
    const IndexPair* const found_pairs = found.begin();
    const IndexPair* const before = list_.begin();
    IndexPair* const marks = next_list_.data();
    const std::uint64_t* const newcomer_bits = objects_.changes.newcomer_bits();
    const auto step = [&](Cursor& at) BROADSIDE_FORCE_INLINE_LAMBDA {
        const IndexPair pair = before[at.before];
        // Slots are below 2^31, so the sign of a difference of keys says which is less, without a branch.
        const std::uint64_t difference = key_of(found_pairs[at.found]) - key_of(pair);
        const auto is_begun = static_cast<std::size_t>(difference >> 63);
        const auto is_ended = static_cast<std::size_t>((0 - difference) >> 63);
        const std::size_t is_replaced =
            kHasNewcomers && (difference == 0) & (int{has_bit(newcomer_bits, pair.first)} |
                                                  int{has_bit(newcomer_bits, pair.second)});
        marks[at.begun].first = static_cast<std::uint32_t>(at.found);
        marks[at.ended].second = static_cast<std::uint32_t>(at.before);
        at.begun += is_begun | is_replaced;
        at.ended += is_ended | is_replaced;
        at.found += 1 - is_ended;
        at.before += 1 - is_begun;
    };
    Cursor cursors[kPartsAtOnce];
    for (std::size_t part = 0; part < kPartsAtOnce; ++part) {
        const ComparisonPart& of = parts[part];
        cursors[part] = {of.found_begin, of.before_begin, of.found_begin, of.before_begin};
    }
    // Steps that no cursor ends before.
    const auto sure_steps = [&] {
        std::size_t steps = ~std::size_t{0};
        for (std::size_t part = 0; part < kPartsAtOnce; ++part)
            steps = std::min({steps, parts[part + 1].found_begin - cursors[part].found,
                              parts[part + 1].before_begin - cursors[part].before});
        return steps;
    };
    for (std::size_t steps = sure_steps(); steps != 0; steps = sure_steps()) {
        Cursor a = cursors[0], b = cursors[1], c = cursors[2], d = cursors[3];
        for (; steps != 0; --steps) step(a), step(b), step(c), step(d);
        cursors[0] = a, cursors[1] = b, cursors[2] = c, cursors[3] = d;
    }
    for (std::size_t part = 0; part < kPartsAtOnce; ++part) {
        Cursor at = cursors[part];
        const ComparisonPart& end = parts[part + 1];
        while (at.found != end.found_begin && at.before != end.before_begin) step(at);
        while (at.found < end.found_begin) marks[at.begun++].first = static_cast<std::uint32_t>(at.found++);
        while (at.before < end.before_begin)
            marks[at.ended++].second = static_cast<std::uint32_t>(at.before++);
        parts[part].begun_count = at.begun - parts[part].found_begin;
        parts[part].ended_count = at.ended - parts[part].before_begin;
    }
}

// Event lists reserved for the worst case would be as long as the lists of pairs, and mostly empty. So events
// are counted before they are listed.
void PairStore::mark_events(const PairBuffer& found, const TaskRunner* runner) noexcept {
    const auto task_count = static_cast<std::uint32_t>((parts_.size() - 1) / kPartsAtOnce);
    run_tasks(runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/count events task");
        ComparisonPart* const parts = parts_.data() + kPartsAtOnce * task;
        objects_.changes.has_newcomers() ? mark_events_of_some<true>(found, parts)
                                         : mark_events_of_some<false>(found, parts);
    });
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    for (ComparisonPart& part : parts_) {
        part.begun_begin = begun_count;
        part.ended_begin = ended_count;
        begun_count += part.begun_count;
        ended_count += part.ended_count;
    }
}

// Copies the values. Pairs that began have none; pairs between two events are consecutive in both lists.
void PairStore::carry_values(const ComparisonPart& part, const ComparisonPart& next) noexcept {
    const IndexPair* const marks = next_list_.data();
    const IndexPair* begun_mark = marks + part.found_begin;
    const IndexPair* const begun_end = begun_mark + part.begun_count;
    const IndexPair* ended_mark = marks + part.before_begin;
    const IndexPair* const ended_end = ended_mark + part.ended_count;
    std::size_t place_before = part.before_begin;
    for (std::size_t place = part.found_begin; place < next.found_begin; ++place) {
        if (begun_mark != begun_end && begun_mark->first == place) {
            next_values_[place] = 0;
            ++begun_mark;
            continue;
        }
        for (; ended_mark != ended_end && ended_mark->second == place_before; ++ended_mark) ++place_before;
        next_values_[place] = values_[place_before++];
    }
}

// The found pairs are all that are alive.
Status PairStore::compare_all(PairBuffer& state_found, const TaskRunner* runner,
                              UpdateResult& state_result) noexcept {
    const std::size_t pair_count = state_found.size();
    if (pair_count > count_max()) return Status::capacity_exceeded;
    if (!reserve_amply(next_list_, std::max(list_.size(), pair_count)) ||
        !next_values_.resize(has_values_ ? pair_count : 0) || !cut_comparison(state_found)) {
        return Status::out_of_memory;
    }
    mark_events(state_found, runner);
    const std::size_t part_count = parts_.size() - 1;
    const ComparisonPart& events_end = parts_[part_count];
    if (!make_event_lists(events_end.begun_begin, events_end.ended_begin)) return Status::out_of_memory;
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/compare task");
        ComparisonPart& part = parts_[index];
        const ComparisonPart& next = parts_[index + 1];
        const IndexPair* const begun_marks = next_list_.data() + part.found_begin;
        const IndexPair* const ended_marks = next_list_.data() + part.before_begin;
        for (std::size_t k = 0; k < part.begun_count; ++k)
            next_events_.begun_pairs[part.begun_begin + k] = state_found[begun_marks[k].first];
        for (std::size_t k = 0; k < part.ended_count; ++k)
            next_events_.ended[part.ended_begin + k].value = ended_marks[k].second;
        if (has_values_) carry_values(part, next);
        EventNames names(*this, list_.data());
        names.name_begun(part.begun_begin, next.begun_begin);
        names.name_ended(part.ended_begin, next.ended_begin);
        part.hash = names.hash;
    });
    for (std::size_t part = 0; part < part_count; ++part) hash_ += parts_[part].hash;
    state_result.pair_count = pair_count;
    std::swap(next_list_, state_found);
    return Status::ok;
}

Status PairStore::replace(Found kind, const TaskRunner* runner, PairBuffer& state_found,
                          UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/compare");
    const Status status = kind == Found::difference ? name_difference(state_found, runner, state_result)
                                                    : compare_all(state_found, runner, state_result);
    if (status != Status::ok) return status;
    state_result.begun_count = next_events_.begun_pairs.size();
    state_result.ended_count = next_events_.ended.size();
    candidates_.commit();
    if (kind == Found::difference) {
        list_.clear();
        form_ = Form::candidates;
        candidate_pair_count_ = state_result.pair_count;
    } else {
        std::swap(list_, next_list_);
        std::swap(values_, next_values_);
        form_ = Form::list;
        BROADSIDE_ASSERT(are_ascending({list_.data(), list_.size()}),
                         "pairs: one is there twice, or out of order");
    }
    commit_events(runner);
    return Status::ok;
}

Status PairStore::replace_of(std::span<const std::uint32_t> slots, std::span<const IndexPair> found,
                             const TaskRunner* runner, UpdateResult& state_result) noexcept {
    if (!compare_by_objects(slots, found)) return Status::out_of_memory;
    const PairBuffer& begun_pairs = next_events_.begun_pairs;
    const std::size_t count_after = count() + begun_pairs.size() - next_ended_pairs_.size();
    if (count_after > count_max()) return Status::capacity_exceeded;
    if (!make_event_lists(begun_pairs.size(), next_ended_pairs_.size()) ||
        !object_pairs_.reserve({begun_pairs.data(), begun_pairs.size()})) {
        return Status::out_of_memory;
    }
    std::sort(next_events_.begun_pairs.begin(), next_events_.begun_pairs.end(), PairLess());
    std::sort(next_ended_pairs_.begin(), next_ended_pairs_.end(), PairLess());
    for (std::size_t k = 0; k < next_ended_pairs_.size(); ++k) next_events_.ended[k].value = k;
    EventNames names(*this, next_ended_pairs_.data());
    names.name_begun(0, begun_pairs.size());
    names.name_ended(0, next_ended_pairs_.size());
    hash_ += names.hash;
    // From the last on, so that an object that loses all its pairs has none behind the one removed.
    for (std::size_t k = next_ended_pairs_.size(); k-- != 0;) object_pairs_.remove(next_ended_pairs_[k]);
    for (const IndexPair& pair : begun_pairs)
        object_pairs_.insert(pair, objects_.handle_at(pair.first), objects_.handle_at(pair.second));
    state_result.pair_count = count_after;
    state_result.begun_count = begun_pairs.size();
    state_result.ended_count = next_ended_pairs_.size();
    commit_events(runner);
    return Status::ok;
}

// Compares every changed object's pairs before with those that it has now. A pair of two changed objects
// belongs to the lower one.
bool PairStore::compare_by_objects(std::span<const std::uint32_t> slots,
                                   std::span<const IndexPair> found) noexcept {
    next_events_.begun_pairs.clear();
    next_ended_pairs_.clear();
    const IndexPair* next = found.data();
    const IndexPair* const found_end = next + found.size();
    for (std::uint32_t k = 0; k < slots.size(); ++k) {
        const std::uint32_t slot = slots[k];
        const std::span<const ObjectHandle> before = object_pairs_.of(slot);
        std::size_t i = 0;
        while (i < before.size() || (next != found_end && next->first == k)) {
            const bool has_found = next != found_end && next->first == k;
            const std::uint32_t other_before = i < before.size() ? before[i].slot() : kNoObjectSlot;
            const std::uint32_t other_now = has_found ? next->second : kNoObjectSlot;
            const std::uint32_t other = std::min(other_before, other_now);
            const bool was_pair = other == other_before;
            const bool is_met = other == other_now;
            i += was_pair ? 1u : 0u;
            next += is_met ? 1 : 0;
            if (other == slot || (other < slot && objects_.changes.holds(other))) continue;
            const bool is_pair = is_met && objects_.may_pair_now(slot, other);
            if (was_pair && is_pair && !objects_.changes.has_newcomer(slot, other)) continue;
            const IndexPair pair = {std::min(slot, other), std::max(slot, other)};
            if (was_pair && !next_ended_pairs_.push_back(pair)) return false;
            if (is_pair && !next_events_.begun_pairs.push_back(pair)) return false;
        }
    }
    return true;
}

}  // namespace broadside::broadphase
