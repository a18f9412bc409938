// Threads for one call: started for it and gone with it, so that a process may fork at any time between calls.
#pragma once

#include <broadside/task_runner.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace broadside::python {

class CallRunner {
public:
    /// 1 is the caller's thread alone.
    explicit CallRunner(std::uint32_t worker_count) : runner_{&parallel_for, this, worker_count} {}

    const TaskRunner* get() const noexcept { return runner_.worker_count > 1 ? &runner_ : nullptr; }

    /// Calls `call` with every index below the count, in runs of some. Of the exceptions that leave it one is thrown
    /// here once all threads are done, and indices that follow are left out.
    template <class Call>
    void for_each(std::size_t count, const Call& call) {
        constexpr std::size_t kRun = 256;
        std::atomic<bool> has_failed{false};
        std::exception_ptr failure;
        const auto run = [&](std::uint32_t index) noexcept {
            try {
                for (std::size_t i = index * kRun; i < std::min(count, (index + 1) * kRun) && !has_failed;
                     ++i)
                    call(i);
            } catch (...) {
                if (!has_failed.exchange(true)) failure = std::current_exception();
            }
        };
        const auto task = [](void* context, std::uint32_t index) noexcept {
            (*static_cast<decltype(run)*>(context))(index);
        };
        parallel_for(this, static_cast<std::uint32_t>((count + kRun - 1) / kRun), task,
                     const_cast<void*>(static_cast<const void*>(&run)));
        if (failure) std::rethrow_exception(failure);
    }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        const std::uint32_t worker_count = static_cast<CallRunner*>(user)->runner_.worker_count;
        const std::uint32_t thread_count = worker_count < task_count ? worker_count : task_count;
        std::atomic<std::uint32_t> next{0};
        const auto work = [&] {
            for (std::uint32_t index = next++; index < task_count; index = next++) task(context, index);
        };
        std::vector<std::thread> threads;
        // A thread that cannot be had is work for the others.
        try {
            for (std::uint32_t i = 1; i < thread_count; ++i) threads.emplace_back(work);
        } catch (...) {
        }
        work();
        for (std::thread& thread : threads) thread.join();
    }

    TaskRunner runner_;
};

}  // namespace broadside::python
