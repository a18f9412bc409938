// The factor by which the random tests run longer than usual.
#pragma once

#include <cstdlib>

namespace broadside::test {

/// The environment variable BROADSIDE_TEST_SCALE, an integer; 1 if it is not set or invalid.
inline int test_scale() {
    const char* const text = std::getenv("BROADSIDE_TEST_SCALE");
    const int scale = text == nullptr ? 1 : std::atoi(text);
    return scale < 1 ? 1 : scale;
}

}  // namespace broadside::test
