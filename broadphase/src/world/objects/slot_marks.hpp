// A set of slots as bits; its cost depends on its content, not on its range.
#pragma once

#include "broadphase/src/lists/bits.hpp"
#include "broadphase/src/lists/shrink_to_fit.hpp"

#include <broadside/aligned_array.hpp>
#include <broadside/compiler.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

namespace broadside::broadphase {

/// Bits of slots, 64 to a word, and a bit for each word that is not zero: a pass reads a 4096th of the slots
/// and the words in use. Nothing else is stored, so that threads may mark at the same time.
class SlotMarks {
public:
    explicit SlotMarks(const Allocator& allocator) noexcept : bits_(allocator), used_words_(allocator) {}

    /// Makes room for this many words of bits. Returns false if out of memory.
    bool reserve(std::size_t word_count) noexcept {
        const auto reserve_of = [](AlignedArray<std::uint64_t>& array, std::size_t count) {
            return count <= array.size() || array.reserve_to_append(count - array.size());
        };
        return reserve_of(bits_, word_count) && reserve_of(used_words_, bit_word_count(word_count));
    }
    /// Sets the size within that room; new words are zero. The size never shrinks.
    void resize(std::size_t word_count) noexcept {
        const auto resize_of = [](AlignedArray<std::uint64_t>& array, std::size_t count) {
            const std::size_t before = array.size();
            if (count <= before) return;
            (void)array.resize(count);
            std::fill(array.begin() + before, array.end(), 0);
        };
        resize_of(bits_, word_count);
        resize_of(used_words_, bit_word_count(word_count));
    }
    /// Does both.
    bool grow(std::size_t word_count) noexcept {
        if (!reserve(word_count)) return false;
        resize(word_count);
        return true;
    }

    /// Ignores slots beyond the present words.
    void mark(std::size_t word, std::uint64_t bits) noexcept {
        if (word >= bits_.size()) return;
        bits_.data()[word] |= bits;
        used_words_.data()[word / 64] |= std::uint64_t{bits != 0 ? 1u : 0u} << word % 64;
    }
    void mark(std::uint32_t slot) noexcept { mark(slot / 64, bit_of(slot)); }
    /// The same from several threads at a time, while no thread reads.
    void mark_shared(std::uint32_t slot) noexcept {
        const std::size_t word = slot / 64;
        if (word >= bits_.size()) return;
        std::uint64_t& state_bits = bits_.data()[word];
        if ((load_shared(state_bits) & bit_of(slot)) != 0) return;
        if (set_bits_shared(state_bits, bit_of(slot)) == 0)
            (void)set_bits_shared(used_words_.data()[word / 64], bit_of(word));
    }
    BROADSIDE_NEVER_INLINE void mark(const SlotMarks& other) noexcept {
        other.for_each_word([&](std::size_t word) { mark(word, other.bits_.data()[word]); });
    }
    /// All slots below a count.
    void mark_all(std::size_t slot_count) noexcept {
        for (std::size_t word = 0; word * 64 < slot_count; ++word)
            mark(word, item_bits_in_word(word, slot_count));
    }

    bool holds(std::uint32_t slot) const noexcept { return has_bit(bits_.data(), slot); }
    std::span<const std::uint64_t> bits() const noexcept { return {bits_.data(), bits_.size()}; }
    /// The bits, to be filled from a snapshot; call `note_marked` for all words afterwards.
    std::span<std::uint64_t> bits_to_fill() noexcept { return {bits_.data(), bits_.size()}; }
    /// `mark` in tasks that share no word; call `note_marked` for a range with their words afterwards.
    void mark_in_task(std::size_t word, std::uint64_t bits) noexcept {
        if (word < bits_.size()) bits_.data()[word] |= bits;
    }
    void note_marked(std::size_t first_word, std::size_t end_word) noexcept {
        for (std::size_t word = first_word; word < std::min(end_word, bits_.size()); ++word)
            used_words_.data()[word / 64] |= std::uint64_t{bits_.data()[word] != 0 ? 1u : 0u} << word % 64;
    }
    bool is_empty() const noexcept {
        return std::all_of(used_words_.begin(), used_words_.end(),
                           [](std::uint64_t word) { return word == 0; });
    }
    // Passes over all words are not inlined, so that programs are small.
    BROADSIDE_NEVER_INLINE std::size_t count() const noexcept {
        std::size_t count = 0;
        for_each_word(
            [&](std::size_t word) { count += static_cast<std::size_t>(std::popcount(bits_.data()[word])); });
        return count;
    }
    std::size_t used_word_count() const noexcept {
        std::size_t count = 0;
        for_each_word([&](std::size_t) { ++count; });
        return count;
    }
    /// Calls `visit(slot)` for each, ascending.
    template <class Visit>
    void for_each(Visit&& visit) const noexcept {
        for_each_word([&](std::size_t word) {
            for (std::uint64_t bits = bits_.data()[word]; bits != 0; bits &= bits - 1)
                visit(static_cast<std::uint32_t>(word * 64) +
                      static_cast<std::uint32_t>(std::countr_zero(bits)));
        });
    }
    BROADSIDE_NEVER_INLINE void clear() noexcept {
        for_each_word([&](std::size_t word) { bits_.data()[word] = 0; });
        std::fill(used_words_.begin(), used_words_.end(), 0);
    }

    /// Whether `used_words_` marks exactly the words in use.
    bool is_sound() const noexcept {
        for (std::size_t word = 0; word < bits_.size(); ++word)
            if (has_bit(used_words_, word) != (bits_[word] != 0)) return false;
        return true;
    }
    /// Leaves no words at all.
    void release() noexcept {
        bits_.release();
        used_words_.release();
    }
    void shrink() noexcept {
        shrink_to_fit(bits_);
        shrink_to_fit(used_words_);
    }
    std::size_t capacity_bytes() const noexcept {
        return bits_.capacity_bytes() + used_words_.capacity_bytes();
    }

private:
    template <class Visit>
    void for_each_word(Visit&& visit) const noexcept {
        for_each_bit(
            used_words_.size(), [&](std::size_t word) { return used_words_.data()[word]; }, visit);
    }

    AlignedArray<std::uint64_t> bits_;
    AlignedArray<std::uint64_t> used_words_;
};

}  // namespace broadside::broadphase
