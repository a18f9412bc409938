// Keys go to the chunk of their bucket, then to a slot of their row; the kernel sorts the rows.
#include "broadphase/src/lists/pair_buckets.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

// If a bucket has this many rows per key, a pass over all rows costs more than comparisons.
constexpr std::uint32_t kRowsPerKeyMax = 16;
// If a bucket has more than this many keys per row, all of its rows count as long.
constexpr std::uint32_t kKeysPerRowMax = 16;

// log2 of the rows of a bucket, whose slots should be near together. It rises if there would be more buckets
// than a near cache holds lines to write to.
constexpr std::uint32_t kRowBits = 8;
constexpr std::uint32_t kNearBucketBits = 11;
constexpr std::uint32_t kRowBitsMax = 12;
constexpr std::uint32_t kBucketCountMax = 8192;

std::uint32_t bits_of(std::size_t count) {
    return count < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

// Slots of each row in a bucket of `key_count` keys. A few long rows among short ones are sorted separately.
std::uint32_t slot_count(const BucketLayout& layout, std::uint32_t key_count) {
    return key_count / kKeysPerRowMax > layout.row_count() ? kRowSlotCount : kNetworkSlotCount;
}

struct BucketArrays {
    std::uint32_t* ends;
    std::uint32_t* slots;
    SortItem* items;
    SortItem* spare;

    BucketArrays(Arena& arena, const BucketLayout& layout, std::uint32_t key_capacity) {
        const std::uint32_t used_slots = std::min(key_capacity, slot_count(layout, key_capacity));
        ends = arena.reserve<std::uint32_t>(layout.row_count());
        slots = arena.reserve<std::uint32_t>((used_slots + kSlotPadding) * std::uint64_t{stride_of(layout)});
        // For keys whose row has no slot left.
        const std::uint32_t item_count = key_capacity < kNetworkSlotCount ? 0 : key_capacity;
        items = arena.reserve<SortItem>(item_count);
        spare = arena.reserve<SortItem>(item_count);
    }
    // No power of two, because the slots of a row would then share a few cache sets.
    static std::uint32_t stride_of(const BucketLayout& layout) { return layout.row_count() + kRowPadding; }
};

}  // namespace

bool BucketLayout::choose(std::size_t first_count, std::size_t second_count,
                          BucketLayout& out_layout) noexcept {
    const std::uint32_t first_bits = bits_of(first_count);
    const std::uint32_t second_bits = bits_of(second_count);
    if (second_bits > 31) return false;
    const std::uint32_t wanted =
        std::clamp(first_bits, kRowBits + kNearBucketBits, kRowBitsMax + kNearBucketBits) - kNearBucketBits;
    const std::uint32_t row_bits = std::min({wanted, std::max(first_bits, 1u), 32 - second_bits});
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
    const std::uint64_t needed = (first_word_ + chunk_end * kChunkWords) * sizeof(std::uint32_t);
    const auto bytes = static_cast<std::size_t>(needed);
    if (bytes != needed || chunk_end * kChunkWords > 0xFFFFFFFFu) return false;
    if (bytes <= memory_->size()) return true;
    return memory_->append(bytes - memory_->size());
}

void BucketLists::start() noexcept {
    std::uint32_t* const words = this->words();
    for (std::uint32_t bucket = 0; bucket < layout_.bucket_count; ++bucket) {
        words[bucket] = (first_chunk_ + bucket) * kChunkWords + 1;
        words[layout_.bucket_count + bucket] = 0;
    }
    free_chunk_ = first_chunk_ + layout_.bucket_count;
}

void BucketLists::append(std::span<const IndexPair> pairs) noexcept {
    std::uint32_t* const words = this->words();
    const std::uint32_t bucket_count = layout_.bucket_count;
    const std::uint32_t row_shift = layout_.row_shift();
    std::uint32_t free_chunk = free_chunk_;
    for (const IndexPair& pair : pairs) {
        // The upper half is the bucket, the lower half starts with the row.
        const std::uint64_t first = std::uint64_t{pair.first} << row_shift;
        const auto bucket = static_cast<std::uint32_t>(first >> 32);
        std::uint32_t next = words[bucket];
        words[next++] = static_cast<std::uint32_t>(first) | pair.second;
        if (next % kChunkWords == 0) {
            words[next - kChunkWords] = free_chunk;
            next = free_chunk++ * kChunkWords + 1;
            ++words[bucket_count + bucket];
            prefetch(words + next);
        }
        words[bucket] = next;
        __builtin_prefetch(words + next + kLineWords, 1);
    }
    free_chunk_ = free_chunk;
}

std::uint64_t BucketMemory::byte_count(const BucketLayout& layout, std::uint32_t key_capacity) noexcept {
    Arena measure(nullptr);
    (void)BucketArrays(measure, layout, key_capacity);
    return measure.used_bytes();
}

void sort_bucket(std::span<const BucketLists> lists, const BucketLayout& layout, std::uint32_t bucket,
                 const OrderKernels& kernels, const BucketMemory& memory, IndexPair* out_pairs,
                 IndexPair* out_end) noexcept {
    Arena arena(memory.bytes);
    const BucketArrays arrays(arena, layout, memory.key_capacity);
    std::uint32_t* const slots = arrays.slots;
    std::uint32_t* const ends = arrays.ends;
    const std::uint32_t stride = BucketArrays::stride_of(layout);
    const std::uint32_t row_count = layout.row_count();
    const std::uint32_t row_shift = layout.row_shift();
    const RowSlots rows = {slots,
                           ends,
                           stride,
                           0xFFFFFFFFu / stride + 1,
                           (std::uint32_t{1} << layout.second_bits) - 1,
                           bucket << layout.row_bits};
    const auto row_of = [&](std::uint32_t key) { return key >> row_shift; };
    const auto pair_of = [&](std::uint32_t key) {
        return IndexPair{rows.first_of_row_0 + row_of(key), key & rows.second_mask};
    };
    const auto for_each_run = [&](auto&& visit) {
        for (const BucketLists& list : lists) list.for_each_run(bucket, visit);
    };
    std::uint32_t count = 0;
    for (const BucketLists& list : lists) count += list.count_of(bucket);
    if (count * std::uint64_t{kRowsPerKeyMax} < row_count) {
        std::uint32_t* next = slots;
        for_each_run(
            [&](const std::uint32_t* keys, std::uint32_t run) { next = std::copy_n(keys, run, next); });
        std::sort(slots, next);
        std::transform(slots, next, out_pairs, pair_of);
        return;
    }
    const std::uint32_t slot_end = stride * slot_count(layout, count);
    for (std::uint32_t row = 0; row < row_count; ++row) ends[row] = row;
    std::uint32_t item_count = 0;
    const auto put = [&](std::uint32_t key) {
        std::uint32_t& end = ends[row_of(key)];
        if (end >= slot_end) {
            arrays.items[item_count++] = {key, 0};
            return;
        }
        slots[end] = key;
        end += stride;
    };
    for_each_run([&](const std::uint32_t* keys, std::uint32_t run) {
        // Takes four parts of the run by turns: consecutive keys are often of the same row, whose end would
        // then be read just after it was written. pile, 100,000: 0.6 ns a pair.
        const std::uint32_t quarter = run / 4;
        for (std::uint32_t k = 0; k < quarter; ++k) {
            for (std::uint32_t part = 0; part < 4; ++part) put(keys[part * quarter + k]);
        }
        for (std::uint32_t k = 4 * quarter; k < run; ++k) put(keys[k]);
    });
    std::uint32_t row = 0;
    if (item_count != 0) {
        // Adds the keys of full rows to the keys that did not fit.
        for (; row < row_count; ++row) {
            for (std::uint32_t slot = row; ends[row] >= slot_end && slot < slot_end; slot += stride)
                arrays.items[item_count++] = {slots[slot], 0};
        }
        row = 0;
        const SortItem* const items = radix_sort(arrays.items, arrays.spare, item_count);
        for (std::uint32_t k = 0; k < item_count; ++row) {
            const std::uint32_t full_row = row_of(items[k].key);
            out_pairs = kernels.sort_rows(rows, row, full_row, out_pairs, out_end);
            for (row = full_row; k < item_count && row_of(items[k].key) == row; ++k)
                *out_pairs++ = pair_of(items[k].key);
        }
    }
    (void)kernels.sort_rows(rows, row, row_count, out_pairs, out_end);
}

}  // namespace broadside::broadphase
