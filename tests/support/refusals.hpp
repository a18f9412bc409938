// What the assert handler of the test program was told: arguments are refused on purpose here, so it goes on
// after one. A broken promise or invariant ends the program as everywhere.
#pragma once

#include <broadside/assert.hpp>
#include <broadside/status.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace broadside::test {

/// Whether the tests are compiled with asserts, and what they instantiate of the library's headers.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
inline constexpr bool kHasAsserts = true;
#else
inline constexpr bool kHasAsserts = false;
#endif

/// Whether the library is: it may have been made apart from the tests.
bool library_asserts();

struct Refusals {
    /// Arguments refused since the last `take_refusals`, on all threads.
    std::size_t count = 0;
    /// The last of them.
    AssertInfo last;
};

Refusals take_refusals();

/// A call that is refused, and what the handler is told.
struct RefusedCall {
    const char* message;
    std::function<Status()> call;
};

/// Each answers invalid_argument, and where asserts are compiled in with one report of that message.
void check_refused(const std::vector<RefusedCall>& calls);

/// Makes the test program's handler the current one.
void record_refusals();

}  // namespace broadside::test
