// Convex volumes against boxes.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/convex_volume.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// Whether the box and the volume have a point in common, decided for all floats as if nothing were rounded.
/// Closed: touching counts. Not every separation is by a single plane: a large box outside an edge of a
/// frustum does not overlap it. A volume without a point, as of planes that face away from each other,
/// overlaps nothing, nor does an invalid volume or box. Pure and thread-safe. Most boxes cost a few
/// operations per plane. If neither a plane nor a common point decides, the time grows with the fourth power
/// of the number of planes: some microseconds for six.
bool overlap(const ConvexVolume& volume, const Aabb& box) noexcept;

}  // namespace broadside
