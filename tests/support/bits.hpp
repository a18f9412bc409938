// Bits of lists of words, as kernels and sets of boxes have them.
#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace broadside::test {

using Bits = std::vector<std::uint64_t>;

inline bool has_bit(std::span<const std::uint64_t> words, std::size_t i) {
    return (words[i / 64] >> (i % 64) & 1) != 0;
}

/// Requires that every bit is that of `expected(i)`, and that those past the end are zero.
template <class Expected>
void require_bits(std::span<const std::uint64_t> words, std::size_t count, Expected&& expected) {
    for (std::size_t i = 0; i < words.size() * 64; ++i)
        REQUIRE(has_bit(words, i) == (i < count && expected(i)));
}

}  // namespace broadside::test
