// The assert handler: an atomic pointer and the default that prints and aborts.
#include <broadside/assert.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace broadside {
namespace {

void print_and_abort(const AssertInfo& info) {
    std::fprintf(stderr, "broadside: %s:%d: %s (%s)\n", info.file, info.line, info.message, info.condition);
    std::abort();
}

constinit std::atomic<AssertHandler> current_handler = &print_and_abort;

}  // namespace

AssertHandler set_assert_handler(AssertHandler handler) noexcept {
    return current_handler.exchange(handler != nullptr ? handler : &print_and_abort);
}

void report_assert_failure(const AssertInfo& info) noexcept { current_handler.load()(info); }

}  // namespace broadside
