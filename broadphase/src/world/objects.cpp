// Slots and handles, and what is known of an object.
#include "broadphase/src/world/data.hpp"

#include <broadside/prepared_objects.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

namespace broadside::broadphase {
namespace {

// The last generation of a living object; its slot is retired when it is removed.
constexpr std::uint32_t kLastGeneration = ~std::uint32_t{0};
constexpr std::size_t kPaddingMin = 64;
constexpr std::uint32_t kSlotsPerWord = 64;
// Boxes at slots in a row from which on it pays to set them column by column.
constexpr std::size_t kWorthwhileRun = 16;
// Moves beyond this are no steps whatever the scale of the world; those between are the business of the sum.
constexpr float kLongestStep = 1e15f;

// Corners on one axis of boxes side by side: what differs, how far it is from the old to the new one, and the
// new one.
inline void replace_column(const float* __restrict source, std::size_t count, bool is_min,
                           float* __restrict state_corners, std::uint32_t* __restrict state_differences,
                           float* __restrict state_steps) {
    if (is_min) {
        for (std::size_t k = 0; k < count; ++k) {
            state_steps[k] = max_keep(absolute(source[k] - state_corners[k]), state_steps[k]);
        }
    }
    for (std::size_t k = 0; k < count; ++k) {
        state_differences[k] |= __builtin_bit_cast(std::uint32_t, state_corners[k]) ^
                                __builtin_bit_cast(std::uint32_t, source[k]);
        state_corners[k] = source[k];
    }
}

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
      bodies(allocator),
      rules(allocator),
      user_data(allocator),
      columns{AlignedArray<float>(allocator), AlignedArray<float>(allocator), AlignedArray<float>(allocator),
              AlignedArray<float>(allocator), AlignedArray<float>(allocator), AlignedArray<float>(allocator)},
      known_generations(allocator),
      known_user_data(allocator),
      changed_bits(allocator),
      changed_words(allocator),
      mobile_bits(allocator),
      shaped_bits(allocator),
      pairs(allocator),
      values(allocator),
      object_pairs(allocator),
      tracked(allocator),
      begun_pairs(allocator),
      begun(allocator),
      ended(allocator),
      trees(allocator),
      scratch_(allocator),
      found_(allocator),
      resting_(allocator),
      mover_pairs_(allocator),
      comparison_parts_(allocator),
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
      pairs_of_list_(allocator) {
    for (std::uint64_t& mask : layer_masks) mask = ~std::uint64_t{0};
}

bool WorldData::is_alive(ObjectHandle handle) const noexcept {
    return handle.slot() < generations.size() && handle.generation() % 2 == 1 &&
           generations[handle.slot()] == handle.generation();
}

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

BoxSoaView WorldData::boxes(bool is_padded) const noexcept {
    return {columns[0].data(),
            columns[1].data(),
            columns[2].data(),
            columns[3].data(),
            columns[4].data(),
            columns[5].data(),
            is_padded ? columns[0].size() : generations.size()};
}

Status WorldData::reserve_objects(std::size_t count) noexcept {
    if (count > settings.max_object_count - std::min(settings.max_object_count, object_count)) {
        return Status::capacity_exceeded;
    }
    // As if none of the free slots were used: some may be retired.
    const std::size_t slots = generations.size() + count;
    if (slots > kMaxBoxCount) return Status::capacity_exceeded;
    // Room for the padding as well, which is at most an eighth and one step.
    const std::size_t padded = slots + std::bit_ceil(slots) / 8 + kPaddingMin;
    bool has_memory = grow(generations, slots) && grow(next_free, slots) && grow(bodies, slots) &&
                      grow(rules, slots) && grow(user_data, slots) && grow(known_generations, slots) &&
                      grow(known_user_data, slots) && grow(changed_bits, bit_word_count(padded)) &&
                      grow(changed_words, bit_word_count(padded) + 1) &&
                      grow(shaped_bits, bit_word_count(padded)) && grow(mobile_bits, bit_word_count(padded));
    for (AlignedArray<float>& column : columns) has_memory = has_memory && grow(column, padded);
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
        (void)bodies.resize(count);
        (void)rules.resize(count);
        (void)user_data.resize(count);
        (void)known_generations.resize(count);
        (void)known_user_data.resize(count);
        generations[slot] = 0;
        known_generations[slot] = 0;
        known_user_data[slot] = 0;
        rules[slot] = {~std::uint64_t{0}, ~std::uint64_t{0}, 0, 0, ObjectKind::moving, 0};
        const std::size_t padded = padded_count();
        const std::size_t before = columns[0].size();
        if (before < padded) {
            const std::size_t words = changed_bits.size();
            (void)changed_bits.resize(bit_word_count(padded));
            (void)changed_words.resize(bit_word_count(padded) + 1);
            (void)mobile_bits.resize(bit_word_count(padded));
            (void)shaped_bits.resize(bit_word_count(padded));
            for (std::size_t word = words; word < changed_bits.size(); ++word) {
                changed_bits[word] = 0;
                shaped_bits[word] = 0;
                mobile_bits[word] = ~std::uint64_t{0};
            }
            const float empty[6] = {Aabb::empty().min.x, Aabb::empty().min.y, Aabb::empty().min.z,
                                    Aabb::empty().max.x, Aabb::empty().max.y, Aabb::empty().max.z};
            for (int column = 0; column < 6; ++column) {
                (void)columns[column].resize(padded);
                for (std::size_t i = before; i < padded; ++i) columns[column][i] = empty[column];
            }
        }
    }
    next_free[slot] = kNoObjectSlot;
    ++generations[slot];
    ++object_count;
    has_newcomers = true;
    bodies[slot] = {Aabb::empty(), {0, 0, 0}, 0};
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
    const float* const sources[6] = {grown.min_x, grown.min_y, grown.min_z,
                                     grown.max_x, grown.max_y, grown.max_z};
    bool has_fixed = false;
    for (std::size_t item = 0; item < grown.count; ++item) {
        const ObjectDescription& description = objects.descriptions()[item];
        const ObjectFilter& filter = description.filter;
        const PairRules rule = {filter.category, filter.mask,      filter.group,
                                filter.layer,    description.kind, 0};
        const WorldBody body = {description.box, description.displacement, description.margin};
        const std::uint32_t slot = take_slot();
        user_data[slot] = description.user_data;
        rules[slot] = rule;
        ruled_count += is_ruled(rule) ? 1u : 0u;
        bodies[slot] = body;
        set_bit(shaped_bits, slot, is_shaped(body));
        for (int column = 0; column < 6; ++column) columns[column][slot] = sources[column][item];
        if (description.kind == ObjectKind::fixed) {
            set_bit(mobile_bits, slot, false);
            has_fixed = true;
        }
        out_handles[item] = handle_at(slot);
    }
    // As in set_rules.
    if (has_fixed) tracked.cache.clear();
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
    has_newcomers = true;
    for (const ObjectHandle handle : handles) {
        const std::uint32_t slot = handle.slot();
        mark_changed(slot);
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

void WorldData::store_box(std::uint32_t slot) noexcept {
    const Aabb box = grown_box(bodies[slot]);
    const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    for (int column = 0; column < 6; ++column) columns[column][slot] = corners[column];
}

// Not a teleport, nor a box that was or is no number.
inline void WorldData::note_step(float step, bool is_changed) noexcept {
    const bool is_step = is_changed & (step < kLongestStep);
    step_sum += is_step ? static_cast<double>(step) : 0.0;
    step_count += is_step ? 1u : 0u;
}

// What decides is the body, not the box that follows from it: that may stay the same while the object moves,
// and queries are about the object.
void WorldData::set_body(std::uint32_t slot, const WorldBody& body) noexcept {
    const WorldBody before = body_at(slot);
    if (is_same(before, body)) return;
    set_bit(shaped_bits, slot, is_shaped(body));
    bodies[slot] = body;
    const Vec3 min_before = boxes(false)[slot].min;
    store_box(slot);
    mark_changed(slot);
    const Vec3 step = boxes(false)[slot].min - min_before;
    note_step(max_keep(absolute(step.x), max_keep(absolute(step.y), absolute(step.z))), true);
}

void WorldData::set_box(std::uint32_t slot, const Aabb& box) noexcept {
    if (!has_bit(shaped_bits, slot)) return set_plain_box(slot, box);
    const WorldBody& body = bodies[slot];
    set_body(slot, {box, body.displacement, body.margin});
}

// The way of most boxes in most frames: no margin, no displacement, and the columns hold the box itself,
// valid or not.
void WorldData::set_plain_box(std::uint32_t slot, const Aabb& box) noexcept {
    const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    std::uint32_t difference = 0;
    const float step = max_keep(absolute(box.min.x - columns[0].data()[slot]),
                                max_keep(absolute(box.min.y - columns[1].data()[slot]),
                                         absolute(box.min.z - columns[2].data()[slot])));
    for (int column = 0; column < 6; ++column) {
        float& corner = columns[column].data()[slot];
        difference |=
            __builtin_bit_cast(std::uint32_t, corner) ^ __builtin_bit_cast(std::uint32_t, corners[column]);
        corner = corners[column];
    }
    const std::uint64_t bit = std::uint64_t{difference != 0 ? 1u : 0u} << slot % 64;
    mark_word(slot / 64, bit, (bit & ~changed_bits.data()[slot / 64]) != 0 ? 1u : 0u);
    note_step(step, difference != 0);
}

// Boxes of slots in a row, all in one word of the bits; the same as one after the other, column by column.
void WorldData::set_plain_boxes(std::uint32_t first_slot, const BoxSoaView& new_boxes) noexcept {
    const float* const sources[6] = {new_boxes.min_x, new_boxes.min_y, new_boxes.min_z,
                                     new_boxes.max_x, new_boxes.max_y, new_boxes.max_z};
    // Nothing has changed behind the last box.
    float steps[kSlotsPerWord] = {};
    std::uint32_t differences[kSlotsPerWord] = {};
    for (int column = 0; column < 6; ++column) {
        replace_column(sources[column], new_boxes.count, column < 3, columns[column].data() + first_slot,
                       differences, steps);
    }
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < kSlotsPerWord; ++k) bits |= std::uint64_t{differences[k] != 0 ? 1u : 0u} << k;
    // In four sums, which may be added to at once.
    float sums[4] = {};
    std::uint32_t counts[4] = {};
    for (std::size_t k = 0; k < kSlotsPerWord; k += 4) {
        for (std::size_t lane = 0; lane < 4; ++lane) {
            // See note_step.
            const bool is_step = (differences[k + lane] != 0) & (steps[k + lane] < kLongestStep);
            sums[lane] += is_step ? steps[k + lane] : 0.0f;
            counts[lane] += is_step ? 1u : 0u;
        }
    }
    step_sum += static_cast<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
    step_count += (counts[0] + counts[1]) + (counts[2] + counts[3]);
    bits <<= first_slot % kSlotsPerWord;
    const std::uint64_t marked = changed_bits[first_slot / kSlotsPerWord];
    mark_word(first_slot / kSlotsPerWord, bits, static_cast<std::size_t>(std::popcount(bits & ~marked)));
}

void WorldData::set_boxes(const ObjectHandle* handles, const BoxSoaView& new_boxes) noexcept {
    for (std::size_t item = 0; item < new_boxes.count;) {
        const std::uint32_t first = handles[item].slot();
        const std::size_t most =
            std::min<std::size_t>(kSlotsPerWord - first % kSlotsPerWord, new_boxes.count - item);
        std::size_t run = 1;
        while (run < most && handles[item + run].slot() == first + run) ++run;
        if (shaped_bits[first / kSlotsPerWord] != 0) {
            for (std::size_t k = 0; k < run; ++k) {
                set_box(first + static_cast<std::uint32_t>(k), new_boxes[item + k]);
            }
        } else if (run < kWorthwhileRun) {
            for (std::size_t k = 0; k < run; ++k) {
                set_plain_box(first + static_cast<std::uint32_t>(k), new_boxes[item + k]);
            }
        } else {
            set_plain_boxes(first, new_boxes.part(item, run));
        }
        item += run;
    }
}

void WorldData::set_rules(std::uint32_t slot, const PairRules& rule) noexcept {
    const PairRules before = rules[slot];
    ruled_count = ruled_count + (is_ruled(rule) ? 1u : 0u) - (is_ruled(before) ? 1u : 0u);
    rules[slot] = rule;
    const bool is_fixed = rule.kind == ObjectKind::fixed;
    const bool was_fixed = before.kind == ObjectKind::fixed;
    set_bit(mobile_bits, slot, !is_fixed);
    // Its pairs with fixed objects were not kept, or should not be any more.
    if (is_fixed != was_fixed) tracked.cache.clear();
    if (rule.category != before.category || rule.mask != before.mask || rule.group != before.group ||
        rule.layer != before.layer || rule.kind != before.kind) {
        mark_changed(slot);
    }
}

void WorldData::set_user_data(std::uint32_t slot, std::uint64_t data) noexcept {
    is_hash_stale |= settings.order == WorldOrder::user_data && user_data[slot] != data;
    user_data[slot] = data;
    trees.mark(slot / 64, std::uint64_t{1} << slot % 64);
}

void WorldData::mark_changed(std::uint32_t slot) noexcept {
    mark_word(slot / 64, std::uint64_t{1} << slot % 64, has_bit(changed_bits, slot) ? 0u : 1u);
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

void WorldData::mark_all_changed() noexcept {
    for (std::uint32_t slot = 0; slot < generations.size(); ++slot) {
        if (generations[slot] % 2 == 1) mark_changed(slot);
    }
}

WorldBody WorldData::body_at(std::uint32_t slot) const noexcept {
    WorldBody body = bodies[slot];
    if (!is_shaped(body)) body.box = boxes(false)[slot];
    return body;
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
    if ((layer_masks[rule_a.layer] >> rule_b.layer & 1) == 0) return false;
    if (rule_a.group == rule_b.group && rule_a.group != 0) return rule_a.group > 0;
    return (rule_a.category & rule_b.mask) != 0 && (rule_b.category & rule_a.mask) != 0;
}

std::size_t WorldData::capacity_bytes() const noexcept {
    std::size_t bytes = sizeof(WorldData) + scratch_.capacity_bytes() + resting_.capacity_bytes() +
                        tracked.capacity_bytes() + mover_pairs_.capacity_bytes() + trees.capacity_bytes() +
                        found_.capacity() * sizeof(IndexPair) + object_pairs.capacity_bytes() +
                        pair_tree_.capacity_bytes() + tree_scratch_.capacity_bytes();
    const auto add_array = [&](const auto& array) { bytes += array.capacity_bytes(); };
    add_array(generations);
    add_array(next_free);
    add_array(bodies);
    add_array(rules);
    add_array(user_data);
    for (const AlignedArray<float>& column : columns) add_array(column);
    add_array(known_generations);
    add_array(known_user_data);
    add_array(changed_bits);
    add_array(changed_words);
    add_array(shaped_bits);
    add_array(few_slots_);
    add_array(pairs_of_list_);
    add_array(few_boxes_);
    add_array(next_ended_pairs_);
    add_array(mobile_bits);
    add_array(comparison_parts_);
    for (const auto* array : {&pairs, &next_pairs_, &begun_pairs, &next_begun_pairs_}) add_array(*array);
    for (const auto* array : {&values, &next_values_}) add_array(*array);
    for (const auto* array : {&begun, &next_begun_, &persisting_list_, &pair_list_}) add_array(*array);
    for (const auto* array : {&ended, &next_ended_}) add_array(*array);
    return bytes;
}

}  // namespace broadside::broadphase
