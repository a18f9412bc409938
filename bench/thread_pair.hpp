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
        const std::uint32_t round = self.round_.load(std::memory_order_relaxed) + 1;
        self.task_ = task;
        self.context_ = context;
        self.task_count_ = task_count;
        self.finished_count_.store(0, std::memory_order_relaxed);
        self.tickets_.store(std::uint64_t{round} << 32 | task_count, std::memory_order_release);
        self.round_.store(round, std::memory_order_release);
        self.round_.notify_one();
        self.take_tasks(round);
        // Only for tasks that the other thread has begun: it may not even have woken up.
        while (self.finished_count_.load(std::memory_order_acquire) != task_count) {
        }
    }
    // A thread with a ticket of a round keeps the round from ending, and may read its data.
    void take_tasks(std::uint32_t round) {
        std::uint64_t ticket = tickets_.load(std::memory_order_acquire);
        while (ticket >> 32 == round && (ticket & 0xFFFFFFFFu) != 0) {
            if (!tickets_.compare_exchange_weak(ticket, ticket - 1, std::memory_order_acq_rel)) continue;
            task_(context_, task_count_ - static_cast<std::uint32_t>(ticket));
            finished_count_.fetch_add(1, std::memory_order_release);
            ticket = tickets_.load(std::memory_order_acquire);
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
            take_tasks(seen);
        }
    }

    std::thread worker_;
    std::atomic<std::uint32_t> round_{0};
    // The round in the upper half, its unclaimed tasks in the lower.
    std::atomic<std::uint64_t> tickets_{0};
    std::atomic<std::uint32_t> finished_count_{0};
    std::atomic<bool> is_ending_{false};
    TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    std::uint32_t task_count_ = 0;
    TaskRunner runner_ = {&parallel_for, this, 2};
};

}  // namespace broadside::bench
