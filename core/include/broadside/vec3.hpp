// Three floats and the arithmetic on them, in one fixed order of operations.
#pragma once

#include <broadside/float_ops.hpp>

namespace broadside {

/// A point or a vector. The name of the variable says which, and in which space.
struct Vec3 {
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;

    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

/// Arithmetic by component, each result rounded once.
BROADSIDE_FORCE_INLINE constexpr Vec3 operator+(Vec3 a, Vec3 b) noexcept {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
BROADSIDE_FORCE_INLINE constexpr Vec3 operator-(Vec3 a, Vec3 b) noexcept {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
BROADSIDE_FORCE_INLINE constexpr Vec3 operator-(Vec3 a) noexcept { return {-a.x, -a.y, -a.z}; }
BROADSIDE_FORCE_INLINE constexpr Vec3 operator*(Vec3 a, float s) noexcept {
    return {a.x * s, a.y * s, a.z * s};
}

/// Dot product as (x + y) + z: every dot product of the library adds in this order.
BROADSIDE_FORCE_INLINE constexpr float dot(Vec3 a, Vec3 b) noexcept {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
/// Cross product; each component is a difference of two products.
BROADSIDE_FORCE_INLINE constexpr Vec3 cross(Vec3 a, Vec3 b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// Squared length: dot(a, a).
BROADSIDE_FORCE_INLINE constexpr float length_sq(Vec3 a) noexcept { return dot(a, a); }

/// Minimum and maximum by component. See the float versions for NaN and ties.
BROADSIDE_FORCE_INLINE constexpr Vec3 min_keep(Vec3 a, Vec3 b) noexcept {
    return {min_keep(a.x, b.x), min_keep(a.y, b.y), min_keep(a.z, b.z)};
}
BROADSIDE_FORCE_INLINE constexpr Vec3 max_keep(Vec3 a, Vec3 b) noexcept {
    return {max_keep(a.x, b.x), max_keep(a.y, b.y), max_keep(a.z, b.z)};
}
/// Absolute value by component.
BROADSIDE_FORCE_INLINE constexpr Vec3 absolute(Vec3 a) noexcept {
    return {absolute(a.x), absolute(a.y), absolute(a.z)};
}
/// True if all three components are finite.
BROADSIDE_FORCE_INLINE constexpr bool is_finite(Vec3 a) noexcept {
    return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

}  // namespace broadside
