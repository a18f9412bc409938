// The trees of a World: one copy for its queries, and more while views hold older ones.
#pragma once

#include "broadphase/src/world/queries/trees.hpp"

namespace broadside::broadphase {

/// Views refer to a copy, which does not change while they do. If the world has changed since, the next query
/// takes another copy, which is brought up to date by what it has missed. A world without views has one copy.
class TreeCopies {
public:
    explicit TreeCopies(const Allocator& allocator) noexcept : allocator_(allocator), copies_(allocator) {}
    TreeCopies(const TreeCopies&) = delete;
    TreeCopies& operator=(const TreeCopies&) = delete;
    ~TreeCopies() {
        for (WorldTrees* copy : copies_) copy->release();
    }

    /// Back to the initial state; views keep their copies.
    void release() noexcept {
        for (WorldTrees* copy : copies_) copy->release();
        copies_.release();
        current_ = nullptr;
        known_slot_count_ = kNoIndex;
    }

    /// Tests whether anything has changed, and does nothing else if not. All changes are known afterwards.
    Status make_current(ObjectTable& state_objects, const TaskRunner* runner) noexcept;
    /// Whether nothing has changed since make_current.
    bool is_current(const ObjectTable& objects) const noexcept;
    /// Valid after make_current has returned ok; may be null otherwise.
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
