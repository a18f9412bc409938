// Changes since the last update of a World, by slot.
#pragma once

#include "broadphase/src/world/objects/slot_marks.hpp"

namespace broadside::broadphase {

class Changes {
public:
    explicit Changes(const Allocator& allocator) noexcept
        : marks_(allocator),
          newcomers_(allocator),
          reruled_slots_(allocator),
          reborn_bits_(allocator),
          reruled_bits_(allocator) {}

    /// Makes room for this many words of bits and some more. Returns false if out of memory.
    bool reserve(std::size_t word_count) noexcept {
        return marks_.reserve(word_count) && newcomers_.reserve(word_count);
    }
    /// Sets the size within that room; new words have no changes.
    void resize(std::size_t word_count) noexcept {
        marks_.resize(word_count);
        newcomers_.resize(word_count);
    }

    void mark(std::uint32_t slot) noexcept { marks_.mark(slot); }
    void mark_shared(std::uint32_t slot) noexcept { marks_.mark_shared(slot); }
    /// Marks slots of one word of bits.
    void mark_word(std::size_t word, std::uint64_t bits) noexcept { marks_.mark(word, bits); }
    /// `mark_word` in tasks that share no word; call `note_marked` for a range with their words afterwards.
    void mark_in_task(std::size_t word, std::uint64_t bits) noexcept { marks_.mark_in_task(word, bits); }
    void note_marked(std::size_t first_word, std::size_t end_word) noexcept {
        marks_.note_marked(first_word, end_word);
    }
    /// Notes that the slot, which is marked too, holds another object.
    void note_newcomer(std::uint32_t slot) noexcept {
        newcomers_.mark(slot);
        has_newcomers_ = true;
    }
    /// Notes that the rules of an object have changed, while the object is the same. Candidates of up to
    /// `few` are looked up anew.
    void note_reruled(std::uint32_t slot, std::size_t few) noexcept {
        have_rules_changed_ = true;
        if (reruled_slots_.size() > few || !reruled_slots_.push_back(slot)) are_many_reruled_ = true;
    }
    /// Notes that rules between any objects may have changed.
    void note_all_reruled() noexcept { have_rules_changed_ = are_many_reruled_ = true; }
    /// Notes that user data that orders pairs has changed.
    void note_order() noexcept { has_order_changed_ = true; }
    /// The marks, which are all that a snapshot holds, to be filled. Call `note_filled` after that.
    std::span<std::uint64_t> bits_to_fill() noexcept { return marks_.bits_to_fill(); }
    void note_filled() noexcept {
        marks_.note_marked(0, marks_.bits().size());
        has_newcomers_ = have_rules_changed_ = true;
    }

    /// Called before an update of changes is tried. Data made of boxes stores the number of the last attempt
    /// that brought it up to date, or 0. It is current in the next attempt only: after a failed attempt the
    /// same objects are still changed, and an update by another path leaves it behind.
    void begin_attempt() noexcept { ++attempt_; }
    std::uint64_t attempt() const noexcept { return attempt_; }

    /// Number of all marked slots; reads the words in use.
    std::size_t count() const noexcept { return marks_.count(); }
    std::span<const std::uint64_t> bits() const noexcept { return marks_.bits(); }
    bool holds(std::uint32_t slot) const noexcept { return marks_.holds(slot); }
    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        marks_.for_each(visit);
    }
    bool has_newcomers() const noexcept { return has_newcomers_; }
    const std::uint64_t* newcomer_bits() const noexcept { return newcomers_.bits().data(); }
    /// Whether one of the objects of a former pair is another one now.
    bool has_newcomer(std::uint32_t slot_a, std::uint32_t slot_b) const noexcept {
        return has_newcomers_ && (newcomers_.holds(slot_a) || newcomers_.holds(slot_b));
    }
    template <class Visit>
    void for_each_newcomer(Visit&& visit) const noexcept {
        if (has_newcomers_) newcomers_.for_each(visit);
    }
    /// Whether pairs alive may be forbidden now, or others allowed, although no object is another one.
    bool have_rules_changed() const noexcept { return have_rules_changed_; }
    /// Whether too many rules have changed for candidates to be looked up anew.
    bool are_many_reruled() const noexcept { return are_many_reruled_; }
    bool has_order_changed() const noexcept { return has_order_changed_; }
    /// Newcomers and objects with changed rules, and the latter alone; null if none. Returns false if out of
    /// memory.
    bool find_reborn(const std::uint64_t*& out_reborn, const std::uint64_t*& out_reruled) noexcept {
        const std::span<const std::uint64_t> newcomers = newcomers_.bits();
        out_reborn = has_newcomers_ ? newcomers.data() : nullptr;
        out_reruled = nullptr;
        if (reruled_slots_.is_empty()) return true;
        if (!reborn_bits_.resize(newcomers.size()) || !reruled_bits_.resize(newcomers.size())) return false;
        std::copy(newcomers.begin(), newcomers.end(), reborn_bits_.begin());
        std::fill(reruled_bits_.begin(), reruled_bits_.end(), 0);
        for (const std::uint32_t slot : reruled_slots_) {
            if (!newcomers_.holds(slot)) set_bit(reruled_bits_, slot);
            set_bit(reborn_bits_, slot);
        }
        out_reborn = reborn_bits_.data();
        out_reruled = reruled_bits_.data();
        return true;
    }

    /// Forgets all changes.
    void clear() noexcept {
        marks_.clear();
        if (has_newcomers_) newcomers_.clear();
        has_newcomers_ = have_rules_changed_ = are_many_reruled_ = has_order_changed_ = false;
        reruled_slots_.clear();
    }

    bool is_sound() const noexcept { return marks_.is_sound() && newcomers_.is_sound(); }
    std::size_t capacity_bytes() const noexcept {
        return marks_.capacity_bytes() + newcomers_.capacity_bytes() + reruled_slots_.capacity_bytes() +
               reborn_bits_.capacity_bytes() + reruled_bits_.capacity_bytes();
    }
    void shrink() noexcept {
        reborn_bits_.release();
        reruled_bits_.release();
        marks_.shrink();
        newcomers_.shrink();
        shrink_to_fit(reruled_slots_);
    }

private:
    SlotMarks marks_;
    std::uint64_t attempt_ = 1;
    // Slots that hold another object than at the last update.
    SlotMarks newcomers_;
    AlignedArray<std::uint32_t> reruled_slots_;
    bool has_newcomers_ = false;
    bool have_rules_changed_ = false;
    bool are_many_reruled_ = false;
    bool has_order_changed_ = false;
    // Results of find_reborn.
    AlignedArray<std::uint64_t> reborn_bits_;
    AlignedArray<std::uint64_t> reruled_bits_;
};

}  // namespace broadside::broadphase
