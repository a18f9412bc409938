// Passes of the fits over all points: their extents along three axes, and the farthest one.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/box_view.hpp>

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

BROADSIDE_FORCE_INLINE void include_number(double value, std::size_t index, Extent& state) {
    if (value < state.min) {
        state.min = value;
        state.min_index = index;
    }
    if (value > state.max) {
        state.max = value;
        state.max_index = index;
    }
}

BROADSIDE_FORCE_INLINE FrameExtents frame_extents_scalar(const FitFrame& frame, const Vec3SoaView& points) {
    FrameExtents extents;
    for (std::size_t i = 0; i < points.count; ++i) {
        const Vec3Double offset = widened(points[i]) - frame.origin;
        for (int axis = 0; axis < 3; ++axis)
            include_number(dot(frame.axis[axis], offset), i, extents.along[axis]);
    }
    return extents;
}

struct FarthestPoint {
    double distance_sq = -1.0;
    std::size_t index = 0;
};

/// The first of the points that are farthest from `center`.
BROADSIDE_FORCE_INLINE FarthestPoint farthest_point_scalar(const Vec3Double& center,
                                                           const Vec3SoaView& points) {
    FarthestPoint farthest;
    for (std::size_t i = 0; i < points.count; ++i) {
        const Vec3Double offset = widened(points[i]) - center;
        const double distance_sq = dot(offset, offset);
        if (distance_sq > farthest.distance_sq) farthest = {distance_sq, i};
    }
    return farthest;
}

}  // namespace broadside::narrowphase
