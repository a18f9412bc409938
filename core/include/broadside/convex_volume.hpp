// What lies on the inner sides of several planes: a frustum, a cell, a slab.
#pragma once

#include <broadside/plane.hpp>

#include <span>

namespace broadside {

/// The points on the inner side of all planes, none of which need cut anything off: a closed set, bounded or not. The
/// whole space when there is no plane. Valid when the planes are, which a null span with a count is not. Refers to the
/// planes, which the caller owns.
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
