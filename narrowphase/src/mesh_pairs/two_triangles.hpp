// Two triangles in doubles: when they meet while one moves, and how far apart they are.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// The first time in [0, limit] at which `b`, moving by `motion`, meets `a`; +infinity when it does not.
double impact_time(const Triangle& a, const Triangle& b, const Vec3Double& motion, double limit) noexcept;

/// The square of the distance of two triangles that do not meet.
double separation_sq(const Triangle& a, const Triangle& b) noexcept;

}  // namespace broadside::narrowphase
