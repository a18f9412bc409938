// Convex volumes against boxes.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/convex_volume.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// Closed: whether the box and the volume have a point in common, decided as if without any rounding, for all floats.
/// No plane alone need tell them apart: a large box outside an edge of a frustum does not overlap it. A volume without
/// a point, as of planes that face away from each other, overlaps nothing, nor does an invalid volume or box. Pure and
/// thread-safe. Most boxes cost a few operations for each plane; what neither a plane nor a point in common decides
/// takes time that grows with the fourth power of the number of planes, some microseconds for six.
bool overlap(const ConvexVolume& volume, const Aabb& box) noexcept;

}  // namespace broadside
