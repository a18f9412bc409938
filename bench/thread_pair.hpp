// Two threads as a TaskRunner: the caller's and one more. No TBB, whose limit of threads belongs to the whole
// process, and which peers lower.
#pragma once

#include <broadside/task_runner.hpp>

#include <atomic>
#include <thread>

namespace broadside::bench {

/// The second thread starts with the first call and spins between calls that follow each other, as the
/// workers of an engine do within a frame; after a while without work it sleeps.
class ThreadPair {
public:
    ThreadPair() = default;
    ThreadPair(const ThreadPair&) = delete;
    ThreadPair& operator=(const ThreadPair&) = delete;
    ~ThreadPair() {
        if (!worker_.joinable()) return;
        is_ending_.store(true);
        round_.fetch_add(1);
        round_.notify_one();
        worker_.join();
    }
    const TaskRunner* runner() const { return &runner_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<ThreadPair*>(user);
        if (!self.worker_.joinable()) self.worker_ = std::thread([&self] { self.work(); });
        self.task_ = task;
        self.context_ = context;
        self.task_count_ = task_count;
        self.next_.store(0, std::memory_order_relaxed);
        self.is_working_.store(true, std::memory_order_relaxed);
        self.round_.fetch_add(1, std::memory_order_release);
        self.round_.notify_one();
        self.take_tasks();
        while (self.is_working_.load(std::memory_order_acquire)) {
        }
    }
    void take_tasks() {
        for (;;) {
            const std::uint32_t index = next_.fetch_add(1, std::memory_order_relaxed);
            if (index >= task_count_) return;
            task_(context_, index);
        }
    }
    void work() {
        constexpr int kSpinCount = 20000;
        for (std::uint32_t seen = 0;;) {
            for (int spin = 0; spin < kSpinCount && round_.load(std::memory_order_acquire) == seen; ++spin) {
            }
            round_.wait(seen, std::memory_order_acquire);
            seen = round_.load(std::memory_order_acquire);
            if (is_ending_.load()) return;
            take_tasks();
            is_working_.store(false, std::memory_order_release);
        }
    }

    std::thread worker_;
    std::atomic<std::uint32_t> round_{0};
    std::atomic<std::uint32_t> next_{0};
    std::atomic<bool> is_working_{false};
    std::atomic<bool> is_ending_{false};
    TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    std::uint32_t task_count_ = 0;
    TaskRunner runner_ = {&parallel_for, this, 2};
};

}  // namespace broadside::bench
