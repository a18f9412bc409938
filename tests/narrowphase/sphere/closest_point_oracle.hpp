// Closest points in 113-bit arithmetic, by other methods than the library's.
#pragma once

#include "tests/support/quad.hpp"

#include <broadside/closest_point.hpp>

namespace broadside::test {

struct QuadVector {
    Quad x, y, z;
};
inline QuadVector quad(Vec3 a) { return {a.x, a.y, a.z}; }
inline QuadVector operator+(QuadVector a, QuadVector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline QuadVector operator-(QuadVector a, QuadVector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline QuadVector operator*(QuadVector a, Quad s) { return {a.x * s, a.y * s, a.z * s}; }
inline Quad dot(QuadVector a, QuadVector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline QuadVector cross(QuadVector a, QuadVector b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

struct QuadClosest {
    QuadVector point;
    Quad distance_sq;
};

/// Ericson's walk through the seven Voronoi regions, extended to degenerate triangles by brute force over
/// their edges.
inline QuadClosest quad_closest(const Triangle& triangle, Vec3 point) {
    const QuadVector p = quad(point), a = quad(triangle.a), b = quad(triangle.b), c = quad(triangle.c);
    const auto at = [&](QuadVector q) { return QuadClosest{q, dot(p - q, p - q)}; };
    const auto on_segment = [&](QuadVector from, QuadVector to) {
        const Quad length_sq = dot(to - from, to - from);
        if (length_sq == 0) return at(from);
        const Quad t = dot(p - from, to - from) / length_sq;
        return at(t <= 0 ? from : t >= 1 ? to : from + (to - from) * t);
    };
    const QuadVector ab = b - a, ac = c - a, normal = cross(ab, ac);
    if (dot(normal, normal) == 0) {
        QuadClosest best = on_segment(a, b);
        for (const QuadClosest& other : {on_segment(b, c), on_segment(c, a)}) {
            if (other.distance_sq < best.distance_sq) best = other;
        }
        return best;
    }
    const Quad d1 = dot(ab, p - a), d2 = dot(ac, p - a);
    if (d1 <= 0 && d2 <= 0) return at(a);
    const Quad d3 = dot(ab, p - b), d4 = dot(ac, p - b);
    if (d3 >= 0 && d4 <= d3) return at(b);
    const Quad vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return at(a + ab * (d1 / (d1 - d3)));
    const Quad d5 = dot(ab, p - c), d6 = dot(ac, p - c);
    if (d6 >= 0 && d5 <= d6) return at(c);
    const Quad vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return at(a + ac * (d2 / (d2 - d6)));
    const Quad va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return at(b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))));
    const Quad sum = va + vb + vc;
    return at(a + ab * (vb / sum) + ac * (vc / sum));
}

/// The box, coordinate by coordinate.
inline QuadClosest quad_closest(const Aabb& box, Vec3 point) {
    const auto clamp = [](Quad a, Quad min, Quad max) { return a < min ? min : a > max ? max : a; };
    const QuadVector p = quad(point);
    const QuadVector q = {clamp(p.x, box.min.x, box.max.x), clamp(p.y, box.min.y, box.max.y),
                          clamp(p.z, box.min.z, box.max.z)};
    return {q, dot(p - q, p - q)};
}

/// The oriented box of its floats, whose axes are orthonormal only to 2^-24: the solid of the points center +
/// x·axis_x + y·axis_y + z·axis_z, by coordinate descent on the convex quadratic.
inline QuadClosest quad_closest(const Obb& obb, Vec3 point) {
    const QuadVector axes[3] = {quad(obb.axis_x), quad(obb.axis_y), quad(obb.axis_z)};
    const Quad h[3] = {obb.half_extent.x, obb.half_extent.y, obb.half_extent.z};
    const QuadVector p = quad(point);
    Quad t[3] = {0, 0, 0};
    QuadVector q = quad(obb.center);
    for (int round = 0; round < 6; ++round) {
        for (int axis = 0; axis < 3; ++axis) {
            const QuadVector without = q - axes[axis] * t[axis];
            const Quad free = dot(p - without, axes[axis]) / dot(axes[axis], axes[axis]);
            t[axis] = free < -h[axis] ? -h[axis] : free > h[axis] ? h[axis] : free;
            q = without + axes[axis] * t[axis];
        }
    }
    return {q, dot(p - q, p - q)};
}

}  // namespace broadside::test
