// Slots that something has happened to, as bits, with the words in which there are some.
#pragma once

#include <broadside/aligned_array.hpp>

#include <bit>
#include <cstdint>

namespace broadside::broadphase {

class SlotMarks {
public:
    explicit SlotMarks(const Allocator& allocator) noexcept : bits_(allocator), words_(allocator) {}

    /// To so many words of bits; false when there is no memory. They never get fewer.
    bool grow(std::size_t word_count) noexcept {
        const std::size_t before = bits_.size();
        if (word_count <= before) return true;
        if (!bits_.reserve_to_append(word_count - before) || !words_.reserve_to_append(word_count - before))
            return false;
        // Within the room that there is now.
        (void)bits_.resize(word_count);
        (void)words_.resize(word_count);
        for (std::size_t word = before; word < word_count; ++word) bits_[word] = 0;
        return true;
    }
    /// Slots of words that there are not are of no interest.
    void mark(std::size_t word, std::uint64_t bits) noexcept {
        if (bits == 0 || word >= bits_.size()) return;
        if (bits_.data()[word] == 0) words_.data()[word_count_++] = static_cast<std::uint32_t>(word);
        bits_.data()[word] |= bits;
    }
    void mark(const SlotMarks& other) noexcept {
        for (std::size_t i = 0; i < other.word_count_; ++i) {
            const std::uint32_t word = other.words_.data()[i];
            mark(word, other.bits_.data()[word]);
        }
    }
    std::size_t count() const noexcept {
        std::size_t count = 0;
        for (std::size_t i = 0; i < word_count_; ++i) {
            count += static_cast<std::size_t>(std::popcount(bits_.data()[words_.data()[i]]));
        }
        return count;
    }
    /// Calls `look(slot)` for each, none of which is marked afterwards.
    template <class Look>
    void take(Look&& look) noexcept {
        for (std::size_t i = 0; i < word_count_; ++i) {
            const std::uint32_t word = words_.data()[i];
            for (std::uint64_t bits = bits_.data()[word]; bits != 0; bits &= bits - 1) {
                look(word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits)));
            }
            bits_.data()[word] = 0;
        }
        word_count_ = 0;
    }
    void clear() noexcept {
        take([](std::uint32_t) {});
    }
    std::size_t marked_word_count() const noexcept { return word_count_; }
    /// To no words at all.
    void release() noexcept {
        bits_.release();
        words_.release();
        word_count_ = 0;
    }
    std::size_t capacity_bytes() const noexcept { return bits_.capacity_bytes() + words_.capacity_bytes(); }

private:
    AlignedArray<std::uint64_t> bits_;
    // In any order.
    AlignedArray<std::uint32_t> words_;
    std::size_t word_count_ = 0;
};

}  // namespace broadside::broadphase
