// The box that tests of rays aim at.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside::test {

inline constexpr Aabb kCenteredCube = {{-1, -1, -1}, {1, 1, 1}};

}  // namespace broadside::test
