// Chooses the copy of the trees that serves queries, and notes what the others miss meanwhile.
#include "broadphase/src/world/queries/tree_copies.hpp"

#include "broadphase/src/world/objects/object_table.hpp"
#include "core/src/zones.hpp"

namespace broadside::broadphase {

// Chooses another current copy: the one that has missed least among those that no view holds, else a new one.
Status TreeCopies::find_free_copy() noexcept {
    WorldTrees* best = nullptr;
    for (WorldTrees* copy : copies_) {
        const bool is_free = copy != current_ && !copy->is_shared();
        if (is_free && (best == nullptr || copy->missed_word_count() < best->missed_word_count()))
            best = copy;
    }
    if (best == nullptr) {
        if (!copies_.reserve_to_append(1)) return Status::out_of_memory;
        best = WorldTrees::make(allocator_);
        if (best == nullptr) return Status::out_of_memory;
        (void)copies_.push_back(best);
    }
    current_ = best;
    return Status::ok;
}

bool TreeCopies::is_current(const ObjectTable& objects) const noexcept {
    return objects.unasked.is_empty() && known_slot_count_ == objects.slot_count();
}

Status TreeCopies::make_current(ObjectTable& state_objects, const TaskRunner* runner) noexcept {
    if (is_current(state_objects)) return Status::ok;
    BROADSIDE_ZONE("world/trees");
    SlotMarks& changes = state_objects.unasked;
    if (!changes.grow(bit_word_count(state_objects.slot_count()))) return Status::out_of_memory;
    if (current_ == nullptr || current_->is_shared()) {
        if (const Status status = find_free_copy(); status != Status::ok) return status;
    }
    for (WorldTrees* copy : copies_) {
        if (copy != current_) copy->miss(changes);
    }
    const Status status = current_->make_current(state_objects, changes, runner);
    known_slot_count_ = status == Status::ok ? state_objects.slot_count() : kNoIndex;
    return status;
}

std::size_t TreeCopies::capacity_bytes() const noexcept {
    std::size_t bytes = copies_.capacity_bytes();
    for (const WorldTrees* copy : copies_) bytes += copy->capacity_bytes();
    return bytes;
}

}  // namespace broadside::broadphase
