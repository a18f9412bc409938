// A TaskRunner of std::threads, and the one for tests with real threads.
#pragma once

#include <broadside/tbb_task_runner.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace broadside::test {

/// Tasks go to whichever thread is free, the caller's among them. The others sleep between calls and end with the
/// runner. One caller at a time.
class ThreadRunner {
public:
    explicit ThreadRunner(std::uint32_t worker_count) : runner_{&parallel_for, this, worker_count} {
        for (std::uint32_t i = 1; i < worker_count; ++i) threads_.emplace_back([this] { work(); });
    }
    ThreadRunner(const ThreadRunner&) = delete;
    ThreadRunner& operator=(const ThreadRunner&) = delete;
    ~ThreadRunner() {
        task_ = nullptr;
        begin_round();
        for (std::thread& thread : threads_) thread.join();
    }
    const TaskRunner* runner() const { return &runner_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<ThreadRunner*>(user);
        self.task_ = task;
        self.context_ = context;
        self.task_count_ = task_count;
        self.next_task_ = 0;
        self.working_count_ = static_cast<std::uint32_t>(self.threads_.size());
        self.begin_round();
        self.run_tasks();
        // Each has seen the end of this round before the next one begins.
        for (std::uint32_t count; (count = self.working_count_.load()) != 0;) self.working_count_.wait(count);
    }
    void begin_round() {
        round_.fetch_add(1);
        round_.notify_all();
    }
    void run_tasks() {
        for (std::uint32_t index; (index = next_task_.fetch_add(1)) < task_count_;) task_(context_, index);
    }
    void work() {
        for (std::uint32_t round = 0;; ++round) {
            round_.wait(round);
            if (task_ == nullptr) return;
            run_tasks();
            if (working_count_.fetch_sub(1) == 1) working_count_.notify_one();
        }
    }

    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::uint32_t> next_task_{0};
    std::atomic<std::uint32_t> working_count_{0};
    TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    std::uint32_t task_count_ = 0;
    TaskRunner runner_;
    std::vector<std::thread> threads_;
};

// ThreadSanitizer does not see the waiting between threads inside a oneTBB that was not compiled with it.
#if defined(__SANITIZE_THREAD__)
#define BROADSIDE_TESTS_HAVE_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BROADSIDE_TESTS_HAVE_TSAN 1
#endif
#endif

#ifdef BROADSIDE_TESTS_HAVE_TSAN
inline constexpr bool kHasThreadSanitizer = true;
using Threads = ThreadRunner;
#else
inline constexpr bool kHasThreadSanitizer = false;
using Threads = TbbTaskRunner;
#endif

}  // namespace broadside::test
