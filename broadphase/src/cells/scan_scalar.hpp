// The specification of the scan of one cell: the records that become candidates, their order, and the pairs.
#pragma once

#include "broadphase/src/cells/types.hpp"

#include <broadside/compiler.hpp>

namespace broadside::broadphase {

/// Records of a block. It defines the order of the list and depends on no lane count.
inline constexpr std::uint32_t kScanBlock = 32;
/// Diagonals between two counts of the lanes that are still open.
inline constexpr std::uint32_t kDiagonalRun = 32;
/// With this few lanes open, each is finished on its own: long boxes among short ones.
inline constexpr std::uint32_t kFewLanes = 8;

/// Candidates of a block as lane + 32·(distance - base): five bits and eleven.
struct CandidateList {
    static constexpr std::uint32_t kDistances = 2048;
    static constexpr std::uint32_t kCapacity = 2048;
    /// A run adds at most 32·32 codes, and the store of one group may write 32 codes more.
    static constexpr std::uint32_t kFull = kCapacity - kScanBlock * kDiagonalRun;

    std::uint32_t count = 0;
    std::uint32_t distance_base = 0;
    alignas(64) std::uint16_t codes[kCapacity + kScanBlock];

    BROADSIDE_FORCE_INLINE bool has_room(std::uint32_t next_distance) const {
        return count <= kFull && next_distance - distance_base + kDiagonalRun <= kDistances;
    }
};

/// a <= b in each of the four bytes.
BROADSIDE_FORCE_INLINE bool all_at_most(std::uint32_t a, std::uint32_t b) {
    // Compares the lower seven bits of the bytes in one subtraction without borrow, then the top bits.
    constexpr std::uint32_t kTop = 0x80808080u;
    const std::uint32_t low = (b | kTop) - (a & ~kTop);
    return (((b & ~a) | (~(a ^ b) & low)) & kTop) == kTop;
}
BROADSIDE_FORCE_INLINE std::uint32_t partner(std::uint32_t quad) { return ~(quad << 16 | quad >> 16); }

/// Closed intervals meet on all axes; the boxes are valid. -0 equals +0 as everywhere.
BROADSIDE_FORCE_INLINE bool boxes_meet(const CellRecord& a, const CellRecord& b) {
    return (a.min[0] <= b.max[0]) & (b.min[0] <= a.max[0]) &  //
           (a.min[1] <= b.max[1]) & (b.min[1] <= a.max[1]) &  //
           (a.min[2] <= b.max[2]) & (b.min[2] <= a.max[2]);
}

/// The two tests of boxes; the kernel has its own form of them.
struct BoxTestsScalar {
    BROADSIDE_FORCE_INLINE static bool meet(const CellRecord& a, const CellRecord& b) {
        return boxes_meet(a, b);
    }
    /// True if the boxes have a side in common, on any axis. Boxes that meet and do not touch also met before
    /// their sides were rounded.
    BROADSIDE_FORCE_INLINE static bool touch(const CellRecord& a, const CellRecord& b) {
        return (a.min[0] == b.max[0]) | (b.min[0] == a.max[0]) |  //
               (a.min[1] == b.max[1]) | (b.min[1] == a.max[1]) |  //
               (a.min[2] == b.max[2]) | (b.min[2] == a.max[2]);
    }
};

/// Whether this cell reports the pair. Two records may share several cells; the cell in which their
/// intersection begins reports them, that is, on every axis the cell in which the later of the two begins.
/// Both lie in this cell, so it is that one if on every axis one of them has its home here.
BROADSIDE_FORCE_INLINE bool tags_pair(std::uint32_t a, std::uint32_t b, const PairRule& rule) {
    return (((a | b) & rule.need_either) == rule.need_either) & ((a & b & rule.forbid_both) == 0);
}

/// Ids of set b have the top bit set, so the smaller id always comes first in a pair, also between two sets.
BROADSIDE_FORCE_INLINE IndexPair make_pair(std::uint32_t a, std::uint32_t b, const PairRule& rule) {
    return {(a < b ? a : b) & rule.index_mask, (a < b ? b : a) & rule.index_mask};
}

struct RecordPair {
    const CellRecord* a;
    const CellRecord* b;
};

/// Writes the pairs among `count` candidates to `out_pairs` and returns their end. Every candidate is stored
/// and only pairs advance the output: no branch predictor wins this coin toss.
template <class BoxTests, bool kIsMarking, class RecordsAt>
BROADSIDE_FORCE_INLINE IndexPair* write_meeting(std::uint32_t count, PairRule rule, IndexPair* out_pairs,
                                                RecordsAt&& records_at) {
    for (std::uint32_t k = 0; k < count; ++k) {
        const auto [a, b] = records_at(k);
        IndexPair pair = make_pair(a->id, b->id, rule);
        if constexpr (kIsMarking) {
            pair.first |= rule.touch_mark & (0u - static_cast<std::uint32_t>(BoxTests::touch(*a, *b)));
        }
        *out_pairs = pair;
        out_pairs += static_cast<std::uint32_t>(BoxTests::meet(*a, *b)) &
                     static_cast<std::uint32_t>(tags_pair(a->tag, b->tag, rule));
    }
    return out_pairs;
}
/// write_meeting to the block; returns false if the block gives up. Only a search of rounded boxes wants marks.
template <class BoxTests, class RecordsAt>
BROADSIDE_FORCE_INLINE bool write_candidates(std::uint32_t count, const PairRule& rule, PairBlock& out_pairs,
                                             RecordsAt&& records_at) {
    out_pairs.candidate_count += count;
    if (static_cast<std::size_t>(out_pairs.end - out_pairs.next) < count &&
        !out_pairs.make_room(out_pairs, count))
        return false;
    IndexPair* const next = out_pairs.next;
    out_pairs.next = rule.touch_mark != 0 ? write_meeting<BoxTests, true>(count, rule, next, records_at)
                                          : write_meeting<BoxTests, false>(count, rule, next, records_at);
    return true;
}
/// Writes the pairs among the candidates of the block that begins at `block`.
template <class BoxTests>
BROADSIDE_NEVER_INLINE bool write_pairs(const SortedCell& cell, std::uint32_t block,
                                        CandidateList& candidates, std::uint32_t next_distance,
                                        const PairRule& rule, PairBlock& out_pairs) {
    const std::uint32_t count = candidates.count;
    const CellRecord* records = cell.records + block;
    const CellRecord* others = records + candidates.distance_base;
    candidates.count = 0;
    candidates.distance_base = next_distance;
    return write_candidates<BoxTests>(count, rule, out_pairs, [&](std::uint32_t k) {
        const std::uint32_t code = candidates.codes[k];
        const std::uint32_t lane = code % kScanBlock;
        return RecordPair{records + lane, others + lane + code / kScanBlock};
    });
}

/// Records i and j > i are candidates if x0[j] <= x1[i] and the y and z intervals meet in bins. Blocks of 32
/// records i are scanned in order; in a block the distances j - i in order, and for each the 32 lanes i. x0
/// ascends, so a lane that closes stays closed, and the block ends when none is open. The open lanes are
/// counted every 32 distances; if 8 or fewer are left, each of them is finished on its own, in order.
BROADSIDE_FORCE_INLINE bool scan_cell_scalar(const SortedCell& cell, const PairRule& rule,
                                             PairBlock& out_pairs) {
    CandidateList candidates;
    for (std::uint32_t block = 0; block < cell.count; block += kScanBlock) {
        const std::uint32_t lane_count = cell.count - block < kScanBlock ? cell.count - block : kScanBlock;
        std::uint32_t wanted[kScanBlock];
        for (std::uint32_t lane = 0; lane < lane_count; ++lane)
            wanted[lane] = partner(cell.quads[block + lane]);
        std::uint32_t distance = 1;
        std::uint32_t open_count = lane_count;
        const auto test = [&](std::uint32_t lane) {
            const std::uint32_t other = block + lane + distance;
            const bool is_open = cell.x0[other] <= cell.x1[block + lane];
            const std::uint32_t code = lane | (distance - candidates.distance_base) * kScanBlock;
            candidates.codes[candidates.count] = static_cast<std::uint16_t>(code);
            candidates.count +=
                static_cast<std::uint32_t>(is_open & all_at_most(cell.quads[other], wanted[lane]));
            return is_open;
        };
        const auto flush_if_full = [&] {
            return candidates.has_room(distance) ||
                   write_pairs<BoxTestsScalar>(cell, block, candidates, distance, rule, out_pairs);
        };
        candidates.distance_base = distance;
        do {
            for (std::uint32_t run = 0; run < kDiagonalRun && open_count != 0; ++run, ++distance) {
                open_count = 0;
                for (std::uint32_t lane = 0; lane < lane_count; ++lane) open_count += test(lane);
            }
            if (!flush_if_full()) return false;
        } while (open_count > kFewLanes);
        const std::uint32_t first_distance = distance;
        for (std::uint32_t lane = 0; lane < lane_count && open_count != 0; ++lane) {
            distance = first_distance;
            if (candidates.distance_base > distance) {  // the flush of the lane before moved it on
                if (!write_pairs<BoxTestsScalar>(cell, block, candidates, distance, rule, out_pairs))
                    return false;
            }
            while (test(lane)) {
                ++distance;
                if (!flush_if_full()) return false;
            }
        }
        if (!write_pairs<BoxTestsScalar>(cell, block, candidates, distance, rule, out_pairs)) return false;
    }
    return true;
}

}  // namespace broadside::broadphase
