// The hook through which the library uses the caller's threads; it starts none of its own.
#pragma once

#include <cstdint>

namespace broadside {

/// One piece of work. Tasks of one `parallel_for` touch disjoint data and may run in any order, on any
/// thread.
using TaskFunction = void (*)(void* context, std::uint32_t task_index) noexcept;

/// How the caller runs tasks. Passed by pointer; null means "on the calling thread, one after the other".
/// No result of the library depends on the runner, on `worker_count` or on the order in which tasks run.
struct TaskRunner {
    /// Calls `task(context, i)` once for every i below `task_count` and returns when all have returned.
    void (*parallel_for)(void* user, std::uint32_t task_count, TaskFunction task,
                         void* context) noexcept = nullptr;
    void* user = nullptr;
    /// How many tasks can run at once; a hint for how finely to cut. At least 1.
    std::uint32_t worker_count = 1;
};

}  // namespace broadside
