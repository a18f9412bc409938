// No result depends on the runner: its number of workers, and when, where and in which order it runs tasks.
#include "tests/entry_points/entry_points.hpp"
#include "tests/guards/source_tree.hpp"
#include "tests/support/suites.hpp"
#include "tests/support/thread_runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <thread>

using namespace broadside;
using namespace broadside::test;

namespace {

// Worst cases of a scheduler. Each runs the tasks in an order of its own: from the middle on, or backwards on
// another thread, or backwards with other work of the program between them.
enum class Manner { in_turn, from_the_middle, elsewhere, nested };
struct HostileRunner {
    Manner manner;
    std::size_t run_count = 0;
    std::size_t other_count = 0;
    std::uint32_t depth = 0;
    TaskRunner runner;

    explicit HostileRunner(Manner manner_in, std::uint32_t worker_count = 5)
        : manner(manner_in), runner{&parallel_for, this, worker_count} {}
    HostileRunner(const HostileRunner&) = delete;
    HostileRunner& operator=(const HostileRunner&) = delete;

    // A thread that waits for its tasks takes other work of the program, which calls the library, too.
    void do_other_work() {
        if (manner != Manner::nested || depth != 0 || run_count > 40) return;
        ++depth;
        ++other_count;
        BoxScratch scratch;
        PairBuffer pairs;
        REQUIRE(find_pairs(large_material().boxes, {.runner = &runner}, scratch, pairs).status == Status::ok);
        --depth;
    }
    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        auto& self = *static_cast<HostileRunner*>(user);
        ++self.run_count;
        const auto run_all = [&] {
            for (std::uint32_t i = 0; i < task_count; ++i) {
                const std::uint32_t from_the_middle = (i + task_count / 2) % task_count;
                task(context, self.manner == Manner::in_turn           ? i
                              : self.manner == Manner::from_the_middle ? from_the_middle
                                                                       : task_count - 1 - i);
                self.do_other_work();
            }
        };
        // None runs on the caller's thread, nor before the caller waits for all.
        if (self.manner == Manner::elsewhere)
            std::thread(run_all).join();
        else
            run_all();
    }
};

struct Result {
    ResultBytes values;
    ResultBytes outputs;
    friend bool operator==(const Result&, const Result&) = default;
};
Result result_of(const EntryPoint& entry, const TaskRunner* runner) {
    Call call(runner);
    const Outcome outcome = entry.run(call);
    CHECK((outcome.status == Status::ok || outcome.status == Status::capacity_exceeded));
    return {call.values(), outcome.outputs};
}

// `check(entry, expected)` for every entry with a runner, with the result of none.
template <class Check>
void for_each_with_a_runner(Check&& check) {
    for (const EntryPoint& entry : large_list().entries()) {
        Call probe;
        const Outcome outcome = entry.run(probe);
        if (!probe.has_runner()) continue;
        INFO(entry.name);
        check(entry, Result{probe.values(), outcome.outputs});
    }
}

}  // namespace

TEST_CASE("no result depends on the number of workers that a runner claims, be it zero or any other" *
          kLong) {
    std::size_t split_count = 0;
    for_each_with_a_runner([&](const EntryPoint& entry, const Result& expected) {
        // The clamping by worker_count() of other numbers, and that nothing bypasses it, is tested below.
        for (const std::uint32_t worker_count : {0u, 3u, ~0u}) {
            INFO(worker_count << " workers");
            HostileRunner runner(Manner::in_turn, worker_count);
            CHECK((result_of(entry, &runner.runner) == expected));
            split_count += runner.run_count != 0 ? 1 : 0;
        }
    });
    CHECK(split_count > 250);
}

TEST_CASE("no result depends on when, where and in which order a runner runs the tasks" * kLong) {
    std::size_t other_count = 0;
    for_each_with_a_runner([&](const EntryPoint& entry, const Result& expected) {
        for (const Manner manner : {Manner::from_the_middle, Manner::elsewhere, Manner::nested}) {
            INFO("manner " << static_cast<int>(manner));
            HostileRunner hostile(manner);
            CHECK((result_of(entry, &hostile.runner) == expected));
            CHECK((hostile.other_count != 0) == (manner == Manner::nested && hostile.run_count != 0));
            other_count += hostile.other_count;
        }
    });
    CHECK(other_count != 0);
}

// The form of every call that runs under ThreadSanitizer.
TEST_CASE("no result depends on which thread of a runner takes a task" * kLong) {
    Threads threads(3);
    for_each_with_a_runner([&](const EntryPoint& entry, const Result& expected) {
        CHECK((result_of(entry, threads.runner()) == expected));
    });
}

TEST_CASE("work is split for 1 to kMaxWorkerCount workers, whatever a runner claims") {
    CHECK(worker_count(nullptr) == 1);
    for (const std::uint32_t claimed :
         {0u, 1u, 2u, kMaxWorkerCount, kMaxWorkerCount + 1, 1u << 29, 1u << 30, 1u << 31, ~0u}) {
        const HostileRunner runner(Manner::in_turn, claimed);
        CHECK(worker_count(&runner.runner) == std::clamp(claimed, 1u, kMaxWorkerCount));
    }
    static const std::regex claim(R"((\.|->)worker_count\b)");
    for (const SourceFile& file : source_files({"core", "simd", "broadphase", "narrowphase", "stage"})) {
        INFO(file.path);
        CHECK((file.name() == "task_runner.hpp" || !std::regex_search(file.text, claim)));
    }
}
