// Runs the cells one after the other or in tasks, and writes their pairs in the order of the cells.
#include "broadphase/src/cells/tasks.hpp"
#include "broadphase/src/cells/waste.hpp"
#include "core/src/zones.hpp"

#include <broadside/run_tasks.hpp>

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Pairs that the calling thread collects before it passes them on; they stay in the first-level cache. Also
// the least room of a task, which must hold the candidates of a block of the scan.
constexpr std::size_t kBlockPairCount = 4096;
static_assert(kBlockPairCount >= CandidateList::kCapacity + kScanBlock);

// A block that is written to the output whenever it is full.
struct FlushingBlock : PairBlock {
    IndexPair* begin;
    PairWriter* writer;
    Status status;
};

bool flush(PairBlock& block, std::size_t) noexcept {
    FlushingBlock& self = static_cast<FlushingBlock&>(block);
    const std::span<const IndexPair> found = {self.begin, static_cast<std::size_t>(self.next - self.begin)};
    self.status = self.writer->write(found, true);
    self.next = self.begin;
    return self.status == Status::ok;
}

bool refuse(PairBlock&, std::size_t) noexcept { return false; }

// Tasks for each worker: enough that one long task does not leave the others idle.
constexpr std::uint32_t kTasksPerWorker = 8;
// Cost of a cell apart from its records, in records.
constexpr std::uint64_t kCellWeight = 32;
// First room for pairs of a task, per record; later calls have what the last one needed.
constexpr std::uint64_t kPairsPerRecord = 2;
constexpr std::size_t kPairLineBytes = 64;

// Every walk begins at the first record: large boxes could skip few.
constexpr std::uint32_t kFirstReachingUnknown[kBinsPerCell] = {};

// Consecutive cells, with memory of their own.
struct alignas(64) CellTask {
    std::uint32_t cell;
    std::uint32_t cell_end;
    SortedCell sorted;
    PairBlock block;
    IndexPair* pairs;

    bool is_done() const { return cell == cell_end; }
    std::size_t pair_count() const { return static_cast<std::size_t>(block.next - pairs); }
};

SortedCell take_sorted_cell(Arena& arena, std::uint32_t record_count) {
    const std::size_t capacity = record_count + kSortedPadding;
    SortedCell cell;
    cell.x0 = arena.reserve<std::uint8_t>(capacity);
    cell.x1 = arena.reserve<std::uint8_t>(capacity);
    cell.quads = arena.reserve<std::uint32_t>(capacity);
    cell.records = arena.reserve<CellRecord>(capacity);
    cell.count = 0;
    return cell;
}

class CellScans {
public:
    CellScans(const CellWork& work, std::uint32_t cell_count)
        : work_(work), store_(work.store), cell_count_(cell_count) {}

    std::uint64_t candidate_count() const { return candidate_count_; }

    // Runs all cells on the calling thread.
    Status run(AlignedArray<std::byte>& memory, PairWriter& state_writer) noexcept {
        SortedCell sorted = {};
        IndexPair* pairs = nullptr;
        const bool has_memory = reserve_arrays(memory, [&](Arena& arena) {
            sorted = take_sorted_cell(arena, store_.record_count_max());
            pairs = arena.reserve<IndexPair>(kBlockPairCount);
        });
        if (!has_memory) return Status::out_of_memory;
        return run_flushing(0, cell_count_, sorted, pairs, state_writer);
    }

    // Runs the cells in tasks: each has consecutive cells and a block of its own for the pairs. The calling
    // thread does what does not fit a block, and reserves memory so that it fits the next time.
    Status run(const TaskRunner& runner, AlignedArray<std::byte>& memory, PairWriter& state_writer) noexcept {
        const std::uint32_t task_count = std::min(worker_count(&runner) * kTasksPerWorker, cell_count_);
        if (!reserve_tasks(task_count, memory)) return Status::out_of_memory;
        const PairFilter* filter = state_writer.filter();
        run_tasks(&runner, task_count, [&](std::uint32_t index) {
            BROADSIDE_ZONE("cells/scan task");
            run_task(tasks_[index], filter);
        });
        std::size_t pair_count_max = 0;
        for (std::size_t begin = 0; begin < task_count;) {
            std::size_t end = begin;
            while (end < task_count && tasks_[end].is_done()) ++end;
            const bool has_rest = end < task_count;
            Status status = write_blocks(runner, tasks_.subspan(begin, end - begin + has_rest), state_writer);
            if (status == Status::ok && has_rest) {
                const std::size_t written = state_writer.required();
                CellTask& task = tasks_[end];
                const std::size_t in_block = task.pair_count();
                status = run_flushing(task.cell, task.cell_end, task.sorted, task.pairs, state_writer);
                pair_count_max = std::max(pair_count_max, in_block + state_writer.required() - written);
            }
            if (status != Status::ok) return status;
            begin = end + 1;
        }
        for (const CellTask& task : tasks_) candidate_count_ += task.block.candidate_count;
        if (pair_count_max != 0) make_room_for_next_call(pair_count_max, memory);
        return Status::ok;
    }

private:
    bool run_cell(std::uint32_t cell, SortedCell& sorted, PairBlock& block) const {
        const std::uint32_t record_count = store_.record_counts()[cell];
        if (work_.resting != nullptr) {
            if (record_count == 0) return true;
            const RestingCell resting = work_.resting->cell(cell);
            return work_.kernels.query_cell(resting, store_.source(), cell, work_.rule, block);
        }
        const std::uint32_t large_count = work_.large != nullptr ? work_.large->record_counts()[cell] : 0;
        const bool is_scanned = record_count <= work_.record_count_max;
        if (record_count == 0 || ((record_count < 2 || !is_scanned) && large_count == 0)) return true;
        work_.kernels.sort_cell(store_.source(), cell, sorted);
        if (store_.source().ids != nullptr) {
            for (std::uint32_t k = 0; k < sorted.count; ++k) store_.source().resolve(sorted.records[k]);
        }
        const bool is_wasteful = is_scanned && work_.wasteful_cells != nullptr && is_scan_wasteful(sorted);
        if (is_wasteful) work_.wasteful_cells[cell] = 1;
        if (is_scanned && !is_wasteful && !work_.kernels.scan_cell(sorted, work_.rule, block)) return false;
        if (large_count == 0) return true;
        const CellCore core = find_core(sorted);
        return work_.kernels.query_cell({sorted, kFirstReachingUnknown, &core}, work_.large->source(), cell,
                                        work_.rule, block);
    }

    Status run_flushing(std::uint32_t cell, std::uint32_t cell_end, SortedCell& sorted, IndexPair* pairs,
                        PairWriter& state_writer) {
        FlushingBlock block = {{pairs, pairs + kBlockPairCount, 0, &flush}, pairs, &state_writer, Status::ok};
        for (; cell < cell_end; ++cell) {
            if (!run_cell(cell, sorted, block)) return block.status;
        }
        flush(block, 0);
        candidate_count_ += block.candidate_count;
        return block.status;
    }

    void run_task(CellTask& task, const PairFilter* filter) const {
        for (; task.cell < task.cell_end; ++task.cell) {
            const PairBlock before = task.block;
            if (!run_cell(task.cell, task.sorted, task.block)) {
                task.block = before;
                return;
            }
            if (filter == nullptr) continue;
            const auto found = static_cast<std::size_t>(task.block.next - before.next);
            task.block.next = before.next + filter->keep(before.next, found, before.next, true);
        }
    }

    // Calls `visit(task, cell, cell_end, record_count_max)` for consecutive runs of cells of similar weight.
    template <class Visit>
    void for_each_cut(std::uint32_t task_count, Visit&& visit) const {
        const std::uint64_t weight = store_.record_count() + kCellWeight * cell_count_;
        std::uint64_t sum = 0;
        std::uint32_t cell = 0;
        for (std::uint32_t task = 0; task < task_count; ++task) {
            const std::uint32_t begin = cell;
            const std::uint64_t wanted = weight * (task + 1) / task_count;
            std::uint32_t record_count_max = 0;
            for (; cell < cell_count_ && sum < wanted; ++cell) {
                sum += store_.record_counts()[cell] + kCellWeight;
                record_count_max = std::max(record_count_max, store_.record_counts()[cell]);
            }
            visit(task, begin, cell, record_count_max);
        }
    }

    void reserve_fixed(Arena& arena, std::uint32_t task_count, CellTask*& out_tasks) const {
        out_tasks = arena.reserve<CellTask>(task_count);
        for_each_cut(task_count, [&](std::uint32_t task, std::uint32_t cell, std::uint32_t cell_end,
                                     std::uint32_t record_count_max) {
            const SortedCell sorted = take_sorted_cell(arena, record_count_max);
            if (out_tasks == nullptr) return;
            out_tasks[task].sorted = sorted;
            out_tasks[task].cell = cell;
            out_tasks[task].cell_end = cell_end;
        });
    }

    bool reserve_tasks(std::uint32_t task_count, AlignedArray<std::byte>& memory) {
        CellTask* tasks = nullptr;
        Arena measure(nullptr);
        reserve_fixed(measure, task_count, tasks);
        fixed_bytes_ = measure.used_bytes();
        // The capacity that the memory has grown to is shared out, in whole cache lines.
        const std::uint64_t left = memory.capacity() > fixed_bytes_ ? memory.capacity() - fixed_bytes_ : 0;
        const std::uint64_t kept = left / task_count / kPairLineBytes * (kPairLineBytes / sizeof(IndexPair));
        const std::uint64_t guess = store_.record_count() * kPairsPerRecord / task_count + kBlockPairCount;
        pair_room_ = std::max(guess, kept);
        const bool has_memory = reserve_arrays(memory, [&](Arena& arena) {
            reserve_fixed(arena, task_count, tasks);
            for (std::uint32_t i = 0; i < task_count; ++i) {
                IndexPair* const pairs = arena.reserve<IndexPair>(pair_room_);
                if (tasks == nullptr) continue;
                tasks[i].pairs = pairs;
                tasks[i].block = {pairs, pairs + pair_room_, 0, &refuse};
            }
        });
        tasks_ = {tasks, has_memory ? task_count : 0};
        return has_memory;
    }

    // Reserves a quarter more than was needed; if that fails, the next call is merely slower.
    void make_room_for_next_call(std::size_t pair_count_max, AlignedArray<std::byte>& memory) const {
        const std::uint64_t task_bytes =
            (pair_count_max + pair_count_max / 4) * sizeof(IndexPair) + kPairLineBytes;
        const std::uint64_t wanted = fixed_bytes_ + tasks_.size() * task_bytes;
        const auto bytes = static_cast<std::size_t>(wanted);
        if (bytes == wanted) (void)memory.reserve(bytes);
    }

    static Status write_blocks(const TaskRunner& runner, std::span<CellTask> tasks,
                               PairWriter& state_writer) {
        BROADSIDE_ZONE("cells/write");
        if (state_writer.is_sink()) {
            for (const CellTask& task : tasks) {
                const Status status = state_writer.write_filtered({task.pairs, task.pair_count()});
                if (status != Status::ok) return status;
            }
            return Status::ok;
        }
        std::size_t count = 0;
        for (const CellTask& task : tasks) count += task.pair_count();
        std::span<IndexPair> room;
        const Status status = state_writer.claim(count, room);
        if (status != Status::ok) return status;
        run_tasks(&runner, static_cast<std::uint32_t>(tasks.size()), [&](std::uint32_t index) {
            BROADSIDE_ZONE("cells/write task");
            std::size_t begin = 0;
            for (std::uint32_t i = 0; i < index; ++i) begin += tasks[i].pair_count();
            if (begin >= room.size()) return;
            const std::size_t fitting = std::min(tasks[index].pair_count(), room.size() - begin);
            std::memcpy(room.data() + begin, tasks[index].pairs, fitting * sizeof(IndexPair));
        });
        return Status::ok;
    }

    const CellWork& work_;
    const CellStore& store_;
    std::uint32_t cell_count_;
    std::uint64_t candidate_count_ = 0;
    std::span<CellTask> tasks_;
    std::uint64_t pair_room_ = 0;
    std::uint64_t fixed_bytes_ = 0;
};

}  // namespace

Status scan_cells(const CellWork& work, std::uint32_t cell_count, const TaskRunner* runner,
                  AlignedArray<std::byte>& memory, PairWriter& state_writer,
                  std::uint64_t& out_candidate_count) noexcept {
    BROADSIDE_ZONE("cells/scan");
    CellScans scans(work, cell_count);
    const bool is_shared =
        worker_count(runner) > 1 && work.store.record_count() >= thresholds().cells.shared_records_min;
    const Status status =
        is_shared ? scans.run(*runner, memory, state_writer) : scans.run(memory, state_writer);
    out_candidate_count = scans.candidate_count();
    return status;
}

}  // namespace broadside::broadphase
