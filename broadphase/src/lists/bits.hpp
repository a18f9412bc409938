// Sets of boxes or objects as bits, 64 to a word: bit i % 64 of word i / 64 stands for item i.
#pragma once

#include <broadside/bits.hpp>

#include <bit>
#include <cstdint>

namespace broadside::broadphase {

/// The bit of an item in its word.
constexpr std::uint64_t bit_of(std::size_t index) noexcept { return std::uint64_t{1} << index % 64; }

/// Whether the item's bit is set. `words` is anything with words at indices.
template <class Words>
bool has_bit(const Words& words, std::size_t index) noexcept {
    return (words[index / 64] >> index % 64 & 1) != 0;
}

template <class Words>
void set_bit(Words&& state_words, std::size_t index) noexcept {
    state_words[index / 64] |= bit_of(index);
}

template <class Words>
void set_bit(Words&& state_words, std::size_t index, bool value) noexcept {
    std::uint64_t& word = state_words[index / 64];
    word = value ? word | bit_of(index) : word & ~bit_of(index);
}

/// Same for bits of a word that several threads set at a time. Returns the word's value before.
inline std::uint64_t set_bits_shared(std::uint64_t& state_word, std::uint64_t bits) noexcept {
    return __atomic_fetch_or(&state_word, bits, __ATOMIC_RELAXED);
}
inline std::uint64_t load_shared(const std::uint64_t& word) noexcept {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

/// The bits of word `word` that stand for items, of `item_count` in all.
constexpr std::uint64_t item_bits_in_word(std::size_t word, std::size_t item_count) noexcept {
    const std::size_t left = item_count - word * 64;
    return left >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << left) - 1;
}

/// Calls `visit(index)` for each bit that is set in `word_at(w)`, w below `word_count`, ascending.
template <class WordAt, class Visit>
void for_each_bit(std::size_t word_count, WordAt&& word_at, Visit&& visit) {
    for (std::size_t word = 0; word < word_count; ++word) {
        for (std::uint64_t bits = word_at(word); bits != 0; bits &= bits - 1) {
            visit(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
        }
    }
}

}  // namespace broadside::broadphase
