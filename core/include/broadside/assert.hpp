// Assertions and the handler that an embedder can replace.
#pragma once

#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// The report of a failed assertion.
struct AssertInfo {
    /// The text of the condition.
    const char* condition = nullptr;
    /// The meaning of the condition. For an argument, its name and the rule: "boxes: a column is null though
    /// count is not 0".
    const char* message = nullptr;
    /// The source file.
    const char* file = nullptr;
    /// The line in `file`.
    int line = 0;
    /// True if a call refuses an argument. When the handler returns, the call returns invalid_argument (or
    /// what it documents, if it has no Status) and has changed nothing. False if the code that follows relies
    /// on the condition, which the caller promised (an index below the count) or the library ensures itself.
    /// Behaviour is then undefined if the handler returns.
    bool is_refused_argument = false;
};

/// Called on the thread whose assertion fails. No exception may leave it (visitor.hpp).
using AssertHandler = void (*)(const AssertInfo& info);

/// Replaces the handler and returns the previous one. Null restores the default, which prints one line to
/// stderr and aborts, also for a refused argument, so that a Debug build shows the mistake. A program that
/// passes bad arguments on purpose, or relies on the library to check them, sets a handler that returns if
/// `is_refused_argument`. Thread-safe. Has no effect in builds without asserts (see `config_string()`).
AssertHandler set_assert_handler(AssertHandler handler) noexcept;

/// Calls the current handler. Only BROADSIDE_ASSERT and BROADSIDE_ARGUMENT use it.
void report_assert_failure(const AssertInfo& info) noexcept;

}  // namespace broadside

// BROADSIDE_ENABLE_ASSERTS is private to the library's own build, so that an embedder's flags cannot give one
// inline function two meanings in two translation units.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
#define BROADSIDE_ASSERT(condition, message)           \
    ((condition) ? static_cast<void>(0)                \
                 : ::broadside::report_assert_failure( \
                       ::broadside::AssertInfo{#condition, message, __FILE__, __LINE__}))
#else
#define BROADSIDE_ASSERT(condition, message) static_cast<void>(0)
#endif
