// Boxes in leaves of sixteen under a tree of bounds, and the tests of a join: the specification of
// leaf_join_kernel.hpp.
#pragma once

#include "broadphase/src/sweep/scan_scalar.hpp"

namespace broadside::broadphase {

/// Boxes of a leaf and children of a node: a register of avx512, two of avx2, four of the others.
inline constexpr std::size_t kLeafSize = 16;
inline constexpr std::uint32_t kLeafBits = 4;
/// 2^31 boxes take eight levels above them.
inline constexpr std::size_t kLeafTreeLevelMax = 9;

/// Level 0 holds the boxes, each level above the bounds of sixteen consecutive entries of the one below; the
/// topmost has sixteen entries at most. Every level is filled up with NaN boxes, which overlap nothing, to
/// whole groups of sixteen. `index` is there on level 0 only.
struct LeafTree {
    BoxColumns levels[kLeafTreeLevelMax];
    /// Valid boxes; zero leaves the levels unset.
    std::size_t box_count;
    /// The topmost level; at least 1.
    std::size_t top;

    std::size_t leaf_count() const { return (box_count + kLeafSize - 1) / kLeafSize; }
    std::size_t boxes_in(std::size_t leaf) const {
        return leaf + 1 < leaf_count() ? kLeafSize : box_count - leaf * kLeafSize;
    }
};

/// Most pairs of two leaves.
inline constexpr std::size_t kLeafPairCountMax = kLeafSize * kLeafSize;

/// Bit i: the query meets entry `position + i`. Closed intervals; false for pads.
BROADSIDE_FORCE_INLINE std::uint32_t overlap_bits_scalar(const Query& query, const BoxColumns& boxes,
                                                         std::size_t position) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < kLeafSize; ++i) {
        const bool meets_along =
            ((boxes.min_s[position + i] <= query.max_s) & (query.min_s <= boxes.max_s[position + i])) != 0;
        bits |= static_cast<std::uint32_t>(meets_along & meets_across(query, boxes, position + i)) << i;
    }
    return bits;
}

/// Appends the pair of the query with every box whose bit is set, in the order of the leaf.
BROADSIDE_FORCE_INLINE void append_leaf_pairs_scalar(const RowScan& scan, std::int32_t query_index,
                                                     std::size_t position, std::uint32_t bits,
                                                     RowState& state) {
    for (; bits != 0; bits &= bits - 1) {
        const auto i = static_cast<std::size_t>(__builtin_ctz(bits));
        append_pair(scan.first_side, query_index, scan.candidates.index[position + i], state);
    }
}

}  // namespace broadside::broadphase
