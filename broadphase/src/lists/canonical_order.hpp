// Sorting pairs by first, then second.
#pragma once

#include <broadside/pair_buffer.hpp>

namespace broadside::broadphase {

/// Ascends in canonical order. One comparison, not two: whether the firsts are equal is a coin toss that a branch
/// would lose.
inline std::uint64_t key_of(const IndexPair& pair) noexcept {
    return std::uint64_t{pair.first} << 32 | pair.second;
}

/// Sorts `state_pairs`, whose `first` is below `first_count` and whose `second` is below `second_count`.
/// O(pairs + counts) for any input, rows of any length included. `scratch` gets up to 16 bytes a pair and 16
/// bytes for each box. False, and nothing changed, when out of memory.
[[nodiscard]] bool sort_pairs(std::span<IndexPair> state_pairs, std::size_t first_count,
                              std::size_t second_count, AlignedArray<std::byte>& scratch) noexcept;

}  // namespace broadside::broadphase
