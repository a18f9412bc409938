// Calls a lambda once per task through a TaskRunner, or in a plain loop when there is none.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/export.hpp>
#include <broadside/task_runner.hpp>

#include <cstddef>
#include <type_traits>

namespace BROADSIDE_API broadside {

/// Calls `task(context, i)` for every index below `task_count`, as run_tasks does, which is made of it.
void run_each_task(const TaskRunner* runner, std::uint32_t task_count, TaskFunction task,
                   void* context) noexcept;

}  // namespace broadside

namespace broadside {

/// Calls `function(task_index)` for every index below `task_count`. The runner must be valid (see
/// is_valid_runner). The lambda must not throw and touches only data of its own task. Tasks of a runner run
/// in the library's FloatEnvironment, whatever their thread has; a plain loop runs in the caller's.
template <class Function>
void run_tasks(const TaskRunner* runner, std::uint32_t task_count, Function&& function) noexcept {
    using Plain = std::remove_reference_t<Function>;
    BROADSIDE_ASSERT(is_valid_runner(runner), "runner: parallel_for is null");
    // The loop and the runner call the same copy of the lambda, which keeps programs small.
    run_each_task(
        runner, task_count,
        [](void* context, std::uint32_t task_index) noexcept { (*static_cast<Plain*>(context))(task_index); },
        const_cast<void*>(static_cast<const void*>(&function)));
}

/// Cuts `count` items into chunks of `chunk_count` (the last one shorter) and calls `function(begin, end)`
/// for each as a task. The cut depends on the two numbers only, never on the runner.
template <class Function>
void run_chunks(const TaskRunner* runner, std::size_t count, std::size_t chunk_count,
                Function&& function) noexcept {
    const auto task_count = static_cast<std::uint32_t>((count + chunk_count - 1) / chunk_count);
    run_tasks(runner, task_count, [&](std::uint32_t task_index) {
        const std::size_t begin = task_index * chunk_count;
        function(begin, begin + chunk_count < count ? begin + chunk_count : count);
    });
}

}  // namespace broadside
