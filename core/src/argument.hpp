// Arguments that a call refuses: the macro that tells the assert handler why, and the checks that calls of several
// rooms share.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/task_runner.hpp>

/// The value of the condition. Where asserts are compiled in, one that is false is first reported as a refused
/// argument; elsewhere this is the condition alone, and no text gets into the binary. Every cause has a message
/// of its own, "argument: the rule", so causes are not put together within one condition.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
#define BROADSIDE_ARGUMENT(condition, message)                                                    \
    ((condition) || (::broadside::report_assert_failure(                                          \
                         ::broadside::AssertInfo{#condition, message, __FILE__, __LINE__, true}), \
                     false))
#else
#define BROADSIDE_ARGUMENT(condition, message) static_cast<bool>(condition)
#endif

namespace broadside {

/// The check of every call that takes a runner; null is one.
inline bool check_runner(const TaskRunner* runner) noexcept {
    return BROADSIDE_ARGUMENT(is_valid_runner(runner), "runner: parallel_for is null");
}

}  // namespace broadside
