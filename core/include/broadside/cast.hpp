// Shapes that move along a line without turning: queries of boxes and meshes, and bodies of a step.
#pragma once

#include <broadside/box_view.hpp>
#include <broadside/capsule.hpp>
#include <broadside/obb.hpp>
#include <broadside/sphere_view.hpp>

namespace broadside {

/// A shape that moves through boxes or triangles, which are at rest. An invalid shape and a displacement that
/// is not finite find nothing.
template <class Shape>
struct Cast {
    /// At the start of the step.
    Shape shape = {};
    /// How far it moves in the step.
    Vec3 displacement = {};
    /// The part of the step that counts: later impacts are not found. From 0, which finds only what is met at
    /// the start, to 1, the default; more counts as 1, NaN or less than 0 finds nothing.
    float t_max = 1.0f;
};

using BoxCast = Cast<Aabb>;
using ObbCast = Cast<Obb>;
using SphereCast = Cast<Sphere>;
using CapsuleCast = Cast<Capsule>;

/// Many shapes, and how far each of them moves in the step.
template <class View>
struct Moving {
    /// At the start of the step.
    View shapes = {};
    /// Displacement over the whole step, one for each shape. Empty (the default): all of them rest.
    Vec3SoaView displacements = {};
};
using MovingBoxes = Moving<BoxSoaView>;       ///< Boxes, each with its motion.
using MovingSpheres = Moving<SphereSoaView>;  ///< Spheres, each with its motion.

template <class Shape>
constexpr bool is_valid(const Cast<Shape>& cast) noexcept {
    return is_valid(cast.shape) && is_finite(cast.displacement) && cast.t_max >= 0.0f;
}

}  // namespace broadside
