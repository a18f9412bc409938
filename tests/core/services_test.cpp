// Status names, the assert handler, the task hook and its oneTBB adapter, the order of bytes, the version.
#include <doctest/doctest.h>

#include "core/src/argument.hpp"
#include "core/src/byte_order.hpp"
#include "tests/support/refusals.hpp"

#include <broadside/assert.hpp>
#include <broadside/run_tasks.hpp>
#include <broadside/status.hpp>
#include <broadside/tbb_task_runner.hpp>
#include <broadside/version.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <set>
#include <string>
#include <vector>

using namespace broadside;

namespace {

AssertInfo reported;
int report_count = 0;

void remember(const AssertInfo& info) {
    reported = info;
    ++report_count;
}

// Runs tasks backwards, and counts its calls.
struct BackwardRunner {
    int call_count = 0;

    static void parallel_for(void* user, std::uint32_t task_count, TaskFunction task,
                             void* context) noexcept {
        ++static_cast<BackwardRunner*>(user)->call_count;
        for (std::uint32_t i = task_count; i-- > 0;) task(context, i);
    }
    TaskRunner runner() { return {&parallel_for, this, 2}; }
};

}  // namespace

TEST_CASE("every status has its own name, and only ok is zero") {
    std::set<std::string> names;
    const Status all[] = {Status::ok, Status::capacity_exceeded, Status::out_of_memory,
                          Status::invalid_argument, Status::unsupported_isa};
    for (const Status status : all) names.insert(status_name(status));
    CHECK(names.size() == 5);
    CHECK(status_name(Status::capacity_exceeded) == std::string("capacity exceeded"));
    CHECK(status_name(static_cast<Status>(200)) == std::string("unknown status"));
    CHECK(static_cast<int>(Status::ok) == 0);
    CHECK(BatchResult{}.status == Status::ok);
    CHECK(BatchResult{}.bad_index == kNoIndex);
    CHECK(WriteResult{}.written == 0);
}

TEST_CASE("a failed assertion reaches the installed handler, with its text and location") {
    const AssertHandler before = set_assert_handler(&remember);
    report_count = 0;
    report_assert_failure({"index < size", "index past the end", "somewhere.hpp", 42});
    CHECK(report_count == 1);
    CHECK(reported.condition == std::string("index < size"));
    CHECK(reported.message == std::string("index past the end"));
    CHECK(reported.file == std::string("somewhere.hpp"));
    CHECK(reported.line == 42);
    CHECK((set_assert_handler(nullptr) == &remember));
    CHECK_FALSE(reported.is_refused_argument);
    // Null restored the default, which is neither this handler nor that of the test program.
    const AssertHandler standard = set_assert_handler(before);
    CHECK((standard != nullptr && standard != &remember && standard != before));
}

TEST_CASE("a refused argument yields false everywhere, and calls the handler if asserts are compiled in") {
    const AssertHandler before = set_assert_handler(&remember);
    report_count = 0;
    const auto accepts = [](int count) { return BROADSIDE_ARGUMENT(count > 0, "count: not positive"); };
    CHECK(accepts(1));
    CHECK(report_count == 0);
    CHECK_FALSE(accepts(0));
    set_assert_handler(before);
    REQUIRE(report_count == (test::kHasAsserts ? 1 : 0));
    if (!test::kHasAsserts) return;
    CHECK(reported.is_refused_argument);
    CHECK(reported.condition == std::string("count > 0"));
    CHECK(reported.message == std::string("count: not positive"));
    CHECK(std::string(reported.file).ends_with("services_test.cpp"));
}

TEST_CASE("without a handler a failed assertion prints its location and aborts") {
    int channel[2];
    REQUIRE(pipe(channel) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        dup2(channel[1], STDERR_FILENO);
        set_assert_handler(nullptr);
        report_assert_failure({"count > 0", "nothing to do", "somewhere.hpp", 42});
        _exit(0);
    }
    close(channel[1]);
    std::string text;
    char buffer[256];
    for (ssize_t got = 0; (got = read(channel[0], buffer, sizeof buffer)) > 0;)
        text.append(buffer, static_cast<std::size_t>(got));
    close(channel[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGABRT);
    // An emulator adds a line of its own about the signal.
    CHECK(text.starts_with("broadside: somewhere.hpp:42: nothing to do (count > 0)\n"));
}

TEST_CASE("tasks run once each: in order without a runner, else by the runner") {
    std::vector<std::uint32_t> order;
    const auto note = [&](std::uint32_t task_index) { order.push_back(task_index); };
    run_tasks(nullptr, 4, note);
    CHECK(order == std::vector<std::uint32_t>{0, 1, 2, 3});

    BackwardRunner backward;
    const TaskRunner runner = backward.runner();
    order.clear();
    run_tasks(&runner, 4, note);
    CHECK(order == std::vector<std::uint32_t>{3, 2, 1, 0});
    CHECK(backward.call_count == 1);

    // A single task, or none, does not use the runner.
    order.clear();
    run_tasks(&runner, 1, note);
    run_tasks(&runner, 0, note);
    CHECK(order == std::vector<std::uint32_t>{0});
    CHECK(backward.call_count == 1);
}

TEST_CASE("the oneTBB adapter runs every task once, for 1 to 8 workers") {
    for (std::uint32_t worker_count = 1; worker_count <= 8; ++worker_count) {
        const TbbTaskRunner tbb(worker_count);
        CHECK(tbb.runner()->worker_count == worker_count);
        std::vector<std::atomic<int>> runs(1000);
        run_tasks(tbb.runner(), 1000, [&](std::uint32_t task_index) { ++runs[task_index]; });
        for (const std::atomic<int>& run_count : runs) REQUIRE(run_count == 1);
    }
}

TEST_CASE("numbers of a record are little-endian bytes on every machine") {
    const std::uint8_t number_bytes[] = {4, 2, 1, 1, 8};
    const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    std::vector<std::uint8_t> copy(16);
    copy_little_endian<std::endian::little>(copy.data(), bytes.data(), 16, number_bytes);
    CHECK(copy == bytes);
    copy_little_endian<std::endian::big>(copy.data(), bytes.data(), 16, number_bytes);
    CHECK(copy == std::vector<std::uint8_t>{4, 3, 2, 1, 6, 5, 7, 8, 16, 15, 14, 13, 12, 11, 10, 9});
    // One size for a record of equal numbers; an empty record writes nothing.
    copy_little_endian<std::endian::big>(copy.data(), bytes.data(), 8, kNumberBytes<std::uint32_t>);
    CHECK(copy == std::vector<std::uint8_t>{4, 3, 2, 1, 8, 7, 6, 5, 16, 15, 14, 13, 12, 11, 10, 9});
    copy_little_endian<std::endian::big>(nullptr, nullptr, 0, number_bytes);
    // The machine's own order, by its bytes of a number.
    const std::uint32_t number = 0x04030201;
    copy_little_endian(copy.data(), &number, 4, kNumberBytes<std::uint32_t>);
    CHECK(std::equal(copy.begin(), copy.begin() + 4, bytes.begin()));
}

TEST_CASE("the library's version is that of its headers") {
    CHECK(version_string() == std::to_string(kVersionMajor) + "." + std::to_string(kVersionMinor) + "." +
                                  std::to_string(kVersionPatch));
}
