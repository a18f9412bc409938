// Single moving-box queries. Apart from the batches, so that a program without batches links no kernels.
#include <broadside/float_environment.hpp>
#include <broadside/moving_aabb.hpp>

#include "core/src/geometry/moving_aabb_scalar.hpp"

namespace broadside {

float time_of_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement, Touch touch) noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(first_impact_scalar(stationary, moving, displacement, touch).toi);
}

Impact first_impact(const Aabb& stationary, const Aabb& moving, Vec3 displacement, Touch touch) noexcept {
    const FloatEnvironment environment(displacement);
    return FloatEnvironment::result(first_impact_scalar(stationary, moving, displacement, touch));
}

}  // namespace broadside
