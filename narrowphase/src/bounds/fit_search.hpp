// The search for the orientation of the smallest box around a few points.
#pragma once

#include "narrowphase/src/bounds/kernels.hpp"

namespace broadside::narrowphase {

/// Three perpendicular axes.
struct Orientation {
    Vec3Double axis[3];
};

inline FitFrame frame_of(const Orientation& orientation, const Vec3Double& origin) noexcept {
    return {origin, {orientation.axis[0], orientation.axis[1], orientation.axis[2]}};
}

/// A set of points without duplicates by index, small enough to be scanned thousands of times.
class FitPoints {
public:
    /// Twelve kilobytes with the indices: the set stays in the first-level cache.
    static constexpr std::size_t kCapacity = 512;

    explicit FitPoints(const Vec3Double& frame_origin) noexcept : origin(frame_origin) {}

    /// Ignores a point that is in the set, and every point if the set is full.
    void add(const Vec3SoaView& points, std::size_t index) noexcept;
    /// The first and the last point along each axis.
    void add_extremes(const Vec3SoaView& points, const FrameExtents& extents) noexcept;
    Vec3SoaView view() const noexcept { return {x_, y_, z_, count}; }

    /// One of the points: offsets from it preserve the digits of sets far from the world's origin.
    Vec3Double origin;
    std::size_t count = 0;

private:
    float x_[kCapacity];
    float y_[kCapacity];
    float z_[kCapacity];
    std::size_t index_[kCapacity];
};

/// Number of orientations that are spread evenly over all that a box can distinguish, some 30 degrees apart.
inline constexpr int kCoarseOrientationCount = 27;
Orientation coarse_orientation(int index) noexcept;

/// The size that the search minimises: the volume, with each edge longer by 2^-16 of the longest. All flat
/// boxes have volume zero; this way the one with the smallest area wins, and then the shortest.
double size_of(const FrameExtents& extents) noexcept;

/// The best orientation for `points`, from many starts.
Orientation search_all(const FitKernels& kernels, const FitPoints& points) noexcept;
/// As above, from one start that is nearly good.
Orientation search_from(const FitKernels& kernels, const FitPoints& points,
                        const Orientation& start) noexcept;

}  // namespace broadside::narrowphase
