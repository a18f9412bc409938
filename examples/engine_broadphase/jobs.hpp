// Job threads: a range of items cut into tasks, and the same as a TaskRunner.
#pragma once

#include <broadside/run_tasks.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace engine_example {

/// Tasks go to the next free thread, the caller's among them; a thread that comes late finds none left.
/// Between calls threads spin for a while, because the next stage of a step is near, and then sleep. One
/// caller at a time.
class Jobs {
public:
    explicit Jobs(std::uint32_t worker_count) : runner_{&parallel_for, this, worker_count} {
        for (std::uint32_t i = 1; i < worker_count; ++i) threads_.emplace_back([this] { work(); });
    }
    Jobs(const Jobs&) = delete;
    Jobs& operator=(const Jobs&) = delete;
    ~Jobs() {
        is_over_ = true;
        ++round_;
        wake();
        for (std::thread& thread : threads_) thread.join();
    }

    std::uint32_t worker_count() const { return runner_.worker_count; }
    /// The runner for calls of the library. Null if there is only one thread.
    const broadside::TaskRunner* runner() const { return threads_.empty() ? nullptr : &runner_; }
    /// Calls `work(begin, end)` for parts of `count` items; the parts do not depend on the number of threads.
    template <class Work>
    void for_parts(std::size_t count, std::size_t part_count, Work&& work) const {
        broadside::run_chunks(runner(), count, part_count, work);
    }

private:
    static constexpr int kSpinCount = 4000;

    static void parallel_for(void* user, std::uint32_t task_count, broadside::TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<Jobs*>(user);
        self.task_ = task;
        self.context_ = context;
        self.unfinished_count_ = task_count;
        self.free_count_ = task_count;
        ++self.round_;
        self.wake();
        self.run_tasks();
        self.wait_until([&self] { return self.unfinished_count_ == 0; });
    }
    // Not by std::atomic::wait, which misses notifications in MinGW's libstdc++ 12.
    template <class Condition>
    void wait_until(const Condition& holds) {
        for (int i = 0; i < kSpinCount; ++i) {
            if (holds()) return;
        }
        std::unique_lock lock(mutex_);
        changed_.wait(lock, holds);
    }
    void wake() {
        // A thread that has just seen the old value sleeps before the lock is free.
        { const std::lock_guard lock(mutex_); }
        changed_.notify_all();
    }
    // A task that a thread has taken belongs to the current call, which does not end before it.
    void run_tasks() {
        for (std::uint32_t count = free_count_.load(); count != 0;) {
            if (!free_count_.compare_exchange_weak(count, count - 1)) continue;
            task_(context_, count - 1);
            if (unfinished_count_.fetch_sub(1) == 1) wake();
            count = free_count_.load();
        }
    }
    void work() {
        for (std::uint32_t round = 0; !is_over_;) {
            wait_until([this, round] { return round_ != round; });
            round = round_;
            run_tasks();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::uint32_t> free_count_{0};
    std::atomic<std::uint32_t> unfinished_count_{0};
    std::atomic<bool> is_over_{false};
    broadside::TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    broadside::TaskRunner runner_;
    std::vector<std::thread> threads_;
};

}  // namespace engine_example
