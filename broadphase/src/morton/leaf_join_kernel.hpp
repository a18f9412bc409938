// The join of two trees of leaves, or of one with itself, sixteen boxes to a step. See leaf_join_scalar.hpp.
#pragma once

#include "broadphase/src/morton/leaf_join_scalar.hpp"
#include "broadphase/src/sweep/scan_kernel.hpp"

// A row is one leaf of the queries: the tree is descended with its bounds, children in rising order, so that
// the leaves that it meets come in rising order too. Of two leaves, the boxes of the first that meet the
// bounds of the second are tested against all of the second, by rising position. Within one set a row takes its
// own leaf and those that follow. So the list is that of the leaves, whatever the lanes; a row that runs out
// of room stops before a pair of leaves, and goes on at that leaf.
namespace broadside::broadphase {

/// See overlap_bits_scalar.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t overlap_bits(const Query& query, const BoxColumns& boxes,
                                                  std::size_t position) {
    if constexpr (simd::is_scalar<Arch>) {
        return overlap_bits_scalar(query, boxes, position);
    } else {
        using namespace simd;
        const QueryW<Arch> query_w(query);
        std::uint32_t all_bits = 0;
        for (std::size_t i = 0; i < kLeafSize; i += Arch::kLanes) {
            // boxes.min_s[position] <= query.max_s && query.min_s <= boxes.max_s[position]
            const MaskW<Arch> meets_along =
                (load_unaligned<Arch>(boxes.min_s + position + i) <= query_w.max_s) &
                (query_w.min_s <= load_unaligned<Arch>(boxes.max_s + position + i));
            // meets_along && meets_across(query, boxes, position)
            all_bits |= bits(meets_along & meets_across(query_w, boxes, position + i)) << i;
        }
        return all_bits;
    }
}

template <class Arch>
BROADSIDE_FORCE_INLINE void append_leaf_pairs(const RowScan& scan, std::int32_t query_index,
                                              std::size_t position, std::uint32_t leaf_bits,
                                              RowState& state) {
    if constexpr (simd::is_scalar<Arch>) {
        append_leaf_pairs_scalar(scan, query_index, position, leaf_bits, state);
    } else {
        constexpr std::uint32_t kLaneBits = (std::uint32_t{1} << Arch::kLanes) - 1;
        for (std::size_t i = 0; leaf_bits != 0; i += Arch::kLanes, leaf_bits >>= Arch::kLanes) {
            append_pairs<Arch>(scan, query_index, position + i, leaf_bits & kLaneBits, state);
        }
    }
}

/// The pairs of two leaves, for which there is room.
template <class Arch>
BROADSIDE_FORCE_INLINE void join_leaves(const RowScan& scan, std::size_t leaf, std::size_t other_leaf,
                                        RowState& state) {
    const bool is_own = scan.queries.index == scan.candidates.index && leaf == other_leaf;
    const LeafTree& others = *scan.candidate_tree;
    const std::size_t position = leaf * kLeafSize;
    const std::size_t other_place = other_leaf * kLeafSize;
    std::uint32_t queries = 0xFFFFu >> (kLeafSize - scan.query_tree->boxes_in(leaf));
    if (!is_own)
        queries = overlap_bits<Arch>(query_at_bounds(others.levels[1], other_leaf), scan.queries, position);
    for (; queries != 0; queries &= queries - 1) {
        const auto i = static_cast<std::uint32_t>(__builtin_ctz(queries));
        const Query query = query_at(scan.queries, position + i);
        std::uint32_t hits = overlap_bits<Arch>(query, scan.candidates, other_place);
        // Each pair of a leaf with itself once: the later box of the two is the candidate.
        if (is_own) hits &= 0xFFFEu << i;
        append_leaf_pairs<Arch>(scan, query.index, other_place, hits & 0xFFFFu, state);
        state.tested_count += others.boxes_in(other_leaf) - (is_own ? i + 1 : 0);
    }
}

/// The leaves below node `group`·16 … of a level that come from leaf `first` on, as bits of the group.
BROADSIDE_FORCE_INLINE std::uint32_t bits_from(std::size_t first, std::size_t level, std::size_t group) {
    const std::size_t node = first >> (kLeafBits * (level - 1));
    const std::size_t base = group * kLeafSize;
    if (node <= base) return 0xFFFFu;
    return node - base >= kLeafSize ? 0u : 0xFFFFu << (node - base) & 0xFFFFu;
}

/// One row from leaf state.candidate on. True when done.
template <class Arch>
BROADSIDE_FORCE_INLINE bool join_row(const RowScan& scan, RowState& state) {
    const LeafTree& tree = *scan.candidate_tree;
    const Query bounds = query_at_bounds(scan.query_tree->levels[1], state.row);
    const std::size_t first = state.candidate;
    std::size_t groups[kLeafTreeLevelMax];
    std::uint32_t pending[kLeafTreeLevelMax];
    std::size_t level = tree.top;
    groups[level] = 0;
    pending[level] = overlap_bits<Arch>(bounds, tree.levels[level], 0) & bits_from(first, level, 0);
    for (;;) {
        if (pending[level] == 0) {
            if (level++ == tree.top) return true;
            continue;
        }
        const std::size_t node =
            groups[level] * kLeafSize + static_cast<std::size_t>(__builtin_ctz(pending[level]));
        pending[level] &= pending[level] - 1;
        if (level > 1) {
            --level;
            groups[level] = node;
            pending[level] = overlap_bits<Arch>(bounds, tree.levels[level], node * kLeafSize) &
                             bits_from(first, level, node);
            continue;
        }
        state.candidate = node;
        if (state.pair_capacity - state.pair_count < kLeafPairCountMax + kPadCount) return false;
        join_leaves<Arch>(scan, state.row, node, state);
    }
}

template <class Arch>
void join_rows_kernel(const RowScan& scan, RowState& state) {
    for (; state.row < state.row_end; ++state.row) {
        if (state.candidate == kRowNotBegun) {
            state.candidate = scan.first_candidate == kFollowing ? state.row : 0;
        }
        if (!join_row<Arch>(scan, state)) return;
        state.candidate = kRowNotBegun;
    }
}

}  // namespace broadside::broadphase
