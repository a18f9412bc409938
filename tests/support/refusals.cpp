// The assert handler of the test program.
#include "tests/support/refusals.hpp"

#include <broadside/config_string.hpp>

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <utility>

namespace broadside::test {
namespace {

std::mutex mutex;
Refusals refusals;
AssertHandler abort_handler = nullptr;

void record(const AssertInfo& info) {
    if (!info.is_refused_argument) return abort_handler(info);
    const std::lock_guard lock(mutex);
    ++refusals.count;
    refusals.last = info;
}

}  // namespace

bool library_asserts() {
    static const bool asserts = config_string().find("asserts: on") != std::string::npos;
    return asserts;
}

Refusals take_refusals() {
    const std::lock_guard lock(mutex);
    return std::exchange(refusals, {});
}

void check_refused(const std::vector<RefusedCall>& calls) {
    for (const RefusedCall& refused : calls) {
        INFO(std::string(refused.message));
        take_refusals();
        CHECK(refused.call() == Status::invalid_argument);
        const Refusals taken = take_refusals();
        CHECK(taken.count == (library_asserts() ? 1 : 0));
        if (taken.count != 0) CHECK(std::string(taken.last.message) == refused.message);
    }
}

void record_refusals() { abort_handler = set_assert_handler(&record); }

}  // namespace broadside::test
