// Which copy of the trees answers, and what the others miss meanwhile.
#include "broadphase/src/world/tree_copies.hpp"

#include "broadphase/src/world/data.hpp"
#include "core/src/zones.hpp"

namespace broadside::broadphase {

// Another current copy: of those that no view holds the one that has missed least, else a new one.
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

bool TreeCopies::is_current(const WorldData& world) const noexcept {
    return is_whole_ && changes_.marked_word_count() == 0 &&
           current_->slot_count() == world.generations.size();
}

Status TreeCopies::make_current(const WorldData& world, const TaskRunner* runner) noexcept {
    if (is_current(world)) return Status::ok;
    BROADSIDE_ZONE("world/trees");
    if (!changes_.grow(bit_word_count(world.generations.size()))) return Status::out_of_memory;
    if (current_ == nullptr || current_->is_shared()) {
        if (const Status status = find_free_copy(); status != Status::ok) return status;
    }
    for (WorldTrees* copy : copies_) {
        if (copy != current_) copy->miss(changes_);
    }
    const Status status = current_->make_current(world, changes_, runner);
    is_whole_ = status == Status::ok;
    return status;
}

std::size_t TreeCopies::capacity_bytes() const noexcept {
    std::size_t bytes = changes_.capacity_bytes() + copies_.capacity_bytes();
    for (const WorldTrees* copy : copies_) bytes += copy->capacity_bytes();
    return bytes;
}

}  // namespace broadside::broadphase
