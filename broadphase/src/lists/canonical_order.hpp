// Sorts pairs by first, then second, and writes unordered lists in that order.
#pragma once

#include "broadphase/src/lists/pair_buckets.hpp"
#include "broadphase/src/lists/pair_writer.hpp"

#include <broadside/task_runner.hpp>

#include <bit>

namespace broadside::broadphase {

/// A key that ascends in canonical order. One comparison, not two: whether the firsts are equal is a coin
/// toss that a branch would lose.
inline std::uint64_t key_of(const IndexPair& pair) noexcept {
    if constexpr (std::endian::native == std::endian::little)
        return std::rotl(__builtin_bit_cast(std::uint64_t, pair), 32);
    return std::uint64_t{pair.first} << 32 | pair.second;
}
/// The order of std::sort; a lambda in each caller would make as many copies of it.
struct PairLess {
    bool operator()(const IndexPair& a, const IndexPair& b) const noexcept { return key_of(a) < key_of(b); }
};

/// Whether the pairs are in order, each once. For asserts: O(pairs).
inline bool are_ascending(std::span<const IndexPair> pairs) noexcept {
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (key_of(pairs[i - 1]) >= key_of(pairs[i])) return false;
    }
    return true;
}

/// Sorts `state_pairs`, whose `first` is below `first_count` and whose `second` is below `second_count`, each
/// pair once. O(pairs + counts / 256) for any input, rows of any length included. `scratch` gets about 8
/// bytes a pair. Returns false, and changes nothing, if out of memory.
[[nodiscard]] bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count,
                              std::size_t second_count, AlignedArray<std::byte>& scratch) noexcept;
/// Sorts pairs, some of which may be there several times, and keeps one of each. Returns false, and changes
/// nothing, if out of memory.
[[nodiscard]] bool sort_unique_pairs(PairBuffer& state_pairs, AlignedArray<std::byte>& scratch) noexcept;

/// First indices from `begin` to below `begin + 2^bits`.
struct FirstRange {
    std::uint32_t begin;
    int bits;
};
/// One bucket for every two pairs.
constexpr std::size_t range_bucket_count(std::size_t pair_count) noexcept {
    return std::bit_ceil(pair_count / 2 + 1);
}
/// Sorts pairs with firsts in `firsts`, some of which may be there several times, to `out_pairs`, which does
/// not overlap `pairs`. O(pairs) if the firsts are spread, O(pairs log pairs) in any case. `scratch_buckets`
/// has room for `range_bucket_count`.
void sort_range(std::span<const IndexPair> pairs, FirstRange firsts, std::uint32_t* scratch_buckets,
                IndexPair* out_pairs) noexcept;

/// Sorts unordered pairs on their way to `state_writer`. One thread puts them into buckets at once, in about
/// 4 bytes of `scratch` a pair. With several workers they go to `scratch_list`, and tasks sort them.
class SortedOutput {
public:
    SortedOutput(std::size_t first_count, std::size_t second_count, const TaskRunner* runner,
                 PairBuffer& scratch_list, AlignedArray<std::byte>& scratch,
                 PairWriter& state_writer) noexcept;

    /// The output for the search. This object must not be moved until `write`.
    PairOutput collector() noexcept;
    /// Writes the pairs that were found, sorted. Returns ok or out_of_memory.
    Status write() noexcept;

private:
    void append(std::span<const IndexPair> pairs) noexcept;
    Status write_list() noexcept;

    // For asserts.
    [[maybe_unused]] std::size_t first_count_;
    [[maybe_unused]] std::size_t second_count_;
    const TaskRunner* runner_;
    PairBuffer& list_;
    AlignedArray<std::byte>& scratch_;
    PairWriter& writer_;
    BucketLayout layout_ = {};
    bool has_layout_;
    BucketLists lists_;
    // Whether pairs go to the buckets instead of the list.
    bool has_lists_ = false;
    bool has_memory_ = true;
};

/// Writes the pairs that `find(writer)` finds, sorted. Returns ok, out_of_memory, or the status of `find`.
template <class Find>
Status find_sorted(std::size_t first_count, std::size_t second_count, const TaskRunner* runner,
                   PairBuffer& scratch_list, AlignedArray<std::byte>& scratch, PairWriter& state_writer,
                   Find&& find) noexcept {
    SortedOutput sorted(first_count, second_count, runner, scratch_list, scratch, state_writer);
    PairWriter collector(sorted.collector(), state_writer.filter());
    const Status status = find(collector);
    return status != Status::ok ? status : sorted.write();
}

}  // namespace broadside::broadphase
