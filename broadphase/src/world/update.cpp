// The pairs of an update: found, freed of what the rules forbid, compared with the pairs before.
#include "broadphase/src/lists/canonical_order.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"
#include "broadphase/src/lists/task_cut.hpp"
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
namespace {

// All objects are looked at when more than one in eight has changed: a mover costs about three times as much as its
// share of a complete call (rows broadphase/resting_10_percent and find_pairs of the benches: avx512, 10,000 and 100,000
// boxes, 3.0 and 3.3 in uniform scenes, 2.4 and 3.4 in piles), and sorting what rests as much as one or two.
constexpr std::size_t kMoverShare = 8;
// Objects at rest that woke, and others that came to rest, until what rests is sorted anew: a share of all.
constexpr std::size_t kRestDriftShare = 16;
constexpr std::size_t kRestDriftMin = 64;
// Sorting costs about a complete call (rows broadphase/resting_build and find_pairs, uniform, avx512), so it is not
// done where it would be worth fewer updates than this.
constexpr std::size_t kRestUseCountMin = 3;
// Pairs found that one task compares with those before.
constexpr std::size_t kPairsPerPart = 8192;
// Pairs that one task names at least.
constexpr std::size_t kNamesPerPart = 128;
// Pairs that ended whose user data one task looks up, at least.
constexpr std::size_t kEndedPerTask = 256;
// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

}  // namespace

WorldPair WorldData::ordered(ObjectHandle a, ObjectHandle b, const std::uint64_t* data) const noexcept {
    const bool is_ascending = settings.order == WorldOrder::slot || data[a.slot()] < data[b.slot()] ||
                              (data[a.slot()] == data[b.slot()] && a.slot() < b.slot());
    return is_ascending ? WorldPair{a, b} : WorldPair{b, a};
}

std::uint64_t WorldData::hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept {
    const bool by_slot = settings.order == WorldOrder::slot;
    const std::uint64_t key_a = by_slot ? pair.a.value : data[pair.a.slot()];
    const std::uint64_t key_b = by_slot ? pair.b.value : data[pair.b.slot()];
    return mix(mix(key_a + 0x9E3779B97F4A7C15u) + key_b);
}

template <class Pair>
void WorldData::sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept {
    if (settings.order == WorldOrder::slot) return;
    std::sort(state_list.begin(), state_list.end(), [data](const Pair& x, const Pair& y) {
        const std::uint64_t keys_x[4] = {data[x.a.slot()], x.a.slot(), data[x.b.slot()], x.b.slot()};
        const std::uint64_t keys_y[4] = {data[y.a.slot()], y.a.slot(), data[y.b.slot()], y.b.slot()};
        return std::lexicographical_compare(keys_x, keys_x + 4, keys_y, keys_y + 4);
    });
}

void WorldData::rehash_known() noexcept {
    if (!put_tracked_in_list()) {
        // Until there is memory.
        is_hash_stale = true;
        return;
    }
    hash = 0;
    const std::uint64_t* const data = known_user_data.data();
    for_each_pair([&](const IndexPair& pair, std::uint64_t) {
        hash += hash_of(ordered(known_handle(pair.first), known_handle(pair.second), data), data);
    });
}

// After user data has changed under living pairs.
void WorldData::rehash() noexcept {
    if (!user_data.is_empty()) {
        std::memcpy(known_user_data.data(), user_data.data(), user_data.size() * sizeof(std::uint64_t));
    }
    is_hash_stale = false;
    rehash_known();
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
            out_list[written++] =
                ordered(known_handle(pair.first), known_handle(pair.second), known_user_data.data());
        });
        sort(out_list, known_user_data.data());
        has_list = true;
    }
    return {out_list.data(), out_list.size()};
}

std::uint64_t* WorldData::value_of(ObjectHandle a, ObjectHandle b) noexcept {
    if (a.slot() > b.slot()) std::swap(a, b);
    if (b.slot() >= generations.size() || known_handle(a.slot()) != a || known_handle(b.slot()) != b)
        return nullptr;
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
    result.changed_count = changed_count;
    result.pair_count = pair_count();
    if (changed_count == 0) {
        forget_lists();
        if (is_hash_stale) rehash();
        return result;
    }
    result.status = prepare_path(runner, result);
    if (result.status != Status::ok) return result;
    if (pairs_are_by_object) {
        result.status = update_by_objects(runner, result);
        return result;
    }
    result.status = find(runner, result);
    if (result.status != Status::ok) return result;
    const Stopwatch watch;
    result.status =
        has_found_by_tracked_ || drop_forbidden(result.path, runner) ? Status::ok : Status::out_of_memory;
    if (result.status != Status::ok) return result;
    result.status = compare(has_found_by_tracked_ || result.path == UpdatePath::complete, runner, result);
    if (result.status == Status::ok) commit(result, runner);
    result.compare_nanoseconds = watch.nanoseconds();
    return result;
}

Status WorldData::find(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/find");
    if (!active_isa()) return Status::unsupported_isa;
    const StaggeredPairs::Call call = {
        boxes(true),
        {changed_bits.data(), changed_bits.size()},
        changed_count,
        reborn_bits(),
        reruled_bits(),
        ruled_count != 0 || (!settings.fixed_objects_pair && has_fixed_object()) ? &may_pair_of : nullptr,
        this,
        pair_count(),
        runner,
        scratch_};
    if ((has_newcomers && call.reborn_bits == nullptr) ||
        (!reruled_slots.is_empty() && (call.reborn_bits == nullptr || call.reruled_bits == nullptr))) {
        return Status::out_of_memory;
    }
    const Stopwatch tracked_watch;
    Status status = Status::ok;
    const bool has_few_movers = changed_count * kMoverShare <= object_count;
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
    if (resting_.box_count() != boxes(true).count) resting_.clear();
    if (resting_.is_built() && resting_.remove({changed_bits.data(), changed_bits.size()}) != Status::ok) {
        resting_.clear();
    }
    const bool by_movers = has_few_movers && prepare_rest(tracked.is_starting(call), runner, status);
    state_result.rest_nanoseconds = rest_watch.nanoseconds();
    if (status != Status::ok) return status;
    state_result.path = by_movers ? UpdatePath::movers : UpdatePath::complete;
    const Stopwatch watch;
    status = by_movers ? find_of_movers(runner) : find_all(runner);
    if (status == Status::ok) tracked.follow(call);
    state_result.find_nanoseconds += watch.nanoseconds();
    return status;
}

// All pairs of what has changed, beside what rests.
Status WorldData::find_of_movers(const TaskRunner* runner) noexcept {
    FindPairsSettings find_settings;
    find_settings.runner = runner;
    find_settings.filter.subset_bits = {changed_bits.data(), changed_bits.size()};
    return resting_.find_pairs(boxes(true), find_settings, scratch_, found_).status;
}

// What began and ended by candidates; false when pairs have to be searched for, then they are in the list.
bool WorldData::find_by_tracked(const StaggeredPairs::Call& call, Status& out_status) noexcept {
    has_found_difference_ = false;
    if (!tracked.are_known()) return false;
    if (tracked.find(call, found_.storage())) {
        has_found_difference_ = !has_values;
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
    if (!settings.fixed_objects_pair && has_fixed_object()) {
        find_settings.filter.subset_bits = {mobile_bits.data(), mobile_bits.size()};
    }
    return find_pairs(boxes(true), find_settings, scratch_, found_).status;
}

bool WorldData::may_pair_of(const void* user, std::uint32_t a, std::uint32_t b) noexcept {
    return static_cast<const WorldData*>(user)->may_pair_now(a, b);
}

// Slots with another object than at the last update, or one with other rules; null when there are none.
const std::uint64_t* WorldData::reborn_bits() noexcept {
    if ((!has_newcomers && reruled_slots.is_empty()) || !reborn_bits_.resize(changed_bits.size()))
        return nullptr;
    std::fill(reborn_bits_.begin(), reborn_bits_.end(), 0);
    for (const std::uint32_t slot : reruled_slots) set_bit(reborn_bits_, slot);
    if (!has_newcomers) return reborn_bits_.data();
    for_each_changed([&](std::uint32_t slot) {
        if (known_generations[slot] != generations[slot]) set_bit(reborn_bits_, slot);
    });
    return reborn_bits_.data();
}

// Those of them with the same object; null when there are none.
const std::uint64_t* WorldData::reruled_bits() noexcept {
    if (reruled_slots.is_empty() || !reruled_bits_.resize(changed_bits.size())) return nullptr;
    std::fill(reruled_bits_.begin(), reruled_bits_.end(), 0);
    for (const std::uint32_t slot : reruled_slots)
        if (known_generations[slot] == generations[slot]) set_bit(reruled_bits_, slot);
    return reruled_bits_.data();
}

std::size_t WorldData::rest_drift_max() const noexcept {
    return std::max(kRestDriftMin, object_count / kRestDriftShare);
}

// Whether the cells of what rests are those of nearly all that has not changed.
bool WorldData::is_rest_good() const noexcept {
    if (!resting_.is_built() || resting_.box_count() != boxes(true).count) return false;
    return resting_.count_drift({changed_bits.data(), changed_bits.size()}) <= rest_drift_max();
}

// Whether about the same objects change as in the update before, so that cells of the others would stay good;
// these are what the next call compares with.
bool WorldData::is_rest_lasting() noexcept {
    const std::size_t known_words = changed_before_bits_.size();
    if (!changed_before_bits_.resize(changed_bits.size())) return false;
    std::size_t starting_count = 0;
    for (std::size_t word = 0; word < changed_bits.size(); ++word) {
        const std::uint64_t before = word < known_words ? changed_before_bits_.data()[word] : 0;
        starting_count += static_cast<std::size_t>(std::popcount(changed_bits.data()[word] & ~before));
        changed_before_bits_.data()[word] = changed_bits.data()[word];
    }
    return starting_count * kRestUseCountMin <= rest_drift_max();
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
    out_status = resting_.build(boxes(true), {changed_bits.data(), changed_bits.size()}, runner, scratch_);
    return out_status == Status::ok;
}

bool WorldData::has_fixed_object() const noexcept {
    std::uint64_t mobile = ~std::uint64_t{0};
    for (const std::uint64_t word : mobile_bits) mobile &= word;
    return ~mobile != 0;
}

// Whether a fixed object is among those whose pairs were looked for.
bool WorldData::has_fixed_mover() const noexcept {
    const std::uint64_t* const mover_bits = resting_.mover_bits().data();
    std::uint64_t fixed = 0;
    for (std::size_t word = 0; word < mobile_bits.size(); ++word)
        fixed |= mover_bits[word] & ~mobile_bits.data()[word];
    return fixed != 0;
}

// Rules are asked about pairs of objects that they could be about, where those begin, or where a rule or the rules of
// an object have changed. Without rules a complete search has left out what is fixed. False without memory.
bool WorldData::drop_forbidden(UpdatePath path, const TaskRunner* runner) noexcept {
    const bool is_fixed_out = settings.fixed_objects_pair || path != UpdatePath::movers || !has_fixed_mover();
    if (ruled_count == 0 && is_fixed_out) return true;
    BROADSIDE_ZONE("world/drop forbidden");
    AlignedArray<IndexPair>& list = found_.storage();
    const std::size_t part_count = list.size() / kPairsPerPart + 1;
    if (!comparison_parts_.resize(part_count)) return false;
    const auto begin_of = [&](std::size_t part) { return list.size() * part / part_count; };
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t part) {
        BROADSIDE_ZONE("world/drop forbidden task");
        const auto either = [](const std::uint64_t* bits, const IndexPair& pair) {
            return ((bits[pair.first / 64] >> pair.first % 64 | bits[pair.second / 64] >> pair.second % 64) &
                    1) != 0;
        };
        const auto is_reborn = [&](std::uint32_t slot) {
            return known_generations[slot] != generations[slot];
        };
        const IndexPair* before = pairs.begin();
        const IndexPair* const before_end = before + (have_rules_changed ? 0 : pairs.size());
        const auto persists = [&](const IndexPair& pair) {
            // Mostly a step or two further.
            std::ptrdiff_t step = 1;
            while (step < before_end - before && before[step] < pair) step *= 2;
            before = std::lower_bound(before, before + std::min(step, before_end - before), pair);
            return before != before_end && *before == pair &&
                   !(has_newcomers && (is_reborn(pair.first) || is_reborn(pair.second)));
        };
        IndexPair* const begin = list.data() + begin_of(part);
        const std::size_t count = begin_of(part + 1) - begin_of(part);
        std::size_t kept = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const IndexPair pair = begin[i];
            if (kept != i) begin[kept] = pair;
            const bool is_allowed = either(ruled_bits.data(), pair)
                                        ? persists(pair) || may_pair(pair.first, pair.second)
                                        : is_fixed_out || either(mobile_bits.data(), pair);
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

// One pass over the pairs before and the pairs found, both ascending. What is found is complete as far as
// changed objects are concerned; a pair of two others is alive as before.
struct WorldComparison {
    const WorldData& world;
    std::span<const IndexPair> before;
    std::span<const IndexPair> found;
    bool is_complete;
    /// The pairs found where they are complete: every one is kept at its slot.
    IndexPair* pairs;
    /// Null while no values are kept.
    std::uint64_t* values;
    IndexPair* begun_pairs;
    WorldPair* begun;
    EndedPair* ended;
    std::size_t pair_count = 0;
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    std::uint64_t hash = 0;

    bool is_changed(std::uint32_t slot) const { return has_bit(world.changed_bits, slot); }
    bool is_reborn(std::uint32_t slot) const {
        return world.known_generations[slot] != world.generations[slot];
    }
    void keep(const IndexPair& pair, std::uint64_t value) {
        pairs[pair_count] = pair;
        if (values != nullptr) values[pair_count] = value;
        ++pair_count;
    }
    void begin(const IndexPair& pair) {
        begun_pairs[begun_count] = pair;
        keep(pair, 0);
        ++begun_count;
    }
    /// Its slot in the list before stands for the value until the pair is named.
    void end(std::size_t place_before) { ended[ended_count++].value = place_before; }
    void name_begun(std::size_t k) {
        const IndexPair pair = begun_pairs[k];
        const std::uint64_t* const data = world.user_data.data();
        begun[k] = world.ordered(world.handle_at(pair.first), world.handle_at(pair.second), data);
        hash += world.hash_of(begun[k], data);
    }
    void name_ended(std::size_t k) {
        const auto slot = static_cast<std::size_t>(ended[k].value);
        const IndexPair pair = before[slot];
        const std::uint64_t* const data = world.known_user_data.data();
        const WorldPair in_order =
            world.ordered(world.known_handle(pair.first), world.known_handle(pair.second), data);
        ended[k] = {in_order.a, in_order.b, value_before(slot)};
        hash -= world.hash_of(in_order, data);
    }
    std::uint64_t value_before(std::size_t i) const { return values != nullptr ? world.values.data()[i] : 0; }
    static std::size_t same_count(std::span<const IndexPair> a, std::span<const IndexPair> b) {
        const std::size_t most = std::min(a.size(), b.size());
        std::size_t count = 0;
        while (count < most && a[count] == b[count]) ++count;
        return count;
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
    /// From the i-th pair before and the j-th one found on. Only counted, nothing is written.
    template <bool kIsCounted>
    BROADSIDE_FORCE_INLINE void run(std::size_t i, std::size_t j) {
        // `count` pairs before from the i-th on, as they are.
        const auto keep_some = [&](std::size_t count, bool is_written) {
            if (is_written && !kIsCounted)
                std::memcpy(pairs + pair_count, before.data() + i, count * sizeof(IndexPair));
            if (values != nullptr && !kIsCounted) {
                std::memcpy(values + pair_count, world.values.data() + i, count * sizeof(std::uint64_t));
            }
            pair_count += count;
            i += count;
        };
        const auto begin_one = [&](const IndexPair& pair) { kIsCounted ? void(++begun_count) : begin(pair); };
        const auto end_one = [&](std::size_t at) { kIsCounted ? void(++ended_count) : end(at); };
        while (i < before.size() || j < found.size()) {
            const std::uint64_t key_before = i < before.size() ? key_of(before[i]) : ~std::uint64_t{0};
            const std::uint64_t key_found = j < found.size() ? key_of(found[j]) : ~std::uint64_t{0};
            if (key_before == key_found) {
                const std::size_t same =
                    world.has_newcomers ? 0 : same_count(before.subspan(i), found.subspan(j));
                if (same != 0) {
                    keep_some(same, !is_complete);
                    j += same;
                    continue;
                }
                if (is_reborn(before[i].first) || is_reborn(before[i].second)) {
                    end_one(i++);
                    begin_one(found[j]);
                } else {
                    keep_some(1, true);
                }
                ++j;
            } else if (key_before < key_found) {
                const std::size_t untouched = is_complete ? 0 : untouched_count(i, key_found);
                if (untouched != 0) {
                    keep_some(untouched, true);
                } else {
                    end_one(i++);
                }
            } else {
                begin_one(found[j++]);
            }
        }
        if (kIsCounted) return;
        // In loops of their own, where a look into the memory does not wait for the branches around another.
        for (std::size_t k = 0; k < begun_count; ++k) name_begun(k);
        for (std::size_t k = 0; k < ended_count; ++k) name_ended(k);
    }
};

// Cuts the found pairs into parts, and the pairs before at the same slots.
bool WorldData::cut_comparison(bool is_complete) noexcept {
    // Of an incomplete list a part does not know how many pairs it keeps that were not looked for.
    const std::size_t part_count = is_complete ? found_.size() / kPairsPerPart + 1 : 1;
    if (!comparison_parts_.resize(part_count + 1)) return false;
    for (std::size_t part = 0; part <= part_count; ++part) {
        const std::size_t begin = part == part_count ? found_.size() : found_.size() * part / part_count;
        const bool is_inner = part != 0 && part != part_count;
        const std::size_t before =
            is_inner ? static_cast<std::size_t>(std::lower_bound(pairs.begin(), pairs.end(), found_[begin]) -
                                                pairs.begin())
                     : (part == 0 ? 0 : pairs.size());
        comparison_parts_[part] = {begin, before, begin, before, 0, 0, 0, 0};
    }
    return true;
}

// The events are counted first, for the lists would be as long as those of the pairs, and mostly empty.
void WorldData::place_events(bool is_complete, const TaskRunner* runner) noexcept {
    const std::size_t part_count = comparison_parts_.size() - 1;
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/count events task");
        ComparisonPart& part = comparison_parts_[index];
        const ComparisonPart& next = comparison_parts_[index + 1];
        WorldComparison comparison = {*this,
                                      {pairs.data(), next.before_begin},
                                      {found_.data(), next.found_begin},
                                      is_complete,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr,
                                      nullptr};
        comparison.run<true>(part.before_begin, part.found_begin);
        part.begun_count = comparison.begun_count;
        part.ended_count = comparison.ended_count;
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

// Half more than is needed, for the frames to come.
bool WorldData::reserve_event_lists(std::size_t begun_count, std::size_t ended_count) noexcept {
    const auto reserve = [](auto& list, std::size_t count) {
        return count <= list.capacity() || list.reserve(count + count / 2);
    };
    return reserve(next_begun_pairs_, begun_count) && reserve(next_begun_, begun_count) &&
           reserve(next_ended_, ended_count) && reserve(ended_data, ended_count);
}

// What began and ended is known: it is only named.
Status WorldData::name_difference(const TaskRunner* runner, UpdateResult& state_result) noexcept {
    const std::span<const IndexPair> gone = tracked.gone();
    const std::size_t begun_count = found_.size();
    const std::size_t count = begun_count + gone.size();
    const std::size_t chunk = chunk_for(runner, count, kNamesPerPart);
    if (!comparison_parts_.resize(count / chunk + 1) || !reserve_event_lists(begun_count, gone.size()))
        return Status::out_of_memory;
    (void)next_begun_pairs_.resize(begun_count);
    (void)next_begun_.resize(begun_count);
    (void)next_ended_.resize(gone.size());
    run_chunks(runner, count, chunk, [&](std::size_t begin, std::size_t end) {
        BROADSIDE_ZONE("world/compare task");
        WorldComparison comparison = {*this,
                                      gone,
                                      {},
                                      false,
                                      nullptr,
                                      nullptr,
                                      next_begun_pairs_.data(),
                                      next_begun_.data(),
                                      next_ended_.data()};
        for (std::size_t k = begin; k < std::min(end, begun_count); ++k) {
            next_begun_pairs_[k] = found_[k];
            comparison.name_begun(k);
        }
        for (std::size_t k = std::max(begin, begun_count); k < end; ++k) {
            next_ended_[k - begun_count].value = k - begun_count;
            comparison.name_ended(k - begun_count);
        }
        comparison_parts_[begin / chunk].hash = comparison.hash;
    });
    const std::size_t alive = pair_count() + begun_count - gone.size();
    if (alive > settings.max_pair_count) return Status::capacity_exceeded;
    state_result.pair_count = alive;
    for (std::size_t part = 0; part * chunk < count; ++part) hash += comparison_parts_[part].hash;
    state_result.begun_count = begun_count;
    state_result.ended_count = gone.size();
    return Status::ok;
}

Status WorldData::compare(bool is_complete, const TaskRunner* runner, UpdateResult& state_result) noexcept {
    BROADSIDE_ZONE("world/compare");
    if (has_found_difference_) return name_difference(runner, state_result);
    const std::size_t most = pairs.size() + found_.size();
    if (!next_pairs_.reserve(is_complete ? 0 : most) || !next_values_.reserve(has_values ? most : 0) ||
        !cut_comparison(is_complete)) {
        return Status::out_of_memory;
    }
    const std::size_t part_count = comparison_parts_.size() - 1;
    if (most > kPairsPerPart) place_events(is_complete, runner);
    const ComparisonPart& events_end = comparison_parts_[part_count];
    if (!reserve_event_lists(events_end.begun_begin, events_end.ended_begin)) return Status::out_of_memory;
    run_tasks(runner, static_cast<std::uint32_t>(part_count), [&](std::uint32_t index) {
        BROADSIDE_ZONE("world/compare task");
        ComparisonPart& part = comparison_parts_[index];
        const ComparisonPart& next = comparison_parts_[index + 1];
        // Pairs begin where they would if none before had ended.
        WorldComparison comparison = {*this,
                                      {pairs.data(), next.before_begin},
                                      {found_.data(), next.found_begin},
                                      is_complete,
                                      is_complete ? found_.data() : next_pairs_.data(),
                                      has_values ? next_values_.data() : nullptr,
                                      next_begun_pairs_.data() + part.begun_begin,
                                      next_begun_.data() + part.begun_begin,
                                      next_ended_.data() + part.ended_begin};
        comparison.pair_count = part.found_begin;
        comparison.run<false>(part.before_begin, part.found_begin);
        part.begun_count = comparison.begun_count;
        part.ended_count = comparison.ended_count;
        part.pair_end = comparison.pair_count;
        part.hash = comparison.hash;
    });
    const std::size_t pair_count = comparison_parts_[part_count - 1].pair_end;
    if (pair_count > settings.max_pair_count) return Status::capacity_exceeded;
    // What was found is what is alive then.
    if (is_complete) std::swap(next_pairs_, found_.storage());
    (void)next_pairs_.resize(pair_count);
    (void)next_values_.resize(has_values ? pair_count : 0);
    state_result.pair_count = pair_count;
    close_up_lists(state_result);
    return Status::ok;
}

// What the parts listed, side by side; and the hash from all of them.
void WorldData::close_up_lists(UpdateResult& state_result) noexcept {
    std::size_t begun_count = 0;
    std::size_t ended_count = 0;
    for (const ComparisonPart& part : comparison_parts_) {
        const auto close_up = [](auto* list, std::size_t to, std::size_t from, std::size_t count) {
            if (to != from && count != 0) std::memmove(list + to, list + from, count * sizeof *list);
        };
        close_up(next_begun_pairs_.data(), begun_count, part.begun_begin, part.begun_count);
        close_up(next_begun_.data(), begun_count, part.begun_begin, part.begun_count);
        close_up(next_ended_.data(), ended_count, part.ended_begin, part.ended_count);
        begun_count += part.begun_count;
        ended_count += part.ended_count;
        hash += part.hash;
    }
    (void)next_begun_pairs_.resize(begun_count);
    (void)next_begun_.resize(begun_count);
    (void)next_ended_.resize(ended_count);
    state_result.begun_count = begun_count;
    state_result.ended_count = ended_count;
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
    sort(begun, user_data.data());
    sort(ended, known_user_data.data());
    // Within the room that was made.
    (void)ended_data.resize(ended.size());
    run_chunks(
        runner, ended.size(), chunk_for(runner, ended.size(), kEndedPerTask),
        [&](std::size_t begin, std::size_t end) {
            BROADSIDE_ZONE("world/compare task");
            for (std::size_t k = begin; k < end; ++k)
                ended_data[k] = {known_user_data[ended[k].a.slot()], known_user_data[ended[k].b.slot()]};
        });
    if (has_newcomers) {
        for_each_changed([&](std::uint32_t slot) {
            known_generations[slot] = generations[slot];
            known_user_data[slot] = user_data[slot];
        });
        has_newcomers = false;
    }
    have_rules_changed = false;
    reruled_slots.clear();
    forget_changes();
    if (is_hash_stale) rehash();
}

}  // namespace broadside::broadphase
