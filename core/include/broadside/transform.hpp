// Affine transforms, named and composed as a_from_b, applied to points, vectors and boxes.
#pragma once

#include <broadside/aabb.hpp>
#include <broadside/export.hpp>

namespace BROADSIDE_API broadside {

/// Maps a point p of space b to space a: `(dot(row_x, p), dot(row_y, p), dot(row_z, p)) + translation`. Any
/// 3×3 matrix is legal (scale, shear, mirror). `a_from_b * b_from_c` is `a_from_c`.
struct Transform {
    Vec3 row_x = {1.0f, 0.0f, 0.0f};
    Vec3 row_y = {0.0f, 1.0f, 0.0f};
    Vec3 row_z = {0.0f, 0.0f, 1.0f};
    Vec3 translation = {};
};

/// Reads 16 floats in row-major order (translation in elements 3, 7 and 11), as mobile 3D APIs provide them.
/// Skips the last row, which is 0 0 0 1 in an affine matrix.
BROADSIDE_FORCE_INLINE constexpr Transform transform_from_row_major(const float (&m)[16]) noexcept {
    return {{m[0], m[1], m[2]}, {m[4], m[5], m[6]}, {m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
}

/// Applies the matrix without the translation.
BROADSIDE_FORCE_INLINE constexpr Vec3 transform_vector(const Transform& a_from_b, Vec3 vector_in_b) noexcept {
    return {dot(a_from_b.row_x, vector_in_b), dot(a_from_b.row_y, vector_in_b),
            dot(a_from_b.row_z, vector_in_b)};
}
/// Applies the matrix and the translation.
BROADSIDE_FORCE_INLINE constexpr Vec3 transform_point(const Transform& a_from_b, Vec3 point_in_b) noexcept {
    return transform_vector(a_from_b, point_in_b) + a_from_b.translation;
}

/// Composition: first b_from_c, then a_from_b. Compiled into the library, as are the two functions below, so
/// its bits do not depend on the caller's floating-point flags.
Transform operator*(const Transform& a_from_b, const Transform& b_from_c) noexcept;

/// The box of a transformed box, from all 18 products of matrix elements and corners. The sign of each
/// element selects the corner for the min, and the other corner is for the max. An empty box returns
/// unchanged. A zero element contributes nothing, so an infinite side stays on its own axis (0·infinity would
/// be NaN). Rounded to nearest. Source: J. Arvo, "Transforming Axis-Aligned Bounding Boxes", Graphics Gems,
/// 1990; source_rules.md B18, B19, G6.
Aabb transformed_bounds(const Transform& a_from_b, const Aabb& box_in_b) noexcept;

/// The box of the eight transformed corners, one by one. The reference for `transformed_bounds`, and the
/// tight bounds of a box that is itself the object (source_rules.md B9). Finite boxes only.
Aabb transformed_corner_bounds(const Transform& a_from_b, const Aabb& box_in_b) noexcept;

}  // namespace broadside
