// The data of the cells algorithm between its stages: the grid, records in chunk lists, one sorted cell, the
// block of pairs. find_pairs_by_cells.hpp describes the algorithm.
#pragma once

#include <broadside/compiler.hpp>
#include <broadside/pair_buffer.hpp>

#include <cstddef>
#include <cstdint>

namespace broadside::broadphase {

/// Positions along an axis are counted in bins, 256 to a cell.
inline constexpr std::uint32_t kBinsPerCell = 256;
/// Largest bin of the sweep axis: 255 is kept for "behind the last record", which no record reaches.
inline constexpr std::uint32_t kLastSweepBin = 254;

/// A stretch of an axis that has bins of one length.
struct AxisRamp {
    float origin;
    /// Bins per unit of length, finite and above zero.
    float scale;
    /// Number of bins, a whole number. All ramps of an axis have cells·256 - 1, below 2^24.
    float bins;
};
/// Most ramps of an axis: each costs five operations for each side of a box.
inline constexpr int kRampCountMax = 16;

/// A grid of cells. Axis 0 is the sweep axis, whichever of x, y, z the caller's views put there. Everything
/// outside lies in the border cells, so a bad grid costs time and never a pair. An axis on which boxes are
/// spread evenly has one ramp; an axis with clusters has one for each, and no bins between them.
struct CellGrid {
    AxisRamp ramps[3][kRampCountMax];
    std::int32_t ramp_counts[3];
    std::int32_t cells[3];

    bool is_even() const { return (ramp_counts[0] | ramp_counts[1] | ramp_counts[2]) == 1; }
    std::uint32_t cell_count() const {
        return static_cast<std::uint32_t>(cells[0]) * static_cast<std::uint32_t>(cells[1]) *
               static_cast<std::uint32_t>(cells[2]);
    }
};

/// A record's tag. Its lower two bytes are the bins x0 and x1 of its interval on the sweep axis, clipped to
/// its cell. Above them are the axes on which the cell is its home, that is, the box begins in it; then
/// whether the box belongs to set b, or to the subset that a pair must involve.
inline constexpr std::uint32_t kHomeShift = 16;
inline constexpr std::uint32_t kHomeAll = 7u << kHomeShift;
inline constexpr std::uint32_t kRoleBit = 8u << kHomeShift;
/// Above those: the homes in the grids that hold this one, three bits each; see find_pairs_by_cells.hpp.
inline constexpr std::uint32_t kOuterShift = 20;
inline constexpr std::uint32_t kDepthMax = 4;
/// The index bits of a record's id; the bit above says set b.
inline constexpr std::uint32_t kIndexMask = 0x7FFFFFFFu;

/// A box as a cell compares it, with its original corners, because the last comparison is exact.
struct alignas(32) CellRecord {
    float min[3];
    std::uint32_t id;
    float max[3];
    std::uint32_t tag;
};

/// The same on its way to the cell, with the bytes y0, z0, 255 - y1, 255 - z1 of its bins there. Not aligned:
/// 36 bytes are less to move than 40, and a chunk that is no multiple of a page spreads the lists over the
/// sets of the cache.
struct StoredRecord {
    float min[3];
    std::uint32_t id;
    float max[3];
    std::uint32_t tag;
    std::uint32_t quad;
};

/// Stored records live in chunks of this many consecutive slots, linked per list.
inline constexpr std::uint32_t kChunkSlots = 128;

struct ChunkPool {
    StoredRecord* records;
    /// The next chunk of the same list, by chunk.
    std::uint32_t* next_chunk;
};

/// One list per cell, all started in the same call. List `cell` begins in chunk `first_chunk + cell`, which
/// is always there; `next_slot[cell]` is where the next record goes. A list that fills a chunk takes the next
/// free one.
struct CellLists {
    ChunkPool pool;
    std::uint32_t first_chunk;
    std::uint32_t free_chunk;
    /// End of the chunks that these lists may take.
    std::uint32_t chunk_end;
    std::uint32_t* next_slot;
    std::uint32_t list_count;

    /// The runs of a list, one by one.
    struct Runs {
        const CellLists& lists;
        /// That of the next run; after the last, the first chunk of the following list.
        std::uint32_t chunk;
        std::uint32_t end_slot;
        std::uint32_t following_chunk;
        bool is_done;

        /// The next run, or an empty one after the last.
        BROADSIDE_FORCE_INLINE const StoredRecord* take(std::uint32_t& out_count) {
            const StoredRecord* const records = lists.chunk_at(chunk);
            out_count = 0;
            if (is_done) return records;
            is_done = chunk == end_slot / kChunkSlots;
            out_count = is_done ? end_slot % kChunkSlots : kChunkSlots;
            chunk = is_done ? following_chunk : lists.pool.next_chunk[chunk];
            return records;
        }
    };
    /// The runs of a list; empty ones if it is not there.
    BROADSIDE_FORCE_INLINE Runs runs(std::uint32_t cell) const {
        if (cell >= list_count) return {*this, first_chunk, 0, first_chunk, true};
        return {*this, first_chunk + cell, next_slot[cell], first_chunk + cell + 1, false};
    }
    /// Calls `visit(records, record_count, next)` for every run of records of a list. `next` is the start of
    /// the next run; after the last run, of the following list.
    template <class Visit>
    BROADSIDE_FORCE_INLINE void for_each_run(std::uint32_t cell, Visit&& visit) const {
        for (Runs run = runs(cell); !run.is_done;) {
            std::uint32_t count;
            const StoredRecord* const records = run.take(count);
            visit(records, count, chunk_at(run.chunk));
        }
    }
    BROADSIDE_FORCE_INLINE const StoredRecord* chunk_at(std::uint32_t chunk) const {
        return pool.records + std::size_t{chunk} * kChunkSlots;
    }
    /// Takes the next slot of a list; `state_free_chunk` stands for free_chunk, to stay in a register.
    BROADSIDE_FORCE_INLINE StoredRecord* append(std::uint32_t cell, std::uint32_t& state_free_chunk) const {
        const std::uint32_t slot = next_slot[cell];
        std::uint32_t next = slot + 1;
        if (next % kChunkSlots == 0) {
            pool.next_chunk[slot / kChunkSlots] = state_free_chunk;
            next = state_free_chunk++ * kChunkSlots;
        }
        next_slot[cell] = next;
        return pool.records + slot;
    }
};

/// The records of one cell in the order of the scan, by (x0, position in the lists). From `count` on, padding
/// holds 255 in x0 and 0 in x1, which no window reaches; the scan loads whole registers.
struct SortedCell {
    std::uint8_t* x0;
    std::uint8_t* x1;
    std::uint32_t* quads;
    CellRecord* records;
    std::uint32_t count;
    /// For each x0, the square of the number of records that share it (at most kTiedRecordsMax), summed up.
    std::uint32_t tied_count = 0;
};
inline constexpr std::uint32_t kTiedRecordsMax = 4095;
/// Slots after `count` that the scan may read.
inline constexpr std::uint32_t kSortedPadding = 96;

/// The rule that makes candidates pairs, apart from their boxes: tags or-ed must hold all of `need_either`,
/// tags and-ed none of `forbid_both`. `index_mask` keeps the index of an id.
struct PairRule {
    std::uint32_t need_either;
    std::uint32_t forbid_both;
    std::uint32_t index_mask;
    /// If not zero, a bit that the first index of a pair gets if its boxes have a side in common, or may have.
    std::uint32_t touch_mark = 0;
    /// After a block of the scan with this many candidates a diagonal, those of the next one are compared over
    /// lanes. No result depends on it.
    std::uint32_t dense_lanes_min = 0;
};

/// The output of a scan. `make_room` is called if room for less than `count` pairs is left; afterwards there
/// is enough, or it returns false and the scan ends.
struct PairBlock {
    IndexPair* next;
    IndexPair* end;
    /// Pairs of records compared exactly.
    std::uint64_t candidate_count;
    bool (*make_room)(PairBlock& block, std::size_t count) noexcept;
};

}  // namespace broadside::broadphase
