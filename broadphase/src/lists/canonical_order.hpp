// Pairs by first, then second: sorting them, and writing a list so that is found in another order.
#pragma once

#include "broadphase/src/lists/pair_writer.hpp"

namespace broadside::broadphase {

/// Ascends in canonical order. One comparison, not two: whether the firsts are equal is a coin toss that a branch
/// would lose.
inline std::uint64_t key_of(const IndexPair& pair) noexcept {
    return std::uint64_t{pair.first} << 32 | pair.second;
}

/// Whether every pair is there once, in order. For asserts: O(pairs).
inline bool are_ascending(std::span<const IndexPair> pairs) noexcept {
    for (std::size_t i = 1; i < pairs.size(); ++i) {
        if (key_of(pairs[i - 1]) >= key_of(pairs[i])) return false;
    }
    return true;
}

/// Sorts `state_pairs`, whose `first` is below `first_count` and whose `second` is below `second_count`.
/// O(pairs + counts) for any input, rows of any length included. `scratch` gets up to 16 bytes a pair and 16
/// bytes for each box. False, and nothing changed, when out of memory.
[[nodiscard]] bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count,
                              std::size_t second_count, AlignedArray<std::byte>& scratch) noexcept;

/// Sorts a list likewise, and writes it to `state_writer`, whose filter it has passed already. ok, or
/// out_of_memory.
Status write_sorted(PairBuffer& state_list, std::size_t first_count, std::size_t second_count,
                    AlignedArray<std::byte>& scratch, PairWriter& state_writer) noexcept;

/// Writes what `find(writer)` finds in whatever order, sorted. `scratch_list` holds the list meanwhile. ok,
/// out_of_memory, or what `find` answers.
template <class Find>
Status find_sorted(std::size_t first_count, std::size_t second_count, PairBuffer& scratch_list,
                   AlignedArray<std::byte>& scratch, PairWriter& state_writer, Find&& find) noexcept {
    PairWriter collector(scratch_list, state_writer.filter());
    const Status status = find(collector);
    if (status != Status::ok) return status;
    return write_sorted(scratch_list, first_count, second_count, scratch, state_writer);
}

}  // namespace broadside::broadphase
