// The specification of what is done with a kept list: which boxes are where it expects them, which pairs
// still meet.
#pragma once

#include "broadphase/src/cells/scan_scalar.hpp"

#include <broadside/box_view.hpp>

#include <limits>

namespace broadside::broadphase {

/// The box as the test of a pair reads it, or, where it is invalid or has left its grown box, one that meets
/// nothing: NaN, for even Aabb::empty() meets the box of all space where only corners are compared.
BROADSIDE_FORCE_INLINE CellRecord cache_row(const Aabb& box, bool is_kept) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    if (!is_kept) return {{kNaN, kNaN, kNaN}, 0, {kNaN, kNaN, kNaN}, 0};
    return {{box.min.x, box.min.y, box.min.z}, 0, {box.max.x, box.max.y, box.max.z}, 0};
}

/// One bit a pair, as in bits.hpp: whether its rows meet. Writes whole words.
template <class BoxesMeet>
BROADSIDE_FORCE_INLINE void mark_overlapping(const CellRecord* rows, const IndexPair* pairs,
                                             std::size_t pair_count, std::uint64_t* out_bits,
                                             BoxesMeet&& meet) {
    // The second rows are anywhere in memory.
    constexpr std::size_t kAhead = 24;
    const std::size_t last = pair_count - 1;
    for (std::size_t begin = 0; begin < pair_count; begin += 64) {
        const std::size_t count = pair_count - begin < 64 ? pair_count - begin : 64;
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t k = begin + i;
            __builtin_prefetch(rows + pairs[k + kAhead < last ? k + kAhead : last].second);
            word |= std::uint64_t{meet(rows[pairs[k].first], rows[pairs[k].second]) ? 1u : 0u} << i;
        }
        out_bits[begin / 64] = word;
    }
}

/// Moves the pairs from `begin` on whose bit is set to `out_pairs`, in order, and answers how many.
BROADSIDE_FORCE_INLINE std::size_t keep_marked(const IndexPair* pairs, std::size_t begin,
                                               std::size_t pair_count, const std::uint64_t* bits,
                                               IndexPair* out_pairs) {
    IndexPair* out = out_pairs;
    for (std::size_t k = begin; k < pair_count; ++k) {
        *out = pairs[k];
        out += (bits[k / 64] >> k % 64 & 1) != 0 ? 1 : 0;
    }
    return static_cast<std::size_t>(out - out_pairs);
}

/// Moves the pairs whose rows meet to `out_pairs`, in order, and answers how many. `out_pairs` has room for
/// all.
template <class BoxesMeet>
BROADSIDE_FORCE_INLINE std::size_t keep_overlapping(const CellRecord* rows, const IndexPair* pairs,
                                                    std::size_t pair_count, IndexPair* out_pairs,
                                                    BoxesMeet&& meet) {
    // The second rows are anywhere in memory.
    constexpr std::size_t kAhead = 24;
    IndexPair* out = out_pairs;
    for (std::size_t k = 0; k < pair_count; ++k) {
        if (k + kAhead < pair_count) __builtin_prefetch(rows + pairs[k + kAhead].second);
        *out = pairs[k];
        out += meet(rows[pairs[k].first], rows[pairs[k].second]) ? 1 : 0;
    }
    return static_cast<std::size_t>(out - out_pairs);
}

}  // namespace broadside::broadphase
