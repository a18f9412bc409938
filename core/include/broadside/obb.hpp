// The oriented box: center, three axes, three half extents, and its bounding box.
#pragma once

#include <broadside/export.hpp>
#include <broadside/transform.hpp>

namespace BROADSIDE_API broadside {

/// A closed oriented box: center + x·axis_x + y·axis_y + z·axis_z with |x| <= half_extent.x and so on. The
/// axes must be orthonormal; the kernels do not check it. Half extents may be zero. Valid if every number is
/// finite and no half extent is negative; an invalid box overlaps nothing.
struct Obb {
    Vec3 center = {};
    Vec3 axis_x = {1.0f, 0.0f, 0.0f};
    Vec3 axis_y = {0.0f, 1.0f, 0.0f};
    Vec3 axis_z = {0.0f, 0.0f, 1.0f};
    Vec3 half_extent = {};
};

BROADSIDE_FORCE_INLINE constexpr bool is_valid(const Obb& obb) noexcept {
    return is_finite(obb.center) && is_finite(obb.axis_x) && is_finite(obb.axis_y) && is_finite(obb.axis_z) &&
           is_finite(obb.half_extent) &&  //
           obb.half_extent.x >= 0.0f && obb.half_extent.y >= 0.0f && obb.half_extent.z >= 0.0f;
}

/// The axis-aligned box of the eight corners: half extents h' = |axis_x|·h.x + |axis_y|·h.y + |axis_z|·h.z.
/// Rounded to nearest. Compiled into the library, so its bits do not depend on the caller's floating-point
/// flags.
Aabb bounds(const Obb& obb) noexcept;

/// The oriented box of an axis-aligned box under a rotation and translation (rows orthonormal).
Obb obb_from_aabb(const Transform& world_from_box, const Aabb& box) noexcept;

/// A vector of the world in the frame of the box. For a point, subtract the box's center first: far from the
/// origin the other order loses digits.
BROADSIDE_FORCE_INLINE constexpr Vec3 vector_in_box(const Obb& obb, Vec3 vector_in_world) noexcept {
    return {dot(obb.axis_x, vector_in_world), dot(obb.axis_y, vector_in_world),
            dot(obb.axis_z, vector_in_world)};
}

}  // namespace broadside
