// Contact points of two bodies.
#pragma once

#include "examples/engine_broadphase/bodies.hpp"

#include <broadside/obb_obb.hpp>

namespace engine_example {

/// Spheres, and a sphere and a box. `a` is a sphere unless both are boxes.
void collide_sphere(const Body& a, const Body& b, Contact& state_contact);

/// Two boxes: `axis` and `depth` are those of `obb_contact` for both boxes larger by half of
/// kContactDistance.
void collide_boxes(const Body& a, const Body& b, broadside::ObbAxis axis, float depth,
                   Contact& state_contact);

}  // namespace engine_example
