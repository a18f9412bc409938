// The query of one cell over lanes. The specification is query_cell_scalar in query_scalar.hpp.
#pragma once

#include "broadphase/src/cells/query_scalar.hpp"
#include "broadphase/src/cells/scan_kernel.hpp"
#include "simd/src/bytes.hpp"

namespace broadside::broadphase {

/// One lane is one resting record: 32 consecutive ones are compared with the same mover, so loads are
/// contiguous. Each step appends the distances of its hits, and the mover's index 32 times whatever is hit,
/// so that no branch depends on hits. The exact comparison of the corners decides what touching, -0 and
/// infinite sides give. Padding: see SortedCell.
template <class Arch>
struct CellQuery {
    const RestingCell& cell;
    const PairRule& rule;
    PairBlock& out_pairs;
    QueryCandidates candidates;

    /// Not an aggregate, which would fill the candidates with zeros for every cell.
    BROADSIDE_FORCE_INLINE CellQuery(const RestingCell& resting, const PairRule& pair_rule, PairBlock& block)
        : cell(resting), rule(pair_rule), out_pairs(block) {}

    BROADSIDE_FORCE_INLINE bool flush() {
        return write_query_pairs<BoxTests<Arch>>(cell.sorted, candidates, rule, out_pairs);
    }

    BROADSIDE_FORCE_INLINE bool walk(std::uint32_t index, const StoredRecord& mover) {
        const SortedCell& sorted = cell.sorted;
        if (cell.core != nullptr && covers(candidates.movers[index], *cell.core)) {
            return flush() && write_all_pairs(sorted, candidates.movers[index], rule, out_pairs);
        }
        const auto x0 = simd::broadcast_bytes<Arch>(static_cast<std::uint8_t>(mover.tag));
        const auto x1 = simd::broadcast_bytes<Arch>(static_cast<std::uint8_t>(mover.tag >> 8));
        const auto wanted = simd::broadcast_quads<Arch>(partner(mover.quad));
        std::uint32_t begin = cell.first_reaching[mover.tag & 255];
        candidates.begins[index] = begin;
        const std::uint32_t all = 0xFFFFFFFFu;
        std::uint32_t open;
        std::uint32_t k = begin;
        do {
            if (candidates.count > QueryCandidates::kFull || k - begin > QueryCandidates::kDistanceMax) {
                if (!flush()) return false;
                begin = k;
                candidates.begins[index] = begin;
            }
            // x0[k] <= mover's x1
            open = simd::at_most_bits(simd::load_unaligned_bytes<Arch>(sorted.x0 + k), x1);
            // mover's x0 <= x1[k], and y and z as in the scan
            const std::uint32_t hit =
                open & simd::at_most_bits(x0, simd::load_unaligned_bytes<Arch>(sorted.x1 + k)) &
                simd::all_at_most_bits(simd::load_unaligned_quads<Arch>(sorted.quads + k), wanted);
            std::uint16_t* const indices = candidates.indices + candidates.count;
            for (std::uint32_t lane = 0; lane < kScanBlock; ++lane) {
                indices[lane] = static_cast<std::uint16_t>(index);
            }
            candidates.count +=
                simd::append_codes<Arch>(candidates.distances + candidates.count, k - begin, 0, hit);
            k += kScanBlock;
        } while (open == all);
        return true;
    }
};

template <class Arch>
bool query_cell_kernel(const RestingCell& cell, const CellSource& movers, std::uint32_t cell_index,
                       const PairRule& rule, PairBlock& out_pairs) {
    if constexpr (simd::is_scalar<Arch>) {
        return query_cell_scalar(cell, movers, cell_index, rule, out_pairs);
    } else {
        CellQuery<Arch> query(cell, rule, out_pairs);
        bool has_room = true;
        movers.for_each_run(cell_index, [&](const StoredRecord* records, std::uint32_t record_count,
                                            const StoredRecord* next) {
            for (std::uint32_t index = 0; index < record_count && has_room; ++index) {
                __builtin_prefetch(next + index);
                query.candidates.set_mover(index, records[index], movers);
                has_room = query.walk(index, records[index]);
            }
            has_room = has_room && query.flush();
        });
        return has_room;
    }
}

}  // namespace broadside::broadphase
