// The trees of a World: one copy for its questions, and more while views hold older ones.
#pragma once

#include "broadphase/src/world/queries/trees.hpp"

namespace broadside::broadphase {

/// Views refer to a copy, which nobody changes as long as they do: where the world has changed since, the next
/// question takes another copy, which is brought up to date by what it has missed. A world without views has one.
class TreeCopies {
public:
    explicit TreeCopies(const Allocator& allocator) noexcept : allocator_(allocator), copies_(allocator) {}
    TreeCopies(const TreeCopies&) = delete;
    TreeCopies& operator=(const TreeCopies&) = delete;
    ~TreeCopies() {
        for (WorldTrees* copy : copies_) copy->release();
    }

    /// As new; what views hold stays theirs.
    void release() noexcept {
        for (WorldTrees* copy : copies_) copy->release();
        copies_.release();
        current_ = nullptr;
        known_slot_count_ = kNoIndex;
    }

    /// Nothing but a look at what has changed when that is nothing. What has changed is known afterwards.
    Status make_current(ObjectTable& state_objects, const TaskRunner* runner) noexcept;
    /// Whether nothing has changed since make_current.
    bool is_current(const ObjectTable& objects) const noexcept;
    /// After make_current, whose status was ok; else perhaps null.
    const WorldTrees* current() const noexcept { return current_; }
    std::size_t capacity_bytes() const noexcept;

private:
    Status find_free_copy() noexcept;

    Allocator allocator_;
    AlignedArray<WorldTrees*> copies_;
    WorldTrees* current_ = nullptr;
    // Slots that the current copy knows, or kNoIndex after a failure.
    std::size_t known_slot_count_ = kNoIndex;
};

}  // namespace broadside::broadphase
