// Collects the records of one cell in the order of the scan by one counting pass.
#pragma once

#include "broadphase/src/cells/source.hpp"

namespace broadside::broadphase {

/// Moves the records of a cell to where the scan reads them, and prefetches those of the next cell meanwhile.
template <bool kIsNextFar>
BROADSIDE_FORCE_INLINE void move_records(const CellSource& source, std::uint32_t cell,
                                         std::uint32_t (&state_next_of_bin)[kBinsPerCell],
                                         SortedCell& state_cell) {
    for (std::uint32_t list = 0; list < source.list_count; ++list) {
        CellLists::Runs next_cell = source.lists[list].runs(cell + 1);
        const auto move = [&](const StoredRecord* records, std::uint32_t record_count, const StoredRecord*) {
            const StoredRecord* ahead = records;
            std::uint32_t ahead_count = 0;
            if constexpr (kIsNextFar) ahead = next_cell.take(ahead_count);
            for (std::uint32_t k = 0; k < record_count; ++k) {
                if constexpr (kIsNextFar) __builtin_prefetch(ahead + (k < ahead_count ? k : 0), 0, 2);
                const std::uint32_t tag = records[k].tag;
                const std::uint32_t target = state_next_of_bin[tag & 255]++;
                state_cell.x0[target] = static_cast<std::uint8_t>(tag);
                state_cell.x1[target] = static_cast<std::uint8_t>(tag >> 8);
                state_cell.quads[target] = records[k].quad;
                __builtin_memcpy(state_cell.records + target, records + k, sizeof(CellRecord));
            }
        };
        source.lists[list].for_each_run(cell, move);
    }
}

/// Sorts stably by x0 and writes the padding. One source serves every ISA: nothing here suits lanes, and a
/// record is moved as one or two registers. `state_cell` has room for the records of the cell and padding.
template <class Arch>
void sort_cell_kernel(const CellSource& source, std::uint32_t cell, SortedCell& state_cell) {
    std::uint32_t next_of_bin[kBinsPerCell] = {};
    source.for_each_run(
        cell, [&](const StoredRecord* records, std::uint32_t record_count, const StoredRecord* next) {
            for (std::uint32_t k = 0; k < record_count; ++k) {
                __builtin_prefetch(next + k);
                ++next_of_bin[records[k].tag & 255];
            }
        });
    // A loop of its own, so that it vectorises; bounded, so that 32 bits suffice.
    std::uint32_t tied_count = 0;
    for (const std::uint32_t bin_count : next_of_bin) {
        const std::uint32_t bounded = bin_count < kTiedRecordsMax ? bin_count : kTiedRecordsMax;
        tied_count += bounded * bounded;
    }
    state_cell.tied_count = tied_count;
    std::uint32_t count = 0;
    for (std::uint32_t& bin : next_of_bin) {
        const std::uint32_t bin_count = bin;
        bin = count;
        count += bin_count;
    }
    if (source.is_next_far) {
        move_records<true>(source, cell, next_of_bin, state_cell);
    } else {
        move_records<false>(source, cell, next_of_bin, state_cell);
    }
    state_cell.count = count;
    for (std::uint32_t k = 0; k < kSortedPadding; ++k) {
        state_cell.x0[count + k] = 255;
        state_cell.x1[count + k] = 0;
        state_cell.quads[count + k] = 0;
    }
}

}  // namespace broadside::broadphase
