// Convex volumes against boxes, one by one.
#include "core/src/geometry/volume_box.hpp"

#include <broadside/float_environment.hpp>
#include <broadside/volume_box.hpp>

namespace broadside {

bool overlap(const ConvexVolume& volume, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(is_valid(volume) && is_valid(box) &&
                                    geometry::VolumeOverlaps(volume.planes).holds(box));
}

}  // namespace broadside
