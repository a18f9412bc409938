// The intersection of half spaces: a frustum, a cell, a slab.
#pragma once

#include <broadside/plane.hpp>

#include <span>

namespace broadside {

/// The points on the inner side of all planes. The set is closed, bounded or not, and a plane may cut nothing
/// off. It is the whole space if there is no plane. Valid if all planes are; a null span with a count is not.
/// Refers to the planes, which the caller owns.
struct ConvexVolume {
    std::span<const Plane> planes = {};
};

constexpr bool is_valid(const ConvexVolume& volume) noexcept {
    if (volume.planes.data() == nullptr) return volume.planes.empty();
    for (const Plane& plane : volume.planes) {
        if (!is_valid(plane)) return false;
    }
    return true;
}

}  // namespace broadside
