// What a World holds. Objects live at slots; free slots hold empty boxes, which pair with nothing, so that
// the arrays go to find_pairs as they are and the index of a box is its slot.
#pragma once

#include "broadphase/src/candidates/mover_pairs.hpp"
#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/world/tree_copies.hpp"
#include "core/src/argument.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/bits.hpp>
#include <broadside/pair_cache.hpp>
#include <broadside/world.hpp>

namespace broadside::broadphase {

/// A box as the caller set it. Where neither displacement nor margin is set, the columns hold the box and
/// `box` here means nothing; WorldData::body_at tells.
struct WorldBody {
    Aabb box;
    Vec3 displacement;
    float margin;
};

/// Whether the box that pairs are found with is another than the box itself.
inline bool is_shaped(const WorldBody& body) {
    const Vec3 d = body.displacement;
    return !((body.margin == 0) & (d.x == 0) & (d.y == 0) & (d.z == 0));
}

/// Bit for bit.
inline bool is_same(const Aabb& a, const Aabb& b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
inline bool is_same(const WorldBody& a, const WorldBody& b) {
    return __builtin_memcmp(&a, &b, sizeof a) == 0;
}

/// What every call that takes a margin or a displacement asks of them; the box may be anything.
inline bool is_legal(const WorldBody& body) { return body.margin >= 0 && is_finite(body.displacement); }

/// The box that pairs are found with: swept, then grown. Valid exactly where the box is: of a legal body no
/// sum is NaN, and one beyond FLT_MAX is an infinite side. Empty where the box is invalid, so that a margin
/// does not turn an inverted box into a valid one.
inline Aabb grown_box(const WorldBody& body) {
    if (!is_shaped(body)) return body.box;
    return is_valid(body.box) ? expanded(swept(body.box, body.displacement), body.margin) : Aabb::empty();
}

/// All that decides whether two objects may pair, in one line of the cache with one more.
struct PairRules {
    std::uint64_t category;
    std::uint64_t mask;
    std::int32_t group;
    std::uint8_t layer;
    ObjectKind kind;
    std::uint16_t unused;
};

/// Whether the rule, apart from the kind, could keep an object from pairing.
inline bool is_ruled(const PairRules& rule) {
    return rule.category != ~std::uint64_t{0} || rule.mask != ~std::uint64_t{0} || rule.group != 0;
}

inline constexpr std::uint32_t kNoObjectSlot = ~std::uint32_t{0};

/// What one task compares: where it begins in both lists, and what came of it.
struct ComparisonPart {
    std::size_t found_begin;
    std::size_t before_begin;
    std::size_t begun_count;
    std::size_t ended_count;
    std::size_t pair_end;
    std::uint64_t hash;
};

class WorldData {
public:
    WorldData(const WorldSettings& settings, const Allocator& allocator) noexcept;
    WorldData(const WorldData&) = delete;
    WorldData& operator=(const WorldData&) = delete;

    // objects.cpp
    bool is_alive(ObjectHandle handle) const noexcept;
    /// The first handle that names nothing, which the assert handler is told, or kNoIndex.
    std::size_t find_dead(std::span<const ObjectHandle> handles) const noexcept;
    /// Room for `count` objects more, in every array; capacity_exceeded, out_of_memory, or ok.
    Status reserve_objects(std::size_t count) noexcept;
    /// After reserve_objects.
    ObjectHandle add(const ObjectDescription& description) noexcept;
    void add_prepared(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept;
    BatchResult remove(std::span<const ObjectHandle> handles) noexcept;
    void set_body(std::uint32_t slot, const WorldBody& body) noexcept;
    void set_plain_box(std::uint32_t slot, const Aabb& box) noexcept;
    void set_plain_boxes(std::uint32_t first_slot, const BoxSoaView& new_boxes) noexcept;
    void set_boxes(const ObjectHandle* handles, const BoxSoaView& new_boxes) noexcept;
    void set_rules(std::uint32_t slot, const PairRules& rule) noexcept;
    void set_user_data(std::uint32_t slot, std::uint64_t user_data) noexcept;
    void mark_changed(std::uint32_t slot) noexcept;
    bool is_marked(std::uint32_t slot) const noexcept { return has_bit(changed_bits, slot); }
    /// The grown box of a body, to its slot in the columns.
    void store_box(std::uint32_t slot) noexcept;
    void mark_all_changed() noexcept;
    ObjectHandle handle_at(std::uint32_t slot) const noexcept {
        return {std::uint64_t{generations[slot]} << 32 | slot};
    }
    /// The object whose pairs the list holds.
    ObjectHandle known_handle(std::uint32_t slot) const noexcept {
        return {std::uint64_t{known_generations[slot]} << 32 | slot};
    }
    WorldBody body_at(std::uint32_t slot) const noexcept;
    ObjectDescription describe(std::uint32_t slot) const noexcept;
    bool may_pair(std::uint32_t a, std::uint32_t b) const noexcept;
    /// The grown boxes at all slots, and at the padding behind them when `is_padded`.
    BoxSoaView boxes(bool is_padded) const noexcept;
    std::size_t padded_count() const noexcept;

    // update.cpp
    UpdateResult update(const TaskRunner* runner) noexcept;
    void forget_lists() noexcept;
    std::span<const WorldPair> list(bool with_begun) noexcept;
    /// The slot of a pair in `pairs`, or kNoIndex.
    std::size_t find_pair(ObjectHandle a, ObjectHandle b) const noexcept;
    /// The hash from the pairs and the user data as of the last update; or as it is now, which becomes that.
    void rehash_known() noexcept;
    void rehash() noexcept;

    // snapshot.cpp
    std::size_t snapshot_bytes() const noexcept;
    void save(std::span<std::byte> out_bytes) const noexcept;
    /// Into a new, empty world; false when the bytes are not a world, or there is no memory for it.
    Status restore(std::span<const std::byte> bytes) noexcept;
    void rebuild() noexcept;
    bool is_consistent() const noexcept;

    std::size_t capacity_bytes() const noexcept;

    WorldSettings settings;
    Allocator allocator;

    // By slot.
    AlignedArray<std::uint32_t> generations;
    AlignedArray<std::uint32_t> next_free;
    AlignedArray<WorldBody> bodies;
    AlignedArray<PairRules> rules;
    AlignedArray<std::uint64_t> user_data;
    AlignedArray<float> columns[6];
    /// As they were at the last update: the objects whose pairs the list holds.
    AlignedArray<std::uint32_t> known_generations;
    AlignedArray<std::uint64_t> known_user_data;
    AlignedArray<std::uint64_t> changed_bits;
    /// Slots that hold no fixed object, for the one rule that most worlds have: one of a pair is there.
    AlignedArray<std::uint64_t> mobile_bits;
    std::uint32_t first_free = kNoObjectSlot;
    std::size_t object_count = 0;
    std::size_t changed_count = 0;
    /// How far boxes have moved since the last update, summed over the moves.
    double step_sum = 0;
    std::size_t step_count = 0;
    /// Some slot may hold another object, or other user data, than at the last update.
    bool has_newcomers = false;
    /// Objects with a margin or a displacement.
    std::size_t shaped_count = 0;
    std::uint64_t layer_masks[kLayerCount];
    /// Objects that the other rules could keep from pairing; while there are none, no rule is read.
    std::size_t ruled_count = 0;
    bool has_layer_rules = false;

    // The pairs alive, by slot, with their values, and the lists of the last update.
    AlignedArray<IndexPair> pairs;
    AlignedArray<std::uint64_t> values;
    AlignedArray<std::uint64_t> begun_slots;
    AlignedArray<WorldPair> begun;
    AlignedArray<EndedPair> ended;
    std::uint64_t hash = 0;
    bool is_hash_stale = false;

    /// For the queries.
    TreeCopies trees;

private:
    friend struct WorldComparison;

    std::uint32_t take_slot() noexcept;
    Status find(const TaskRunner* runner, UpdateResult& state_result) noexcept;
    float cache_margin() const noexcept;
    bool prepare_rest(const TaskRunner* runner, Status& out_status) noexcept;
    bool has_fixed_object() const noexcept;
    bool has_fixed_mover() const noexcept;
    void drop_forbidden(UpdatePath path) noexcept;
    bool cut_comparison(bool is_complete) noexcept;
    void close_up_lists(UpdateResult& state_result) noexcept;
    Status compare(bool is_complete, const TaskRunner* runner, UpdateResult& state_result) noexcept;
    void commit() noexcept;
    void learn_newcomers() noexcept;
    WorldPair ordered(ObjectHandle a, ObjectHandle b, const std::uint64_t* data) const noexcept;
    std::uint64_t hash_of(const WorldPair& pair, const std::uint64_t* data) const noexcept;
    template <class Pair>
    void sort(AlignedArray<Pair>& state_list, const std::uint64_t* data) const noexcept;

    // What the next update works with, and what it writes before it takes the slot of the above.
    FindPairsScratch scratch_;
    PairBuffer found_;
    RestingBoxes resting_;
    PairCache cache_;
    MoverPairs mover_pairs_;
    std::uint32_t rest_use_count_ = 0;
    std::uint32_t rest_bypass_count_ = 0;
    std::uint32_t rest_bypass_left_ = 0;
    AlignedArray<ComparisonPart> comparison_parts_;
    AlignedArray<IndexPair> next_pairs_;
    AlignedArray<std::uint64_t> next_values_;
    AlignedArray<std::uint64_t> next_begun_slots_;
    AlignedArray<WorldPair> next_begun_;
    AlignedArray<EndedPair> next_ended_;
    // Put together on demand.
    AlignedArray<WorldPair> persisting_list_;
    AlignedArray<WorldPair> pair_list_;
    bool has_persisting_list_ = false;
    bool has_pair_list_ = false;
};

/// Null data is a world without objects.
inline bool check_alive(const WorldData* data, ObjectHandle handle) noexcept {
    return BROADSIDE_ARGUMENT(data != nullptr && data->is_alive(handle), "handle: names no object");
}

}  // namespace broadside::broadphase
