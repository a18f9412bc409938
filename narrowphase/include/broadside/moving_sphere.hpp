// When two spheres that move along straight lines first touch. The static question is `overlap` in
// sphere.hpp.
#pragma once

#include <broadside/no_intersection.hpp>
#include <broadside/sphere.hpp>

namespace broadside {

/// Time at which two spheres, each displaced in the course of the step, first touch, as a fraction of the
/// step in [0, 1], or kNoIntersection. Closed: a touch at the very end or in passing counts, and spheres that
/// touch or overlap at the start answer 0 even when they part. Invalid spheres and displacements that are not
/// finite have no impact. Worked out in double precision, so neither a large nor a small scale overflows or
/// cancels; the answer is rounded to nearest once, is never NaN and never -0.
float time_of_impact(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) noexcept;

}  // namespace broadside
