// Buckets by the first index, filled while pairs are found or by tasks, then sorted one after the other; a
// radix sort if indices are too large for buckets.
#include "broadphase/src/lists/canonical_order.hpp"

#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/lists/radix_sort.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/pair_check.hpp"
#include "core/src/zones.hpp"
#include "simd/src/dispatch.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>
#include <bit>

namespace broadside::broadphase {
namespace {

// Tasks for each worker: enough that a crowded bucket does not leave the others idle.
constexpr std::uint32_t kBucketTasksPerWorker = 4;
// Parts that tasks put into buckets; each part has lists of its own.
constexpr std::uint32_t kPartCountMax = 16;

// Sorts by the digits of the second index, then stably by those of the first.
bool sort_pairs_by_digits(std::span<IndexPair> state_pairs, AlignedArray<std::byte>& scratch) {
    const std::size_t count = state_pairs.size();
    SortItem* items = nullptr;
    SortItem* spare = nullptr;
    const bool has_memory = reserve_arrays(scratch, [&](Arena& arena) {
        items = arena.reserve<SortItem>(count);
        spare = arena.reserve<SortItem>(count);
    });
    if (!has_memory) return false;
    for (std::size_t i = 0; i < count; ++i) items[i] = {state_pairs[i].second, state_pairs[i].first};
    SortItem* const sorted = radix_sort(items, spare, count);
    for (std::size_t i = 0; i < count; ++i) sorted[i] = {sorted[i].index, sorted[i].key};
    const SortItem* const result = radix_sort(sorted, sorted == items ? spare : items, count);
    for (std::size_t i = 0; i < count; ++i) state_pairs[i] = {result[i].key, result[i].index};
    return true;
}

bool sort_few_pairs(std::span<IndexPair> state_pairs, AlignedArray<std::byte>& scratch) {
    const std::size_t count = state_pairs.size();
    // Counts of events vary: rounding makes similar counts need the same memory.
    const std::size_t step = std::max<std::size_t>(256, std::bit_floor(count) / 2);
    const std::size_t room = (count + step - 1) / step * step;
    IndexPair* pairs = nullptr;
    std::uint32_t* buckets = nullptr;
    const bool has_memory = reserve_arrays(scratch, [&](Arena& arena) {
        pairs = arena.reserve<IndexPair>(room);
        buckets = arena.reserve<std::uint32_t>(range_bucket_count(room));
    });
    if (!has_memory) return false;
    std::uint32_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) {
        pairs[i] = state_pairs[i];
        largest = std::max(largest, pairs[i].first);
    }
    sort_range({pairs, count}, {0, static_cast<int>(std::bit_width(largest))}, buckets, state_pairs.data());
    return true;
}

// Writes pairs that no result contains, so that asserts detect a gap.
[[maybe_unused]] bool mark_unwritten(IndexPair* out_pairs, std::size_t count) {
    std::fill_n(out_pairs, count, IndexPair{0, 0});
    return true;
}

// Pairs in buckets, and the memory to sort them in, which follows the lists in the same array.
class BucketedPairs {
public:
    BucketedPairs(const BucketLayout& layout, std::span<const BucketLists> lists,
                  AlignedArray<std::byte>& memory)
        : layout_(layout), lists_(lists), memory_(memory), kernels_(*simd::active_kernels<OrderKernels>()) {
        std::uint64_t count = 0;
        for (std::uint32_t bucket = 0; bucket < layout.bucket_count; ++bucket) count += count_of(bucket);
        pair_count_ = static_cast<std::size_t>(count);
    }

    // Cuts the buckets into this many tasks, with memory for each. Returns false if out of memory.
    bool prepare(std::uint32_t task_count) {
        constexpr std::size_t kAlignment = AlignedArray<std::byte>::kAlignment;
        const std::size_t begin = (memory_.size() + kAlignment - 1) / kAlignment * kAlignment;
        Arena measure(nullptr);
        lay_out(measure, task_count);
        const std::uint64_t wanted = begin + measure.used_bytes();
        const auto end = static_cast<std::size_t>(wanted);
        if (end != wanted || !memory_.append(end - memory_.size())) return false;
        Arena arena(memory_.data() + begin);
        lay_out(arena, task_count);
        return true;
    }
    std::size_t pair_count() const { return pair_count_; }
    std::uint32_t task_count() const { return task_count_; }

    // Sorts the buckets of a task to their part of the output.
    void sort_part(std::uint32_t index, IndexPair* out_pairs) const {
        const Part& part = parts_[index];
        IndexPair* next = out_pairs + part.pair_begin;
        IndexPair* const end = out_pairs + part.pair_end;
        for (std::uint32_t bucket = part.bucket; bucket < part.bucket_end; ++bucket) {
            next += sort(bucket, part.memory, next, end);
        }
    }
    // Sorts and writes all buckets, one after the other.
    Status write_each(PairBuffer& scratch_pairs, PairWriter& state_writer) const {
        if (!scratch_pairs.resize(parts_[0].memory.key_capacity)) return Status::out_of_memory;
        Status status = Status::ok;
        for (std::uint32_t bucket = 0; bucket < layout_.bucket_count && status == Status::ok; ++bucket) {
            const std::uint32_t count =
                sort(bucket, parts_[0].memory, scratch_pairs.data(), scratch_pairs.end());
            status = state_writer.write_filtered({scratch_pairs.data(), count});
        }
        return status;
    }

private:
    struct Part {
        std::uint32_t bucket;
        std::uint32_t bucket_end;
        std::size_t pair_begin;
        std::size_t pair_end;
        BucketMemory memory;
    };

    std::uint32_t count_of(std::uint32_t bucket) const {
        std::uint32_t count = 0;
        for (const BucketLists& list : lists_) count += list.count_of(bucket);
        return count;
    }

    // Lays out parts of about equal pair counts.
    void lay_out(Arena& arena, std::uint32_t task_count) {
        task_count_ = task_count;
        parts_ = arena.reserve<Part>(task_count);
        std::uint32_t bucket = 0;
        std::uint64_t sum = 0;
        for (std::uint32_t task = 0; task < task_count; ++task) {
            Part part = {bucket, bucket, static_cast<std::size_t>(sum), 0, {0, nullptr}};
            const std::uint64_t wanted =
                (std::uint64_t{pair_count_} * (task + 1) + task_count - 1) / task_count;
            while (part.bucket_end < layout_.bucket_count && (sum < wanted || task + 1 == task_count)) {
                const std::uint32_t count = count_of(part.bucket_end++);
                sum += count;
                part.memory.key_capacity = std::max(part.memory.key_capacity, count);
            }
            bucket = part.bucket_end;
            part.pair_end = static_cast<std::size_t>(sum);
            part.memory.bytes =
                arena.reserve<std::byte>(BucketMemory::byte_count(layout_, part.memory.key_capacity));
            if (parts_ != nullptr) parts_[task] = part;
        }
    }

    std::uint32_t sort(std::uint32_t bucket, const BucketMemory& memory, IndexPair* out_pairs,
                       IndexPair* out_end) const {
        const std::uint32_t count = count_of(bucket);
        if (count == 0) return 0;
        BROADSIDE_ASSERT(mark_unwritten(out_pairs, count), "pairs: unmarked");
        sort_bucket(lists_, layout_, bucket, kernels_, memory, out_pairs, out_end);
        BROADSIDE_ASSERT(are_ascending({out_pairs, count}), "pairs: one was found twice");
        return count;
    }

    const BucketLayout& layout_;
    std::span<const BucketLists> lists_;
    AlignedArray<std::byte>& memory_;
    const OrderKernels& kernels_;
    std::size_t pair_count_ = 0;
    Part* parts_ = nullptr;
    std::uint32_t task_count_ = 0;
};

// Sorts to the output itself if that is contiguous.
Status write_buckets(const BucketLayout& layout, std::span<const BucketLists> lists, const TaskRunner* runner,
                     AlignedArray<std::byte>& memory, PairBuffer& scratch_pairs, PairWriter& state_writer) {
    BROADSIDE_ZONE("find_pairs/canonical order");
    BucketedPairs buckets(layout, lists, memory);
    const bool has_room = state_writer.has_room(buckets.pair_count());
    const std::uint32_t workers = worker_count(runner);
    if (!buckets.prepare(has_room && workers > 1 ? workers * kBucketTasksPerWorker : 1)) {
        return Status::out_of_memory;
    }
    if (!has_room) return buckets.write_each(scratch_pairs, state_writer);
    std::span<IndexPair> room;
    const Status status = state_writer.claim(buckets.pair_count(), room);
    if (status != Status::ok) return status;
    run_tasks(runner, buckets.task_count(), [&](std::uint32_t task) {
        BROADSIDE_ZONE("find_pairs/order task");
        buckets.sort_part(task, room.data());
    });
    return Status::ok;
}

[[maybe_unused]] bool are_in_range(std::span<const IndexPair> pairs, std::size_t first_count,
                                   std::size_t second_count) {
    return find_pair_out_of_range(pairs, first_count, second_count) == kNoIndex;
}

}  // namespace

void sort_range(std::span<const IndexPair> pairs, FirstRange firsts, std::uint32_t* scratch_buckets,
                IndexPair* out_pairs) noexcept {
    // A bucket is chosen by bits of the first index; that needs two pairs or more.
    if (pairs.size() < 2) {
        std::copy(pairs.begin(), pairs.end(), out_pairs);
        return;
    }
    const std::size_t bucket_count = range_bucket_count(pairs.size());
    const int shift = std::max(firsts.bits - std::countr_zero(bucket_count), 0);
    const auto end_of = [&](const IndexPair& pair) -> std::uint32_t& {
        return scratch_buckets[(pair.first - firsts.begin) >> shift];
    };
    std::fill_n(scratch_buckets, bucket_count, 0u);
    for (const IndexPair& pair : pairs) ++end_of(pair);
    std::uint32_t begin = 0;
    for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
        const std::uint32_t in_bucket = scratch_buckets[bucket];
        scratch_buckets[bucket] = begin;
        begin += in_bucket;
    }
    for (const IndexPair& pair : pairs) out_pairs[end_of(pair)++] = pair;
    begin = 0;
    for (std::size_t bucket = 0; bucket < bucket_count; ++bucket) {
        const std::uint32_t end = scratch_buckets[bucket];
        if (end - begin > 1) std::sort(out_pairs + begin, out_pairs + end, PairLess());
        begin = end;
    }
}

bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count, std::size_t second_count,
                AlignedArray<std::byte>& scratch) noexcept {
    if (state_pairs.empty()) return true;
    BROADSIDE_ASSERT(are_in_range(state_pairs, first_count, second_count),
                     "pairs: an index that no box has was found");
    BROADSIDE_ZONE("find_pairs/canonical order");
    BucketLayout layout;
    if (!BucketLayout::choose(first_count, second_count, layout)) {
        return sort_pairs_by_digits(state_pairs, scratch);
    }
    scratch.clear();
    BucketLists lists(layout, scratch);
    if (!lists.reserve(state_pairs.size())) return false;
    lists.start();
    lists.append(state_pairs);
    BucketedPairs buckets(layout, {&lists, 1}, scratch);
    if (!buckets.prepare(1)) return false;
    buckets.sort_part(0, state_pairs.data());
    return true;
}

bool sort_unique_pairs(PairBuffer& state_pairs, AlignedArray<std::byte>& scratch) noexcept {
    BROADSIDE_ZONE("find_pairs/canonical order");
    const std::span<IndexPair> pairs = {state_pairs.data(), state_pairs.size()};
    if (!(pairs.size() <= thresholds().order.bucketed_pairs_max ? sort_few_pairs(pairs, scratch)
                                                                : sort_pairs_by_digits(pairs, scratch))) {
        return false;
    }
    const IndexPair* const end = std::unique(state_pairs.begin(), state_pairs.end());
    return state_pairs.resize(static_cast<std::size_t>(end - state_pairs.begin()));
}

SortedOutput::SortedOutput(std::size_t first_count, std::size_t second_count, const TaskRunner* runner,
                           PairBuffer& scratch_list, AlignedArray<std::byte>& scratch,
                           PairWriter& state_writer) noexcept
    : first_count_(first_count),
      second_count_(second_count),
      runner_(runner),
      list_(scratch_list),
      scratch_(scratch),
      writer_(state_writer),
      has_layout_(BucketLayout::choose(first_count, second_count, layout_)),
      lists_(layout_, scratch) {}

PairOutput SortedOutput::collector() noexcept {
    list_.clear();
    scratch_.clear();
    has_lists_ = has_layout_ && worker_count(runner_) == 1;
    if (!has_lists_) return list_;
    has_memory_ = lists_.reserve(0);
    if (has_memory_) lists_.start();
    return PairSink{[](void* user, std::span<const IndexPair> pairs) noexcept {
                        static_cast<SortedOutput*>(user)->append(pairs);
                        return true;
                    },
                    this};
}

void SortedOutput::append(std::span<const IndexPair> pairs) noexcept {
    BROADSIDE_ASSERT(are_in_range(pairs, first_count_, second_count_),
                     "pairs: an index that no box has was found");
    has_memory_ = has_memory_ && lists_.reserve(pairs.size());
    if (has_memory_) lists_.append(pairs);
}

// Writes from the list, which tasks cut into buckets.
Status SortedOutput::write_list() noexcept {
    const std::span<IndexPair> pairs = {list_.data(), list_.size()};
    BROADSIDE_ASSERT(are_in_range(pairs, first_count_, second_count_),
                     "pairs: an index that no box has was found");
    if (!has_layout_) {
        return sort_pairs_by_digits(pairs, scratch_) ? writer_.write_filtered(pairs) : Status::out_of_memory;
    }
    const TaskRunner* const runner =
        pairs.size() < thresholds().order.shared_pair_count_min ? nullptr : runner_;
    const std::uint32_t part_count = std::min(worker_count(runner), kPartCountMax);
    const std::size_t part_pairs = pairs.size() / part_count + 1;
    const std::uint64_t part_words = BucketLists::word_count(layout_, part_pairs);
    const auto bytes = static_cast<std::size_t>(part_count * part_words * sizeof(std::uint32_t));
    if (part_words > 0xFFFFFFFFu || bytes / sizeof(std::uint32_t) / part_count != part_words ||
        !scratch_.resize(bytes)) {
        return Status::out_of_memory;
    }
    alignas(BucketLists) std::byte part_memory[kPartCountMax * sizeof(BucketLists)];
    auto* const parts = reinterpret_cast<BucketLists*>(part_memory);
    for (std::uint32_t part = 0; part < part_count; ++part) {
        new (parts + part) BucketLists(layout_, scratch_, static_cast<std::size_t>(part * part_words));
    }
    run_tasks(runner, part_count, [&](std::uint32_t part) {
        BROADSIDE_ZONE("find_pairs/bucket task");
        const std::size_t begin = std::min(part * part_pairs, pairs.size());
        parts[part].start();
        parts[part].append(pairs.subspan(begin, std::min(part_pairs, pairs.size() - begin)));
    });
    return write_buckets(layout_, {parts, part_count}, runner, scratch_, list_, writer_);
}

Status SortedOutput::write() noexcept {
    if (!has_memory_) return Status::out_of_memory;
    if (!has_lists_) return write_list();
    return write_buckets(layout_, {&lists_, 1}, nullptr, scratch_, list_, writer_);
}

}  // namespace broadside::broadphase
