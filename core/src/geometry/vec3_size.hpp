// Cheap measures of a vector's size, for one vector.
#pragma once

#include <broadside/vec3.hpp>

namespace broadside {

BROADSIDE_FORCE_INLINE float largest_component(Vec3 a) {
    return max_keep(max_keep(absolute(a.x), absolute(a.y)), absolute(a.z));
}
/// The smallest component, signs included.
BROADSIDE_FORCE_INLINE float least_component(Vec3 a) { return min_keep(min_keep(a.x, a.y), a.z); }
BROADSIDE_FORCE_INLINE float component_sum(Vec3 a) { return (absolute(a.x) + absolute(a.y)) + absolute(a.z); }

}  // namespace broadside
