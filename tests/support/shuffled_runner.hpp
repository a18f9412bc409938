// A TaskRunner that runs tasks one at a time in a random order: a possible schedule, made repeatable. Under
// ThreadSanitizer real threads run them.
#pragma once

#include "tests/support/generators.hpp"
#include "tests/support/thread_runner.hpp"

#include <broadside/run_tasks.hpp>

#include <utility>
#include <vector>

namespace broadside::test {

/// Claims `worker_count` workers and has none.
class ShuffledRunner {
public:
    ShuffledRunner(std::uint64_t seed, std::uint32_t worker_count)
        : random_(seed), runner_{&parallel_for, this, worker_count} {}
    ShuffledRunner(const ShuffledRunner&) = delete;
    ShuffledRunner& operator=(const ShuffledRunner&) = delete;

    const TaskRunner* runner() const { return &runner_; }
    /// Tasks that were run through it.
    std::size_t task_count() const { return task_count_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<ShuffledRunner*>(user);
        self.task_count_ += task_count;
        std::vector<std::uint32_t> order(task_count);
        for (std::uint32_t i = 0; i < task_count; ++i) {
            order[i] = i;
            std::swap(order[i], order[self.random_.below(i + 1)]);
        }
        if constexpr (kHasThreadSanitizer) {
            const auto run = [&](std::uint32_t index) { task(context, order[index]); };
            run_tasks(self.threads_.runner(), task_count, run);
        } else {
            for (const std::uint32_t index : order) task(context, index);
        }
    }

    Random random_;
    TaskRunner runner_;
    ThreadRunner threads_{kHasThreadSanitizer ? 2u : 1u};
    std::size_t task_count_ = 0;
};

}  // namespace broadside::test
