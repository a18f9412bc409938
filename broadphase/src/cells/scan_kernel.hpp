// The scan of one cell over lanes. The specification is scan_cell_scalar in scan_scalar.hpp.
#pragma once

#include "broadphase/src/cells/dense_scan_kernel.hpp"
#include "broadphase/src/cells/scan_scalar.hpp"
#include "simd/src/bytes.hpp"

namespace broadside::broadphase {

template <class Arch>
struct BoxTests {
    BROADSIDE_FORCE_INLINE static bool meet(const CellRecord& a, const CellRecord& b) {
        return simd::corners_at_most<Arch>(a.min, b.max, b.min, a.max);
    }
    BROADSIDE_FORCE_INLINE static bool touch(const CellRecord& a, const CellRecord& b) {
        return simd::corners_touch<Arch>(a.min, b.max, b.min, a.max);
    }
};

/// One lane compares record `block + lane` with the record `distance` behind it; 32 lanes advance together
/// along the diagonal, so all loads are contiguous. One saturating subtraction of bytes tests the four
/// inequalities of y and z. A byte comparison tests the one of the sweep axis and is also the exit condition.
/// Cost of a distance with AVX-512: three loads, four byte operations, one compression. Bins only ever say
/// "maybe": the exact comparison of the corners decides what touching, -0 and infinite sides give. It is done
/// candidate by candidate, or over lanes in a block after one in which many lanes had one. Padding: see
/// SortedCell.
template <class Arch>
struct CellScan {
    const SortedCell& cell;
    const PairRule& rule;
    PairBlock& out_pairs;
    CandidateList candidates;

    /// Not an aggregate, which would fill the candidates with zeros for every cell.
    BROADSIDE_FORCE_INLINE CellScan(const SortedCell& sorted, const PairRule& pair_rule, PairBlock& block)
        : cell(sorted), rule(pair_rule), out_pairs(block) {}

    BROADSIDE_FORCE_INLINE bool flush(std::uint32_t block, std::uint32_t next_distance) {
        return write_pairs<BoxTests<Arch>>(cell, block, candidates, next_distance, rule, out_pairs);
    }
    BROADSIDE_FORCE_INLINE void add(std::uint32_t base, int shift, std::uint32_t hit_bits) {
        candidates.count +=
            simd::append_codes<Arch>(candidates.codes + candidates.count, base, shift, hit_bits);
    }

    /// Scans the rest of one lane, 32 distances at a time.
    BROADSIDE_FORCE_INLINE bool finish_lane(std::uint32_t block, std::uint32_t lane, std::uint32_t distance) {
        const auto x1 = simd::broadcast_bytes<Arch>(cell.x1[block + lane]);
        const auto wanted = simd::broadcast_quads<Arch>(partner(cell.quads[block + lane]));
        if (candidates.distance_base > distance && !flush(block, distance)) return false;
        const std::uint32_t all = 0xFFFFFFFFu;
        std::uint32_t open = all;
        while (open == all) {
            if (!candidates.has_room(distance) && !flush(block, distance)) return false;
            const std::uint32_t other = block + lane + distance;
            // x0[other] <= x1[i]
            open = simd::at_most_bits(simd::load_unaligned_bytes<Arch>(cell.x0 + other), x1);
            const std::uint32_t hit =
                open & simd::all_at_most_bits(simd::load_unaligned_quads<Arch>(cell.quads + other), wanted);
            add(lane | (distance - candidates.distance_base) * kScanBlock, 5, hit);
            distance += kScanBlock;
        }
        return true;
    }

    /// Scans the distances at which more than a few lanes are open.
    BROADSIDE_FORCE_INLINE Diagonals scan_diagonals(std::uint32_t block) {
        const BlockBins<Arch> bins(cell, block);
        std::uint32_t distance = 1;
        std::uint32_t open;
        candidates.distance_base = distance;
        do {
            const std::uint32_t run_end = distance + kDiagonalRun;
            do {
                const auto tested = bins.test(cell, block + distance);
                open = tested.open;
                add((distance - candidates.distance_base) * kScanBlock, 0, tested.hit);
                ++distance;
            } while (open != 0 && distance != run_end);
            if (!candidates.has_room(distance) && !flush(block, distance)) return {false, distance, open};
        } while (__builtin_popcount(open) > static_cast<int>(kFewLanes));
        return {true, distance, open};
    }
};

/// Scans what the diagonals of a block have left. One function for dense blocks and others: it is half of the code.
template <class Arch>
BROADSIDE_NEVER_INLINE bool finish(CellScan<Arch>& scan, std::uint32_t block, const Diagonals& diagonals) {
    for (std::uint32_t open = diagonals.open; open != 0; open &= open - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctz(open));
        if (!scan.finish_lane(block, lane, diagonals.end)) return false;
    }
    return scan.flush(block, diagonals.end);
}

/// True if the lanes of a block had so many candidates that those of the next block are compared over lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE bool is_dense(const CellScan<Arch>& scan, std::uint64_t count_before,
                                     const Diagonals& diagonals) {
    const std::uint64_t count = scan.out_pairs.candidate_count - count_before + scan.candidates.count;
    return count >= std::uint64_t{scan.rule.dense_lanes_min} * diagonals.end;
}

/// Scans blocks up to one that is dense, and returns the one behind it; ~0 if the output gives up.
template <class Arch>
BROADSIDE_NEVER_INLINE std::uint32_t scan_sparse_blocks(const SortedCell& cell, std::uint32_t block,
                                                        const PairRule& rule, PairBlock& out_pairs) {
    CellScan<Arch> scan(cell, rule, out_pairs);
    bool was_dense = false;
    for (; block < cell.count && !was_dense; block += kScanBlock) {
        const std::uint64_t count_before = out_pairs.candidate_count;
        const Diagonals diagonals = scan.scan_diagonals(block);
        was_dense = is_dense(scan, count_before, diagonals);
        if (!diagonals.has_room || !finish(scan, block, diagonals)) return ~0u;
    }
    return block;
}

/// Scans blocks up to one that is not dense, as above.
template <class Arch>
BROADSIDE_NEVER_INLINE std::uint32_t scan_dense_blocks(const SortedCell& cell, std::uint32_t block,
                                                       const PairRule& rule, PairBlock& out_pairs) {
    CellScan<Arch> scan(cell, rule, out_pairs);
    bool was_dense = true;
    for (; block < cell.count && was_dense; block += kScanBlock) {
        const std::uint64_t count_before = out_pairs.candidate_count;
        const Diagonals diagonals = scan_dense_diagonals<Arch>(cell, block, rule, out_pairs);
        scan.candidates.distance_base = diagonals.end;
        was_dense = is_dense(scan, count_before, diagonals);
        if (!diagonals.has_room || !finish(scan, block, diagonals)) return ~0u;
    }
    return block;
}

template <class Arch>
bool scan_cell_kernel(const SortedCell& cell, const PairRule& rule, PairBlock& out_pairs) {
    if constexpr (simd::is_scalar<Arch>) {
        return scan_cell_scalar(cell, rule, out_pairs);
    } else {
        std::uint32_t block = 0;
        if (rule.dense_lanes_min == 0) block = scan_dense_blocks<Arch>(cell, block, rule, out_pairs);
        while (block < cell.count) {
            block = scan_sparse_blocks<Arch>(cell, block, rule, out_pairs);
            if (block < cell.count) block = scan_dense_blocks<Arch>(cell, block, rule, out_pairs);
        }
        return block != ~0u;
    }
}

}  // namespace broadside::broadphase
