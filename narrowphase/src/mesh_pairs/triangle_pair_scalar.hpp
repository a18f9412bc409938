// The specification of triangle against triangle: the decisions that lead to each kind. Signs that doubles do
// not decide are in triangle_pair.cpp.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/triangle_pair.hpp>

namespace broadside::narrowphase {

BROADSIDE_FORCE_INLINE Vec3Double sizes(const Vec3Double& a) {
    return {__builtin_fabs(a.x), __builtin_fabs(a.y), __builtin_fabs(a.z)};
}
/// The cross product with the magnitudes of its products added up; its errors are relative to this.
BROADSIDE_FORCE_INLINE Vec3Double cross_sizes(const Vec3Double& a, const Vec3Double& b) {
    const Vec3Double p = sizes(a);
    const Vec3Double q = sizes(b);
    return {p.y * q.z + p.z * q.y, p.z * q.x + p.x * q.z, p.x * q.y + p.y * q.x};
}

/// The plane of a triangle in doubles, and the sizes that its errors are relative to.
///
/// Edges and v - a have a relative error of 2^-53 each. With two products and three sums, a distance (v -
/// a)·n is within 2^-50 of the sum of its six products' sizes. If all of these are 0, as in a plane along two
/// axes, the error is 0. Products of three differences of floats neither overflow nor underflow.
struct PlaneDouble {
    Vec3Double corner;
    Vec3Double normal;
    Vec3Double normal_sizes;
};
BROADSIDE_FORCE_INLINE PlaneDouble plane_of(const Triangle& triangle) {
    const Vec3Double corner = widened(triangle.a);
    const Vec3Double e1 = widened(triangle.b) - corner;
    const Vec3Double e2 = widened(triangle.c) - corner;
    return {corner, cross(e1, e2), cross_sizes(e1, e2)};
}

/// -1, 0 or 1, and whether that is certain.
struct LikelySign {
    int sign;
    bool is_certain;
};
BROADSIDE_FORCE_INLINE LikelySign likely_sign(double value, double error) {
    return {value > 0.0 ? 1 : value < 0.0 ? -1 : 0, value > error || value < -error || error == 0.0};
}
BROADSIDE_FORCE_INLINE LikelySign likely_side(const PlaneDouble& plane, Vec3 point) {
    const Vec3Double offset = widened(point) - plane.corner;
    return likely_sign(dot(plane.normal, offset), 0x1p-49 * dot(plane.normal_sizes, sizes(offset)));
}

/// The sign of (q - p)·((r - p) × (s - p)), exactly.
int orientation(Vec3 p, Vec3 q, Vec3 r, Vec3 s) noexcept;

/// The exact sides of a plane on which the corners of a triangle lie.
struct Sides3 {
    int a;
    int b;
    int c;

    BROADSIDE_FORCE_INLINE bool are_apart() const {
        return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
    }
    BROADSIDE_FORCE_INLINE bool are_zero() const { return a == 0 && b == 0 && c == 0; }
    BROADSIDE_FORCE_INLINE bool are_both() const {
        return (a > 0 || b > 0 || c > 0) && (a < 0 || b < 0 || c < 0);
    }
};
BROADSIDE_FORCE_INLINE Sides3 sides_of(const Triangle& plane, const Triangle& triangle) {
    const PlaneDouble in_doubles = plane_of(plane);
    const auto side = [&](Vec3 point) {
        const LikelySign likely = likely_side(in_doubles, point);
        return likely.is_certain ? likely.sign : orientation(plane.a, plane.b, plane.c, point);
    };
    return {side(triangle.a), side(triangle.b), side(triangle.c)};
}

/// The kind of two finite triangles that neither plane separates: the rest of the test once sides are known.
TrianglePairKind judge_meeting(const Triangle& a, const Sides3& sides_of_a, const Triangle& b,
                               const Sides3& sides_of_b) noexcept;

BROADSIDE_FORCE_INLINE TrianglePairKind judge_pair(const Triangle& a, const Triangle& b) {
    const Sides3 sides_of_b = sides_of(a, b);
    if (sides_of_b.are_apart()) return TrianglePairKind::disjoint;
    const Sides3 sides_of_a = sides_of(b, a);
    if (sides_of_a.are_apart()) return TrianglePairKind::disjoint;
    return judge_meeting(a, sides_of_a, b, sides_of_b);
}

}  // namespace broadside::narrowphase
