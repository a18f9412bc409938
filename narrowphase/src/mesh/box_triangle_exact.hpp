// Box against triangle, decided without any rounding.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// Whether a valid box and a finite triangle share a point; closed. By separating axes, each a line in one of
/// the three views along an axis of the box, or the plane of the triangle. Each test is a sign: doubles
/// decide it if they are certain, else sums without rounding.
bool overlap_exact(const Aabb& box, const Triangle& triangle);

}  // namespace broadside::narrowphase
