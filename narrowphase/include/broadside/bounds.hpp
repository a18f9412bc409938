// Axis-aligned boxes around many spheres, oriented boxes and transformed boxes. The single forms are in core:
// `bounds` of a Sphere and of an Obb, and `transformed_bounds`.
#pragma once

#include <broadside/box_soa.hpp>
#include <broadside/export.hpp>
#include <broadside/obb.hpp>
#include <broadside/sphere_view.hpp>

#include <span>

namespace BROADSIDE_API broadside {

/// How the sides of a box around a shape are rounded.
enum class Rounding : std::uint8_t {
    /// Each side is rounded to nearest, step by step: bit for bit the single form. A side is off, either way,
    /// by at most five roundings of 2^-24 of the sum of the magnitudes that were added for it.
    nearest,
    /// Each side is moved outwards by 2^-21 of that sum, and by 2^-147 for denormal numbers. The box always
    /// contains the exact one, so a broadphase that is fed with it never loses a pair.
    outward,
};

// Batches, as overlap.hpp describes them: item i goes to box i of `out_boxes`. An invalid sphere, oriented
// box or box, or a transform that is not finite, gives Aabb::empty(). No result holds a NaN. Input boxes may
// have infinite sides.

BatchResult bounds(const SphereSoaView& spheres, Rounding rounding, BoxSoaSpan out_boxes) noexcept;

BatchResult bounds(std::span<const Obb> obbs, Rounding rounding, BoxSoaSpan out_boxes) noexcept;

/// One transform for all boxes, such as the parts of one body, from all 18 products (source_rules.md B18).
BatchResult transformed_bounds(const Transform& a_from_b, const BoxSoaView& boxes_in_b, Rounding rounding,
                               BoxSoaSpan out_boxes) noexcept;

/// One transform per box, such as bodies that each have a local box. Different counts are invalid_argument.
BatchResult transformed_bounds(std::span<const Transform> a_from_b, const BoxSoaView& boxes_in_b,
                               Rounding rounding, BoxSoaSpan out_boxes) noexcept;

}  // namespace broadside
