// What a World holds. Objects live at slots; free slots hold empty boxes, which pair with nothing, so that
// the arrays go to find_pairs as they are and the index of a box is its slot.
#pragma once

#include "broadphase/src/candidates/staggered_pairs.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/world/layer_rules.hpp"
#include "broadphase/src/world/object_boxes.hpp"
#include "broadphase/src/world/object_pairs.hpp"
#include "broadphase/src/world/tree_copies.hpp"
#include "core/src/argument.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/resting_boxes.hpp>
#include <broadside/world.hpp>

#include <bit>

namespace broadside::broadphase {

/// All that decides whether two objects may pair, in one line of the cache with one more.
struct PairRules {
    std::uint64_t category;
    std::uint64_t mask;
    std::int32_t group;
    std::uint16_t layer;
    ObjectKind kind;
    std::uint8_t unused;
};

inline bool is_same(const PairRules& a, const PairRules& b) {
    return a.category == b.category && a.mask == b.mask && a.group == b.group && a.layer == b.layer &&
           a.kind == b.kind;
}

inline constexpr std::uint32_t kNoObjectSlot = ~std::uint32_t{0};

/// What one task of set_boxes is about to set: some of its handles, and what came of it.
struct SetPart {
    std::uint32_t first_slot;
    std::uint32_t last_slot;
    bool is_good;
};

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

    // objects.cpp
    bool is_alive(ObjectHandle handle) const noexcept {
        return handle.slot() < generations.size() && handle.generation() % 2 == 1 &&
               generations[handle.slot()] == handle.generation();
    }
    /// The first handle that names nothing, which the assert handler is told, or kNoIndex.
    std::size_t find_dead(std::span<const ObjectHandle> handles) const noexcept;
    /// Room for `count` objects more, in every array; capacity_exceeded, out_of_memory, or ok. For margins and
    /// displacements, too, where some are shaped.
    Status reserve_objects(std::size_t count, bool are_shaped) noexcept;
    /// After reserve_objects.
    ObjectHandle add(const ObjectDescription& description) noexcept;
    void add_prepared(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept;
    BatchResult remove(std::span<const ObjectHandle> handles) noexcept;
    void set_body(std::uint32_t slot, const WorldBody& body) noexcept {
        if (object_boxes.replace(slot, body)) mark_changed(slot);
    }
    /// The way of most boxes without a call, and without a FloatEnvironment, for numbers are copied.
    Status set_box(std::uint32_t slot, const Aabb& box) noexcept {
        if (object_boxes.has_shapes_near(slot)) return set_grown_box(slot, box);
        if (object_boxes.replace_plain_box(slot, box)) mark_changed(slot);
        return Status::ok;
    }
    Status set_grown_box(std::uint32_t slot, const Aabb& box) noexcept;
    /// kNoIndex, or the first handle that names nothing, and then no box is set.
    std::size_t set_boxes(std::span<const ObjectHandle> handles, const BoxSoaView& new_boxes,
                          const TaskRunner* runner) noexcept;
    /// Of living objects; false when there is no memory.
    bool set_displacements(std::span<const ObjectHandle> handles, const Vec3SoaView& displacements) noexcept;
    bool set_margin(std::span<const ObjectHandle> handles, float margin) noexcept;
    void set_rules(std::uint32_t slot, const PairRules& rule) noexcept;
    /// After its rules, or those of its layer, are others.
    void note_rules(std::uint32_t slot) noexcept;
    /// Of an object that may have pairs.
    void change_rules(std::uint32_t slot, const PairRules& rule) noexcept;
    void set_user_data(std::uint32_t slot, std::uint64_t user_data) noexcept;
    void mark_changed(std::uint32_t slot) noexcept {
        const std::size_t word = slot / 64;
        std::uint64_t& marked = changed_bits.data()[word];
        // There is room for one word more than there are.
        if (marked == 0) changed_words.data()[changed_word_count++] = static_cast<std::uint32_t>(word);
        changed_count += static_cast<std::size_t>(~marked >> slot % 64 & 1);
        marked |= bit_of(slot);
        trees.mark(word, bit_of(slot));
    }
    /// Slots of one word of bits.
    void mark_word(std::size_t word, std::uint64_t bits) noexcept {
        std::uint64_t& marked = changed_bits.data()[word];
        // There is room for one word more than there are.
        changed_words.data()[changed_word_count] = static_cast<std::uint32_t>(word);
        changed_word_count += ((marked == 0) & (bits != 0)) ? 1u : 0u;
        changed_count += static_cast<std::size_t>(std::popcount(bits & ~marked));
        marked |= bits;
        trees.mark(word, bits);
    }
    void forget_changes() noexcept;
    bool is_marked(std::uint32_t slot) const noexcept { return has_bit(changed_bits, slot); }
    /// False, and nothing has changed, when there is no memory.
    bool set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept;
    ObjectHandle handle_at(std::uint32_t slot) const noexcept {
        return {std::uint64_t{generations[slot]} << 32 | slot};
    }
    /// The object whose pairs the list holds.
    ObjectHandle known_handle(std::uint32_t slot) const noexcept {
        return {std::uint64_t{known_generations[slot]} << 32 | slot};
    }
    WorldBody body_at(std::uint32_t slot) const noexcept { return object_boxes.body(slot); }
    ObjectDescription describe(std::uint32_t slot) const noexcept;
    bool may_pair(std::uint32_t a, std::uint32_t b) const noexcept;
    /// The grown boxes at all slots, and at the padding behind them when `is_padded`.
    BoxSoaView boxes(bool is_padded) const noexcept {
        return object_boxes.view(is_padded ? object_boxes.size() : generations.size());
    }
    std::size_t padded_count() const noexcept;

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
        return std::min(settings.max_pair_count, std::size_t{0xFFFFFFFF});
    }
    /// The hash from the pairs and the user data as of the last update; or as it is now, which becomes that.
    void rehash_known() noexcept;
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
    void rebuild() noexcept;

    // consistency.cpp
    bool is_consistent() const noexcept { return is_sound() && are_pairs_complete(); }
    /// Returns whether arrays fit together. No pair is searched for.
    bool is_sound() const noexcept;
    bool are_pairs_complete() const noexcept;

    std::size_t capacity_bytes() const noexcept;
    void shrink() noexcept;

    WorldSettings settings;
    Allocator allocator;

    // By slot.
    AlignedArray<std::uint32_t> generations;
    AlignedArray<std::uint32_t> next_free;
    AlignedArray<PairRules> rules;
    AlignedArray<std::uint64_t> user_data;
    ObjectBoxes object_boxes;
    /// As they were at the last update: the objects whose pairs the list holds.
    AlignedArray<std::uint32_t> known_generations;
    AlignedArray<std::uint64_t> known_user_data;
    AlignedArray<std::uint64_t> changed_bits;
    /// The words of it in which there are some, in any order.
    AlignedArray<std::uint32_t> changed_words;
    std::size_t changed_word_count = 0;
    /// Slots that hold no fixed object, for the one rule that most worlds have: one of a pair is there.
    AlignedArray<std::uint64_t> mobile_bits;
    std::uint32_t first_free = kNoObjectSlot;
    std::size_t object_count = 0;
    std::size_t changed_count = 0;
    /// Slots that hold another object than at the last update, and whether there are some.
    AlignedArray<std::uint64_t> newcomer_bits;
    bool has_newcomers = false;
    LayerRules layer_rules;
    /// Slots of objects that rules, apart from the kind, could keep from pairing; of a pair of two others none is
    /// read.
    AlignedArray<std::uint64_t> ruled_bits;
    std::size_t ruled_count = 0;
    /// Pairs alive at the last update may be forbidden now, or others allowed, though no object is another.
    bool have_rules_changed = false;
    /// The slots of objects whose own rules are others, where those are few: their candidates are looked up anew.
    AlignedArray<std::uint32_t> reruled_slots;

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
    bool is_hash_stale = false;

    /// For the queries.
    TreeCopies trees;

private:
    friend struct EventNames;
    friend struct MoverComparison;

    std::uint32_t take_slot() noexcept;
    template <class Mark>
    void replace_boxes(const ObjectHandle* handles, const BoxSoaView& new_boxes, Mark&& mark) noexcept;
    bool reserve_shapes() noexcept { return object_boxes.reserve(object_boxes.size(), true); }
    bool check_in_tasks(std::span<const ObjectHandle> handles, const TaskRunner* runner) noexcept;
    void set_in_tasks(std::span<const ObjectHandle> handles, const BoxSoaView& new_boxes,
                      const TaskRunner* runner) noexcept;
    Status update_changed(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    Status find(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    bool find_by_tracked(const StaggeredPairs::Call& call, Status& out_status) noexcept;
    Status find_of_movers(const TaskRunner* runner) noexcept;
    Status find_all(const TaskRunner* runner) noexcept;
    static bool may_pair_of(const void* user, std::uint32_t a, std::uint32_t b) noexcept;
    const std::uint64_t* reborn_bits() noexcept;
    const std::uint64_t* reruled_bits() noexcept;
    std::size_t rest_drift_max() const noexcept;
    bool is_rest_current() const noexcept;
    bool is_rest_good() const noexcept;
    bool is_rest_lasting() noexcept;
    bool prepare_rest(bool are_candidates_starting, const TaskRunner* runner, Status& out_status) noexcept;
    bool has_fixed_object() const noexcept;
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
    template <class Visit>
    void for_each_changed(Visit&& visit) const noexcept {
        for (std::size_t i = 0; i < changed_word_count; ++i) {
            const std::uint32_t word = changed_words.data()[i];
            for (std::uint64_t bits = changed_bits.data()[word]; bits != 0; bits &= bits - 1)
                visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }
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
    bool may_pair_now(std::uint32_t a, std::uint32_t b) const noexcept;
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
    AlignedArray<std::uint64_t> reborn_bits_;
    AlignedArray<std::uint64_t> reruled_bits_;
    // What had changed when few had, the last time.
    AlignedArray<std::uint64_t> changed_before_bits_;
    AlignedArray<ComparisonPart> comparison_parts_;
    // For set_boxes by tasks: what each does, and slots whose boxes they have changed; no bit is set in between.
    AlignedArray<SetPart> set_parts_;
    AlignedArray<std::uint64_t> set_bits_;
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
    const bool is_ascending = settings.order == WorldOrder::slot || data[a.slot()] < data[b.slot()] ||
                              (data[a.slot()] == data[b.slot()] && a.slot() < b.slot());
    return is_ascending ? WorldPair{a, b} : WorldPair{b, a};
}

inline std::uint64_t WorldData::hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept {
    const bool by_slot = settings.order == WorldOrder::slot;
    const std::uint64_t key_a = by_slot ? pair.a.value : data[pair.a.slot()];
    const std::uint64_t key_b = by_slot ? pair.b.value : data[pair.b.slot()];
    return mix(mix(key_a + 0x9E3779B97F4A7C15u) + key_b);
}

/// Null data is a world without objects.
inline bool check_alive(const WorldData* data, ObjectHandle handle) noexcept {
    return BROADSIDE_ARGUMENT(data != nullptr && data->is_alive(handle), "handle: names no object");
}

}  // namespace broadside::broadphase
