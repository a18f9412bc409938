// What the assert handler of the test program was told: arguments are refused on purpose here, so it goes on
// after one. A broken promise or invariant ends the program as everywhere.
#pragma once

#include <broadside/assert.hpp>

#include <cstddef>

namespace broadside::test {

/// Whether the library and the tests are compiled with asserts.
#if defined(BROADSIDE_ENABLE_ASSERTS) && BROADSIDE_ENABLE_ASSERTS
inline constexpr bool kHasAsserts = true;
#else
inline constexpr bool kHasAsserts = false;
#endif

struct Refusals {
    /// Arguments refused since the last `take_refusals`, on all threads.
    std::size_t count = 0;
    /// The last of them.
    AssertInfo last;
};

Refusals take_refusals();

/// Makes the test program's handler the current one.
void record_refusals();

}  // namespace broadside::test
