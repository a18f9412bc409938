// The trees of a World: one copy for its questions, and more while views hold older ones.
#pragma once

#include "broadphase/src/world/trees.hpp"

namespace broadside::broadphase {

/// Views refer to a copy, which nobody changes as long as they do: where the world has changed since, the next
/// question takes another copy, which is brought up to date by what it has missed. A world without views has one.
class TreeCopies {
public:
    explicit TreeCopies(const Allocator& allocator) noexcept
        : allocator_(allocator), changes_(allocator), copies_(allocator) {}
    TreeCopies(const TreeCopies&) = delete;
    TreeCopies& operator=(const TreeCopies&) = delete;
    ~TreeCopies() {
        for (WorldTrees* copy : copies_) copy->release();
    }

    /// Objects have changed: slots of one word of bits. A world that nobody asks keeps nothing, and slots that are new
    /// since it was asked are looked at anyway.
    void mark(std::size_t word, std::uint64_t bits) noexcept { changes_.mark(word, bits); }

    /// As new; what views hold stays theirs.
    void release() noexcept {
        for (WorldTrees* copy : copies_) copy->release();
        copies_.release();
        changes_ = SlotMarks(allocator_);
        current_ = nullptr;
        is_whole_ = false;
    }

    /// Next to nothing when nothing has changed.
    Status make_current(const WorldData& world, const TaskRunner* runner) noexcept;
    /// Whether make_current has nothing to do: no slot is marked, and none is new.
    bool is_current(const WorldData& world) const noexcept;
    /// Slots to look at in the next make_current, as far as they are known.
    std::size_t change_count() const noexcept { return changes_.count(); }
    /// After make_current, whose status was ok; else perhaps null.
    const WorldTrees* current() const noexcept { return current_; }
    std::size_t capacity_bytes() const noexcept;

private:
    Status find_free_copy() noexcept;

    Allocator allocator_;
    // Since the current copy was made current.
    SlotMarks changes_;
    AlignedArray<WorldTrees*> copies_;
    WorldTrees* current_ = nullptr;
    // The current copy is as the world was then.
    bool is_whole_ = false;
};

}  // namespace broadside::broadphase
