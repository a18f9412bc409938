// The specification of how rows of keys become pairs in order: a key's place in its row is how many of the row
// are smaller.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstdint>

namespace broadside::broadphase {

/// Pairs as keys: the second index in the lower bits, above it the row, which is the first index less that of
/// row 0. Keys of a row stand side by side, the rows ascend, no key is there twice, and all are below 2^31 - 1.
struct KeyRows {
    /// Read up to kKeyPadding places behind a row; there, too, is nothing below the keys of the row.
    const std::uint32_t* keys;
    /// Where each row ends; there is one before the first, where that begins.
    const std::uint32_t* row_ends;
    std::uint32_t second_bits;
    std::uint32_t first_of_row_0;
    /// No row of those that are ranked is longer.
    std::uint32_t row_length_max;

    std::uint32_t row_of(std::uint32_t key) const { return key >> second_bits; }
    const std::uint32_t* row_end(std::uint32_t key) const { return row_ends + row_of(key); }
    IndexPair pair_of(std::uint32_t key) const {
        return {first_of_row_0 + row_of(key), key & ((std::uint32_t{1} << second_bits) - 1)};
    }
};

/// The widest register is read, and one beyond the longest row that is ranked.
inline constexpr std::uint32_t kKeyPadding = 160;

BROADSIDE_FORCE_INLINE void rank_pairs_scalar(const KeyRows& rows, std::uint32_t begin, std::uint32_t end,
                                              IndexPair* out_pairs) {
    for (std::uint32_t k = begin; k < end; ++k) {
        const std::uint32_t key = rows.keys[k];
        const std::uint32_t* const row_end = rows.row_end(key);
        std::uint32_t rank = 0;
        for (std::uint32_t i = row_end[-1]; i < row_end[0]; ++i) rank += rows.keys[i] < key ? 1u : 0u;
        out_pairs[row_end[-1] + rank] = rows.pair_of(key);
    }
}

}  // namespace broadside::broadphase
