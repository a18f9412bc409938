// The specification of the query of one cell: which resting records become candidates of the movers in the
// cell, and in which order.
#pragma once

#include "broadphase/src/cells/scan_scalar.hpp"
#include "broadphase/src/cells/source.hpp"

#include <broadside/float_ops.hpp>

namespace broadside::broadphase {

/// The core of a cell: a box that contains it on every axis meets all records of the cell. It reaches from
/// the smallest max to the largest min, or the reverse if the records share more than a point.
struct CellCore {
    float min_of_max[3];
    float max_of_min[3];
};

BROADSIDE_FORCE_INLINE CellCore find_core(const SortedCell& cell) {
    CellCore core;
    for (int axis = 0; axis < 3; ++axis) {
        core.min_of_max[axis] = cell.records[0].max[axis];
        core.max_of_min[axis] = cell.records[0].min[axis];
    }
    for (std::uint32_t k = 1; k < cell.count; ++k) {
        for (int axis = 0; axis < 3; ++axis) {
            core.min_of_max[axis] = min_keep(cell.records[k].max[axis], core.min_of_max[axis]);
            core.max_of_min[axis] = max_keep(cell.records[k].min[axis], core.max_of_min[axis]);
        }
    }
    return core;
}

BROADSIDE_FORCE_INLINE bool covers(const CellRecord& mover, const CellCore& core) {
    return (mover.min[0] <= core.min_of_max[0]) & (core.max_of_min[0] <= mover.max[0]) &
           (mover.min[1] <= core.min_of_max[1]) & (core.max_of_min[1] <= mover.max[1]) &
           (mover.min[2] <= core.min_of_max[2]) & (core.max_of_min[2] <= mover.max[2]);
}

/// A sorted cell, and for every bin b the first index whose interval ends in b or later: no earlier record
/// meets a record that begins in b.
struct RestingCell {
    SortedCell sorted;
    const std::uint32_t* first_reaching;
    /// Null if no mover is expected to cover the core.
    const CellCore* core;
};

/// Fills the 256 entries of a cell. O(records + bins).
BROADSIDE_FORCE_INLINE void find_first_reaching(const SortedCell& cell, std::uint32_t* out_first_reaching) {
    for (std::uint32_t bin = 0; bin < kBinsPerCell; ++bin) out_first_reaching[bin] = cell.count;
    for (std::uint32_t k = cell.count; k-- > 0;) out_first_reaching[cell.x1[k]] = k;
    for (std::uint32_t bin = kBinsPerCell - 1; bin-- > 0;) {
        const std::uint32_t next = out_first_reaching[bin + 1];
        if (next < out_first_reaching[bin]) out_first_reaching[bin] = next;
    }
}

/// Candidates of one run of movers: the mover's index in the run, and the record's distance from the start of
/// the mover's walk.
struct QueryCandidates {
    static constexpr std::uint32_t kCapacity = 2048;
    static constexpr std::uint32_t kFull = kCapacity - kScanBlock;
    /// Distances have 16 bits; a longer walk is started again.
    static constexpr std::uint32_t kDistanceMax = 65536 - 2 * kScanBlock;

    std::uint32_t count = 0;
    std::uint32_t begins[kChunkSlots];
    alignas(32) CellRecord movers[kChunkSlots];
    alignas(64) std::uint16_t distances[kCapacity + kScanBlock];
    alignas(64) std::uint16_t indices[kCapacity + kScanBlock];

    BROADSIDE_FORCE_INLINE void set_mover(std::uint32_t index, const StoredRecord& record,
                                          const CellSource& source) {
        __builtin_memcpy(movers + index, &record, sizeof(CellRecord));
        source.resolve(movers[index]);
    }
};

/// Writes the pairs of a mover that covers the core: it meets every record, so only the tags are tested.
BROADSIDE_FORCE_INLINE bool write_all_pairs(const SortedCell& cell, const CellRecord& mover,
                                            const PairRule& rule, PairBlock& out_pairs) {
    constexpr std::uint32_t kStep = 1024;
    for (std::uint32_t begin = 0; begin < cell.count; begin += kStep) {
        const std::uint32_t end = cell.count - begin < kStep ? cell.count : begin + kStep;
        if (static_cast<std::size_t>(out_pairs.end - out_pairs.next) < end - begin &&
            !out_pairs.make_room(out_pairs, end - begin))
            return false;
        IndexPair* out = out_pairs.next;
        for (std::uint32_t k = begin; k < end; ++k) {
            *out = make_pair(mover.id, cell.records[k].id, rule);
            out->first |= rule.touch_mark;
            out += static_cast<std::uint32_t>(tags_pair(mover.tag, cell.records[k].tag, rule));
        }
        out_pairs.next = out;
        out_pairs.candidate_count += end - begin;
    }
    return true;
}

/// write_pairs with the candidates of a run.
template <class BoxTests>
BROADSIDE_FORCE_INLINE bool write_query_pairs(const SortedCell& cell, QueryCandidates& candidates,
                                              const PairRule& rule, PairBlock& out_pairs) {
    const std::uint32_t count = candidates.count;
    candidates.count = 0;
    return write_candidates<BoxTests>(count, rule, out_pairs, [&](std::uint32_t k) {
        const std::uint32_t index = candidates.indices[k];
        return RecordPair{candidates.movers + index,
                          cell.records + candidates.begins[index] + candidates.distances[k]};
    });
}

/// Handles the movers of cell `cell_index` one after the other. The candidates of a mover are the records
/// from the first that reaches its x0, while x0[record] <= x1, which reach it and whose y and z intervals
/// meet it in bins. A mover that covers the core of the cell gets all records, without a comparison.
BROADSIDE_FORCE_INLINE bool query_cell_scalar(const RestingCell& cell, const CellSource& movers,
                                              std::uint32_t cell_index, const PairRule& rule,
                                              PairBlock& out_pairs) {
    QueryCandidates candidates;
    const SortedCell& sorted = cell.sorted;
    bool has_room = true;
    movers.for_each_run(cell_index, [&](const StoredRecord* records, std::uint32_t record_count,
                                        const StoredRecord*) {
        for (std::uint32_t index = 0; index < record_count && has_room; ++index) {
            const StoredRecord& mover = records[index];
            const std::uint32_t wanted = partner(mover.quad);
            candidates.set_mover(index, mover, movers);
            if (cell.core != nullptr && covers(candidates.movers[index], *cell.core)) {
                has_room = write_query_pairs<BoxTestsScalar>(sorted, candidates, rule, out_pairs) &&
                           write_all_pairs(sorted, candidates.movers[index], rule, out_pairs);
                continue;
            }
            std::uint32_t begin = cell.first_reaching[mover.tag & 255];
            candidates.begins[index] = begin;
            for (std::uint32_t k = begin; sorted.x0[k] <= (mover.tag >> 8 & 255); ++k) {
                if (candidates.count > QueryCandidates::kFull || k - begin > QueryCandidates::kDistanceMax) {
                    has_room = write_query_pairs<BoxTestsScalar>(sorted, candidates, rule, out_pairs);
                    if (!has_room) break;
                    begin = k;
                    candidates.begins[index] = begin;
                }
                candidates.distances[candidates.count] = static_cast<std::uint16_t>(k - begin);
                candidates.indices[candidates.count] = static_cast<std::uint16_t>(index);
                candidates.count += static_cast<std::uint32_t>(((mover.tag & 255) <= sorted.x1[k]) &
                                                               all_at_most(sorted.quads[k], wanted));
            }
        }
        has_room = has_room && write_query_pairs<BoxTestsScalar>(sorted, candidates, rule, out_pairs);
    });
    return has_room;
}

}  // namespace broadside::broadphase
