// The specification of the overlap of a sphere with a shape.
#pragma once

#include "core/src/geometry/exact_distance.hpp"
#include "narrowphase/src/sphere/closest_point_scalar.hpp"

#include <broadside/sphere.hpp>

namespace broadside::narrowphase {

template <class Shape>
BROADSIDE_FORCE_INLINE bool sphere_overlap_scalar(const Sphere& sphere, const Shape& shape) {
    const double radius = static_cast<double>(sphere.radius);
    return is_valid(sphere) && closest_scalar(shape, sphere.center).distance_sq <= radius * radius;
}
/// Boxes are decided exactly.
BROADSIDE_FORCE_INLINE bool sphere_overlap_scalar(const Sphere& sphere, const Aabb& box) {
    return geometry::sphere_box_overlap(sphere, box);
}
/// See overlap(Sphere, Sphere) in sphere.hpp.
BROADSIDE_FORCE_INLINE bool sphere_overlap_scalar(const Sphere& a, const Sphere& b) { return overlap(a, b); }

}  // namespace broadside::narrowphase
