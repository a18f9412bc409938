// What a World holds: its objects, the pairs alive, and what finds those of an update.
#pragma once

#include "broadphase/src/candidates/staggered_pairs.hpp"
#include "broadphase/src/world/objects/object_table.hpp"
#include "broadphase/src/world/pairs/object_pairs.hpp"
#include "broadphase/src/world/queries/tree_copies.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/world.hpp>

#include <bit>

namespace broadside::broadphase {

/// A part of the pairs found and those before: where it begins in both lists, and what came of it.
struct ComparisonPart {
    std::size_t found_begin;
    std::size_t before_begin;
    /// Where its events go in the lists.
    std::size_t begun_begin;
    std::size_t ended_begin;
    std::size_t begun_count;
    std::size_t ended_count;
    /// Of pairs that rules have not dropped.
    std::size_t pair_end;
    std::uint64_t hash;
};

/// What says which boxes a changed one meets, in updates by objects: a tree of their own, or those of the queries,
/// which the caller keeps current anyway.
enum class MeetingTrees : std::uint8_t { none, own, of_queries };

/// A pair that is no more, by slot.
struct EndedIndexPair {
    IndexPair pair;
    std::uint64_t value;
};

class WorldData {
public:
    WorldData(const WorldSettings& settings, const Allocator& allocator) noexcept;
    WorldData(const WorldData&) = delete;
    WorldData& operator=(const WorldData&) = delete;

    // update.cpp
    UpdateResult update(const TaskRunner* runner) noexcept;
    void forget_lists() noexcept;
    std::span<const WorldPair> list(bool with_begun) noexcept;
    /// The value of a pair alive, or null; from the first one on values are kept.
    std::uint64_t* value_of(ObjectHandle a, ObjectHandle b) noexcept;
    /// Pairs that are bits of candidates to the list.
    bool put_tracked_in_list() noexcept;
    bool keep_values() noexcept;
    std::size_t pair_count() const noexcept {
        return pairs_are_tracked     ? tracked_count
               : pairs_are_by_object ? object_pairs.pair_count()
                                     : pairs.size();
    }
    /// `visit(pair, value)` of all pairs alive, ascending; not for those that are bits of candidates.
    template <class Visit>
    void for_each_pair(Visit&& visit) const noexcept {
        if (pairs_are_by_object) return object_pairs.for_each(visit);
        for (std::size_t i = 0; i < pairs.size(); ++i)
            visit(pairs.data()[i], has_values ? values.data()[i] : 0);
    }
    /// Lists of events name pairs by numbers of 32 bits.
    std::size_t max_pair_count() const noexcept {
        return std::min(objects.settings.max_pair_count, std::size_t{0xFFFFFFFF});
    }
    /// The hash from the pairs and the user data as of the last update.
    void rehash() noexcept;

    // update_by_objects.cpp
    std::span<const ObjectHandle> pairs_of(ObjectHandle handle) noexcept;
    /// Pairs from the list to their objects, and back.
    bool put_pairs_by_object() noexcept;
    bool put_pairs_in_list() noexcept;

    // snapshot.cpp
    std::size_t snapshot_bytes() const noexcept;
    /// ok, or out_of_memory.
    Status save(std::span<std::byte> out_bytes) const noexcept;
    /// Into a new, empty world; false when the bytes are not a world, or there is no memory for it.
    Status restore(std::span<const std::byte> bytes) noexcept;
    Status restore_bodies(const std::byte* bodies) noexcept;

    // consistency.cpp
    bool is_consistent() const noexcept { return is_sound() && are_pairs_complete(); }
    /// Returns whether arrays fit together. No pair is searched for.
    bool is_sound() const noexcept;
    bool are_pairs_complete() const noexcept;

    std::size_t capacity_bytes() const noexcept;
    void shrink() noexcept;

    Allocator allocator;
    ObjectTable objects;

    /// The pairs alive, by slot, with their values once one was asked for: a list that updates of many
    /// objects compare with what they find; beside their objects, for updates of few; or, without values,
    /// as bits of the candidates, for updates in which most objects move a little. The list is empty unless
    /// it is what counts.
    AlignedArray<IndexPair> pairs;
    AlignedArray<std::uint64_t> values;
    ObjectPairs object_pairs;
    bool pairs_are_by_object = false;
    StaggeredPairs tracked;
    bool pairs_are_tracked = false;
    std::size_t tracked_count = 0;
    bool has_values = false;
    // The lists of the last update; those that began by slot, too.
    AlignedArray<IndexPair> begun_pairs;
    AlignedArray<WorldPair> begun;
    AlignedArray<EndedPair> ended;
    /// Room for those of an update is made before anything changes.
    AlignedArray<PairUserData> ended_data;
    std::uint64_t hash = 0;

    /// For the queries.
    TreeCopies trees;

private:
    friend struct EventNames;
    friend struct MoverComparison;

    Status update_changed(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status find(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    bool find_by_tracked(const StaggeredPairs::Call& call, Status& out_status) noexcept;
    Status find_of_movers(const TaskRunner* runner) noexcept;
    Status find_all(const TaskRunner* runner) noexcept;
    std::size_t rest_drift_max() const noexcept;
    bool is_rest_current() const noexcept;
    bool is_rest_good() const noexcept;
    bool is_rest_lasting() noexcept;
    bool prepare_rest(bool are_candidates_starting, const TaskRunner* runner, Status& out_status) noexcept;
    bool has_fixed_mover() const noexcept;
    bool drop_forbidden(UpdatePath path, const TaskRunner* runner) noexcept;
    bool cut_comparison() noexcept;
    void mark_events(const TaskRunner* runner) noexcept;
    template <bool kHasNewcomers>
    void mark_events_of_two(ComparisonPart* parts) noexcept;
    void carry_values(const ComparisonPart& part, const ComparisonPart& next) noexcept;
    bool make_event_lists(std::size_t begun_count, std::size_t ended_count) noexcept;
    Status name_difference(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status compare_all(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status compare_movers(UpdateResult& state_result) noexcept;
    Status compare(bool is_complete, const TaskRunner* runner, UpdateResult& state_result) noexcept;
    void commit(const UpdateResult& result, const TaskRunner* runner) noexcept;
    void settle() noexcept;
    void commit_events(const TaskRunner* runner) noexcept;
    bool may_ask_query_trees() const noexcept;
    bool has_meeting_trees() const noexcept;
    bool is_pair_tree_current() const noexcept;
    bool is_pair_tree_wanted() const noexcept { return pair_tree_wanted_update_ + 1 >= update_number_; }
    std::uint64_t cost_by_list() const noexcept;
    std::uint64_t cost_by_objects() const noexcept;
    bool has_few_changes() const noexcept;
    bool is_worth_entering() noexcept;
    bool prepare_pair_tree(const TaskRunner* runner) noexcept;
    Status prepare_path(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    bool enter_by_objects(const TaskRunner* runner) noexcept;
    Status update_by_objects(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status find_by_objects(const TaskRunner* runner) noexcept;
    Status find_in_pair_tree(const TaskRunner* runner) noexcept;
    Status find_in_query_trees(const TaskRunner* runner) noexcept;
    bool compare_by_objects() noexcept;
    bool reserve_events() noexcept;
    void name_events() noexcept;
    WorldPair ordered(ObjectHandle a, ObjectHandle b, const std::uint64_t* data) const noexcept;
    std::uint64_t hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept;
    template <class Pair>
    void sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept;

    // What the next update works with, and what it writes before it takes the slot of the above.
    FindPairsScratch scratch_;
    PairBuffer found_;
    // Attempts at an update of changed objects. What is made of boxes keeps the number of the last one in which it was
    // brought up to date, or 0. It is current in the next one only, for after a failed attempt the same objects are
    // changed still, and an update by another path leaves it behind.
    std::uint64_t update_number_ = 1;
    RestingBoxes resting_;
    std::uint64_t rest_update_ = 0;
    bool is_settled_ = false;
    // What was found are the pairs that are not where they were, to be compared with tracked.gone().
    bool has_found_difference_ = false;
    // What was found is all that is alive, or that difference, and keeps to the rules.
    bool has_found_by_tracked_ = false;
    // What had changed when few had, the last time.
    AlignedArray<std::uint64_t> changed_before_bits_;
    AlignedArray<ComparisonPart> comparison_parts_;
    // For updates by objects: a tree of the grown boxes by slot, the objects that have changed, and what ended.
    BoxTree pair_tree_;
    MeetingTrees meeting_trees_ = MeetingTrees::none;
    // The update whose boxes the tree holds, if yet in leaves far from each other.
    std::uint64_t pair_tree_update_ = 0;
    // The update that would have asked the tree: the one after it begins to make it.
    std::uint64_t pair_tree_wanted_update_ = 0;
    TreeScratch tree_scratch_;
    AlignedArray<std::uint32_t> few_slots_;
    AlignedArray<Aabb> few_boxes_;
    AlignedArray<EndedIndexPair> next_ended_pairs_;
    std::uint32_t by_objects_use_count_ = 0;
    std::uint32_t by_objects_bypass_count_ = 0;
    std::uint32_t by_objects_bypass_left_ = 0;
    // What updates by objects would have saved, in nanoseconds.
    std::uint64_t by_objects_credit_ = 0;
    AlignedArray<IndexPair> next_pairs_;
    AlignedArray<std::uint64_t> next_values_;
    AlignedArray<IndexPair> next_begun_pairs_;
    AlignedArray<WorldPair> next_begun_;
    AlignedArray<EndedPair> next_ended_;
    // Put together on demand.
    AlignedArray<WorldPair> persisting_list_;
    AlignedArray<WorldPair> pair_list_;
    AlignedArray<ObjectHandle> pairs_of_list_;
    bool has_persisting_list_ = false;
    bool has_pair_list_ = false;
};

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
inline std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

inline WorldPair WorldData::ordered(ObjectHandle a, ObjectHandle b,
                                    const std::uint64_t* data) const noexcept {
    const bool is_ascending = objects.settings.order == WorldOrder::slot || data[a.slot()] < data[b.slot()] ||
                              (data[a.slot()] == data[b.slot()] && a.slot() < b.slot());
    return is_ascending ? WorldPair{a, b} : WorldPair{b, a};
}

inline std::uint64_t WorldData::hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept {
    const bool by_slot = objects.settings.order == WorldOrder::slot;
    const std::uint64_t key_a = by_slot ? pair.a.value : data[pair.a.slot()];
    const std::uint64_t key_b = by_slot ? pair.b.value : data[pair.b.slot()];
    return mix(mix(key_a + 0x9E3779B97F4A7C15u) + key_b);
}

}  // namespace broadside::broadphase
