// The loop over tasks, and their way through a runner.
#include <broadside/float_environment.hpp>
#include <broadside/run_tasks.hpp>

namespace broadside {

void run_each_task(const TaskRunner* runner, std::uint32_t task_count, TaskFunction task,
                   void* context) noexcept {
    if (runner == nullptr || task_count < 2) {
        for (std::uint32_t task_index = 0; task_index < task_count; ++task_index) task(context, task_index);
        return;
    }
    struct Work {
        TaskFunction task;
        void* context;
    } work = {task, context};
    const auto run_task = [](void* user, std::uint32_t task_index) noexcept {
        const FloatEnvironment environment;
        const Work& of = *static_cast<const Work*>(user);
        of.task(of.context, task_index);
    };
    runner->parallel_for(runner->user, task_count, run_task, &work);
}

}  // namespace broadside
