// Parts, their memory, and the copies of records that reach beyond their home.
#include "broadphase/src/cells/store.hpp"
#include "broadphase/src/lists/task_cut.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

constexpr std::uint32_t kPartsPerSetMax = CellStore::kPartCountMax / 2;

// Copies per box beyond which a coarser grid is cheaper; also bounds their memory.
constexpr std::uint64_t kCopiesPerBoxMax = 3;

bool is_far(const CellGrid& grid) { return grid.cell_count() > thresholds().cells.near_cells_max; }

std::uint64_t chunk_bound(std::uint64_t list_count, std::uint64_t record_count) {
    return list_count + record_count / kChunkSlots;
}

void start_lists(CellLists& lists, std::uint32_t list_count) {
    for (std::uint32_t list = 0; list < list_count; ++list) {
        lists.next_slot[list] = (lists.first_chunk + list) * kChunkSlots;
    }
    lists.free_chunk = lists.first_chunk + list_count;
    lists.list_count = list_count;
}

void reserve_pool(Arena& arena, std::uint64_t chunk_count, ChunkPool& out_pool) {
    out_pool.records = arena.reserve<StoredRecord>(chunk_count * kChunkSlots);
    out_pool.next_chunk = arena.reserve<std::uint32_t>(chunk_count);
}

// Slots are counted in 32 bits.
bool is_countable(std::uint64_t chunk_count) { return chunk_count * kChunkSlots <= 0xFFFFFFFFu; }

}  // namespace

void CellStore::cut(const BoxSoaView& boxes, std::uint32_t id_bits, std::uint32_t tag, std::int32_t large_bit,
                    const TaskRunner* runner) {
    const std::size_t count = std::min<std::size_t>(
        {worker_count(runner), kPartsPerSetMax, boxes.count / thresholds().cells.boxes_per_part_min + 1});
    // Parts begin at blocks, because blocks are part of the order of the list.
    const std::size_t block_count = (boxes.count + kScatterBlock - 1) / kScatterBlock;
    const auto begin_of = [&](std::size_t i) {
        return std::min(part_begin(block_count, i, count) * kScatterBlock, boxes.count);
    };
    for (std::size_t i = 0; i < count; ++i) {
        ScatterPart& part = parts_[part_count_++];
        part = {};
        part.input = {{}, boxes, id_bits, tag, large_bit, 0};
        part.begin = begin_of(i);
        part.end = begin_of(i + 1);
    }
}

bool CellStore::reserve_home(AlignedArray<std::byte>& memory, std::uint32_t cell_count) {
    std::uint64_t chunk_count = 0;
    for (std::uint32_t i = 0; i < part_count_; ++i) {
        parts_[i].output.home.first_chunk = static_cast<std::uint32_t>(chunk_count);
        chunk_count += chunk_bound(cell_count + kExtraListCount, parts_[i].end - parts_[i].begin);
        parts_[i].output.home.chunk_end = static_cast<std::uint32_t>(chunk_count);
    }
    return is_countable(chunk_count) && reserve_arrays(memory, [&](Arena& arena) {
               ChunkPool pool;
               reserve_pool(arena, chunk_count, pool);
               record_counts_ = arena.reserve<std::uint32_t>(cell_count);
               wasteful_cells_ = arena.reserve<std::uint8_t>(cell_count);
               for (std::uint32_t i = 0; i < part_count_; ++i) {
                   parts_[i].output.home.pool = pool;
                   parts_[i].output.home.next_slot =
                       arena.reserve<std::uint32_t>(cell_count + kExtraListCount);
               }
           });
}

bool CellStore::reserve_copies(AlignedArray<std::byte>& memory, std::uint32_t cell_count,
                               std::uint64_t copies_expected) {
    std::uint64_t chunk_count = 0;
    for (std::uint32_t i = 0; i < part_count_; ++i) {
        const std::uint64_t share = copies_expected / part_count_ + 1;
        const std::uint64_t known = parts_[i].output.copy_count;
        parts_[i].output.copies.first_chunk = static_cast<std::uint32_t>(chunk_count);
        chunk_count += chunk_bound(cell_count, std::max(share, known));
        parts_[i].output.copies.chunk_end = static_cast<std::uint32_t>(chunk_count);
    }
    return is_countable(chunk_count) && reserve_arrays(memory, [&](Arena& arena) {
               ChunkPool pool;
               reserve_pool(arena, chunk_count, pool);
               for (std::uint32_t i = 0; i < part_count_; ++i) {
                   parts_[i].output.copies.pool = pool;
                   parts_[i].output.copies.next_slot = arena.reserve<std::uint32_t>(cell_count);
               }
           });
}

// Scatters all boxes into the lists. Returns how many copies there are, or would be.
std::uint64_t CellStore::scatter(const TaskRunner* runner, const CellsKernels& kernels,
                                 const CellGrid& grid) {
    BROADSIDE_ZONE("cells/scatter");
    run_tasks(runner, part_count_, [&](std::uint32_t index) {
        BROADSIDE_ZONE("cells/scatter task");
        ScatterPart& part = parts_[index];
        part.input.grid = grid;
        part.input.rows_ahead = is_far(grid) ? thresholds().cells.far_rows_ahead : 0;
        part.output.copy_count = 0;
        part.output.lacks_chunks = false;
        start_lists(part.output.home, grid.cell_count() + kExtraListCount);
        start_lists(part.output.copies, grid.cell_count());
        kernels.scatter(part.input, part.begin, part.end, part.output);
    });
    std::uint64_t copy_count = 0;
    for (const ScatterPart& part : parts()) copy_count += part.output.copy_count;
    return copy_count;
}

void CellStore::count_records(std::uint32_t cell_count, const TaskRunner* runner) {
    BROADSIDE_ZONE("cells/count");
    // A cell has a list in each part, and each list may miss the cache.
    run_chunks(part_count_ == 1 ? nullptr : runner, cell_count, thresholds().cells.cells_per_task,
               [&](std::size_t begin, std::size_t end) {
                   BROADSIDE_ZONE("cells/count task");
                   for (std::size_t cell = begin; cell < end; ++cell) {
                       std::uint32_t count = 0;
                       source_.for_each_run(static_cast<std::uint32_t>(cell),
                                            [&](const StoredRecord*, std::uint32_t run, const StoredRecord*) {
                                                count += run;
                                            });
                       record_counts_[cell] = count;
                   }
               });
    record_count_ = 0;
    record_count_max_ = 0;
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
        wasteful_cells_[cell] = 0;
        record_count_ += record_counts_[cell];
        record_count_max_ = std::max(record_count_max_, record_counts_[cell]);
    }
}

FillResult CellStore::fill(const BoxSets& sets, bool has_large_list, const TaskRunner* runner,
                           const CellsKernels& kernels, const CellStoreMemory& memory,
                           CellPlan& state_plan) noexcept {
    const std::int32_t large_bit = has_large_list ? kCrossesMany : 0;
    part_count_ = 0;
    cut(permuted(sets.a, state_plan.axes), 0, kHomeAll, large_bit, runner);
    if (!sets.is_one()) {
        cut(permuted(*sets.b, state_plan.axes), 0x80000000u, kHomeAll | kRoleBit, large_bit, runner);
    }
    return fill_parts(kCopiesPerBoxMax * sets.box_count() + kChunkSlots, true, runner, kernels, memory,
                      state_plan);
}

FillResult CellStore::fill_fixed(const BoxSoaView& boxes, std::uint64_t copies_max, const TaskRunner* runner,
                                 const CellsKernels& kernels, const CellStoreMemory& memory,
                                 const CellPlan& plan) noexcept {
    part_count_ = 0;
    cut(boxes, 0, kHomeAll, 0, runner);
    CellPlan unchanged = plan;
    return fill_parts(copies_max, false, runner, kernels, memory, unchanged);
}

FillResult CellStore::fill_parts(std::uint64_t copies_max, bool may_coarsen, const TaskRunner* runner,
                                 const CellsKernels& kernels, const CellStoreMemory& memory,
                                 CellPlan& state_plan) {
    CellGrid& grid = state_plan.grid;
    std::uint64_t copies_expected = state_plan.copies_expected;
    std::uint32_t cell_count;
    for (bool is_filled = false; !is_filled;) {
        cell_count = grid.cell_count();
        if (!reserve_home(memory.home, cell_count)) return FillResult::out_of_memory;
        if (!reserve_copies(memory.copies, cell_count, copies_expected)) return FillResult::out_of_memory;
        const std::uint64_t copy_count = scatter(runner, kernels, grid);
        is_filled = true;
        for (const ScatterPart& part : parts()) is_filled &= !part.output.lacks_chunks;
        if (copy_count > copies_max && !may_coarsen) return FillResult::too_many_copies;
        if (copy_count > copies_max && coarsen(grid)) {
            is_filled = false;
            for (ScatterPart& part : parts_) part.output.copy_count = 0;
        } else {
            copies_expected = copy_count;
        }
    }
    source_ = {lists_, 0, is_far(grid), nullptr, nullptr};
    for (const ScatterPart& part : parts()) lists_[source_.list_count++] = part.output.home;
    for (const ScatterPart& part : parts()) {
        if (part.output.copy_count != 0) lists_[source_.list_count++] = part.output.copies;
    }
    count_records(cell_count, runner);
    return FillResult::ok;
}

std::size_t CellStore::large_count() const noexcept {
    std::size_t count = 0;
    for_each_large([&](const StoredRecord&) { ++count; });
    return count;
}

InvalidBoxes CellStore::invalid_boxes(bool of_b) const noexcept {
    InvalidBoxes invalid;
    for (const ScatterPart& part : parts()) {
        if ((part.input.id_bits != 0) != of_b) continue;
        const std::uint32_t invalid_list = part.input.grid.cell_count() + kInvalidList;
        part.output.home.for_each_run(
            invalid_list, [&](const StoredRecord* records, std::uint32_t run, const StoredRecord*) {
                if (run != 0 && invalid.count == 0) invalid.first_index = records[0].id & ~part.input.id_bits;
                invalid.count += run;
            });
    }
    return invalid;
}

}  // namespace broadside::broadphase
