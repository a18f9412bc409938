// The assert handler of the test program.
#include "tests/support/refusals.hpp"

#include <mutex>
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

Refusals take_refusals() {
    const std::lock_guard lock(mutex);
    return std::exchange(refusals, {});
}

void record_refusals() { abort_handler = set_assert_handler(&record); }

}  // namespace broadside::test
