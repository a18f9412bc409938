// The plane, as a half space.
#pragma once

#include <broadside/vec3.hpp>

namespace broadside {

/// A half space: the points p with dot(normal, p) + offset >= 0 are on its inner side. The normal points
/// inwards and need not have unit length. Valid if all four numbers are finite.
struct Plane {
    Vec3 normal = {};
    float offset = 0.0f;
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Plane& plane) noexcept {
    return is_finite(plane.normal) && is_finite(plane.offset);
}

}  // namespace broadside
