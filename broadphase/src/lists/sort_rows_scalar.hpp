// The specification of how rows of keys become sorted pairs.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Most keys of a row here; longer rows are sorted elsewhere.
inline constexpr std::uint32_t kRowSlotCount = 128;
/// Most keys that are sorted by a network of their length. Beyond, it takes several times as long a key.
inline constexpr std::uint32_t kNetworkSlotCount = 32;

/// Lanes of the widest register, and the most that rounding adds to the length of a network.
inline constexpr std::uint32_t kRowPadding = 16;
inline constexpr std::uint32_t kSlotPadding = 3;

/// Rows of up to kRowSlotCount keys, no two of which are equal within a row. Slots of the rows are side by
/// side: slot k of row r is slots[k * stride + r]. Up to kSlotPadding slots behind the longest row and
/// kRowPadding rows behind the last are read; their contents do not matter.
struct RowSlots {
    const std::uint32_t* slots;
    /// For each row r: r + stride * its number of keys.
    const std::uint32_t* ends;
    std::uint32_t stride;
    /// 2^32 / stride, rounded up.
    std::uint32_t inv_stride;
    /// The bits of a key that hold the second index, which is below 2^31; all others are ignored.
    std::uint32_t second_mask;
    std::uint32_t first_of_row_0;

    BROADSIDE_FORCE_INLINE std::uint32_t count_of(std::uint32_t row) const {
        const std::uint64_t slots_below = ends[row] - row;
        return static_cast<std::uint32_t>(slots_below * inv_stride >> 32);
    }
};

/// Writes the pairs of the rows from `begin` to `end` to `out_pairs`, by first, then second, and returns
/// their end. May write anything after them, up to `out_end`.
BROADSIDE_FORCE_INLINE IndexPair* sort_rows_scalar(const RowSlots& rows, std::uint32_t begin,
                                                   std::uint32_t end, IndexPair* out_pairs, IndexPair*) {
    for (std::uint32_t row = begin; row < end; ++row) {
        const std::uint32_t count = rows.count_of(row);
        for (std::uint32_t k = 0; k < count; ++k) {
            const std::uint32_t second = rows.slots[std::size_t{k} * rows.stride + row] & rows.second_mask;
            std::uint32_t index = k;
            for (; index > 0 && out_pairs[index - 1].second > second; --index)
                out_pairs[index] = out_pairs[index - 1];
            out_pairs[index] = {rows.first_of_row_0 + row, second};
        }
        out_pairs += count;
    }
    return out_pairs;
}

}  // namespace broadside::broadphase
