// The closest points of two triangles, and distances as they are reported.
#pragma once

#include "narrowphase/src/mesh_pairs/triangle_gap_scalar.hpp"

#include <broadside/triangle_distance.hpp>

namespace broadside::narrowphase {

/// Of two finite triangles that do not meet.
TriangleGap gap_of(const Triangle& a, const Triangle& b) noexcept;

/// Of two finite triangles that do not meet.
ClosestTrianglePoints reported(const TriangleGap& gap) noexcept;
/// A point of both triangles, which meet.
ClosestTrianglePoints meeting_point(const Triangle& a, const Triangle& b) noexcept;

}  // namespace broadside::narrowphase
