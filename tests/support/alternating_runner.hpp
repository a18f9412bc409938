// A TaskRunner of two threads that both certainly work: the caller takes the even tasks, the other thread the
// odd ones.
#pragma once

#include <broadside/task_runner.hpp>

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace broadside::test {

/// The second thread sleeps between calls and ends with the runner. Not by std::atomic::wait, which misses
/// notifications in MinGW's libstdc++ 12.
class AlternatingRunner {
public:
    AlternatingRunner() : worker_([this] { work(); }) {}
    AlternatingRunner(const AlternatingRunner&) = delete;
    AlternatingRunner& operator=(const AlternatingRunner&) = delete;
    ~AlternatingRunner() {
        begin_round(nullptr, nullptr, 0);
        worker_.join();
    }
    const TaskRunner* runner() const { return &runner_; }

private:
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<AlternatingRunner*>(user);
        self.begin_round(task, context, task_count);
        for (std::uint32_t i = 0; i < task_count; i += 2) task(context, i);
        std::unique_lock lock(self.mutex_);
        self.changed_.wait(lock, [&] { return self.done_ == self.begun_; });
    }
    void begin_round(TaskFunction task, void* context, std::uint32_t task_count) {
        {
            const std::lock_guard lock(mutex_);
            task_ = task;
            context_ = context;
            task_count_ = task_count;
            ++begun_;
        }
        changed_.notify_all();
    }
    void work() {
        for (std::uint32_t round = 1;; ++round) {
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return begun_ == round; });
            }
            if (task_ == nullptr) return;
            for (std::uint32_t i = 1; i < task_count_; i += 2) task_(context_, i);
            {
                const std::lock_guard lock(mutex_);
                done_ = round;
            }
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint32_t begun_ = 0;
    std::uint32_t done_ = 0;
    TaskFunction task_ = nullptr;
    void* context_ = nullptr;
    std::uint32_t task_count_ = 0;
    TaskRunner runner_ = {&parallel_for, this, 2};
    std::thread worker_;
};

}  // namespace broadside::test
