// Three doubles: narrowing rounds them.
#include "core/src/geometry/vec3_double.hpp"

#include <doctest/doctest.h>

using namespace broadside;

namespace {

// The flags of the library's build: g++ 12 joins lanes at this level.
#if defined(__GNUC__) && !defined(__clang__)
[[gnu::noinline, gnu::optimize("O3")]]
#endif
Vec3Double
there_and_back(const Vec3Double& a) {
    return widened(narrowed(a));
}

}  // namespace

TEST_CASE("doubles narrowed and widened again equal their floats") {
    const Vec3Double rounded = there_and_back({0.1, 0.3, 0.7});
    CHECK(rounded.x == static_cast<double>(0.1f));
    CHECK(rounded.y == static_cast<double>(0.3f));
    CHECK(rounded.z == static_cast<double>(0.7f));
}
