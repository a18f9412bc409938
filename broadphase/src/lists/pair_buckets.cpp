// Keys go to the chunk of their bucket, then to their row, then by the kernel to their place in it.
#include "broadphase/src/lists/pair_buckets.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

// Rows up to here are ranked together, every key against as many registers as the longest one needs. Longer
// ones are ranked each on its own, until digits are cheaper.
constexpr std::uint32_t kShortRowMax = 32;
constexpr std::uint32_t kRankedRowMax = 128;
static_assert(kRankedRowMax < kKeyPadding);
// Where a bucket has this many rows for each key, a look at all rows costs more than comparisons.
constexpr std::uint32_t kRowsPerKeyMax = 16;

constexpr std::uint32_t kKeyBits = 31;
// Rows of a bucket, and buckets, whose lines are written to in turn: as many as are near. More are still better
// than sorting by digits.
constexpr std::uint32_t kRowBits = 9;
constexpr std::uint32_t kNearBucketBits = 8;
constexpr std::uint32_t kBucketCountMax = 8192;

std::uint32_t bits_of(std::size_t count) {
    return count < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

struct BucketArrays {
    // One before the first row.
    std::uint32_t* row_ends;
    std::uint32_t* keys;
    SortItem* items;
    SortItem* spare;

    BucketArrays(Arena& arena, const BucketLayout& layout, std::uint32_t key_capacity) {
        row_ends = arena.reserve<std::uint32_t>(std::uint64_t{layout.row_count()} + 1);
        keys = arena.reserve<std::uint32_t>(std::uint64_t{key_capacity} + kKeyPadding);
        // A row that is too long for the kernel, and no longer than there are second indices.
        const std::uint32_t item_count =
            key_capacity > kRankedRowMax ? std::min(key_capacity, std::uint32_t{1} << layout.second_bits) : 0;
        items = arena.reserve<SortItem>(item_count);
        spare = arena.reserve<SortItem>(item_count);
    }
};

// The keys of a row beyond what the kernel compares; they differ in the second index only.
void sort_long_row(const KeyRows& rows, std::uint32_t begin, std::uint32_t end, const BucketArrays& arrays,
                   IndexPair* out_pairs) {
    const std::uint32_t count = end - begin;
    for (std::uint32_t k = 0; k < count; ++k) {
        const IndexPair pair = rows.pair_of(rows.keys[begin + k]);
        arrays.items[k] = {pair.second, pair.first};
    }
    const SortItem* const sorted = radix_sort(arrays.items, arrays.spare, count);
    for (std::uint32_t k = 0; k < count; ++k) out_pairs[begin + k] = {sorted[k].index, sorted[k].key};
}

}  // namespace

bool BucketLayout::choose(std::size_t first_count, std::size_t second_count,
                          BucketLayout& out_layout) noexcept {
    const std::uint32_t first_bits = bits_of(first_count);
    const std::uint32_t second_bits = bits_of(second_count);
    if (second_bits > kKeyBits) return false;
    const std::uint32_t wanted =
        first_bits > kRowBits + kNearBucketBits ? first_bits - kNearBucketBits : kRowBits;
    const std::uint32_t row_bits = std::min({wanted, first_bits, kKeyBits - second_bits});
    const std::size_t bucket_count = first_count == 0 ? 0 : ((first_count - 1) >> row_bits) + 1;
    if (bucket_count > kBucketCountMax) return false;
    out_layout = {row_bits, second_bits, static_cast<std::uint32_t>(bucket_count)};
    return true;
}

BucketLists::BucketLists(const BucketLayout& layout, AlignedArray<std::byte>& memory,
                         std::size_t first_word) noexcept
    : layout_(layout),
      memory_(&memory),
      first_word_(first_word),
      first_chunk_((2 * layout.bucket_count + kChunkWords - 1) / kChunkWords),
      free_chunk_(first_chunk_ + layout.bucket_count) {}

std::uint64_t BucketLists::word_count(const BucketLayout& layout, std::uint64_t pair_count) noexcept {
    const std::uint64_t own = (2 * std::uint64_t{layout.bucket_count} + kChunkWords - 1) / kChunkWords;
    return (own + layout.bucket_count + pair_count / (kChunkWords - 1)) * kChunkWords;
}

bool BucketLists::reserve(std::uint64_t pair_count) noexcept {
    // Every bucket may have a chunk that is nearly full.
    const std::uint64_t chunk_end =
        std::uint64_t{free_chunk_} + pair_count / (kChunkWords - 1) + layout_.bucket_count;
    const std::uint64_t needed = (first_word_ + chunk_end * kChunkWords) * kWordBytes;
    const auto bytes = static_cast<std::size_t>(needed);
    if (bytes != needed || chunk_end * kChunkWords > 0xFFFFFFFFu) return false;
    if (bytes <= memory_->size()) return true;
    return memory_->reserve_to_append(bytes - memory_->size()) && memory_->resize(bytes);
}

void BucketLists::start() noexcept {
    std::uint32_t* const words = this->words();
    for (std::uint32_t bucket = 0; bucket < layout_.bucket_count; ++bucket) {
        words[bucket] = (first_chunk_ + bucket) * kChunkWords;
        words[layout_.bucket_count + bucket] = 0;
    }
    free_chunk_ = first_chunk_ + layout_.bucket_count;
}

void BucketLists::append(std::span<const IndexPair> pairs) noexcept {
    std::uint32_t* const words = this->words();
    const BucketLayout layout = layout_;
    for (const IndexPair& pair : pairs) {
        const std::uint32_t bucket = layout.bucket_of(pair);
        std::uint32_t next = words[bucket];
        words[next++] = layout.key_of(pair);
        if (next % kChunkWords == kChunkWords - 1) {
            words[next] = free_chunk_;
            next = free_chunk_++ * kChunkWords;
            ++words[layout.bucket_count + bucket];
        }
        words[bucket] = next;
    }
}

std::uint64_t BucketMemory::byte_count(const BucketLayout& layout, std::uint32_t key_capacity) noexcept {
    Arena measure(nullptr);
    (void)BucketArrays(measure, layout, key_capacity);
    return measure.used_bytes();
}

void sort_bucket(std::span<const BucketLists> lists, const BucketLayout& layout, std::uint32_t bucket,
                 const OrderKernels& kernels, const BucketMemory& memory, IndexPair* out_pairs) noexcept {
    Arena arena(memory.bytes);
    const BucketArrays arrays(arena, layout, memory.key_capacity);
    const auto for_each_run = [&](auto&& visit) {
        for (const BucketLists& list : lists) list.for_each_run(bucket, visit);
    };
    std::uint32_t count = 0;
    for (const BucketLists& list : lists) count += list.count_of(bucket);
    const std::uint32_t row_count = layout.row_count();
    std::uint32_t* const row_ends = arrays.row_ends + 1;
    KeyRows rows = {arrays.keys, row_ends, layout.second_bits, bucket << layout.row_bits, 0};
    if (count * std::uint64_t{kRowsPerKeyMax} < row_count) {
        std::uint32_t* next = arrays.keys;
        for_each_run(
            [&](const std::uint32_t* keys, std::uint32_t run) { next = std::copy_n(keys, run, next); });
        std::sort(arrays.keys, next);
        for (std::uint32_t k = 0; k < count; ++k) out_pairs[k] = rows.pair_of(arrays.keys[k]);
        return;
    }
    row_ends[-1] = 0;
    std::memset(row_ends, 0, row_count * sizeof(std::uint32_t));
    for_each_run([&](const std::uint32_t* keys, std::uint32_t run) {
        for (std::uint32_t k = 0; k < run; ++k) ++row_ends[rows.row_of(keys[k])];
    });
    std::uint32_t sum = 0;
    bool has_long_row = false;
    for (std::uint32_t row = 0; row < row_count; ++row) {
        const std::uint32_t length = row_ends[row];
        row_ends[row] = sum;
        sum += length;
        const bool is_long = length > kShortRowMax;
        has_long_row |= is_long;
        rows.row_length_max = std::max(rows.row_length_max, is_long ? 0 : length);
    }
    // Every row's begin moves to its end.
    for_each_run([&](const std::uint32_t* keys, std::uint32_t run) {
        for (std::uint32_t k = 0; k < run; ++k) arrays.keys[row_ends[rows.row_of(keys[k])]++] = keys[k];
    });
    std::fill_n(arrays.keys + count, kKeyPadding, (std::uint32_t{1} << kKeyBits) - 1);
    if (!has_long_row) return kernels.rank_pairs(rows, 0, count, out_pairs);
    std::uint32_t done = 0;
    for (std::uint32_t row = 0; row < row_count; ++row) {
        const std::uint32_t begin = row_ends[static_cast<std::ptrdiff_t>(row) - 1];
        const std::uint32_t end = row_ends[row];
        if (end - begin <= kShortRowMax) continue;
        kernels.rank_pairs(rows, done, begin, out_pairs);
        if (end - begin <= kRankedRowMax) {
            KeyRows long_row = rows;
            long_row.row_length_max = end - begin;
            kernels.rank_pairs(long_row, begin, end, out_pairs);
        } else {
            sort_long_row(rows, begin, end, arrays, out_pairs);
        }
        done = end;
    }
    kernels.rank_pairs(rows, done, count, out_pairs);
}

}  // namespace broadside::broadphase
