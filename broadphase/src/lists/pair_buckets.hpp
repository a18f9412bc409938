// Pairs as keys of 31 bits in buckets by their first index: the first half of the canonical order. The second
// half sorts one bucket after the other, each of which stays in a near cache.
#pragma once

#include "broadphase/src/lists/kernels.hpp"

#include <broadside/aligned_array.hpp>

#include <span>

namespace broadside::broadphase {

/// How the indices of a pair make bucket and key.
struct BucketLayout {
    /// A bucket has 2^row_bits first indices.
    std::uint32_t row_bits;
    std::uint32_t second_bits;
    std::uint32_t bucket_count;

    /// For pairs whose indices are below the counts. False when those are too large for it.
    static bool choose(std::size_t first_count, std::size_t second_count, BucketLayout& out_layout) noexcept;

    std::uint32_t row_count() const { return std::uint32_t{1} << row_bits; }
    std::uint32_t bucket_of(const IndexPair& pair) const { return pair.first >> row_bits; }
    std::uint32_t key_of(const IndexPair& pair) const {
        return (pair.first & (row_count() - 1)) << second_bits | pair.second;
    }
};

/// Keys by bucket in the order in which they came: lists of chunks, which begin at a word of `memory` that is
/// not moved. The first words are the buckets' own; the last word of a chunk is the number of the next one.
class BucketLists {
public:
    BucketLists(const BucketLayout& layout, AlignedArray<std::byte>& memory,
                std::size_t first_word = 0) noexcept;

    /// Words for so many pairs, however they are spread.
    static std::uint64_t word_count(const BucketLayout& layout, std::uint64_t pair_count) noexcept;
    static constexpr std::size_t kWordBytes = sizeof(std::uint32_t);

    /// Makes room for `pair_count` pairs more at the end of the memory, which only the last lists there may
    /// do; false when there is none.
    [[nodiscard]] bool reserve(std::uint64_t pair_count) noexcept;
    /// Empties the lists. There is room for no pairs.
    void start() noexcept;
    /// There is room for them.
    void append(std::span<const IndexPair> pairs) noexcept;

    std::uint32_t count_of(std::uint32_t bucket) const noexcept {
        const std::uint32_t* const words = this->words();
        return words[layout_.bucket_count + bucket] * (kChunkWords - 1) + words[bucket] % kChunkWords;
    }
    /// `visit(keys, count)` for runs of them.
    template <class Visit>
    void for_each_run(std::uint32_t bucket, Visit&& visit) const noexcept {
        const std::uint32_t* const words = this->words();
        const std::uint32_t end = words[bucket];
        std::uint32_t chunk = first_chunk_ + bucket;
        while (chunk != end / kChunkWords) {
            const std::uint32_t* const keys = words + std::size_t{chunk} * kChunkWords;
            chunk = keys[kChunkWords - 1];
            __builtin_prefetch(words + std::size_t{chunk} * kChunkWords);
            visit(keys, kChunkWords - 1);
        }
        visit(words + std::size_t{chunk} * kChunkWords, end % kChunkWords);
    }

private:
    static constexpr std::uint32_t kChunkWords = 256;

    std::uint32_t* words() const noexcept {
        return reinterpret_cast<std::uint32_t*>(memory_->data()) + first_word_;
    }

    BucketLayout layout_;
    AlignedArray<std::byte>* memory_;
    std::size_t first_word_;
    std::uint32_t first_chunk_;
    std::uint32_t free_chunk_;
};

/// What a bucket of up to `key_capacity` keys is sorted in.
struct BucketMemory {
    std::uint32_t key_capacity;
    std::byte* bytes;

    static std::uint64_t byte_count(const BucketLayout& layout, std::uint32_t key_capacity) noexcept;
};

/// The pairs of a bucket in order; `lists` may each have some of its keys.
void sort_bucket(std::span<const BucketLists> lists, const BucketLayout& layout, std::uint32_t bucket,
                 const OrderKernels& kernels, const BucketMemory& memory, IndexPair* out_pairs) noexcept;

}  // namespace broadside::broadphase
