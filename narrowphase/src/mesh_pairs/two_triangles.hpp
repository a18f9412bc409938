// Two triangles in doubles: the time at which they meet while one moves.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// The first time in [0, limit] at which `b`, moving by `motion`, meets `a`; +infinity if they do not meet.
double impact_time(const Triangle& a, const Triangle& b, const Vec3Double& motion, double limit) noexcept;

}  // namespace broadside::narrowphase
