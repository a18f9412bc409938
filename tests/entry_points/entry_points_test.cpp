// Rules that every public function keeps, checked by the lists of entry points.
#include "tests/entry_points/entry_points.hpp"
#include "tests/support/foreign_environment.hpp"
#include "tests/support/refusals.hpp"
#include "tests/support/suites.hpp"

#include <doctest/doctest.h>

using namespace broadside;
using namespace broadside::test;

namespace {

std::vector<EnvironmentCall> environment_calls(const EntryPoints& list) {
    std::vector<EnvironmentCall> calls;
    for (const EntryPoint& entry : list.entries()) {
        Call probe;
        (void)entry.run(probe);
        calls.push_back({entry.name,
                         [&entry](const TaskRunner* runner, ResultBytes& bytes) {
                             Call call(runner);
                             bytes = entry.run(call).outputs;
                             bytes.append(call.values());
                         },
                         probe.has_runner()});
    }
    return calls;
}

void check_refused(const std::string& message, const Outcome& outcome) {
    CHECK(outcome.status == Status::invalid_argument);
    const Refusals told = take_refusals();
    CHECK(told.count == (library_asserts() ? 1 : 0));
    if (told.count != 0) {
        CHECK(told.last.is_refused_argument);
        CHECK(std::string(told.last.message).substr(0, message.size()) == message);
    }
    CHECK(outcome.is_untouched);
}

}  // namespace

TEST_CASE("every public function returns the same in every floating-point environment of caller and workers" *
          kLong) {
    check_in_every_environment(environment_calls(small_list()), all_environments());
}

// Meshes are left out, since their work is split in the same way for few queries.
TEST_CASE("calls shared by workers return the same in any environments of the workers' threads" * kLong) {
    std::vector<EnvironmentCall> calls = environment_calls(large_list());
    std::erase_if(calls, [](const EnvironmentCall& call) {
        const bool is_repeated = call.name.find(", ") != std::string::npos;
        return !call.has_runner || is_repeated || call.name.starts_with("Mesh") ||
               call.name.starts_with("TriangleMesh");
    });
    CHECK(calls.size() > 40);
    const std::vector<Environment> all = all_environments();
    check_in_every_environment(calls, {all[0], all[14], all[5], all[27]});
}

TEST_CASE("every public function takes its good arguments, refuses each bad one and then writes nothing") {
    for (const EntryPoint& entry : small_list().entries()) {
        INFO(entry.name);
        take_refusals();
        Call good;
        CHECK(entry.run(good).status != Status::invalid_argument);
        CHECK(take_refusals().count == 0);
        for (const BadCall& bad : entry.bad) {
            INFO("refused: " << bad.message);
            Call call;
            const Outcome outcome = bad.run(call);
            if (bad.message == kEndless) {
                CHECK((outcome.status == Status::invalid_argument ||
                       outcome.status == Status::capacity_exceeded));
                CHECK(take_refusals().count <= 1);
            } else if (bad.message == kEmpty) {
                const Refusals told = take_refusals();
                const std::string report = told.count == 0 ? "" : told.last.message;
                CHECK(report != "span: null though the count is not 0");
            } else {
                check_refused(bad.message, outcome);
            }
        }
    }
}

TEST_CASE("every public function refuses each mistake in its settings and then writes nothing") {
    const std::vector<BadSettings> all_bad = all_bad_settings();
    std::vector<std::size_t> use_counts(all_bad.size());
    for (const EntryPoint& entry : small_list().entries()) {
        INFO(entry.name);
        Call probe;
        (void)entry.run(probe);
        for (std::size_t i = 0; i < all_bad.size(); ++i) {
            if (!entry.has_status || !probe.uses(all_bad[i].type)) continue;
            ++use_counts[i];
            take_refusals();
            Call call(nullptr, &all_bad[i]);
            check_refused(all_bad[i].message, entry.run(call));
        }
    }
    for (std::size_t i = 0; i < all_bad.size(); ++i) {
        INFO(all_bad[i].message);
        CHECK(use_counts[i] != 0);
    }
}

TEST_CASE("every public function with a runner refuses one without a function and then writes nothing") {
    const TaskRunner none = {nullptr, nullptr, 4};
    for (const EntryPoint& entry : small_list().entries()) {
        Call probe;
        (void)entry.run(probe);
        if (!probe.has_runner() || !entry.has_status) continue;
        INFO(entry.name);
        take_refusals();
        Call call(&none);
        check_refused("runner: parallel_for is null", entry.run(call));
    }
}
