// A World in a job system: the page docs/job_systems.md, as a program.
#include <broadside/prepared_objects.hpp>
#include <broadside/world_view.hpp>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

using namespace broadside;

// A stand-in for the engine's own: jobs go in, threads run them.
class Jobs {
public:
    explicit Jobs(unsigned thread_count) {
        for (unsigned i = 0; i < thread_count; ++i) threads_.emplace_back([this] { work(); });
    }
    ~Jobs() {
        for (std::size_t i = 0; i < threads_.size(); ++i) start(nullptr);
        for (std::thread& thread : threads_) thread.join();
    }
    void start(std::function<void()> job) {
        const std::lock_guard lock(mutex_);
        jobs_.push(std::move(job));
        has_job_.notify_one();
    }
    unsigned thread_count() const { return static_cast<unsigned>(threads_.size()); }

private:
    void work() {
        while (true) {
            std::unique_lock lock(mutex_);
            has_job_.wait(lock, [this] { return !jobs_.empty(); });
            const std::function<void()> job = std::move(jobs_.front());
            jobs_.pop();
            lock.unlock();
            if (!job) return;
            job();
        }
    }

    std::mutex mutex_;
    std::condition_variable has_job_;
    std::queue<std::function<void()>> jobs_;
    std::vector<std::thread> threads_;
};

// The hook: `task(context, i)` once for every i, on any thread; returns when all have returned. The next free
// thread takes the next task, the caller first of all, so that a call ends even when all threads are busy
// with other jobs.
void parallel_for(void* user, std::uint32_t task_count, TaskFunction task, void* context) noexcept {
    Jobs& jobs = *static_cast<Jobs*>(user);
    struct Call {
        std::atomic<std::uint32_t> next{0};
        std::atomic<std::uint32_t> done_count{0};
    };
    // A job that comes late finds no task left, and no caller.
    const auto call = std::make_shared<Call>();
    const auto take_tasks = [=] {
        for (std::uint32_t i; (i = call->next.fetch_add(1)) < task_count;) {
            task(context, i);
            if (call->done_count.fetch_add(1) + 1 == task_count) call->done_count.notify_all();
        }
    };
    const std::uint32_t helper_count = std::min(task_count - 1, jobs.thread_count());
    for (std::uint32_t i = 0; i < helper_count; ++i) jobs.start(take_tasks);
    take_tasks();
    for (std::uint32_t done; (done = call->done_count.load()) != task_count;) call->done_count.wait(done);
}

int main() {
    Jobs jobs(3);
    const TaskRunner runner = {&parallel_for, &jobs, jobs.thread_count() + 1};
    World world;
    std::vector<ObjectHandle> crates;

    // A part of the level, checked and prepared while the world goes on.
    std::promise<PreparedObjects> level;
    std::future<PreparedObjects> level_is_ready = level.get_future();
    jobs.start([&level] {
        std::vector<ObjectDescription> descriptions(1000);
        for (std::size_t i = 0; i < descriptions.size(); ++i) {
            const float x = 2.0f * static_cast<float>(i);
            descriptions[i] = {.box = {{x, 0, 0}, {x + 1, 1, 1}}, .kind = ObjectKind::fixed};
        }
        PreparedObjects prepared;
        if (prepared.prepare(descriptions).status != Status::ok) std::abort();
        level.set_value(std::move(prepared));
    });

    std::atomic<int> hit_count{0};
    std::atomic<int> asked_count{0};
    for (int frame = 0; frame < 3; ++frame) {
        // The thread that owns the world changes it: adds the prepared objects, sets boxes, updates the
        // pairs.
        if (frame == 1) {
            const PreparedObjects prepared = level_is_ready.get();
            crates.resize(prepared.count());
            if (world.add(prepared, crates).status != Status::ok) return 1;
        }
        if (frame == 2 && world.set_box(crates[500], {{1000, 5, 0}, {1001, 6, 1}}) != Status::ok) return 1;
        if (world.update(&runner).status != Status::ok) return 1;

        // All other threads query the world as it is now. The view goes with the jobs; the next frame may
        // begin at once.
        const WorldView view = world.view(&runner);
        for (int job = 0; job < 8; ++job) {
            jobs.start([view, job, &hit_count, &asked_count] {
                // 500 is the crate that frame 2 lifts out of the way.
                const float x = 2.0f * static_cast<float>(497 + job) + 0.5f;
                const WorldHit hit = view->closest_hit(Ray{{x, 2, 0.5f}, {0, -1, 0}});
                if (!hit.target.is_null() && hit.t == 1) ++hit_count;
                ++asked_count;
                asked_count.notify_one();
            });
        }
    }
    for (int count; (count = asked_count.load()) != 24;) asked_count.wait(count);
    std::printf("%d of %d rays hit\n", hit_count.load(), asked_count.load());
}
