// The specification of triangle against triangle: which decisions make which kind. The signs that doubles cannot
// tell are triangle_pair.cpp.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/triangle_pair.hpp>

namespace broadside::narrowphase {

/// The plane of a triangle in doubles, and how far its distances may be wrong.
///
/// With e = 2^-53, l the largest component of the edges and m that of v - a: the edges and v - a are within e of
/// theirs, a component of the normal within 8e·l·l, and the distance (v - a)·n within 40e·m·l·l. Products of
/// three differences of floats neither overflow nor underflow.
struct PlaneDouble {
    Vec3Double corner;
    Vec3Double normal;
    double edge_sq;
};
BROADSIDE_FORCE_INLINE double largest_component(const Vec3Double& a) {
    return max_keep(max_keep(__builtin_fabs(a.x), __builtin_fabs(a.y)), __builtin_fabs(a.z));
}
BROADSIDE_FORCE_INLINE PlaneDouble plane_of(const Triangle& triangle) {
    const Vec3Double corner = widened(triangle.a);
    const Vec3Double e1 = widened(triangle.b) - corner;
    const Vec3Double e2 = widened(triangle.c) - corner;
    const double edge = max_keep(largest_component(e1), largest_component(e2));
    return {corner, cross(e1, e2), edge * edge};
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
    return likely_sign(dot(plane.normal, offset), 0x1p-47 * (largest_component(offset) * plane.edge_sq));
}

/// The sign of (q - p)·((r - p) × (s - p)), exactly.
int orientation(Vec3 p, Vec3 q, Vec3 r, Vec3 s) noexcept;

/// The sides of a plane that the corners of a triangle are on, without doubt.
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

/// The kind of two finite triangles when neither plane parts them: what is left once sides are known.
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
