// Three floats and the arithmetic on them, in one fixed order of operations.
#pragma once

#include <broadside/float_ops.hpp>

namespace broadside {

/// A point or a vector; which one, and in which space, the name of the variable says.
struct Vec3 {
    float x = 0.0f;
    float y = 0.0f;
    float z = 0.0f;

    friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

/// By components, each rounded once.
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

/// (x + y) + z: every dot product of the library adds in this order.
BROADSIDE_FORCE_INLINE constexpr float dot(Vec3 a, Vec3 b) noexcept {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
/// The vector product; each component is a difference of two products.
BROADSIDE_FORCE_INLINE constexpr Vec3 cross(Vec3 a, Vec3 b) noexcept {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
/// dot(a, a).
BROADSIDE_FORCE_INLINE constexpr float length_sq(Vec3 a) noexcept { return dot(a, a); }

/// Component by component; see the float versions for NaN and ties.
BROADSIDE_FORCE_INLINE constexpr Vec3 min_keep(Vec3 a, Vec3 b) noexcept {
    return {min_keep(a.x, b.x), min_keep(a.y, b.y), min_keep(a.z, b.z)};
}
BROADSIDE_FORCE_INLINE constexpr Vec3 max_keep(Vec3 a, Vec3 b) noexcept {
    return {max_keep(a.x, b.x), max_keep(a.y, b.y), max_keep(a.z, b.z)};
}
/// Component by component.
BROADSIDE_FORCE_INLINE constexpr Vec3 absolute(Vec3 a) noexcept {
    return {absolute(a.x), absolute(a.y), absolute(a.z)};
}
/// Whether all three are.
BROADSIDE_FORCE_INLINE constexpr bool is_finite(Vec3 a) noexcept {
    return is_finite(a.x) && is_finite(a.y) && is_finite(a.z);
}

}  // namespace broadside
