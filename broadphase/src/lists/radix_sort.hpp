// A stable sort by 32-bit keys, and the keys that sort floats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

struct SortItem {
    std::uint32_t key;
    std::uint32_t index;
};

/// A key that ascends with the number, from -infinity to +infinity; -0 and +0 have the same key. Not for NaN.
inline std::uint32_t sort_key(float number) noexcept {
    constexpr std::uint32_t kSignBit = 0x80000000u;
    const auto pattern = __builtin_bit_cast(std::uint32_t, number);
    if (pattern == kSignBit) return kSignBit;
    return (pattern & kSignBit) != 0 ? ~pattern : pattern | kSignBit;
}

/// Sorts by key; items of equal key keep their order. Returns `items` or `spare` (of equal size), whichever
/// has the result. Four passes of eight bits, less those in which all items agree. O(count), no comparisons.
SortItem* radix_sort(SortItem* items, SortItem* spare, std::size_t count) noexcept;

}  // namespace broadside::broadphase
