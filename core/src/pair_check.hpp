// The range check of index pairs that every batch call over pairs makes before it touches an output.
#pragma once

#include <broadside/pair_buffer.hpp>

namespace broadside {

/// The first pair with `first >= first_count` or `second >= second_count`, or kNoIndex. O(pairs), at memory
/// speed: whole blocks are checked without a branch per pair.
inline std::size_t find_pair_out_of_range(std::span<const IndexPair> pairs, std::size_t first_count,
                                          std::size_t second_count) noexcept {
    constexpr std::size_t kBlock = 256;
    for (std::size_t begin = 0; begin < pairs.size(); begin += kBlock) {
        const std::size_t end = begin + kBlock < pairs.size() ? begin + kBlock : pairs.size();
        unsigned bad = 0;
        for (std::size_t index = begin; index < end; ++index) {
            bad |= static_cast<unsigned>(pairs[index].first >= first_count) |
                   static_cast<unsigned>(pairs[index].second >= second_count);
        }
        if (bad == 0) continue;
        for (std::size_t index = begin; index < end; ++index) {
            if (pairs[index].first >= first_count || pairs[index].second >= second_count) return index;
        }
    }
    return kNoIndex;
}

}  // namespace broadside
