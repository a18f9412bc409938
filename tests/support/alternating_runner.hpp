// A TaskRunner of two threads that both certainly work: the caller takes the even tasks, the other thread the
// odd ones.
#pragma once

#include <broadside/task_runner.hpp>

#include <atomic>
#include <thread>

namespace broadside::test {

/// The second thread sleeps between calls and ends with the runner.
class AlternatingRunner {
public:
    AlternatingRunner() : worker_([this] { work(); }) {}
    AlternatingRunner(const AlternatingRunner&) = delete;
    AlternatingRunner& operator=(const AlternatingRunner&) = delete;
    ~AlternatingRunner() {
        task_ = nullptr;
        begin_round();
        worker_.join();
    }
    const TaskRunner* runner() const { return &runner_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<AlternatingRunner*>(user);
        self.task_ = task;
        self.context_ = context;
        self.task_count_ = task_count;
        const std::uint32_t round = self.begin_round();
        for (std::uint32_t i = 0; i < task_count; i += 2) task(context, i);
        for (std::uint32_t done; (done = self.done_.load()) != round;) self.done_.wait(done);
    }
    std::uint32_t begin_round() {
        const std::uint32_t round = begun_.fetch_add(1) + 1;
        begun_.notify_one();
        return round;
    }
    void work() {
        for (std::uint32_t round = 1;; ++round) {
            begun_.wait(round - 1);
            if (task_ == nullptr) return;
            for (std::uint32_t i = 1; i < task_count_; i += 2) task_(context_, i);
            done_.store(round);
            done_.notify_one();
        }
    }

    std::atomic<std::uint32_t> begun_{0};
    std::atomic<std::uint32_t> done_{0};
    TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    std::uint32_t task_count_ = 0;
    TaskRunner runner_ = {&parallel_for, this, 2};
    std::thread worker_;
};

}  // namespace broadside::test
