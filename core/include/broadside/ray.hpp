// The ray: an origin, a direction and a reach.
#pragma once

#include <broadside/aabb.hpp>

namespace broadside {

/// The points origin + t·direction for 0 <= t <= t_max. `t` is in multiples of the direction, which need not
/// have unit length. Valid if origin and direction are finite and t_max >= 0; an invalid ray hits nothing.
struct Ray {
    Vec3 origin = {};
    Vec3 direction = {};
    /// Reach of the ray. The default is endless; +infinity means the same.
    float t_max = FLT_MAX;
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Ray& ray) noexcept {
    return is_finite(ray.origin) && is_finite(ray.direction) && ray.t_max >= 0.0f;
}

}  // namespace broadside
