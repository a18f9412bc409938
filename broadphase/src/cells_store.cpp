// Parts, their memory, and the copies of records that reach beyond their home.
#include "broadphase/src/cells_store.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// A part below this is not worth the start of a task, nor a list per cell.
constexpr std::size_t kPartBoxCountMin = 8192;
constexpr std::uint32_t kPartsPerSetMax = CellStore::kPartCountMax / 2;

// Copies per box beyond which a coarser grid is cheaper; also the bound of the memory for them.
constexpr std::uint64_t kCopiesPerBoxMax = 3;

std::uint64_t chunk_bound(std::uint64_t list_count, std::uint64_t record_count) {
    return list_count + record_count / kChunkSlots;
}

void start_lists(CellLists& lists, std::uint32_t list_count) {
    for (std::uint32_t list = 0; list < list_count; ++list) {
        lists.next_slot[list] = (lists.first_chunk + list) * kChunkSlots;
    }
    lists.free_chunk = lists.first_chunk + list_count;
}

void place_pool(Arena& arena, std::uint64_t chunk_count, ChunkPool& out_pool) {
    out_pool.records = arena.take<CellRecord>(chunk_count * kChunkSlots);
    out_pool.keys = arena.take<CellKey>(chunk_count * kChunkSlots);
    out_pool.next_chunk = arena.take<std::uint32_t>(chunk_count);
}

// The key of a record in a cell beside its home: clipped to the cell on every axis.
CellKey key_in_cell(const CellKey& home_key, const BinSpan& span, const std::int32_t (&cell)[3]) {
    const auto bytes_first = home_key.quad;
    const std::int32_t home_bins[3] = {home_key.x0, static_cast<std::int32_t>(bytes_first & 255),
                                       static_cast<std::int32_t>(bytes_first >> 8 & 255)};
    std::int32_t bin0[3];
    std::int32_t bin1[3];
    for (int axis = 0; axis < 3; ++axis) {
        bin0[axis] = cell[axis] == span.first[axis] >> 8 ? home_bins[axis] : 0;
        bin1[axis] = cell[axis] == span.last[axis] >> 8 ? span.last[axis] & 255 : 255;
    }
    return {static_cast<std::uint8_t>(bin0[0]), static_cast<std::uint8_t>(sweep_bin(bin1[0])), 0,
            static_cast<std::uint32_t>(pack_quad(bin0[1], bin0[2], bin1[1], bin1[2]))};
}

void copy_to_cells(const BorderEntry& entry, const CellGrid& grid, const ChunkPool& home, CellLists& state_copies) {
    const BinSpan& span = entry.span;
    const CellRecord& record = home.records[entry.slot];
    const CellKey& key = home.keys[entry.slot];
    const std::int32_t first[3] = {span.first[0] >> 8, span.first[1] >> 8, span.first[2] >> 8};
    std::int32_t cell[3];
    for (cell[2] = first[2]; cell[2] <= span.last[2] >> 8; ++cell[2]) {
        for (cell[1] = first[1]; cell[1] <= span.last[1] >> 8; ++cell[1]) {
            for (cell[0] = first[0]; cell[0] <= span.last[0] >> 8; ++cell[0]) {
                const std::uint32_t home_bits = static_cast<std::uint32_t>(cell[0] == first[0]) |
                                                static_cast<std::uint32_t>(cell[1] == first[1]) << 1 |
                                                static_cast<std::uint32_t>(cell[2] == first[2]) << 2;
                if (home_bits == kHomeAll) continue;
                const std::int32_t number = (cell[2] * grid.cells[1] + cell[1]) * grid.cells[0] + cell[0];
                const std::uint32_t slot =
                    state_copies.append(static_cast<std::uint32_t>(number), state_copies.free_chunk);
                CellRecord copy = record;
                copy.tag = (record.tag & ~kHomeAll) | home_bits;
                state_copies.pool.records[slot] = copy;
                state_copies.pool.keys[slot] = key_in_cell(key, span, cell);
            }
        }
    }
}

}  // namespace

void CellStore::cut(const BoxSoaView& boxes, std::uint32_t id_bits, std::uint32_t tag, const TaskRunner* runner) {
    const std::size_t workers = runner == nullptr ? 1 : std::max<std::size_t>(runner->worker_count, 1);
    const std::size_t count = std::min({workers, boxes.count / kPartBoxCountMin + 1, std::size_t{kPartsPerSetMax}});
    for (std::size_t i = 0; i < count; ++i) {
        ScatterPart& part = parts_[part_count_++];
        part = {};
        part.input = {{}, boxes, id_bits, tag};
        part.begin = boxes.count * i / count;
        part.end = boxes.count * (i + 1) / count;
    }
}

bool CellStore::place_home(AlignedArray<std::byte>& memory, std::uint32_t cell_count) {
    std::uint64_t chunk_count = 0;
    for (std::uint32_t i = 0; i < part_count_; ++i) {
        parts_[i].home = {};
        parts_[i].home.lists.first_chunk = static_cast<std::uint32_t>(chunk_count);
        chunk_count += chunk_bound(cell_count + 1, parts_[i].end - parts_[i].begin);
    }
    // Slots are counted in 32 bits.
    if (chunk_count * kChunkSlots > 0xFFFFFFFFu) return false;
    return place_in(memory, [&](Arena& arena) {
        ChunkPool pool;
        place_pool(arena, chunk_count, pool);
        record_counts_ = arena.take<std::uint32_t>(cell_count);
        for (std::uint32_t i = 0; i < part_count_; ++i) {
            ScatterOutput& home = parts_[i].home;
            home.lists.pool = pool;
            home.lists.next_slot = arena.take<std::uint32_t>(cell_count + 1);
            home.border = arena.take<BorderEntry>(parts_[i].end - parts_[i].begin);
        }
    });
}

bool CellStore::place_copies(AlignedArray<std::byte>& memory, std::uint32_t cell_count) {
    std::uint64_t chunk_count = 0;
    for (std::uint32_t i = 0; i < part_count_; ++i) {
        parts_[i].copies.first_chunk = static_cast<std::uint32_t>(chunk_count);
        chunk_count += chunk_bound(cell_count, parts_[i].home.copy_count);
    }
    if (chunk_count * kChunkSlots > 0xFFFFFFFFu) return false;
    return place_in(memory, [&](Arena& arena) {
        ChunkPool pool;
        place_pool(arena, chunk_count, pool);
        for (std::uint32_t i = 0; i < part_count_; ++i) {
            parts_[i].copies.pool = pool;
            parts_[i].copies.next_slot = arena.take<std::uint32_t>(cell_count);
        }
    });
}

void CellStore::count_records(std::uint32_t cell_count) {
    record_count_ = 0;
    record_count_max_ = 0;
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
        std::uint32_t count = 0;
        for (std::uint32_t list = 0; list < source_.list_count; ++list) {
            lists_[list].for_each_run(cell, [&](std::uint32_t, std::uint32_t slot_count) { count += slot_count; });
        }
        record_counts_[cell] = count;
        record_count_ += count;
        record_count_max_ = std::max(record_count_max_, count);
    }
}

bool CellStore::fill(const BoxSoaView& a, const BoxSoaView* b, const TaskRunner* runner,
                     const CellsKernels& kernels, AlignedArray<std::byte>& home_memory,
                     AlignedArray<std::byte>& copy_memory, CellPlan& state_plan) noexcept {
    part_count_ = 0;
    cut(permuted(a, state_plan.axes), 0, kHomeAll, runner);
    if (b != nullptr) cut(permuted(*b, state_plan.axes), 0x80000000u, kHomeAll | kRoleBit, runner);
    const std::uint64_t box_count = a.count + (b != nullptr ? b->count : 0);
    CellGrid& grid = state_plan.grid;
    std::uint64_t copy_count = 0;
    std::uint32_t cell_count;
    do {
        cell_count = grid.cell_count();
        if (!place_home(home_memory, cell_count)) return false;
        run_tasks(runner, part_count_, [&](std::uint32_t index) {
            ScatterPart& part = parts_[index];
            part.input.grid = grid;
            start_lists(part.home.lists, cell_count + 1);
            kernels.scatter(part.input, part.begin, part.end, part.home);
        });
        copy_count = 0;
        for (const ScatterPart& part : parts()) copy_count += part.home.copy_count;
    } while (copy_count > kCopiesPerBoxMax * box_count + kChunkSlots && coarsen(grid));

    source_ = {lists_, 0};
    for (const ScatterPart& part : parts()) lists_[source_.list_count++] = part.home.lists;
    if (copy_count != 0) {
        if (!place_copies(copy_memory, cell_count)) return false;
        run_tasks(runner, part_count_, [&](std::uint32_t index) {
            ScatterPart& part = parts_[index];
            start_lists(part.copies, cell_count);
            for (std::size_t k = 0; k < part.home.border_count; ++k) {
                copy_to_cells(part.home.border[k], grid, part.home.lists.pool, part.copies);
            }
        });
        for (const ScatterPart& part : parts()) lists_[source_.list_count++] = part.copies;
    }
    count_records(cell_count);
    return true;
}

InvalidBoxes CellStore::invalid_boxes(bool of_b) const noexcept {
    InvalidBoxes invalid;
    for (const ScatterPart& part : parts()) {
        if ((part.input.id_bits != 0) != of_b) continue;
        const CellLists& lists = part.home.lists;
        lists.for_each_run(part.input.grid.cell_count(), [&](std::uint32_t first_slot, std::uint32_t slot_count) {
            if (slot_count != 0 && invalid.count == 0) {
                invalid.first_index = lists.pool.records[first_slot].id & ~part.input.id_bits;
            }
            invalid.count += slot_count;
        });
    }
    return invalid;
}

}  // namespace broadside::broadphase
