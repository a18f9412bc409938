// The pairs alive of a World with their values, and the events of its last update.
#pragma once

#include "broadphase/src/candidates/staggered_pairs.hpp"
#include "broadphase/src/world/objects/object_table.hpp"
#include "broadphase/src/world/pairs/object_pairs.hpp"

#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <optional>
#include <span>

namespace broadside::broadphase {

/// The meaning of the found pairs: none; pairs that were not alive, while the candidates know those that have
/// ended; or all that are alive now.
enum class Found : std::uint8_t { nothing, difference, all };

/// A part of the found pairs and of those before: its begin in both lists, and its results.
struct ComparisonPart {
    std::size_t found_begin;
    std::size_t before_begin;
    /// Begin of its events in the lists.
    std::size_t begun_begin;
    std::size_t ended_begin;
    std::size_t begun_count;
    std::size_t ended_count;
    /// End of the pairs that rules have not dropped.
    std::size_t pair_end;
    std::uint64_t hash;
};

/// The begun pairs, by slot and by handle, and the ended ones.
struct PairEvents {
    PairBuffer begun_pairs;
    AlignedArray<WorldPair> begun;
    AlignedArray<EndedPair> ended;

    explicit PairEvents(const Allocator& allocator) noexcept
        : begun_pairs(allocator), begun(allocator), ended(allocator) {}
    std::size_t capacity_bytes() const noexcept {
        return begun_pairs.capacity_bytes() + begun.capacity_bytes() + ended.capacity_bytes();
    }
};

/// Pairs are by slot, in one of three forms: a list that updates of many objects compare with the pairs they
/// find; by object, for updates of few; or, without values, as bits of candidates, for updates in which most
/// objects move a little.
class PairStore {
public:
    /// `scratch` is shared with the searches for pairs.
    PairStore(const ObjectTable& objects, BoxScratch& scratch, const Allocator& allocator) noexcept;
    PairStore(const PairStore&) = delete;
    PairStore& operator=(const PairStore&) = delete;

    std::size_t count() const noexcept {
        return form_ == Form::candidates  ? candidate_pair_count_
               : form_ == Form::by_object ? object_pairs_.pair_count()
                                          : list_.size();
    }
    std::uint64_t hash() const noexcept { return hash_; }
    /// Calls `visit(pair, value)` for all pairs, ascending. Returns false, and visits nothing, if out of
    /// memory; only bits of candidates need any.
    template <class Visit>
    [[nodiscard]] bool for_each(Visit&& visit) const noexcept {
        if (form_ == Form::by_object) {
            object_pairs_.for_each(visit);
            return true;
        }
        PairBuffer told(allocator_);
        AlignedArray<std::byte> sort_memory(allocator_);
        const std::optional<std::span<const IndexPair>> all_pairs = all(told, sort_memory);
        if (!all_pairs) return false;
        for (std::size_t i = 0; i < all_pairs->size(); ++i)
            visit((*all_pairs)[i], has_values_ ? values_.data()[i] : 0);
        return true;
    }
    /// All pairs, ascending, valid until they change: the store's list, or `out_told`. None if out of memory.
    std::optional<std::span<const IndexPair>> all(PairBuffer& out_told,
                                                  AlignedArray<std::byte>& sort_memory) const noexcept;
    /// Null if they are in another form.
    const ObjectPairs* by_object() const noexcept {
        return form_ == Form::by_object ? &object_pairs_ : nullptr;
    }
    /// Starts at 1 and rises when pairs, names or events change. The events lead from the version before.
    std::uint64_t version() const noexcept { return version_; }
    /// The value of a pair alive, or null. Values are kept from the first call on.
    std::uint64_t* value_of(ObjectHandle a, ObjectHandle b) noexcept;
    /// Also null while no values are kept.
    const std::uint64_t* value_of(ObjectHandle a, ObjectHandle b) const noexcept;

    /// By slot, ascending.
    std::span<const IndexPair> begun_pairs() const noexcept {
        return {events_.begun_pairs.data(), events_.begun_pairs.size()};
    }
    std::span<const WorldPair> begun() const noexcept { return {events_.begun.data(), events_.begun.size()}; }
    std::span<const EndedPair> ended() const noexcept { return {events_.ended.data(), events_.ended.size()}; }
    std::span<const PairUserData> ended_user_data() const noexcept {
        return {ended_data_.data(), ended_data_.size()};
    }
    /// The pair as of the last update: an object that was removed since still has its pairs.
    WorldPair known_pair(const IndexPair& pair) const noexcept;
    /// Sorts to canonical order, by the user data of slots.
    template <class Pair>
    void sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept;

    // For updates. Every change of the pairs is one of these: `find` and `replace`, or `replace_of`. A call
    // that does not return ok has changed nothing.

    /// Finds pairs by candidates, if they are known; else the caller must search.
    Status find(const StaggeredPairs::Call& call, PairBuffer& state_found, Found& out_kind) noexcept;
    /// Whether the next `follow` brings candidates nearer to being known.
    bool is_starting(const StaggeredPairs::Call& call) const noexcept {
        return candidates_.is_starting(call);
    }
    /// Called after a search by other means: candidates begin, or end if they are not worthwhile.
    void follow(const StaggeredPairs::Call& call, bool are_worthwhile) noexcept {
        are_worthwhile ? candidates_.follow(call) : candidates_.clear();
    }
    /// Drops the found pairs that rules forbid. Rules are tested for pairs of ruled objects that begin, or
    /// after a change of a rule or of an object's rules; and for pairs of two fixed objects, unless they are
    /// already left out. Returns false if out of memory.
    bool drop_forbidden(bool is_fixed_out, const TaskRunner* runner, PairBuffer& state_found) noexcept;
    /// Adds pairs of two unchanged objects, which are alive as before, to the found pairs of changed ones.
    /// Returns false if out of memory.
    bool add_lasting(PairBuffer& state_found) noexcept;
    /// Replaces the pairs alive by the found ones.
    Status replace(Found kind, const TaskRunner* runner, PairBuffer& state_found,
                   UpdateResult& state_result) noexcept;
    /// Whether `replace_of` needs no change of form.
    bool are_by_object() const noexcept { return form_ == Form::by_object; }
    bool are_candidates() const noexcept { return form_ == Form::candidates; }
    bool put_by_object() noexcept;
    bool put_in_list() noexcept;
    /// Changes to a form in which `for_each` needs no memory.
    bool leave_candidates() noexcept { return form_ != Form::candidates || put_in_list(); }
    /// Lists the changed slots, to be looked up, and prefetches their pairs. By object only.
    bool list_changed(AlignedArray<std::uint32_t>& out_slots) noexcept;
    /// Replaces the pairs of those slots by the found ones, which name slots by their index in the list,
    /// ascending. By object only.
    Status replace_of(std::span<const std::uint32_t> slots, std::span<const IndexPair> found,
                      const TaskRunner* runner, UpdateResult& state_result) noexcept;
    void forget_events() noexcept;
    /// Computes the hash anew from the pairs and the user data as of the last update, which order them.
    void rehash() noexcept;

    // For a restored world.

    bool resize(std::size_t pair_count) noexcept {
        return list_.resize(pair_count) && values_.resize(pair_count);
    }
    IndexPair* pairs_to_fill() noexcept { return list_.data(); }
    std::uint64_t* values_to_fill() noexcept { return values_.data(); }
    /// Returns false if the pairs name slots that do not exist.
    bool note_filled() noexcept;

    /// Whether the arrays are consistent. Does not search for pairs.
    bool is_sound() const noexcept;
    /// Whether the pairs of objects that have not changed since the last update are complete; the boxes of
    /// others as of then are not kept.
    bool are_complete() const noexcept;
    std::size_t capacity_bytes() const noexcept;
    void shrink() noexcept;
    /// Releases the memory of lists, which bits of candidates do not need.
    void release_lists() noexcept;

private:
    enum class Form : std::uint8_t { list, by_object, candidates };
    friend struct EventNames;

    // Lists of events name pairs by 32-bit numbers.
    std::size_t count_max() const noexcept {
        return std::min(objects_.settings.max_pair_count, std::size_t{0xFFFFFFFF});
    }
    bool keep_values() noexcept;
    /// Not for bits of candidates.
    bool holds(const IndexPair& pair) const noexcept;
    /// The value of a pair that ends, by its position if pairs are in a list.
    std::uint64_t value_before(const IndexPair& pair, std::size_t place) const noexcept {
        return !has_values_ ? 0 : form_ == Form::by_object ? *object_pairs_.value(pair) : values_[place];
    }
    bool cut_comparison(const PairBuffer& found) noexcept;
    void mark_events(const PairBuffer& found, const TaskRunner* runner) noexcept;
    template <bool kHasNewcomers>
    void mark_events_of_some(const PairBuffer& found, ComparisonPart* parts) noexcept;
    void carry_values(const ComparisonPart& part, const ComparisonPart& next) noexcept;
    bool make_event_lists(std::size_t begun_count, std::size_t ended_count) noexcept;
    Status name_difference(const PairBuffer& found, const TaskRunner* runner,
                           UpdateResult& state_result) noexcept;
    Status compare_all(PairBuffer& state_found, const TaskRunner* runner,
                       UpdateResult& state_result) noexcept;
    void commit_events(const TaskRunner* runner) noexcept;
    bool compare_by_objects(std::span<const std::uint32_t> slots, std::span<const IndexPair> found) noexcept;
    WorldPair ordered(ObjectHandle a, ObjectHandle b, const std::uint64_t* data) const noexcept;
    WorldPair pair_now(const IndexPair& pair) const noexcept;
    std::uint64_t hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept;

    const ObjectTable& objects_;
    BoxScratch& scratch_;
    Allocator allocator_;
    Form form_ = Form::list;
    // Empty unless it is the form.
    PairBuffer list_;
    // Values of the list.
    AlignedArray<std::uint64_t> values_;
    ObjectPairs object_pairs_;
    StaggeredPairs candidates_;
    std::size_t candidate_pair_count_ = 0;
    bool has_values_ = false;
    std::uint64_t hash_ = 0;
    std::uint64_t version_ = 1;
    PairEvents events_;
    // Room for the events of an update is made before anything changes.
    AlignedArray<PairUserData> ended_data_;
    // Outputs of the next update, before they replace the above.
    PairBuffer next_list_;
    AlignedArray<std::uint64_t> next_values_;
    PairEvents next_events_;
    PairBuffer next_ended_pairs_;
    AlignedArray<ComparisonPart> parts_;
};

template <class Pair>
void PairStore::sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept {
    if (objects_.settings.order == WorldOrder::slot) return;
    std::sort(state_list.begin(), state_list.end(), [data](const Pair& x, const Pair& y) {
        const std::uint64_t keys_x[4] = {data[x.a.slot()], x.a.slot(), data[x.b.slot()], x.b.slot()};
        const std::uint64_t keys_y[4] = {data[y.a.slot()], y.a.slot(), data[y.b.slot()], y.b.slot()};
        return std::lexicographical_compare(keys_x, keys_x + 4, keys_y, keys_y + 4);
    });
}

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

inline WorldPair PairStore::ordered(ObjectHandle a, ObjectHandle b,
                                    const std::uint64_t* data) const noexcept {
    const bool is_ascending = objects_.settings.order == WorldOrder::slot ||
                              data[a.slot()] < data[b.slot()] ||
                              (data[a.slot()] == data[b.slot()] && a.slot() < b.slot());
    return is_ascending ? WorldPair{a, b} : WorldPair{b, a};
}

inline WorldPair PairStore::known_pair(const IndexPair& pair) const noexcept {
    return ordered(objects_.known_handle(pair.first), objects_.known_handle(pair.second),
                   objects_.known_user_data.data());
}

inline WorldPair PairStore::pair_now(const IndexPair& pair) const noexcept {
    return ordered(objects_.handle_at(pair.first), objects_.handle_at(pair.second),
                   objects_.user_data.data());
}

inline std::uint64_t PairStore::hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept {
    const bool by_slot = objects_.settings.order == WorldOrder::slot;
    const std::uint64_t key_a = by_slot ? pair.a.value : data[pair.a.slot()];
    const std::uint64_t key_b = by_slot ? pair.b.value : data[pair.b.slot()];
    return mix(mix(key_a + 0x9E3779B97F4A7C15u) + key_b);
}

}  // namespace broadside::broadphase
