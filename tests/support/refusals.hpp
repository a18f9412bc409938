// Reports to the assert handler of the test program. Tests provoke refused arguments, so it continues after
// one. A broken promise or invariant ends the program as everywhere.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/status.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace broadside::test {

/// True if the tests, and the library's headers that they instantiate, are compiled with asserts.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
inline constexpr bool kHasAsserts = true;
#else
inline constexpr bool kHasAsserts = false;
#endif

/// True if the library is: it may have been built apart from the tests.
bool library_asserts();

struct Refusals {
    /// Arguments refused since the last `take_refusals`, on all threads.
    std::size_t count = 0;
    /// The last of them.
    AssertInfo last;
};

Refusals take_refusals();

/// A call that is refused, and the expected report.
struct RefusedCall {
    const char* message;
    std::function<Status()> call;
};

/// Requires that each call returns invalid_argument, and, if asserts are compiled in, makes one report of
/// that message.
void check_refused(const std::vector<RefusedCall>& calls);

/// Makes the test program's handler the current one.
void record_refusals();

}  // namespace broadside::test
