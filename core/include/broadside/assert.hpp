// Assertions and the handler that an embedder can replace; not for input errors, which return a Status.
#pragma once

#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// What an assertion reports: the text of the condition, a sentence on what it means, and where it stands.
struct AssertInfo {
    const char* condition = nullptr;
    const char* message = nullptr;
    const char* file = nullptr;
    int line = 0;
};

/// Called when an assertion fails. If it returns, execution goes on after the assertion, and the call that
/// asserted answers with a Status where it can.
using AssertHandler = void (*)(const AssertInfo& info);

/// Replaces the handler and returns the one before. Null restores the default, which prints one line to
/// stderr and aborts. Thread-safe. Has no effect in builds without asserts (`config_string()` says which it
/// is).
AssertHandler set_assert_handler(AssertHandler handler) noexcept;

/// Calls the current handler; used by BROADSIDE_ASSERT only.
void report_assert_failure(const AssertInfo& info) noexcept;

}  // namespace broadside

// BROADSIDE_ENABLE_ASSERTS is a private definition of the library's own build, so an embedder's flags cannot
// give two translation units two meanings of one inline function.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
#define BROADSIDE_ASSERT(condition, message)           \
    ((condition) ? static_cast<void>(0)                \
                 : ::broadside::report_assert_failure( \
                       ::broadside::AssertInfo{#condition, message, __FILE__, __LINE__}))
#else
#define BROADSIDE_ASSERT(condition, message) static_cast<void>(0)
#endif
