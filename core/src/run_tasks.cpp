// The loop over tasks, and their way through a runner.
#include <broadside/float_environment.hpp>
#include <broadside/run_tasks.hpp>

namespace broadside {
namespace {

struct Work {
    TaskFunction task;
    void* context;
};

void run_in_own_environment(void* context, std::uint32_t task_index) noexcept {
    const FloatEnvironment environment;
    const Work& work = *static_cast<const Work*>(context);
    work.task(work.context, task_index);
}

}  // namespace

void run_each_task(const TaskRunner* runner, std::uint32_t task_count, TaskFunction task,
                   void* context) noexcept {
    if (runner == nullptr || task_count < 2) {
        for (std::uint32_t task_index = 0; task_index < task_count; ++task_index) task(context, task_index);
        return;
    }
    Work work{task, context};
    runner->parallel_for(runner->user, task_count, &run_in_own_environment, &work);
}

}  // namespace broadside
