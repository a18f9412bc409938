// The runner that simulates more cores than the machine has.
#include "extras/speedup/measuring_runner.hpp"

#include <doctest/doctest.h>

#include <broadside/run_tasks.hpp>

using namespace broadside;
using namespace broadside::speedup;

TEST_CASE("the makespan is that of workers that take the next task when they finish one") {
    const double tasks[] = {3, 3, 2, 2, 2};
    CHECK(makespan(tasks, 1) == 12);
    CHECK(makespan(tasks, 2) == 7);
    CHECK(makespan(tasks, 3) == 5);
    CHECK(makespan(tasks, 5) == 3);
    CHECK(makespan(tasks, 64) == 3);
    CHECK(makespan({}, 8) == 0);
    // The long one comes last.
    const double last[] = {1, 1, 4};
    CHECK(makespan(last, 2) == 5);
}

TEST_CASE(
    "a measuring runner runs every task once, in order, and accumulates their times until they are read") {
    MeasuringRunner runner(4);
    CHECK(worker_count(runner.runner()) == 4);
    std::vector<std::uint32_t> seen;
    double busy = 0;
    run_tasks(runner.runner(), 5, [&](std::uint32_t index) {
        seen.push_back(index);
        const double begin = clock_seconds();
        while (clock_seconds() - begin < 0.002) {
        }
        busy += clock_seconds() - begin;
    });
    run_tasks(runner.runner(), 2, [](std::uint32_t) {});
    CHECK(seen == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    const MeasuringRunner::Times times = runner.take();
    CHECK(times.dispatch_count == 2);
    CHECK(times.task_seconds >= busy);
    CHECK(times.task_seconds < 2 * busy);
    // Five equal tasks on four workers are two rounds.
    CHECK(times.makespan_seconds > 0.0039);
    // At least three tasks run beside the longest ones, however long another program held one up.
    CHECK(times.makespan_seconds < times.task_seconds - 0.0059);
    CHECK(runner.take().dispatch_count == 0);
}
