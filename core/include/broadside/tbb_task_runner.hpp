// The TaskRunner over oneTBB. The only public header that needs a library beyond the standard one: include it
// only if oneTBB is on the include path and linked.
#pragma once

#include <broadside/task_runner.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace broadside {

/// Owns an arena of `worker_count` threads, including the caller's. Must outlive every call that it is passed
/// to.
class TbbTaskRunner {
public:
    /// Starts no thread; oneTBB does.
    explicit TbbTaskRunner(std::uint32_t worker_count)
        : arena_(static_cast<int>(worker_count)), runner_{&parallel_for, &arena_, worker_count} {}
    TbbTaskRunner(const TbbTaskRunner&) = delete;
    TbbTaskRunner& operator=(const TbbTaskRunner&) = delete;

    /// The runner to pass to calls.
    const TaskRunner* runner() const noexcept { return &runner_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        static_cast<tbb::task_arena*>(user)->execute([=] {
            tbb::parallel_for(std::uint32_t{0}, task_count,
                              [=](std::uint32_t task_index) { task(context, task_index); });
        });
    }

    tbb::task_arena arena_;
    TaskRunner runner_;
};

}  // namespace broadside
