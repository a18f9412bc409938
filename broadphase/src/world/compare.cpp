// What began and ended in an update: the pairs found beside the pairs before, both ascending, and their names.
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/reserve_amply.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/data.hpp"
#include "core/src/zones.hpp"

#include <broadside/compiler.hpp>
#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace broadside::broadphase {
namespace {

// Pairs are named so many after they were asked for.
constexpr std::size_t kNamedAhead = 12;

}  // namespace

/// Names to the events of an update that are known by slot.
struct EventNames {
    const WorldData& world;
    const ObjectTable& objects = world.objects;
    /// What ended is some of these.
    const IndexPair* before;
    const IndexPair* begun_pairs;
    WorldPair* begun;
    /// Their values are the places of the pairs in `before` until they are named.
    EndedPair* ended;
    std::uint64_t hash = 0;

    EventNames(WorldData& of_world, const IndexPair* pairs_before) noexcept
        : world(of_world),
          before(pairs_before),
          begun_pairs(of_world.next_begun_pairs_.data()),
          begun(of_world.next_begun_.data()),
          ended(of_world.next_ended_.data()) {}

    // First indices ascend, second ones are anywhere.
    void name_begun(std::size_t first, std::size_t end) {
        const std::uint64_t* const data = objects.user_data.data();
        for (std::size_t k = first; k < end; ++k) {
            const std::uint32_t ahead = begun_pairs[std::min(k + kNamedAhead, end - 1)].second;
            __builtin_prefetch(objects.generations.data() + ahead);
            const IndexPair pair = begun_pairs[k];
            begun[k] = world.ordered(objects.handle_at(pair.first), objects.handle_at(pair.second), data);
            hash += world.hash_of(begun[k], data);
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
            const IndexPair pair = before[place];
            const WorldPair in_order =
                world.ordered(objects.known_handle(pair.first), objects.known_handle(pair.second), data);
            ended[k] = {in_order.a, in_order.b, world.has_values ? world.values[place] : 0};
            hash -= world.hash_of(in_order, data);
        }
    }
};

/// One pass over the pairs before and those found of what has changed. A pair of two others is alive as before.
struct MoverComparison {
    const WorldData& world;
    const ObjectTable& objects;
    std::span<const IndexPair> before;
    std::span<const IndexPair> found;
    IndexPair* pairs;
    /// Null while no values are kept.
    std::uint64_t* values;
    IndexPair* begun_pairs;
    EndedPair* ended;
    std::size_t pair_count = 0;
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;

    bool is_changed(std::uint32_t slot) const { return objects.changes.holds(slot); }
    bool is_reborn(const IndexPair& pair) const {
        return objects.changes.has_newcomer(pair.first, pair.second);
    }
    /// Of the pairs before from the i-th on, how many come before `key` and are none of a changed object.
    std::size_t untouched_count(std::size_t i, std::uint64_t key) const {
        std::size_t end = i;
        while (end < before.size() && key_of(before[end]) < key && !is_changed(before[end].first) &&
               !is_changed(before[end].second)) {
            ++end;
        }
        return end - i;
    }
    /// Only counted, nothing is written.
    template <bool kIsCounted>
    void run() {
        std::size_t i = 0;
        std::size_t j = 0;
        // `count` pairs before from the i-th on, as they are.
        const auto keep = [&](std::size_t count) {
            if (!kIsCounted) {
                std::memcpy(pairs + pair_count, before.data() + i, count * sizeof(IndexPair));
                if (values != nullptr)
                    std::memcpy(values + pair_count, world.values.data() + i, count * sizeof(std::uint64_t));
            }
            pair_count += count;
            i += count;
        };
        const auto begin = [&] {
            if (!kIsCounted) {
                begun_pairs[begun_count] = pairs[pair_count] = found[j];
                if (values != nullptr) values[pair_count] = 0;
            }
            ++begun_count;
            ++pair_count;
            ++j;
        };
        const auto end = [&] {
            if (!kIsCounted) ended[ended_count].value = i;
            ++ended_count;
            ++i;
        };
        while (i < before.size() || j < found.size()) {
            const std::uint64_t key_before = i < before.size() ? key_of(before[i]) : ~std::uint64_t{0};
            const std::uint64_t key_found = j < found.size() ? key_of(found[j]) : ~std::uint64_t{0};
            if (key_before == key_found) {
                // Two objects in the places of two others, or one of one.
                if (is_reborn(before[i])) {
                    end();
                    begin();
                } else {
                    keep(1);
                    ++j;
                }
            } else if (key_before < key_found) {
                const std::size_t untouched = untouched_count(i, key_found);
                if (untouched != 0) {
                    keep(untouched);
                } else {
                    end();
                }
            } else {
                begin();
            }
        }
    }
};

bool WorldData::make_event_lists(std::size_t begun_count, std::size_t ended_count) noexcept {
    return resize_amply(next_begun_pairs_, begun_count) && resize_amply(next_begun_, begun_count) &&
           resize_amply(next_ended_, ended_count) && reserve_amply(ended_data, ended_count);
}

// What began and ended is known: it is only named.
Status WorldData::name_difference(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    const std::span<const IndexPair> gone = tracked.gone();
    const std::size_t begun_count = found_.size();
    const std::size_t count = begun_count + gone.size();
    const std::size_t chunk = chunk_for(runner, count, thresholds().updates.names_per_part);
    const std::size_t alive = pair_count() + begun_count - gone.size();
    if (alive > max_pair_count()) return Status::capacity_exceeded;
    if (!comparison_parts_.resize(count / chunk + 1) || !make_event_lists(begun_count, gone.size()))
        return Status::out_of_memory;
    run_chunks(runner, count, chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/compare task");
        EventNames names(*this, gone.data());
        const std::size_t begun_begin = std::min(begin, begun_count);
        const std::size_t begun_end = std::min(end, begun_count);
        std::copy(found_.begin() + begun_begin, found_.begin() + begun_end,
                  next_begun_pairs_.begin() + begun_begin);
        names.name_begun(begun_begin, begun_end);
        for (std::size_t k = begin - begun_begin; k < end - begun_end; ++k) next_ended_[k].value = k;
        names.name_ended(begin - begun_begin, end - begun_end);
        comparison_parts_[begin / chunk].hash = names.hash;
    });
    for (std::size_t part = 0; part * chunk < count; ++part) hash += comparison_parts_[part].hash;
    state_result.pair_count = alive;
    return Status::ok;
}

// Cuts the found pairs into parts, an even number, and the pairs before at the same slots.
bool WorldData::cut_comparison() noexcept {
    const std::size_t part_count = 2 * (found_.size() / (2 * thresholds().updates.pairs_per_part) + 1);
    if (!comparison_parts_.resize(part_count + 1)) return false;
    comparison_parts_[0] = {};
    comparison_parts_[part_count] = {found_.size(), pairs.size(), 0, 0, 0, 0, 0, 0};
    for (std::size_t part = 1; part < part_count; ++part) {
        const std::size_t begin = found_.size() * part / part_count;
        const auto before = begin == found_.size()
                                ? pairs.end()
                                : std::lower_bound(pairs.begin(), pairs.end(), found_[begin]);
        comparison_parts_[part] = {begin, static_cast<std::size_t>(before - pairs.begin()), 0, 0, 0, 0, 0, 0};
    }
    return true;
}

// Two parts side by side, for a step waits for the one before it, and no branch asks which pair is the lower one, which is
// a coin toss where many begin and end. The places of what began and ended are marked in next_pairs_, which holds nothing
// yet: from the part's beginning in the found pairs on as firsts, from that in those before on as seconds.
template <bool kHasNewcomers>
void WorldData::mark_events_of_two(ComparisonPart* parts) noexcept {
    struct Cursor {
        std::size_t found;
        std::size_t before;
        std::size_t begun;
        std::size_t ended;
    };
    const IndexPair* const found = found_.begin();
    const IndexPair* const before = pairs.begin();
    IndexPair* const marks = next_pairs_.data();
    const std::uint64_t* const newcomer_bits = objects.changes.newcomer_bits();
    const auto step = [&](Cursor& at) BROADSIDE_FORCE_INLINE_LAMBDA {
        const IndexPair pair = before[at.before];
        // Slots are below 2^31, so that the sign of a difference of keys says which is less, and no branch is made of it.
        const std::uint64_t difference = key_of(found[at.found]) - key_of(pair);
        const std::uint64_t is_begun = difference >> 63;
        const std::uint64_t is_ended = (0 - difference) >> 63;
        const std::uint64_t is_replaced =
            kHasNewcomers && (difference == 0) & (int{has_bit(newcomer_bits, pair.first)} |
                                                  int{has_bit(newcomer_bits, pair.second)});
        marks[at.begun].first = static_cast<std::uint32_t>(at.found);
        marks[at.ended].second = static_cast<std::uint32_t>(at.before);
        at.begun += is_begun | is_replaced;
        at.ended += is_ended | is_replaced;
        at.found += 1 - is_ended;
        at.before += 1 - is_begun;
    };
    const auto is_done = [&](const Cursor& at, std::size_t part) {
        return at.found == parts[part + 1].found_begin || at.before == parts[part + 1].before_begin;
    };
    const auto start = [&](std::size_t part) {
        return Cursor{parts[part].found_begin, parts[part].before_begin, parts[part].found_begin,
                      parts[part].before_begin};
    };
    Cursor one = start(0);
    Cursor other = start(1);
    while (!is_done(one, 0) && !is_done(other, 1)) {
        step(one);
        step(other);
    }
    const auto finish = [&](Cursor at, std::size_t part) {
        while (!is_done(at, part)) step(at);
        while (at.found < parts[part + 1].found_begin)
            marks[at.begun++].first = static_cast<std::uint32_t>(at.found++);
        while (at.before < parts[part + 1].before_begin)
            marks[at.ended++].second = static_cast<std::uint32_t>(at.before++);
        parts[part].begun_count = at.begun - parts[part].found_begin;
        parts[part].ended_count = at.ended - parts[part].before_begin;
    };
    finish(one, 0);
    finish(other, 1);
}

// Lists of events would be as long as those of the pairs, and mostly empty: events are counted before they are listed.
void WorldData::mark_events(const TaskRunner* runner) noexcept {
    const auto task_count = static_cast<std::uint32_t>((comparison_parts_.size() - 1) / 2);
    run_tasks(runner, task_count, [&](std::uint32_t task) {
        BROADSIDE_ZONE("world/count events task");
        ComparisonPart* const parts = comparison_parts_.data() + 2 * std::size_t{task};
        objects.changes.has_newcomers() ? mark_events_of_two<true>(parts) : mark_events_of_two<false>(parts);
    });
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    for (ComparisonPart& part : comparison_parts_) {
        part.begun_begin = begun_count;
        part.ended_begin = ended_count;
        begun_count += part.begun_count;
        ended_count += part.ended_count;
    }
}

// Pairs that began have none; those between two events are side by side in both lists.
void WorldData::carry_values(const ComparisonPart& part, const ComparisonPart& next) noexcept {
    const IndexPair* const marks = next_pairs_.data();
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
        next_values_[place] = values[place_before++];
    }
}

// What was found is all that is alive.
Status WorldData::compare_all(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    const std::size_t pair_count = found_.size();
    if (pair_count > max_pair_count()) return Status::capacity_exceeded;
    if (!reserve_amply(next_pairs_, std::max(pairs.size(), pair_count)) ||
        !next_values_.resize(has_values ? pair_count : 0) || !cut_comparison()) {
        return Status::out_of_memory;
    }
    mark_events(runner);
    const std::size_t part_count = comparison_parts_.size() - 1;
    const ComparisonPart& events_end = comparison_parts_[part_count];
    if (!make_event_lists(events_end.begun_begin, events_end.ended_begin)) return Status::out_of_memory;
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/compare task");
        ComparisonPart& part = comparison_parts_[index];
        const ComparisonPart& next = comparison_parts_[index + 1];
        const IndexPair* const begun_marks = next_pairs_.data() + part.found_begin;
        const IndexPair* const ended_marks = next_pairs_.data() + part.before_begin;
        for (std::size_t k = 0; k < part.begun_count; ++k)
            next_begun_pairs_[part.begun_begin + k] = found_[begun_marks[k].first];
        for (std::size_t k = 0; k < part.ended_count; ++k)
            next_ended_[part.ended_begin + k].value = ended_marks[k].second;
        if (has_values) carry_values(part, next);
        EventNames names(*this, pairs.data());
        names.name_begun(part.begun_begin, next.begun_begin);
        names.name_ended(part.ended_begin, next.ended_begin);
        part.hash = names.hash;
    });
    for (std::size_t part = 0; part < part_count; ++part) hash += comparison_parts_[part].hash;
    state_result.pair_count = pair_count;
    std::swap(next_pairs_, found_.storage());
    return Status::ok;
}

// What was found is all of changed objects, after which alone nobody knows how many pairs there are.
Status WorldData::compare_movers(UpdateResult& state_result) noexcept {
    const std::size_t most = pairs.size() + found_.size();
    if (!next_pairs_.reserve(most) || !next_values_.reserve(has_values ? most : 0))
        return Status::out_of_memory;
    const auto comparison = [&] {
        return MoverComparison{*this,
                               objects,
                               {pairs.data(), pairs.size()},
                               {found_.data(), found_.size()},
                               next_pairs_.data(),
                               has_values ? next_values_.data() : nullptr,
                               next_begun_pairs_.data(),
                               next_ended_.data()};
    };
    std::size_t begun_max = found_.size();
    std::size_t ended_max = pairs.size();
    if (most > thresholds().updates.counted_pairs_min) {
        MoverComparison counted = comparison();
        counted.run<true>();
        begun_max = counted.begun_count;
        ended_max = counted.ended_count;
    }
    if (!make_event_lists(begun_max, ended_max)) return Status::out_of_memory;
    MoverComparison made = comparison();
    made.run<false>();
    if (made.pair_count > max_pair_count()) return Status::capacity_exceeded;
    (void)next_pairs_.resize(made.pair_count);
    (void)next_values_.resize(has_values ? made.pair_count : 0);
    (void)next_begun_pairs_.resize(made.begun_count);
    (void)next_begun_.resize(made.begun_count);
    (void)next_ended_.resize(made.ended_count);
    EventNames names(*this, pairs.data());
    names.name_begun(0, made.begun_count);
    names.name_ended(0, made.ended_count);
    hash += names.hash;
    state_result.pair_count = made.pair_count;
    return Status::ok;
}

Status WorldData::compare(bool is_complete, const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/compare");
    const Status status = has_found_difference_ ? name_difference(runner, state_result)
                          : is_complete         ? compare_all(runner, state_result)
                                                : compare_movers(state_result);
    if (status != Status::ok) return status;
    state_result.begun_count = next_begun_pairs_.size();
    state_result.ended_count = next_ended_.size();
    return Status::ok;
}

}  // namespace broadside::broadphase
