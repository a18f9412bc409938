// Box against triangle, decided without any rounding.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// Closed: whether a valid box and a finite triangle share a point. By separating axes, each a line in one of the three
/// views along an axis of the box, or the plane of the triangle: whether it parts them is a sign, which doubles
/// decide where they are certain, and sums without rounding else.
bool overlap_exact(const Aabb& box, const Triangle& triangle);

}  // namespace broadside::narrowphase
