// The closest points of two triangles, and distances as they are reported.
#pragma once

#include "narrowphase/src/mesh_pairs/triangle_gap_scalar.hpp"

#include <broadside/triangle_distance.hpp>

namespace broadside::narrowphase {

/// The gap of two finite triangles that do not meet.
TriangleGap gap_of(const Triangle& a, const Triangle& b) noexcept;

/// The gap of two such triangles as callers get it.
ClosestTrianglePoints reported(const TriangleGap& gap) noexcept;
/// A point of both triangles, which meet.
ClosestTrianglePoints meeting_point(const Triangle& a, const Triangle& b) noexcept;

}  // namespace broadside::narrowphase
