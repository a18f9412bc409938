// Tasks timed one by one.
#include "extras/speedup/measuring_runner.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace broadside::speedup {

double makespan(std::span<const double> task_seconds, std::uint32_t worker_count) {
    std::vector<double> busy_until(std::max(worker_count, 1u), 0.0);
    for (const double seconds : task_seconds) {
        // The first free worker, by a heap with the least on top.
        std::pop_heap(busy_until.begin(), busy_until.end(), std::greater<>());
        busy_until.back() += seconds;
        std::push_heap(busy_until.begin(), busy_until.end(), std::greater<>());
    }
    return *std::max_element(busy_until.begin(), busy_until.end());
}

double clock_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

MeasuringRunner::Times MeasuringRunner::take() { return std::exchange(times_, Times{}); }

// The cost of one reading of the clock: an empty task takes as long.
double MeasuringRunner::look_seconds() {
    double least = 1;
    double before = clock_seconds();
    for (int i = 0; i < 1000; ++i) {
        const double now = clock_seconds();
        least = std::min(least, now - before);
        before = now;
    }
    return least;
}

void MeasuringRunner::parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                                   void* context) noexcept {
    auto& self = *static_cast<MeasuringRunner*>(user);
    self.seconds_.resize(task_count);
    const double begin = clock_seconds();
    double before = begin;
    double task_seconds = 0;
    for (std::uint32_t index = 0; index < task_count; ++index) {
        task(context, index);
        const double now = clock_seconds();
        self.seconds_[index] = std::max(now - before - self.look_seconds_, 0.0);
        task_seconds += self.seconds_[index];
        before = now;
    }
    self.times_.task_seconds += task_seconds;
    self.times_.makespan_seconds += makespan(self.seconds_, self.worker_count_);
    ++self.times_.dispatch_count;
    self.times_.own_seconds += clock_seconds() - begin - task_seconds;
}

}  // namespace broadside::speedup
