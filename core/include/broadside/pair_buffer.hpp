// The list of index pairs that calls fill.
#pragma once

#include <broadside/aligned_array.hpp>

#include <compare>
#include <cstdint>

namespace broadside {

/// Two indices. Within one set `first < second`; between two sets, `first` indexes set a and `second` set b.
struct IndexPair {
    std::uint32_t first;
    std::uint32_t second;

    friend constexpr bool operator==(const IndexPair&, const IndexPair&) = default;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes what is generated for a 0.
    friend constexpr auto operator<=>(const IndexPair&, const IndexPair&) = default;
};

/// A list of pairs, reused from frame to frame.
using PairBuffer = AlignedArray<IndexPair>;

}  // namespace broadside
