// The hook through which the library uses the caller's threads; it starts none of its own.
#pragma once

#include <cstdint>

namespace broadside {

/// One piece of work. Tasks of one `parallel_for` touch disjoint data and may run in any order, on any
/// thread.
using TaskFunction = void (*)(void* context, std::uint32_t task_index) noexcept;

/// How the caller runs tasks. Passed by pointer; null means "on the calling thread, one after the other".
/// No result of the library depends on the runner, on `worker_count`, on the order in which tasks run or on
/// the floating-point environment of their threads (float_environment.hpp). No exception may leave it (visitor.hpp).
struct TaskRunner {
    /// Calls `task(context, i)` once for every i below `task_count` and returns when all have returned.
    void (*parallel_for)(void* user, std::uint32_t task_count, TaskFunction task,
                         void* context) noexcept = nullptr;
    void* user = nullptr;
    /// How many tasks can run at once; a hint for how finely to cut. Zero counts as 1, more than
    /// kMaxWorkerCount as that.
    std::uint32_t worker_count = 1;
};

/// Most workers that work is cut for, and that memory is taken for. A runner may have more.
inline constexpr std::uint32_t kMaxWorkerCount = 1024;

/// Whether tasks can be run so: by null, or by a runner that has a function. Every call answers
/// invalid_argument to another one.
constexpr bool is_valid_runner(const TaskRunner* runner) noexcept {
    return runner == nullptr || runner->parallel_for != nullptr;
}

/// The workers to cut for, from 1 to kMaxWorkerCount.
constexpr std::uint32_t worker_count(const TaskRunner* runner) noexcept {
    if (runner == nullptr || runner->worker_count == 0) return 1;
    return runner->worker_count < kMaxWorkerCount ? runner->worker_count : kMaxWorkerCount;
}

}  // namespace broadside
