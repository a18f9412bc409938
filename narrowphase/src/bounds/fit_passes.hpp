// The results of passes of the fits over all points: their extents along three axes, and the farthest one.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <cstddef>

namespace broadside::narrowphase {

/// Three axes and an origin: a point lies at dot(axis, point - origin) along an axis.
struct FitFrame {
    Vec3Double origin;
    Vec3Double axis[3];
};

/// The smallest and the largest of a sequence of numbers, and the first index of each.
struct Extent {
    double min = __builtin_inf();
    double max = -__builtin_inf();
    std::size_t min_index = 0;
    std::size_t max_index = 0;
};
struct FrameExtents {
    Extent along[3];
};

/// The first of the points that are farthest from a center.
struct FarthestPoint {
    double distance_sq = -1.0;
    std::size_t index = 0;
};

}  // namespace broadside::narrowphase
