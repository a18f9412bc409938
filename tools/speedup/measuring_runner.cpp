// Tasks by the clock of the thread.
#include "tools/speedup/measuring_runner.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

namespace broadside::speedup {

double makespan(std::span<const double> task_seconds, std::uint32_t worker_count) {
    std::vector<double> busy_until(std::max(worker_count, 1u), 0.0);
    for (const double seconds : task_seconds) {
        // The first one that is free, by a heap whose top is the least.
        std::pop_heap(busy_until.begin(), busy_until.end(), std::greater<>());
        busy_until.back() += seconds;
        std::push_heap(busy_until.begin(), busy_until.end(), std::greater<>());
    }
    return *std::max_element(busy_until.begin(), busy_until.end());
}

double thread_seconds() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

MeasuringRunner::Times MeasuringRunner::take() { return std::exchange(times_, Times{}); }

void MeasuringRunner::parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                                   void* context) noexcept {
    auto& self = *static_cast<MeasuringRunner*>(user);
    self.seconds_.resize(task_count);
    double before = thread_seconds();
    for (std::uint32_t index = 0; index < task_count; ++index) {
        task(context, index);
        const double now = thread_seconds();
        self.seconds_[index] = now - before;
        self.times_.task_seconds += now - before;
        before = now;
    }
    self.times_.makespan_seconds += makespan(self.seconds_, self.worker_count_);
    ++self.times_.dispatch_count;
}

}  // namespace broadside::speedup
