// A TaskRunner that tells how long the same work would take on machines of any number of cores, without
// having one.
#pragma once

#include <broadside/task_runner.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace broadside::speedup {

/// Seconds that tasks take on this many workers, each of which takes the next task when it finishes one.
double makespan(std::span<const double> task_seconds, std::uint32_t worker_count);

/// Seconds of a wall clock: the least of several equal runs counts. The clock of the thread is a system call,
/// after which tasks of some microseconds take up to 1.3 times as long.
double clock_seconds();

/// Runs tasks one by one and takes their times. Work is cut as for `worker_count` workers.
class MeasuringRunner {
public:
    explicit MeasuringRunner(std::uint32_t worker_count)
        : worker_count_(worker_count), runner_{&parallel_for, this, worker_count} {}
    MeasuringRunner(const MeasuringRunner&) = delete;
    MeasuringRunner& operator=(const MeasuringRunner&) = delete;

    const TaskRunner* runner() const { return &runner_; }

    /// Times since the last call.
    struct Times {
        /// Time of all tasks one after the other, and on the workers.
        double task_seconds = 0;
        double makespan_seconds = 0;
        /// The runner's own time, mostly readings of the clock, which no other runner would need.
        double own_seconds = 0;
        /// Calls of the runner.
        std::uint32_t dispatch_count = 0;
    };
    Times take();

private:
    static double look_seconds();
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task, void* context) noexcept;

    std::uint32_t worker_count_;
    TaskRunner runner_;
    Times times_;
    double look_seconds_ = look_seconds();
    std::vector<double> seconds_;
};

}  // namespace broadside::speedup
