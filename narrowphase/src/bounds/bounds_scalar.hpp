// The specification of bounds in batches: core's single forms, padded if requested, and empty if invalid.
#pragma once

#include <broadside/bounds.hpp>

// The pad. A side is a sum of at most four terms, three of them products: seven roundings, of which at most
// four are in line for any term, and the pad's own subtraction is the fifth. So the error is below 5·2^-24 of
// the sum of the magnitudes of the terms. `size` is that sum to the same relative error; 2^-21 is eight times
// 2^-24. Products below FLT_MIN lose up to 2^-150 each, whatever their size; 2^-147 covers that.
namespace broadside::narrowphase {

inline constexpr float kPadOfSize = 0x1p-21f;
inline constexpr float kPadOfDenormals = 0x1p-147f;

BROADSIDE_FORCE_INLINE float pad_of(float size) { return size * kPadOfSize + kPadOfDenormals; }

/// A side that overflowed inwards (+infinity for a min, -infinity for a max) is clamped first, because the
/// pad of its infinite size would make it NaN.
BROADSIDE_FORCE_INLINE float min_outward(float min, float size) {
    return min_keep(min, FLT_MAX) - pad_of(size);
}
BROADSIDE_FORCE_INLINE float max_outward(float max, float size) {
    return max_keep(max, -FLT_MAX) + pad_of(size);
}
BROADSIDE_FORCE_INLINE Aabb outward(const Aabb& box, Vec3 size_of_min, Vec3 size_of_max) {
    return {{min_outward(box.min.x, size_of_min.x), min_outward(box.min.y, size_of_min.y),
             min_outward(box.min.z, size_of_min.z)},
            {max_outward(box.max.x, size_of_max.x), max_outward(box.max.y, size_of_max.y),
             max_outward(box.max.z, size_of_max.z)}};
}

/// A box without NaN is returned unchanged; any other becomes empty.
BROADSIDE_FORCE_INLINE Aabb without_nan(const Aabb& box) {
    const bool is_ordered = box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z;
    return is_ordered ? box : Aabb::empty();
}

BROADSIDE_FORCE_INLINE Aabb sphere_bounds_scalar(const Sphere& sphere, Rounding rounding) {
    if (!is_valid(sphere)) return Aabb::empty();
    const Aabb box = bounds(sphere);
    const Vec3 size = absolute(sphere.center) + Vec3{sphere.radius, sphere.radius, sphere.radius};
    return rounding == Rounding::nearest ? box : outward(box, size, size);
}

BROADSIDE_FORCE_INLINE Aabb obb_bounds_scalar(const Obb& obb, Rounding rounding) {
    if (!is_valid(obb)) return Aabb::empty();
    const Vec3 h = obb.half_extent;
    const Vec3 reach = absolute(obb.axis_x) * h.x + absolute(obb.axis_y) * h.y + absolute(obb.axis_z) * h.z;
    const Aabb box = {obb.center - reach, obb.center + reach};
    const Vec3 size = absolute(obb.center) + reach;
    return rounding == Rounding::nearest ? box : outward(box, size, size);
}

/// One side of the interval of a row, and the sum of the magnitudes that went into it.
struct RowSide {
    float value;
    float size;
};
/// Adds element·corner. A zero element adds nothing, so that 0·infinity cannot arise.
BROADSIDE_FORCE_INLINE void add_term(float element, float corner, RowSide& state) {
    if (element == 0.0f) return;
    const float term = element * corner;
    state.value += term;
    state.size += absolute(term);
}
/// The min of a row takes the min corner of each positive element and the max corner of each negative one;
/// the max the other way round (source_rules.md B18, B19), in the order of `transformed_bounds`.
BROADSIDE_FORCE_INLINE RowSide row_side(Vec3 row, float translation, Vec3 corner_if_positive,
                                        Vec3 corner_if_negative) {
    RowSide side = {translation, absolute(translation)};
    add_term(row.x, row.x > 0.0f ? corner_if_positive.x : corner_if_negative.x, side);
    add_term(row.y, row.y > 0.0f ? corner_if_positive.y : corner_if_negative.y, side);
    add_term(row.z, row.z > 0.0f ? corner_if_positive.z : corner_if_negative.z, side);
    return side;
}

BROADSIDE_FORCE_INLINE bool is_finite_transform(const Transform& t) {
    return is_finite(t.row_x) && is_finite(t.row_y) && is_finite(t.row_z) && is_finite(t.translation);
}

BROADSIDE_FORCE_INLINE Aabb transformed_box_scalar(const Transform& t, const Aabb& box, Rounding rounding) {
    if (!is_valid(box) || !is_finite_transform(t)) return Aabb::empty();
    const RowSide min_x = row_side(t.row_x, t.translation.x, box.min, box.max);
    const RowSide min_y = row_side(t.row_y, t.translation.y, box.min, box.max);
    const RowSide min_z = row_side(t.row_z, t.translation.z, box.min, box.max);
    const RowSide max_x = row_side(t.row_x, t.translation.x, box.max, box.min);
    const RowSide max_y = row_side(t.row_y, t.translation.y, box.max, box.min);
    const RowSide max_z = row_side(t.row_z, t.translation.z, box.max, box.min);
    const Aabb result = {{min_x.value, min_y.value, min_z.value}, {max_x.value, max_y.value, max_z.value}};
    if (rounding == Rounding::nearest) return without_nan(result);
    return without_nan(
        outward(result, {min_x.size, min_y.size, min_z.size}, {max_x.size, max_y.size, max_z.size}));
}

}  // namespace broadside::narrowphase
