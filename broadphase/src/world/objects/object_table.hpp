// The objects of a World. They live at slots. Free slots hold empty boxes, which pair with nothing, so that
// the arrays go to find_pairs as they are and the index of a box is its slot.
#pragma once

#include "broadphase/src/world/objects/changes.hpp"
#include "broadphase/src/world/objects/layer_rules.hpp"
#include "broadphase/src/world/objects/object_boxes.hpp"
#include "broadphase/src/world/objects/slot_marks.hpp"
#include "core/src/argument.hpp"

#include <broadside/world.hpp>

namespace broadside::broadphase {

/// All that decides whether two objects may pair; two of these fit a cache line.
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

inline WorldBody body_of(const ObjectDescription& description) {
    return {description.box, description.displacement, description.margin};
}

inline constexpr std::uint32_t kNoObjectSlot = ~std::uint32_t{0};

/// The slots of one task of set_boxes, first and last, and whether all handles are good.
struct SetPart {
    std::uint32_t first_slot;
    std::uint32_t last_slot;
    bool is_good;
};

class ObjectTable {
public:
    ObjectTable(const WorldSettings& settings, const Allocator& allocator) noexcept;
    ObjectTable(const ObjectTable&) = delete;
    ObjectTable& operator=(const ObjectTable&) = delete;

    std::size_t slot_count() const noexcept { return generations.size(); }
    bool is_alive(std::uint32_t slot) const noexcept { return generations.data()[slot] % 2 == 1; }
    bool is_alive(ObjectHandle handle) const noexcept {
        return handle.slot() < slot_count() && handle.generation() % 2 == 1 &&
               generations[handle.slot()] == handle.generation();
    }
    ObjectHandle handle_at(std::uint32_t slot) const noexcept {
        return {std::uint64_t{generations[slot]} << 32 | slot};
    }
    /// The handle of the object at the last update.
    ObjectHandle known_handle(std::uint32_t slot) const noexcept {
        return {std::uint64_t{known_generations[slot]} << 32 | slot};
    }
    bool is_known(ObjectHandle handle) const noexcept {
        return handle.slot() < slot_count() && known_handle(handle.slot()) == handle;
    }
    /// The first handle that names nothing, which is reported to the assert handler, or kNoIndex.
    std::size_t find_dead(std::span<const ObjectHandle> handles) const noexcept;
    WorldBody body_at(std::uint32_t slot) const noexcept { return object_boxes.body(slot); }
    ObjectDescription describe(std::uint32_t slot) const noexcept;
    /// The grown boxes at all slots, and at the padding behind them if `is_padded`.
    BoxSoaView boxes(bool is_padded) const noexcept {
        return object_boxes.view(is_padded ? object_boxes.size() : slot_count());
    }
    bool may_pair(std::uint32_t a, std::uint32_t b) const noexcept;
    /// The same, faster for objects without rules.
    bool may_pair_now(std::uint32_t a, std::uint32_t b) const noexcept {
        if (has_bit(ruled_bits, a) || has_bit(ruled_bits, b)) return may_pair(a, b);
        return settings.fixed_objects_pair || has_bit(mobile_bits, a) || has_bit(mobile_bits, b);
    }
    bool has_fixed_object() const noexcept;

    /// Makes room for `count` objects more, in every array, and for margins and displacements if some are
    /// shaped. Returns ok, capacity_exceeded or out_of_memory.
    Status reserve_objects(std::size_t count, bool are_shaped) noexcept;
    /// Adds an object, after reserve_objects. `grown` is the box that pairs are found with.
    ObjectHandle add(const ObjectDescription& description, const Aabb& grown) noexcept;
    ObjectHandle add(const ObjectDescription& description) noexcept {
        return add(description, grown_box(body_of(description)));
    }
    BatchResult remove(std::span<const ObjectHandle> handles) noexcept;
    void set_body(std::uint32_t slot, const WorldBody& body) noexcept {
        if (object_boxes.replace(slot, body)) mark_changed(slot);
    }
    /// The path of most boxes: no call, and no FloatEnvironment, because numbers are only copied.
    Status set_box(std::uint32_t slot, const Aabb& box) noexcept {
        if (object_boxes.has_shapes_near(slot)) return set_grown_box(slot, box, false);
        if (object_boxes.replace_plain_box(slot, box)) mark_changed(slot);
        return Status::ok;
    }
    /// The same while other threads set the boxes of other slots.
    Status set_box_shared(std::uint32_t slot, const Aabb& box) noexcept {
        if (object_boxes.has_shapes_near(slot)) return set_grown_box(slot, box, true);
        if (object_boxes.replace_plain_box(slot, box)) mark_changed_shared(slot);
        return Status::ok;
    }
    Status set_grown_box(std::uint32_t slot, const Aabb& box, bool is_shared) noexcept;
    /// Returns kNoIndex, or the first handle that names nothing, and then sets no box.
    template <class Boxes>
    std::size_t set_boxes(std::span<const ObjectHandle> handles, const Boxes& new_boxes,
                          const TaskRunner* runner) noexcept;
    /// Sets all of an object, after `reserve_shapes` if it is shaped.
    void set(std::uint32_t slot, const ObjectDescription& description) noexcept;
    bool reserve_shapes() noexcept { return object_boxes.reserve(object_boxes.size(), true); }
    /// For living objects. Returns false if out of memory.
    bool set_displacements(std::span<const ObjectHandle> handles, const Vec3SoaView& displacements) noexcept;
    bool set_margin(std::span<const ObjectHandle> handles, float margin) noexcept;
    /// For an object that may have pairs.
    void change_rules(std::uint32_t slot, const PairRules& rule) noexcept;
    void set_user_data(std::uint32_t slot, std::uint64_t user_data) noexcept;
    /// Returns false, and changes nothing, if out of memory.
    bool set_layers_pair(std::uint32_t layer_a, std::uint32_t layer_b, bool may_pair) noexcept;

    /// Called after an update: the state of the objects becomes the known one, and nothing counts as changed.
    void settle() noexcept;
    /// Slots that the columns of boxes have for this many objects.
    static std::size_t padded_count_of(std::size_t count) noexcept;
    /// Sets the number of slots, of which new ones are to be filled. Returns false if out of memory.
    bool resize(std::size_t slot_count, std::size_t padded_count) noexcept;
    /// Called after the arrays of a snapshot are filled: restores the parts of a body that columns do not
    /// hold, and then what follows from all.
    bool restore_body(std::uint32_t slot, const WorldBody& body) noexcept;
    void rebuild() noexcept;
    /// Whether the arrays are consistent.
    bool is_sound() const noexcept;
    std::size_t capacity_bytes() const noexcept;
    void shrink() noexcept;

    WorldSettings settings;
    // By slot.
    AlignedArray<std::uint32_t> generations;
    AlignedArray<std::uint32_t> next_free;
    AlignedArray<PairRules> rules;
    AlignedArray<std::uint64_t> user_data;
    ObjectBoxes object_boxes;
    /// As of the last update: the objects whose pairs are known.
    AlignedArray<std::uint32_t> known_generations;
    AlignedArray<std::uint64_t> known_user_data;
    /// Slots without a fixed object. One object of a pair must be in one: the only rule of most worlds.
    AlignedArray<std::uint64_t> mobile_bits;
    /// Slots of objects that rules, apart from the kind, could keep from pairing. For a pair of two other
    /// objects no rule is read.
    AlignedArray<std::uint64_t> ruled_bits;
    std::size_t ruled_count = 0;
    LayerRules layer_rules;
    std::uint32_t first_free = kNoObjectSlot;
    std::size_t object_count = 0;
    Changes changes;
    /// Changes since queries were last made. A world without queries keeps nothing, and slots that are new
    /// since then are examined anyway.
    SlotMarks unasked;

private:
    void mark_changed(std::uint32_t slot) noexcept {
        changes.mark(slot);
        unasked.mark(slot);
    }
    void mark_changed_shared(std::uint32_t slot) noexcept {
        changes.mark_shared(slot);
        unasked.mark_shared(slot);
    }
    void mark_word(std::size_t word, std::uint64_t bits) noexcept {
        changes.mark_word(word, bits);
        unasked.mark(word, bits);
    }
    void mark_in_task(std::size_t word, std::uint64_t bits) noexcept {
        changes.mark_in_task(word, bits);
        unasked.mark_in_task(word, bits);
    }
    std::uint32_t take_slot() noexcept;
    void set_rules(std::uint32_t slot, const PairRules& rule) noexcept;
    void note_rules(std::uint32_t slot) noexcept;
    template <class Mark>
    void replace_boxes(const ObjectHandle* handles, const BoxSoaView& new_boxes, Mark&& mark) noexcept;
    template <class Boxes, class Mark>
    void replace_boxes(const ObjectHandle* handles, const Boxes& new_boxes, std::size_t begin,
                       std::size_t count, Mark&& mark) noexcept;
    bool check_in_tasks(std::span<const ObjectHandle> handles, const TaskRunner* runner) noexcept;
    template <class Boxes>
    void set_in_tasks(std::span<const ObjectHandle> handles, const Boxes& new_boxes,
                      const TaskRunner* runner) noexcept;

    // For set_boxes by tasks: the part of each.
    AlignedArray<SetPart> set_parts_;
};

/// Null objects are a world without any.
inline bool check_alive(const ObjectTable* objects, ObjectHandle handle) noexcept {
    return BROADSIDE_ARGUMENT(objects != nullptr && objects->is_alive(handle), "handle: names no object");
}

}  // namespace broadside::broadphase
