// What has changed since the last update of a World, by slot.
#pragma once

#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <broadside/aligned_array.hpp>

#include <algorithm>
#include <bit>
#include <span>

namespace broadside::broadphase {

class Changes {
public:
    explicit Changes(const Allocator& allocator) noexcept
        : bits_(allocator),
          words_(allocator),
          newcomer_bits_(allocator),
          reruled_slots_(allocator),
          reborn_bits_(allocator),
          reruled_bits_(allocator) {}

    /// Room for so many words of bits and some more; false when there is no memory.
    bool reserve(std::size_t word_count) noexcept {
        const std::size_t new_count = word_count - bits_.size();
        // Room for one word more than there are, so that marking needs no branch.
        return bits_.reserve_to_append(new_count) && words_.reserve_to_append(new_count + 1) &&
               newcomer_bits_.reserve_to_append(new_count);
    }
    /// Within that room; in new words nothing has changed.
    void resize(std::size_t word_count) noexcept {
        const std::size_t before = bits_.size();
        (void)bits_.resize(word_count);
        (void)words_.resize(word_count + 1);
        (void)newcomer_bits_.resize(word_count);
        std::fill(bits_.begin() + before, bits_.end(), 0);
        std::fill(newcomer_bits_.begin() + before, newcomer_bits_.end(), 0);
    }

    void mark(std::uint32_t slot) noexcept {
        const std::size_t word = slot / 64;
        std::uint64_t& marked = bits_.data()[word];
        if (marked == 0) words_.data()[word_count_++] = static_cast<std::uint32_t>(word);
        count_ += static_cast<std::size_t>(~marked >> slot % 64 & 1);
        marked |= bit_of(slot);
    }
    /// Slots of one word of bits.
    void mark_word(std::size_t word, std::uint64_t bits) noexcept {
        std::uint64_t& marked = bits_.data()[word];
        words_.data()[word_count_] = static_cast<std::uint32_t>(word);
        word_count_ += ((marked == 0) & (bits != 0)) ? 1u : 0u;
        count_ += static_cast<std::size_t>(std::popcount(bits & ~marked));
        marked |= bits;
    }
    /// The slot, which is marked too, holds another object.
    void note_newcomer(std::uint32_t slot) noexcept {
        set_bit(newcomer_bits_, slot);
        has_newcomers_ = true;
    }
    /// The rules of an object that is the same are others. Candidates of up to `few` are looked up anew.
    void note_reruled(std::uint32_t slot, std::size_t few) noexcept {
        have_rules_changed_ = true;
        if (reruled_slots_.size() > few || !reruled_slots_.push_back(slot)) are_many_reruled_ = true;
    }
    /// Who may pair with whom is another matter than before.
    void note_all_reruled() noexcept { have_rules_changed_ = are_many_reruled_ = true; }
    /// User data by which pairs are in order is other data.
    void note_order() noexcept { has_order_changed_ = true; }
    /// The marks of a snapshot, which are all that it holds, to be filled; then what follows from them.
    std::span<std::uint64_t> bits_to_fill() noexcept { return {bits_.data(), bits_.size()}; }
    void note_filled() noexcept {
        for (std::size_t word = 0; word < bits_.size(); ++word) {
            if (bits_[word] == 0) continue;
            words_[word_count_++] = static_cast<std::uint32_t>(word);
            count_ += static_cast<std::size_t>(std::popcount(bits_[word]));
        }
        has_newcomers_ = have_rules_changed_ = true;
    }

    /// Before an update of what has changed is tried. What is made of boxes keeps the number of the last attempt in which
    /// it was brought up to date, or 0. It is current in the next one only: after a failed attempt the same objects are
    /// changed still, and an update by another path leaves it behind.
    void begin_attempt() noexcept { ++attempt_; }
    std::uint64_t attempt() const noexcept { return attempt_; }

    std::size_t count() const noexcept { return count_; }
    std::span<const std::uint64_t> bits() const noexcept { return {bits_.data(), bits_.size()}; }
    bool holds(std::uint32_t slot) const noexcept { return has_bit(bits_.data(), slot); }
    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        for_each_of(bits_, visit);
    }
    bool has_newcomers() const noexcept { return has_newcomers_; }
    const std::uint64_t* newcomer_bits() const noexcept { return newcomer_bits_.data(); }
    /// Of a pair before: whether one of its objects is another now.
    bool has_newcomer(std::uint32_t slot_a, std::uint32_t slot_b) const noexcept {
        return has_newcomers_ &&
               (has_bit(newcomer_bits_.data(), slot_a) || has_bit(newcomer_bits_.data(), slot_b));
    }
    template <class Visit>
    void for_each_newcomer(Visit&& visit) const noexcept {
        if (has_newcomers_) for_each_of(newcomer_bits_, visit);
    }
    /// Whether pairs alive may be forbidden now, or others allowed, though no object is another.
    bool have_rules_changed() const noexcept { return have_rules_changed_; }
    /// Whether too many of them may for candidates to be looked up anew.
    bool are_many_reruled() const noexcept { return are_many_reruled_; }
    bool has_order_changed() const noexcept { return has_order_changed_; }
    /// Newcomers and objects with other rules, and the latter alone; null when there are none. False without memory.
    bool find_reborn(const std::uint64_t*& out_reborn, const std::uint64_t*& out_reruled) noexcept {
        out_reborn = has_newcomers_ ? newcomer_bits_.data() : nullptr;
        out_reruled = nullptr;
        if (reruled_slots_.is_empty()) return true;
        if (!reborn_bits_.resize(bits_.size()) || !reruled_bits_.resize(bits_.size())) return false;
        std::copy(newcomer_bits_.begin(), newcomer_bits_.end(), reborn_bits_.begin());
        std::fill(reruled_bits_.begin(), reruled_bits_.end(), 0);
        for (const std::uint32_t slot : reruled_slots_) {
            if (!has_bit(newcomer_bits_.data(), slot)) set_bit(reruled_bits_, slot);
            set_bit(reborn_bits_, slot);
        }
        out_reborn = reborn_bits_.data();
        out_reruled = reruled_bits_.data();
        return true;
    }

    /// Nothing has changed.
    void clear() noexcept {
        const auto clear_words = [&](AlignedArray<std::uint64_t>& state_bits) {
            if (word_count_ < state_bits.size() / 8) {
                for (std::size_t i = 0; i < word_count_; ++i) state_bits[words_[i]] = 0;
            } else {
                std::fill(state_bits.begin(), state_bits.end(), 0);
            }
        };
        if (has_newcomers_) clear_words(newcomer_bits_);
        clear_words(bits_);
        word_count_ = count_ = 0;
        has_newcomers_ = have_rules_changed_ = are_many_reruled_ = has_order_changed_ = false;
        reruled_slots_.clear();
    }

    /// Whether counts and words are those of the bits.
    bool is_sound() const noexcept {
        std::size_t marked = 0;
        std::size_t marked_words = 0;
        for (const std::uint64_t word : bits_) {
            marked += static_cast<std::size_t>(std::popcount(word));
            marked_words += word != 0 ? 1u : 0u;
        }
        return marked == count_ && marked_words == word_count_ &&
               std::all_of(words_.begin(), words_.begin() + word_count_,
                           [&](std::uint32_t word) { return word < bits_.size() && bits_[word] != 0; });
    }
    std::size_t capacity_bytes() const noexcept {
        return bits_.capacity_bytes() + words_.capacity_bytes() + newcomer_bits_.capacity_bytes() +
               reruled_slots_.capacity_bytes() + reborn_bits_.capacity_bytes() +
               reruled_bits_.capacity_bytes();
    }
    void shrink() noexcept {
        reborn_bits_.release();
        reruled_bits_.release();
        shrink_to_fit(bits_);
        shrink_to_fit(words_);
        shrink_to_fit(newcomer_bits_);
        shrink_to_fit(reruled_slots_);
    }

private:
    // What is in a set of bits is in words that are marked.
    template <class Visit>
    void for_each_of(const AlignedArray<std::uint64_t>& bits_of_slots, Visit&& visit) const noexcept {
        for (std::size_t i = 0; i < word_count_; ++i) {
            const std::uint32_t word = words_.data()[i];
            for (std::uint64_t bits = bits_of_slots.data()[word]; bits != 0; bits &= bits - 1)
                visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
        }
    }

    AlignedArray<std::uint64_t> bits_;
    // The words of it in which there are some, in any order.
    AlignedArray<std::uint32_t> words_;
    std::size_t word_count_ = 0;
    std::size_t count_ = 0;
    std::uint64_t attempt_ = 1;
    // Slots that hold another object than at the last update.
    AlignedArray<std::uint64_t> newcomer_bits_;
    AlignedArray<std::uint32_t> reruled_slots_;
    bool has_newcomers_ = false;
    bool have_rules_changed_ = false;
    bool are_many_reruled_ = false;
    bool has_order_changed_ = false;
    // For those who ask, of the above.
    AlignedArray<std::uint64_t> reborn_bits_;
    AlignedArray<std::uint64_t> reruled_bits_;
};

}  // namespace broadside::broadphase
