// Runs rounds of tasks with a block of pairs each.
#include "broadphase/src/sweep/passes.hpp"

#include <broadside/run_tasks.hpp>
#include "broadphase/src/lists/arena.hpp"
#include "broadphase/src/thresholds.hpp"
#include "core/src/zones.hpp"

#include <algorithm>

namespace broadside::broadphase {
namespace {

// Tasks of a round for each worker: enough that one long task does not leave the others idle.
constexpr std::size_t kPassTasksPerWorker = 4;

// On a cache line of its own, because it is written while others run.
struct alignas(64) Task {
    const ScanPass* pass;
    RowState state;

    bool is_done() const { return state.row == state.row_end; }
};

// Makes the tasks of the passes, one after the other.
class TaskCursor {
public:
    explicit TaskCursor(std::span<const ScanPass> passes)
        : pass_(passes.data()), end_(pass_ + passes.size()) {
        row_ = pass_ != end_ ? pass_->row_begin : 0;
        skip_finished_passes();
    }
    bool is_at_end() const { return pass_ == end_; }
    Task next(IndexPair* block, std::size_t block_capacity) {
        const std::size_t row_end = std::min(row_ + pass_->task_row_count, pass_->row_end);
        const Task task = {pass_, {row_, row_end, kRowNotBegun, block, 0, block_capacity, 0}};
        row_ = row_end;
        skip_finished_passes();
        return task;
    }

private:
    void skip_finished_passes() {
        while (pass_ != end_ && row_ == pass_->row_end) {
            ++pass_;
            if (pass_ != end_) row_ = pass_->row_begin;
        }
    }

    const ScanPass* pass_;
    const ScanPass* end_;
    std::size_t row_;
};

std::size_t count_tasks(std::span<const ScanPass> passes) {
    std::size_t count = 0;
    for (const ScanPass& pass : passes) {
        count += (pass.row_end - pass.row_begin + pass.task_row_count - 1) / pass.task_row_count;
    }
    return count;
}

// Runs all tasks to their end and writes their pairs in task order. A task whose block is full waits until it
// is written. Reports whether any had to wait for another one.
Status finish_tasks(std::span<Task> tasks, const TaskRunner* runner, PairWriter& state_writer,
                    bool& out_had_to_wait) noexcept {
    out_had_to_wait = false;
    std::size_t front = 0;
    while (front < tasks.size()) {
        run_tasks(runner, static_cast<std::uint32_t>(tasks.size() - front), [&](std::uint32_t index) {
            BROADSIDE_ZONE("passes/task");
            Task& task = tasks[front + index];
            if (!task.is_done() && task.state.pair_count == 0)
                task.pass->run_rows(task.pass->scan, task.state);
        });
        while (front < tasks.size()) {
            RowState& state = tasks[front].state;
            const Status status = state_writer.write({state.pairs, state.pair_count});
            if (status != Status::ok) return status;
            state.pair_count = 0;
            if (!tasks[front].is_done()) break;
            ++front;
        }
        for (std::size_t i = front + 1; i < tasks.size(); ++i) out_had_to_wait |= !tasks[i].is_done();
    }
    return Status::ok;
}

}  // namespace

Status run_passes(std::span<const ScanPass> passes, const TaskRunner* runner,
                  AlignedArray<std::byte>& block_memory, PairWriter& state_writer,
                  std::uint64_t& state_tested_count) noexcept {
    BROADSIDE_ZONE("passes");
    const std::size_t task_count_max =
        runner == nullptr ? 1 : std::min(kPassTasksPerWorker * worker_count(runner), count_tasks(passes));
    std::size_t block_capacity = thresholds().scans.pairs_per_block;
    TaskCursor cursor(passes);
    while (!cursor.is_at_end()) {
        Task* tasks = nullptr;
        IndexPair* blocks = nullptr;
        const bool has_memory = reserve_arrays(block_memory, [&](Arena& arena) {
            tasks = arena.reserve<Task>(task_count_max);
            blocks = arena.reserve<IndexPair>(task_count_max * block_capacity);
        });
        if (!has_memory) return Status::out_of_memory;
        std::size_t task_count = 0;
        for (; task_count < task_count_max && !cursor.is_at_end(); ++task_count) {
            tasks[task_count] = cursor.next(blocks + task_count * block_capacity, block_capacity);
        }
        bool had_to_wait = false;
        const Status status = finish_tasks({tasks, task_count}, runner, state_writer, had_to_wait);
        for (std::size_t i = 0; i < task_count; ++i) state_tested_count += tasks[i].state.tested_count;
        if (status != Status::ok) return status;
        if (had_to_wait && block_capacity < thresholds().scans.pairs_per_block_max) block_capacity *= 4;
    }
    return Status::ok;
}

}  // namespace broadside::broadphase
