// The specification of the work on a kept list: which boxes are still in their grown ones, which pairs meet.
#pragma once

#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/cells/scan_scalar.hpp"

#include <broadside/box_view.hpp>

#include <limits>

namespace broadside::broadphase {

/// The box as the test of a pair reads it. An invalid box, or one that has left its grown box, becomes one
/// that meets nothing: NaN, because even Aabb::empty() meets the box of all space if only corners are
/// compared.
BROADSIDE_FORCE_INLINE CellRecord cache_row(const Aabb& box, bool is_kept) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    if (!is_kept) return {{kNaN, kNaN, kNaN}, 0, {kNaN, kNaN, kNaN}, 0};
    return {{box.min.x, box.min.y, box.min.z}, 0, {box.max.x, box.max.y, box.max.z}, 0};
}

/// Whether the row holds a box, and that box.
BROADSIDE_FORCE_INLINE bool is_box(const CellRecord& row) { return row.min[0] == row.min[0]; }
BROADSIDE_FORCE_INLINE Aabb box_in_row(const CellRecord& row) {
    return {{row.min[0], row.min[1], row.min[2]}, {row.max[0], row.max[1], row.max[2]}};
}

/// Whether a valid box is within its grown one.
BROADSIDE_FORCE_INLINE bool is_within(const CellRecord& box, const CellRecord& grown) {
    return grown.min[0] <= box.min[0] && box.max[0] <= grown.max[0] && grown.min[1] <= box.min[1] &&
           box.max[1] <= grown.max[1] && grown.min[2] <= box.min[2] && box.max[2] <= grown.max[2];
}

/// One bit for each pair, as in bits.hpp: whether its rows meet, as `bits_of_eight(pairs)` says for eight
/// consecutive ones. Writes whole words. If rows `are_far`, prefetches those of kPairsAhead pairs behind the
/// last one, which may be anything.
template <class BitsOfEight>
BROADSIDE_FORCE_INLINE void mark_overlapping(const CellRecord* rows, const IndexPair* pairs,
                                             std::size_t pair_count, bool are_far, std::uint64_t* out_bits,
                                             BitsOfEight&& bits_of_eight) {
    std::uint64_t word = 0;
    std::size_t k = 0;
    for (; k + 8 <= pair_count; k += 8) {
        if (are_far) {
            for (std::size_t ahead = k + kPairsAhead; ahead < k + kPairsAhead + 8; ++ahead) {
                __builtin_prefetch(rows + pairs[ahead].first);
                __builtin_prefetch(rows + pairs[ahead].second);
            }
        }
        word |= std::uint64_t{bits_of_eight(pairs + k)} << k % 64;
        if (k % 64 != 56) continue;
        out_bits[k / 64] = word;
        word = 0;
    }
    if (pair_count % 64 == 0) return;
    if (k != pair_count) {
        IndexPair rest[8];
        const std::size_t rest_count = pair_count - k;
        for (std::size_t i = 0; i < 8; ++i) rest[i] = pairs[k + (i < rest_count ? i : 0)];
        word |= std::uint64_t{bits_of_eight(rest) & ((1u << rest_count) - 1)} << k % 64;
    }
    out_bits[pair_count / 64] = word;
}

/// Moves the pairs from `begin` on whose bit is set to `out_pairs`, in order, and returns how many.
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

/// Moves the pairs whose rows meet to `out_pairs`, in order, and returns how many. It has room for all.
template <class BoxesMeet>
BROADSIDE_FORCE_INLINE std::size_t keep_overlapping(const CellRecord* rows, const IndexPair* pairs,
                                                    std::size_t pair_count, IndexPair* out_pairs,
                                                    BoxesMeet&& meet) {
    // Prefetched, because the second rows are anywhere in memory.
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
