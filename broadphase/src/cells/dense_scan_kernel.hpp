// The part of a scan in which many candidates meet: their corners are compared over lanes. It writes the pairs of
// write_candidates in scan_scalar.hpp in the same order.
#pragma once

#include "broadphase/src/cells/scan_scalar.hpp"
#include "simd/src/bytes.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::broadphase {

/// The bins of the records of a block.
template <class Arch>
struct BlockBins {
    /// The lanes whose window has not ended at a record, and those of them that it may meet.
    struct Tested {
        std::uint32_t open;
        std::uint32_t hit;
    };
    simd::Bytes32W<Arch> x1;
    simd::Quads32W<Arch> wanted;

    BROADSIDE_FORCE_INLINE BlockBins(const SortedCell& cell, std::uint32_t block)
        : x1(simd::load_unaligned_bytes<Arch>(cell.x1 + block)),
          wanted(simd::partner(simd::load_unaligned_quads<Arch>(cell.quads + block))) {}

    /// Tests lane i with the record `other` + i.
    BROADSIDE_FORCE_INLINE Tested test(const SortedCell& cell, std::uint32_t other) const {
        // x0[other] <= x1[i]
        const std::uint32_t open = simd::at_most_bits(simd::load_unaligned_bytes<Arch>(cell.x0 + other), x1);
        // y0[other] <= y1[i], z0[other] <= z1[i], y0[i] <= y1[other], z0[i] <= z1[other]
        return {open,
                open & simd::all_at_most_bits(simd::load_unaligned_quads<Arch>(cell.quads + other), wanted)};
    }
};

/// Consecutive records of a sorted cell in columns.
template <class Arch>
struct RecordColumns {
    // The corners min and max, with the id and the tag, whose bits are not looked at as floats.
    alignas(64) float values[8][kScanBlock + kDiagonalRun];

    /// Takes `count` records, which may be padding.
    BROADSIDE_NEVER_INLINE void take(const CellRecord* records, std::uint32_t count) {
        for (std::uint32_t begin = 0; begin < count; begin += Arch::kLanes) {
            simd::FloatW<Arch> columns[8];
            simd::load_rows<Arch>([&](std::uint32_t lane) { return records[begin + lane].min; }, columns);
            for (int k = 0; k < 8; ++k) simd::store_unaligned(values[k] + begin, columns[k]);
        }
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> min(int axis, std::uint32_t position) const {
        return simd::load_unaligned<Arch>(values[axis] + position);
    }
    BROADSIDE_FORCE_INLINE simd::FloatW<Arch> max(int axis, std::uint32_t position) const {
        return simd::load_unaligned<Arch>(values[axis + 4] + position);
    }
    BROADSIDE_FORCE_INLINE simd::IntW<Arch> id(std::uint32_t position) const {
        return simd::as_int(simd::load_unaligned<Arch>(values[3] + position));
    }
    BROADSIDE_FORCE_INLINE simd::IntW<Arch> tag(std::uint32_t position) const {
        return simd::as_int(simd::load_unaligned<Arch>(values[7] + position));
    }
};

/// A block of the scan against the records behind it, one diagonal after the other.
template <class Arch>
struct DenseScan {
    RecordColumns<Arch> block;
    /// The records that the lanes of the block meet in a run, from its first distance on.
    RecordColumns<Arch> others;

    /// Writes the pairs among the candidates `hit_bits`: lane i of the block with the record i + distance of
    /// the others.
    BROADSIDE_FORCE_INLINE void write(std::uint32_t distance, std::uint32_t hit_bits, const PairRule& rule,
                                      PairBlock& out_pairs) const {
        using namespace simd;
        out_pairs.candidate_count += static_cast<std::uint32_t>(__builtin_popcount(hit_bits));
        for (std::uint32_t lane = 0; lane < kScanBlock; lane += Arch::kLanes) {
            const std::uint32_t candidate_bits = hit_bits >> lane & ((1u << Arch::kLanes) - 1);
            if (candidate_bits != 0) write_group(lane, lane + distance, candidate_bits, rule, out_pairs);
        }
    }

private:
    // The lanes from `a` on with the records from `b` on. Not inlined, because the loop over groups would be unrolled.
    BROADSIDE_NEVER_INLINE void write_group(std::uint32_t a, std::uint32_t b, std::uint32_t candidate_bits,
                                            const PairRule& rule, PairBlock& out_pairs) const {
        append(a, b, candidate_bits & simd::bits(meet(a, b)) & simd::bits(tags_pair(a, b, rule)), rule,
               out_pairs);
    }
    // boxes_meet of scan_scalar.hpp.
    BROADSIDE_FORCE_INLINE simd::MaskW<Arch> meet(std::uint32_t a, std::uint32_t b) const {
        const auto meet_on = [&](int axis) {
            return (block.min(axis, a) <= others.max(axis, b)) & (others.min(axis, b) <= block.max(axis, a));
        };
        return meet_on(0) & meet_on(1) & meet_on(2);
    }
    // BoxTestsScalar::touch.
    BROADSIDE_FORCE_INLINE simd::MaskW<Arch> touch(std::uint32_t a, std::uint32_t b) const {
        const auto touch_on = [&](int axis) {
            return (block.min(axis, a) == others.max(axis, b)) | (others.min(axis, b) == block.max(axis, a));
        };
        return touch_on(0) | touch_on(1) | touch_on(2);
    }
    BROADSIDE_FORCE_INLINE simd::MaskW<Arch> tags_pair(std::uint32_t a, std::uint32_t b,
                                                       const PairRule& rule) const {
        using namespace simd;
        const IntW<Arch> need = broadcast_int<Arch>(static_cast<std::int32_t>(rule.need_either));
        const IntW<Arch> forbid = broadcast_int<Arch>(static_cast<std::int32_t>(rule.forbid_both));
        const IntW<Arch> tag_a = block.tag(a);
        const IntW<Arch> tag_b = others.tag(b);
        return equal((tag_a | tag_b) & need, need) & equal(tag_a & tag_b & forbid, broadcast_int<Arch>(0));
    }
    // make_pair, and the mark of pairs that touch.
    BROADSIDE_FORCE_INLINE void append(std::uint32_t a, std::uint32_t b, std::uint32_t pair_bits,
                                       const PairRule& rule, PairBlock& out_pairs) const {
        using namespace simd;
        // With the top bit flipped, signed integers are in the order of unsigned ones; the mask drops it.
        const IntW<Arch> top = broadcast_int<Arch>(static_cast<std::int32_t>(0x80000000u));
        const IntW<Arch> mask = broadcast_int<Arch>(static_cast<std::int32_t>(rule.index_mask));
        const IntW<Arch> id_a = block.id(a) ^ top;
        const IntW<Arch> id_b = others.id(b) ^ top;
        IntW<Arch> first = simd::min(id_a, id_b) & mask;
        const IntW<Arch> second = simd::max(id_a, id_b) & mask;
        if (rule.touch_mark != 0) {
            const IntW<Arch> mark = broadcast_int<Arch>(static_cast<std::int32_t>(rule.touch_mark));
            first = first | select(touch(a, b), mark, broadcast_int<Arch>(0));
        }
        // A pair is two adjacent 32-bit integers, whose sign does not matter to a store.
        auto* const target = reinterpret_cast<std::int32_t*>(out_pairs.next);
        out_pairs.next += compress_store_interleaved(target, first, second, pair_bits);
    }
};

/// How far the diagonals of a block were scanned.
struct Diagonals {
    /// False if the output has given up.
    bool has_room;
    /// The first distance that was not scanned, and the few lanes that are still open there.
    std::uint32_t end;
    std::uint32_t open;
};

/// Scans the distances of a block at which more than a few lanes are open.
template <class Arch>
BROADSIDE_NEVER_INLINE Diagonals scan_dense_diagonals(const SortedCell& cell, std::uint32_t block,
                                                      const PairRule& rule, PairBlock& out_pairs) {
    const BlockBins<Arch> bins(cell, block);
    DenseScan<Arch> scan;
    scan.block.take(cell.records + block, kScanBlock);
    Diagonals diagonals = {true, 1, 0};
    // For the pairs of a run, and what the last store writes behind them.
    const std::size_t room = std::size_t{kScanBlock} * kDiagonalRun + Arch::kLanes;
    do {
        if (static_cast<std::size_t>(out_pairs.end - out_pairs.next) < room &&
            !out_pairs.make_room(out_pairs, room)) {
            diagonals.has_room = false;
            return diagonals;
        }
        scan.others.take(cell.records + block + diagonals.end, kScanBlock + kDiagonalRun);
        std::uint32_t step = 0;
        do {
            const auto tested = bins.test(cell, block + diagonals.end + step);
            diagonals.open = tested.open;
            scan.write(step, tested.hit, rule, out_pairs);
            ++step;
        } while (diagonals.open != 0 && step != kDiagonalRun);
        diagonals.end += step;
    } while (__builtin_popcount(diagonals.open) > static_cast<int>(kFewLanes));
    return diagonals;
}

}  // namespace broadside::broadphase
