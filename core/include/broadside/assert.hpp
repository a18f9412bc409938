// Assertions and the handler that an embedder can replace.
#pragma once

#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// What an assertion reports: the text of the condition, a sentence on what it means, and where it stands.
struct AssertInfo {
    /// The text of the condition.
    const char* condition = nullptr;
    /// Of an argument it names the argument and the rule: "boxes: a column is null though count is not 0".
    const char* message = nullptr;
    /// Where it stands: the source file, and its line.
    const char* file = nullptr;
    /// See `file`.
    int line = 0;
    /// True where a call refuses an argument: when the handler returns, the call answers invalid_argument, or
    /// as it documents where it has no Status, and has disturbed nothing. False where what follows relies on
    /// the condition, be it a promise of the caller (an index below the count) or the library's own doing:
    /// what happens when the handler returns is undefined.
    bool is_refused_argument = false;
};

/// Called when an assertion fails, on the thread that it fails on. No exception may leave it (visitor.hpp).
using AssertHandler = void (*)(const AssertInfo& info);

/// Replaces the handler and returns the one before. Null restores the default, which prints one line to
/// stderr and aborts, for a refused argument too: in a Debug build that is a mistake to be seen. Whoever
/// refuses arguments on purpose, or asks the library to check them, sets a handler that returns where
/// `is_refused_argument`. Thread-safe. Has no effect in builds without asserts (`config_string()` says which
/// it is).
AssertHandler set_assert_handler(AssertHandler handler) noexcept;

/// Calls the current handler; used by BROADSIDE_ASSERT and BROADSIDE_ARGUMENT only.
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
