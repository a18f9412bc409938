// Policies and a box that several tests of moving boxes use.
#pragma once

#include <broadside/moving_aabb.hpp>

namespace broadside::test {

inline constexpr Touch kPolicies[] = {Touch::closed, Touch::open};
inline constexpr Aabb kUnit = {{0, 0, 0}, {1, 1, 1}};

}  // namespace broadside::test
