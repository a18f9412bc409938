// The hook through which the library uses the caller's threads; it starts none of its own.
#pragma once

#include <cstdint>

namespace broadside {

/// One piece of work. Tasks of one `parallel_for` touch disjoint data and may run in any order, on any
/// thread.
using TaskFunction = void (*)(void* context, std::uint32_t task_index) noexcept;

/// The caller's way to run tasks. Passed by pointer; null runs them on the calling thread, one after the
/// other. No result of the library depends on the runner, on `worker_count`, on the order in which tasks run
/// or on the floating-point environment of their threads (float_environment.hpp). No exception may leave it
/// (visitor.hpp).
struct TaskRunner {
    /// Calls `task(context, i)` once for every i below `task_count` and returns when all have returned.
    void (*parallel_for)(void* user, std::uint32_t task_count, TaskFunction task,
                         void* context) noexcept = nullptr;
    void* user = nullptr;
    /// Number of tasks that can run at once; a hint for how finely to cut. Zero counts as 1, and more than
    /// kMaxWorkerCount as that.
    std::uint32_t worker_count = 1;
};

/// The most workers that work is cut for and memory is allocated for. A runner may have more.
inline constexpr std::uint32_t kMaxWorkerCount = 1024;

/// True for null and for a runner that has a function. Every call returns invalid_argument for any other.
constexpr bool is_valid_runner(const TaskRunner* runner) noexcept {
    return runner == nullptr || runner->parallel_for != nullptr;
}

/// Number of workers to cut for, from 1 to kMaxWorkerCount.
constexpr std::uint32_t worker_count(const TaskRunner* runner) noexcept {
    if (runner == nullptr || runner->worker_count == 0) return 1;
    return runner->worker_count < kMaxWorkerCount ? runner->worker_count : kMaxWorkerCount;
}

}  // namespace broadside
