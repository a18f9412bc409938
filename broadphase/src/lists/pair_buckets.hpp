// Pairs as 32-bit keys in buckets by their first index: the first half of the canonical order. The second
// half sorts the buckets one by one, each in a near cache.
#pragma once

#include "broadphase/src/lists/kernels.hpp"

#include <broadside/aligned_array.hpp>

#include <span>

namespace broadside::broadphase {

/// How the indices of a pair make up its bucket and key.
struct BucketLayout {
    /// A bucket has 2^row_bits first indices, at least two. The upper bits of a key are its row: the first
    /// index less that of row 0. The lower bits are the second index.
    std::uint32_t row_bits;
    std::uint32_t second_bits;
    std::uint32_t bucket_count;

    /// Chooses a layout for pairs whose indices are below the counts. Returns false if those are too large.
    static bool choose(std::size_t first_count, std::size_t second_count, BucketLayout& out_layout) noexcept;

    std::uint32_t row_shift() const { return 32 - row_bits; }
    std::uint32_t row_count() const { return std::uint32_t{1} << row_bits; }
};

/// Keys by bucket, in the order in which they were appended: lists of chunks, from a word of `memory` on that
/// stays fixed. The first words are the state of the buckets; the first word of a chunk names the next.
class BucketLists {
public:
    BucketLists(const BucketLayout& layout, AlignedArray<std::byte>& memory,
                std::size_t first_word = 0) noexcept;

    /// Words for this many pairs, however they are spread.
    static std::uint64_t word_count(const BucketLayout& layout, std::uint64_t pair_count) noexcept;

    /// Makes room for `pair_count` pairs more at the end of the memory; only the last lists there may do so.
    /// Returns false if out of memory.
    [[nodiscard]] bool reserve(std::uint64_t pair_count) noexcept;
    /// Empties the lists; room for pairs must be reserved again.
    void start() noexcept;
    /// Appends pairs; the caller has reserved room.
    void append(std::span<const IndexPair> pairs) noexcept;

    std::uint32_t count_of(std::uint32_t bucket) const noexcept {
        const std::uint32_t* const words = this->words();
        return words[layout_.bucket_count + bucket] * (kChunkWords - 1) + words[bucket] % kChunkWords - 1;
    }
    /// Calls `visit(keys, count)` for runs of the bucket's keys.
    template <class Visit>
    void for_each_run(std::uint32_t bucket, Visit&& visit) const noexcept {
        const std::uint32_t* const words = this->words();
        const std::uint32_t end = words[bucket];
        std::uint32_t chunk = first_chunk_ + bucket;
        while (chunk != end / kChunkWords) {
            const std::uint32_t* const keys = words + std::size_t{chunk} * kChunkWords;
            chunk = keys[0];
            prefetch(words + std::size_t{chunk} * kChunkWords);
            visit(keys + 1, kChunkWords - 1);
        }
        if (bucket + 1 < layout_.bucket_count)
            prefetch(words + std::size_t{first_chunk_ + bucket + 1} * kChunkWords);
        visit(words + std::size_t{chunk} * kChunkWords + 1, end % kChunkWords - 1);
    }

private:
    static constexpr std::uint32_t kChunkWords = 256;
    static constexpr std::uint32_t kLineWords = 16;

    // Prefetches all lines of a chunk: it is too short for a hardware prefetcher to learn.
    static void prefetch(const std::uint32_t* chunk) noexcept {
        for (std::uint32_t word = 0; word < kChunkWords; word += kLineWords) __builtin_prefetch(chunk + word);
    }
    std::uint32_t* words() const noexcept {
        return reinterpret_cast<std::uint32_t*>(memory_->data()) + first_word_;
    }

    BucketLayout layout_;
    AlignedArray<std::byte>* memory_;
    std::size_t first_word_;
    std::uint32_t first_chunk_;
    std::uint32_t free_chunk_;
};

/// The memory in which a bucket of up to `key_capacity` keys is sorted.
struct BucketMemory {
    std::uint32_t key_capacity;
    std::byte* bytes;

    static std::uint64_t byte_count(const BucketLayout& layout, std::uint32_t key_capacity) noexcept;
};

/// Writes the pairs of a bucket in order, from all `lists`. May write anything after them, up to `out_end`.
void sort_bucket(std::span<const BucketLists> lists, const BucketLayout& layout, std::uint32_t bucket,
                 const OrderKernels& kernels, const BucketMemory& memory, IndexPair* out_pairs,
                 IndexPair* out_end) noexcept;

}  // namespace broadside::broadphase
