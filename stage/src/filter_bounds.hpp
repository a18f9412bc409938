// Bounds that the stage filters with, never smaller than what the exact kernels can accept.
#pragma once

#include <broadside/obb.hpp>

namespace broadside::stage {

/// A kernel decides from rounded differences, products and one reciprocal. So it may accept a contact that is
/// missed by up to 8 roundings of the numbers that went in: 8·2^-24 of their size. The filter is wider by
/// twice that.
inline constexpr float kRoundingShare = 8.0f * FLT_EPSILON;

/// One axis of `padded`. `reach` is the largest magnitude that a kernel computes with besides the coordinate
/// itself.
inline void pad_axis(float& state_min, float& state_max, float reach) noexcept {
    state_min -= (absolute(state_min) + reach) * kRoundingShare + FLT_MIN;
    state_max += (absolute(state_max) + reach) * kRoundingShare + FLT_MIN;
}

inline Aabb padded(Aabb box, Vec3 reach) noexcept {
    pad_axis(box.min.x, box.max.x, reach.x);
    pad_axis(box.min.y, box.max.y, reach.y);
    pad_axis(box.min.z, box.max.z, reach.z);
    return box;
}

/// Everything that the box can touch within the step. Invalid if the box or the displacement is.
inline Aabb filter_bounds(const Aabb& box, Vec3 displacement) noexcept {
    if (!is_valid(box) || !is_finite(displacement)) return Aabb::empty();
    return padded(swept(box, displacement), absolute(displacement));
}

/// Everything that the oriented box can touch within the step. Invalid if the box or the displacement is.
inline Aabb filter_bounds(const Obb& obb, Vec3 displacement) noexcept {
    if (!is_valid(obb) || !is_finite(displacement)) return Aabb::empty();
    const Aabb still = bounds(obb);
    // The kernel works in the frame of the box, whose axes are orthonormal to one rounding each. So the error
    // is a share of the whole size, on every axis.
    const float size =
        dot(obb.half_extent, {1.0f, 1.0f, 1.0f}) + dot(absolute(displacement), {1.0f, 1.0f, 1.0f});
    return padded(swept(still, displacement), {size, size, size});
}

}  // namespace broadside::stage
