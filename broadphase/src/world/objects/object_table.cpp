// Slots and handles, and the properties of an object.
#include "broadphase/src/world/objects/object_table.hpp"
#include "broadphase/src/thresholds.hpp"

#include <broadside/find_pairs.hpp>

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

// The last generation of a living object; its slot is retired when the object is removed.
constexpr std::uint32_t kLastGeneration = ~std::uint32_t{0};
constexpr std::size_t kPaddingMin = 64;

}  // namespace

ObjectTable::ObjectTable(const WorldSettings& world_settings, const Allocator& allocator) noexcept
    : settings(world_settings),
      generations(allocator),
      next_free(allocator),
      rules(allocator),
      user_data(allocator),
      object_boxes(allocator),
      known_generations(allocator),
      known_user_data(allocator),
      mobile_bits(allocator),
      ruled_bits(allocator),
      layer_rules(allocator),
      changes(allocator),
      unasked(allocator),
      set_parts_(allocator) {}

std::size_t ObjectTable::find_dead(std::span<const ObjectHandle> handles) const noexcept {
    if (generations.is_empty()) return handles.empty() || check_alive(this, handles[0]) ? kNoIndex : 0;
    // Mostly all live, so they are tested without branches first.
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

// In steps of an eighth, so that resting boxes need not be sorted anew whenever a slot is added.
std::size_t ObjectTable::padded_count_of(std::size_t count) noexcept {
    const std::size_t step = std::max(kPaddingMin, std::bit_ceil(count) / 8);
    return (count + step - 1) / step * step;
}

Status ObjectTable::reserve_objects(std::size_t count, bool are_shaped) noexcept {
    if (count > settings.max_object_count - std::min(settings.max_object_count, object_count)) {
        return Status::capacity_exceeded;
    }
    // Counts no free slots: some may be retired.
    const std::size_t slots = slot_count() + count;
    if (slots > kMaxBoxCount) return Status::capacity_exceeded;
    // With room for the padding, which is at most an eighth and one step.
    const std::size_t padded = (slots + std::bit_ceil(slots) / 8 + kPaddingMin + 63) / 64 * 64;
    const auto grow = [](std::size_t size, auto&... arrays) {
        return (arrays.reserve_to_append(size - arrays.size()) && ...);
    };
    const bool has_memory =
        grow(slots, generations, next_free, rules, user_data, known_generations, known_user_data) &&
        grow(bit_word_count(padded), mobile_bits, ruled_bits) && changes.reserve(bit_word_count(padded)) &&
        object_boxes.reserve(padded, are_shaped);
    return has_memory ? Status::ok : Status::out_of_memory;
}

bool ObjectTable::resize(std::size_t slot_count, std::size_t padded_count) noexcept {
    const auto resize_all = [](std::size_t size, auto&... arrays) { return (arrays.resize(size) && ...); };
    if (!resize_all(slot_count, generations, next_free, rules, user_data, known_generations, known_user_data))
        return false;
    const std::size_t words = bit_word_count(padded_count);
    const std::size_t before = mobile_bits.size();
    if (words <= before) return true;
    if (!changes.reserve(words) || !object_boxes.reserve(padded_count, false) ||
        !resize_all(words, mobile_bits, ruled_bits)) {
        return false;
    }
    std::fill(mobile_bits.begin() + before, mobile_bits.end(), ~std::uint64_t{0});
    std::fill(ruled_bits.begin() + before, ruled_bits.end(), 0);
    changes.resize(words);
    object_boxes.resize(padded_count);
    return true;
}

// Takes a slot for a new object; it has the rules and the box of a free one.
std::uint32_t ObjectTable::take_slot() noexcept {
    std::uint32_t slot = first_free;
    if (slot != kNoObjectSlot) {
        first_free = next_free[slot];
    } else {
        slot = static_cast<std::uint32_t>(slot_count());
        BROADSIDE_ASSERT(slot < generations.capacity(), "add: reserve_objects comes first");
        const std::size_t count = std::size_t{slot} + 1;
        // Within the room that reserve_objects has made.
        (void)resize(count, std::max(object_boxes.size(), padded_count_of(count)));
        generations[slot] = 0;
        known_generations[slot] = 0;
        known_user_data[slot] = 0;
        rules[slot] = {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, ObjectKind::moving, 0};
        note_rules(slot);
    }
    next_free[slot] = kNoObjectSlot;
    ++generations[slot];
    ++object_count;
    changes.note_newcomer(slot);
    mark_changed(slot);
    return slot;
}

ObjectHandle ObjectTable::add(const ObjectDescription& description, const Aabb& grown) noexcept {
    const std::uint32_t slot = take_slot();
    const ObjectFilter& filter = description.filter;
    user_data[slot] = description.user_data;
    rules[slot] = {filter.category, filter.mask, filter.group, filter.layer, description.kind, 0};
    note_rules(slot);
    const WorldBody body = body_of(description);
    if (is_shaped(body)) {
        object_boxes.put(slot, body, grown);
    } else {
        (void)object_boxes.replace_box(slot, body.box);
    }
    return handle_at(slot);
}

BatchResult ObjectTable::remove(std::span<const ObjectHandle> handles) noexcept {
    std::size_t bad = kNoIndex;
    std::size_t done = 0;
    for (; done < handles.size(); ++done) {
        if (!is_alive(handles[done])) {
            bad = done;
            break;
        }
        // Dead for now, so that a second mention is noticed.
        generations[handles[done].slot()] ^= 1;
    }
    for (std::size_t i = 0; i < done; ++i) generations[handles[i].slot()] ^= 1;
    if (bad != kNoIndex) {
        (void)(check_alive(this, handles[bad]) &&
               BROADSIDE_ARGUMENT(bad == kNoIndex, "handles: one is there twice"));
        return {Status::invalid_argument, bad};
    }
    // The first slot is the first to be taken again: replacing objects get their slots in the same order.
    for (std::size_t i = handles.size(); i-- != 0;) {
        const std::uint32_t slot = handles[i].slot();
        mark_changed(slot);
        changes.note_newcomer(slot);
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

void ObjectTable::set_rules(std::uint32_t slot, const PairRules& rule) noexcept {
    const PairRules before = rules[slot];
    if (is_same(before, rule)) return;
    rules[slot] = rule;
    note_rules(slot);
    mark_changed(slot);
}

void ObjectTable::note_rules(std::uint32_t slot) noexcept {
    const PairRules& rule = rules[slot];
    const bool is_ruled = rule.category != ~std::uint64_t{0} || rule.mask != ~std::uint64_t{0} ||
                          rule.group != 0 || layer_rules.has_rule(rule.layer);
    ruled_count = ruled_count + (is_ruled ? 1u : 0u) - (has_bit(ruled_bits, slot) ? 1u : 0u);
    set_bit(ruled_bits, slot, is_ruled);
    set_bit(mobile_bits, slot, rule.kind != ObjectKind::fixed);
}

void ObjectTable::change_rules(std::uint32_t slot, const PairRules& rule) noexcept {
    // The candidates of an object that came since the last update are looked up anyway.
    if (!is_same(rules[slot], rule) && known_generations[slot] == generations[slot])
        changes.note_reruled(slot, slot_count() / thresholds().updates.slots_per_reruled);
    set_rules(slot, rule);
}

void ObjectTable::set_user_data(std::uint32_t slot, std::uint64_t data) noexcept {
    if (settings.order == WorldOrder::user_data && user_data[slot] != data) changes.note_order();
    user_data[slot] = data;
    // If slots are the order, this sorts nothing; it is for callers that ask after the object is gone.
    if (settings.order == WorldOrder::slot && known_generations[slot] == generations[slot])
        known_user_data[slot] = data;
    unasked.mark(slot);
}

void ObjectTable::set(std::uint32_t slot, const ObjectDescription& description) noexcept {
    const ObjectFilter& filter = description.filter;
    set_body(slot, body_of(description));
    change_rules(slot, {filter.category, filter.mask, filter.group, filter.layer, description.kind, 0});
    set_user_data(slot, description.user_data);
}

void ObjectTable::settle() noexcept {
    changes.for_each_newcomer([&](std::uint32_t slot) {
        known_generations[slot] = generations[slot];
        known_user_data[slot] = user_data[slot];
    });
    if (changes.has_order_changed()) std::copy(user_data.begin(), user_data.end(), known_user_data.begin());
    changes.clear();
}

bool ObjectTable::set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept {
    if (layer_rules.may_pair(layer_a, layer_b) == may_pair) return true;
    if (!layer_rules.set(layer_a, layer_b, may_pair)) return false;
    changes.note_all_reruled();
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        const std::uint32_t layer = rules[slot].layer;
        note_rules(slot);
        if (is_alive(slot) && (layer == layer_a || layer == layer_b)) mark_changed(slot);
    }
    return true;
}

ObjectDescription ObjectTable::describe(std::uint32_t slot) const noexcept {
    const WorldBody body = body_at(slot);
    const PairRules& rule = rules[slot];
    return {body.box,        rule.kind,   {rule.category, rule.mask, rule.group, rule.layer},
            user_data[slot], body.margin, body.displacement};
}

bool ObjectTable::may_pair(std::uint32_t a, std::uint32_t b) const noexcept {
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

bool ObjectTable::has_fixed_object() const noexcept {
    std::uint64_t mobile = ~std::uint64_t{0};
    for (const std::uint64_t word : mobile_bits) mobile &= word;
    return ~mobile != 0;
}

bool ObjectTable::restore_body(std::uint32_t slot, const WorldBody& body) noexcept {
    if (!is_shaped(body)) return true;
    if (!reserve_shapes()) return false;
    object_boxes.put(slot, body, boxes(false)[slot]);
    return true;
}

void ObjectTable::rebuild() noexcept {
    changes.note_filled();
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        note_rules(slot);
        if (known_generations[slot] != generations[slot]) changes.note_newcomer(slot);
        if (settings.order == WorldOrder::user_data && known_user_data[slot] != user_data[slot])
            changes.note_order();
    }
}

bool ObjectTable::is_sound() const noexcept {
    std::size_t alive = 0;
    for (std::uint32_t slot = 0; slot < slot_count(); ++slot) {
        const bool is_living = is_alive(slot);
        alive += is_living ? 1u : 0u;
        if (rules[slot].kind > ObjectKind::fixed) return false;
        const WorldBody body = body_at(slot);
        if (!is_legal(body)) return false;
        if (object_boxes.is_shaped(slot) != is_shaped(body)) return false;
        if (is_shaped(body) && !is_same(boxes(false)[slot], grown_box(body))) return false;
        if (!is_living && (is_shaped(body) || is_valid(boxes(false)[slot]))) return false;
        if (has_bit(mobile_bits, slot) == (rules[slot].kind == ObjectKind::fixed)) return false;
        if (known_generations[slot] != generations[slot] &&
            !(changes.holds(slot) && changes.has_newcomer(slot, slot))) {
            return false;
        }
    }
    for (std::size_t slot = slot_count(); slot < object_boxes.size(); ++slot) {
        if (is_valid(boxes(true)[slot]) || changes.holds(static_cast<std::uint32_t>(slot))) return false;
    }
    if (alive != object_count || alive > settings.max_object_count || !changes.is_sound()) return false;
    std::size_t free_count = 0;
    for (std::uint32_t slot = first_free; slot != kNoObjectSlot; slot = next_free[slot]) {
        if (slot >= slot_count() || is_alive(slot) || ++free_count > slot_count() - alive) return false;
    }
    return true;
}

std::size_t ObjectTable::capacity_bytes() const noexcept {
    std::size_t bytes = object_boxes.capacity_bytes() + layer_rules.capacity_bytes() +
                        changes.capacity_bytes() + unasked.capacity_bytes();
    const auto add = [&](const auto&... arrays) { bytes += (arrays.capacity_bytes() + ...); };
    add(generations, next_free, rules, user_data, known_generations, known_user_data, mobile_bits, ruled_bits,
        set_parts_);
    return bytes;
}

void ObjectTable::shrink() noexcept {
    const auto release = [](auto&... objects) { (objects.release(), ...); };
    release(unasked, set_parts_);
    const auto fit = [](auto&... arrays) { (shrink_to_fit(arrays), ...); };
    fit(generations, next_free, rules, user_data, known_generations, known_user_data, mobile_bits,
        ruled_bits);
    changes.shrink();
    object_boxes.shrink();
    layer_rules.shrink();
}

}  // namespace broadside::broadphase
