// How much longer than usual the random tests are to run.
#pragma once

#include <cstdlib>

namespace broadside::test {

/// The environment variable BROADSIDE_TEST_SCALE, a whole number; 1 where it is not set or none.
inline int test_scale() {
    const char* const text = std::getenv("BROADSIDE_TEST_SCALE");
    const int scale = text == nullptr ? 1 : std::atoi(text);
    return scale < 1 ? 1 : scale;
}

}  // namespace broadside::test
