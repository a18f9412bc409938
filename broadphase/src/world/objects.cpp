// Slots and handles, and what is known of an object.
#include "broadphase/src/thresholds.hpp"
#include "broadphase/src/world/data.hpp"

#include <broadside/prepared_objects.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <new>

namespace broadside::broadphase {
namespace {

// The last generation of a living object; its slot is retired when it is removed.
constexpr std::uint32_t kLastGeneration = ~std::uint32_t{0};
constexpr std::size_t kPaddingMin = 64;

template <class T>
bool grow(AlignedArray<T>& array, std::size_t size) {
    return size <= array.capacity() || array.reserve(std::max(size, array.capacity() + array.capacity() / 2));
}

}  // namespace

WorldData::WorldData(const WorldSettings& world_settings, const Allocator& world_allocator) noexcept
    : settings(world_settings),
      allocator(world_allocator),
      generations(allocator),
      next_free(allocator),
      rules(allocator),
      user_data(allocator),
      object_boxes(allocator),
      known_generations(allocator),
      known_user_data(allocator),
      changed_bits(allocator),
      changed_words(allocator),
      mobile_bits(allocator),
      newcomer_bits(allocator),
      layer_rules(allocator),
      ruled_bits(allocator),
      reruled_slots(allocator),
      pairs(allocator),
      values(allocator),
      object_pairs(allocator),
      tracked(allocator),
      begun_pairs(allocator),
      begun(allocator),
      ended(allocator),
      ended_data(allocator),
      trees(allocator),
      scratch_(allocator),
      found_(allocator),
      resting_(allocator),
      reborn_bits_(allocator),
      reruled_bits_(allocator),
      changed_before_bits_(allocator),
      comparison_parts_(allocator),
      set_parts_(allocator),
      set_bits_(allocator),
      pair_tree_(allocator),
      tree_scratch_(allocator),
      few_slots_(allocator),
      few_boxes_(allocator),
      next_ended_pairs_(allocator),
      next_pairs_(allocator),
      next_values_(allocator),
      next_begun_pairs_(allocator),
      next_begun_(allocator),
      next_ended_(allocator),
      persisting_list_(allocator),
      pair_list_(allocator),
      pairs_of_list_(allocator) {}

std::size_t WorldData::find_dead(std::span<const ObjectHandle> handles) const noexcept {
    if (generations.is_empty()) return handles.empty() || check_alive(this, handles[0]) ? kNoIndex : 0;
    // Mostly all live, so they are looked at without branches first.
    const std::uint32_t* const known = generations.data();
    const std::size_t slot_count = generations.size();
    std::uint32_t dead = 0;
    for (const ObjectHandle handle : handles) {
        const std::uint32_t slot = handle.slot();
        const std::uint32_t generation = handle.generation();
        const bool is_slot = slot < slot_count;
        dead |= (known[is_slot ? slot : 0] ^ generation) | (~generation & 1) | (is_slot ? 0u : 1u);
    }
    if (dead == 0) return kNoIndex;
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (!check_alive(this, handles[i])) return i;
    }
    return kNoIndex;
}

// In steps of an eighth, so that what rests need not be sorted anew whenever a slot is added.
std::size_t WorldData::padded_count() const noexcept {
    const std::size_t count = generations.size();
    const std::size_t step = std::max(kPaddingMin, std::bit_ceil(count) / 8);
    return (count + step - 1) / step * step;
}

Status WorldData::reserve_objects(std::size_t count, bool are_shaped) noexcept {
    if (count > settings.max_object_count - std::min(settings.max_object_count, object_count)) {
        return Status::capacity_exceeded;
    }
    // As if none of the free slots were used: some may be retired.
    const std::size_t slots = generations.size() + count;
    if (slots > kMaxBoxCount) return Status::capacity_exceeded;
    // Room for the padding as well, which is at most an eighth and one step.
    const std::size_t padded = (slots + std::bit_ceil(slots) / 8 + kPaddingMin + 63) / 64 * 64;
    const bool has_memory =
        grow(generations, slots) && grow(next_free, slots) && grow(rules, slots) && grow(user_data, slots) &&
        grow(known_generations, slots) && grow(known_user_data, slots) &&
        grow(changed_bits, bit_word_count(padded)) && grow(changed_words, bit_word_count(padded) + 1) &&
        grow(mobile_bits, bit_word_count(padded)) && grow(newcomer_bits, bit_word_count(padded)) &&
        grow(ruled_bits, bit_word_count(padded)) && object_boxes.reserve(padded, are_shaped);
    return has_memory ? Status::ok : Status::out_of_memory;
}

// A slot for a new object, with the rules and the box of a free one.
std::uint32_t WorldData::take_slot() noexcept {
    std::uint32_t slot = first_free;
    if (slot != kNoObjectSlot) {
        first_free = next_free[slot];
    } else {
        slot = static_cast<std::uint32_t>(generations.size());
        BROADSIDE_ASSERT(slot < generations.capacity(), "add: reserve_objects comes first");
        const std::size_t count = std::size_t{slot} + 1;
        // Within what reserve_objects has made.
        (void)generations.resize(count);
        (void)next_free.resize(count);
        (void)rules.resize(count);
        (void)user_data.resize(count);
        (void)known_generations.resize(count);
        (void)known_user_data.resize(count);
        generations[slot] = 0;
        known_generations[slot] = 0;
        known_user_data[slot] = 0;
        rules[slot] = {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, ObjectKind::moving, 0};
        if (const std::size_t padded = padded_count(); object_boxes.size() < padded) {
            const std::size_t words = changed_bits.size();
            (void)changed_bits.resize(bit_word_count(padded));
            (void)changed_words.resize(bit_word_count(padded) + 1);
            (void)mobile_bits.resize(bit_word_count(padded));
            (void)newcomer_bits.resize(bit_word_count(padded));
            (void)ruled_bits.resize(bit_word_count(padded));
            std::fill(changed_bits.begin() + words, changed_bits.end(), 0);
            std::fill(mobile_bits.begin() + words, mobile_bits.end(), ~std::uint64_t{0});
            std::fill(newcomer_bits.begin() + words, newcomer_bits.end(), 0);
            std::fill(ruled_bits.begin() + words, ruled_bits.end(), 0);
            object_boxes.resize(padded);
        }
        note_rules(slot);
    }
    next_free[slot] = kNoObjectSlot;
    ++generations[slot];
    ++object_count;
    has_newcomers = true;
    set_bit(newcomer_bits, slot);
    mark_changed(slot);
    return slot;
}

ObjectHandle WorldData::add(const ObjectDescription& description) noexcept {
    const std::uint32_t slot = take_slot();
    user_data[slot] = description.user_data;
    const ObjectFilter& filter = description.filter;
    set_rules(slot, {filter.category, filter.mask, filter.group, filter.layer, description.kind, 0});
    set_body(slot, {description.box, description.displacement, description.margin});
    return handle_at(slot);
}

// The same as add, one after the other, of which nothing is compared with what was there.
void WorldData::add_prepared(const PreparedObjects& objects, std::span<ObjectHandle> out_handles) noexcept {
    const BoxSoaView grown = objects.grown_boxes();
    for (std::size_t item = 0; item < grown.count; ++item) {
        const ObjectDescription& description = objects.descriptions()[item];
        const ObjectFilter& filter = description.filter;
        const PairRules rule = {filter.category, filter.mask,      filter.group,
                                filter.layer,    description.kind, 0};
        const WorldBody body = {description.box, description.displacement, description.margin};
        const std::uint32_t slot = take_slot();
        user_data[slot] = description.user_data;
        rules[slot] = rule;
        note_rules(slot);
        if (is_shaped(body)) {
            object_boxes.put(slot, body, grown[item]);
        } else {
            (void)object_boxes.replace_box(slot, body.box);
        }
        out_handles[item] = handle_at(slot);
    }
}

BatchResult WorldData::remove(std::span<const ObjectHandle> handles) noexcept {
    std::size_t bad = kNoIndex;
    std::size_t done = 0;
    for (; done < handles.size(); ++done) {
        if (!is_alive(handles[done])) {
            bad = done;
            break;
        }
        // Dead for the time being, so that a second mention is noticed.
        generations[handles[done].slot()] ^= 1;
    }
    for (std::size_t i = 0; i < done; ++i) generations[handles[i].slot()] ^= 1;
    if (bad != kNoIndex) {
        (void)(check_alive(this, handles[bad]) &&
               BROADSIDE_ARGUMENT(bad == kNoIndex, "handles: one is there twice"));
        return {Status::invalid_argument, bad};
    }
    has_newcomers = has_newcomers || !handles.empty();
    // The first one's slot is the first to be taken again: who comes in the place of others stands where they did.
    for (std::size_t i = handles.size(); i-- != 0;) {
        const std::uint32_t slot = handles[i].slot();
        mark_changed(slot);
        set_bit(newcomer_bits, slot);
        set_rules(slot, {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, ObjectKind::moving, 0});
        set_body(slot, {Aabb::empty(), {0, 0, 0}, 0});
        --object_count;
        if (generations[slot] == kLastGeneration) {
            generations[slot] = kLastGeneration - 1;
            continue;
        }
        ++generations[slot];
        next_free[slot] = first_free;
        first_free = slot;
    }
    return {};
}

void WorldData::set_rules(std::uint32_t slot, const PairRules& rule) noexcept {
    const PairRules before = rules[slot];
    if (is_same(before, rule)) return;
    rules[slot] = rule;
    note_rules(slot);
    mark_changed(slot);
}

void WorldData::note_rules(std::uint32_t slot) noexcept {
    const PairRules& rule = rules[slot];
    const bool is_ruled = rule.category != ~std::uint64_t{0} || rule.mask != ~std::uint64_t{0} ||
                          rule.group != 0 || layer_rules.has_rule(rule.layer);
    ruled_count = ruled_count + (is_ruled ? 1u : 0u) - (has_bit(ruled_bits, slot) ? 1u : 0u);
    set_bit(ruled_bits, slot, is_ruled);
    set_bit(mobile_bits, slot, rule.kind != ObjectKind::fixed);
}

void WorldData::change_rules(std::uint32_t slot, const PairRules& rule) noexcept {
    // Of an object that came since the last update candidates are looked up anyway.
    if (!is_same(rules[slot], rule) && known_generations[slot] == generations[slot]) {
        have_rules_changed = true;
        const bool are_few =
            reruled_slots.size() * thresholds().updates.slots_per_reruled <= generations.size();
        if (!are_few || !reruled_slots.push_back(slot)) tracked.forget_candidates();
    }
    set_rules(slot, rule);
}

void WorldData::set_user_data(std::uint32_t slot, std::uint64_t data) noexcept {
    is_hash_stale |= settings.order == WorldOrder::user_data && user_data[slot] != data;
    user_data[slot] = data;
    // Where slots are the order this sorts nothing, and is for whoever asks after the object is gone.
    if (settings.order == WorldOrder::slot && known_generations[slot] == generations[slot])
        known_user_data[slot] = data;
    trees.mark(slot / 64, std::uint64_t{1} << slot % 64);
}

void WorldData::forget_changes() noexcept {
    if (changed_word_count < changed_bits.size() / 8) {
        for (std::size_t i = 0; i < changed_word_count; ++i) changed_bits[changed_words[i]] = 0;
    } else if (!changed_bits.is_empty()) {
        std::memset(changed_bits.data(), 0, changed_bits.size() * sizeof(std::uint64_t));
    }
    changed_word_count = 0;
    changed_count = 0;
}

bool WorldData::set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept {
    if (layer_rules.may_pair(layer_a, layer_b) == may_pair) return true;
    if (!layer_rules.set(layer_a, layer_b, may_pair)) return false;
    tracked.forget_candidates();
    have_rules_changed = true;
    for (std::uint32_t slot = 0; slot < generations.size(); ++slot) {
        const std::uint32_t layer = rules[slot].layer;
        note_rules(slot);
        const bool is_alive = generations[slot] % 2 == 1;
        if (is_alive && (layer == layer_a || layer == layer_b)) mark_changed(slot);
    }
    return true;
}

ObjectDescription WorldData::describe(std::uint32_t slot) const noexcept {
    const WorldBody body = body_at(slot);
    const PairRules& rule = rules[slot];
    return {body.box,        rule.kind,   {rule.category, rule.mask, rule.group, rule.layer},
            user_data[slot], body.margin, body.displacement};
}

bool WorldData::may_pair(std::uint32_t a, std::uint32_t b) const noexcept {
    const PairRules& rule_a = rules[a];
    const PairRules& rule_b = rules[b];
    if (rule_a.kind == ObjectKind::fixed && rule_b.kind == ObjectKind::fixed &&
        !settings.fixed_objects_pair) {
        return false;
    }
    if (!layer_rules.may_pair(rule_a.layer, rule_b.layer)) return false;
    if (rule_a.group == rule_b.group && rule_a.group != 0) return rule_a.group > 0;
    return (rule_a.category & rule_b.mask) != 0 && (rule_b.category & rule_a.mask) != 0;
}

std::size_t WorldData::capacity_bytes() const noexcept {
    std::size_t bytes = sizeof(WorldData) + object_boxes.capacity_bytes() + scratch_.capacity_bytes() +
                        resting_.capacity_bytes() + tracked.capacity_bytes() + trees.capacity_bytes() +
                        found_.capacity() * sizeof(IndexPair) + object_pairs.capacity_bytes() +
                        pair_tree_.capacity_bytes() + tree_scratch_.capacity_bytes() +
                        layer_rules.capacity_bytes();
    const auto add_array = [&](const auto& array) { bytes += array.capacity_bytes(); };
    add_array(generations);
    add_array(next_free);
    add_array(rules);
    add_array(user_data);
    add_array(known_generations);
    add_array(known_user_data);
    add_array(changed_bits);
    add_array(changed_words);
    for (const auto* array : {&reborn_bits_, &reruled_bits_, &changed_before_bits_}) add_array(*array);
    add_array(reruled_slots);
    add_array(few_slots_);
    add_array(pairs_of_list_);
    add_array(few_boxes_);
    add_array(next_ended_pairs_);
    add_array(mobile_bits);
    add_array(newcomer_bits);
    add_array(ended_data);
    add_array(ruled_bits);
    add_array(comparison_parts_);
    add_array(set_parts_);
    add_array(set_bits_);
    for (const auto* array : {&pairs, &next_pairs_, &begun_pairs, &next_begun_pairs_}) add_array(*array);
    for (const auto* array : {&values, &next_values_}) add_array(*array);
    for (const auto* array : {&begun, &next_begun_, &persisting_list_, &pair_list_}) add_array(*array);
    for (const auto* array : {&ended, &next_ended_}) add_array(*array);
    return bytes;
}

// What the next update or question makes anew is made new; what stays moves to memory of its size.
void WorldData::shrink() noexcept {
    const auto renew = [&](auto& object) {
        using Object = std::remove_reference_t<decltype(object)>;
        std::destroy_at(&object);
        new (&object) Object(allocator);
    };
    if (!pairs_are_by_object || put_pairs_in_list()) renew(object_pairs);
    if (put_tracked_in_list()) renew(tracked);
    renew(pair_tree_);
    pair_tree_update_ = 0;
    meeting_trees_ = MeetingTrees::none;
    resting_.release();
    scratch_.release();
    tree_scratch_.release();
    found_.release();
    trees.release();
    const auto release = [](auto&... arrays) { (arrays.release(), ...); };
    release(comparison_parts_, set_parts_, set_bits_, few_slots_, few_boxes_, next_ended_pairs_, next_pairs_,
            next_values_, next_begun_pairs_, next_begun_, next_ended_, persisting_list_, pair_list_,
            pairs_of_list_, reborn_bits_, reruled_bits_, changed_before_bits_);
    has_persisting_list_ = false;
    has_pair_list_ = false;
    const auto fit = [](auto&... arrays) { (shrink_to_fit(arrays), ...); };
    fit(generations, next_free, rules, user_data, known_generations, known_user_data, changed_bits,
        changed_words, mobile_bits, newcomer_bits, ruled_bits, reruled_slots, pairs, values, begun_pairs,
        begun, ended, ended_data);
    object_boxes.shrink();
    layer_rules.shrink();
}

}  // namespace broadside::broadphase
