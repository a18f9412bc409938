// The specification of ray against triangle: the part that is certain in doubles. The rest is in
// ray_triangle_exact.cpp.
#pragma once

#include "core/src/geometry/vec3_double.hpp"

#include <broadside/ray_triangle.hpp>

namespace broadside::narrowphase {

/// A ray in the form that triangle tests take.
struct TriangleRay {
    Vec3 origin;
    Vec3 direction;
    /// Finite; below zero for an invalid ray, which hits nothing.
    float t_max;
    Sides sides;
};
BROADSIDE_FORCE_INLINE Vec3 flushed(Vec3 direction) {
    return {flush_denormal(direction.x), flush_denormal(direction.y), flush_denormal(direction.z)};
}
BROADSIDE_FORCE_INLINE TriangleRay triangle_ray(const Ray& ray, Sides sides) {
    return {ray.origin, flushed(ray.direction), is_valid(ray) ? min_keep(ray.t_max, FLT_MAX) : -1.0f, sides};
}

BROADSIDE_FORCE_INLINE double absolute_double(double a) { return __builtin_fabs(a); }
BROADSIDE_FORCE_INLINE double largest_size(const Vec3Double& a) {
    return max_keep(max_keep(absolute_double(a.x), absolute_double(a.y)), absolute_double(a.z));
}

/// The edge functions of a ray and a triangle, and the numerator and divisor of t, in doubles, each with an
/// error bound.
///
/// With A, B, C the corners as seen from the origin, d the direction, e1 = B - A, e2 = C - A and n = e1 × e2:
///   of_a = d·(C × B)   of_b = d·(A × C) = d·(A × e2)   of_c = d·(B × A) = d·(e1 × A)
///   of_a + of_b + of_c = -d·n   t = (A·n) / (d·n)   u = of_b / -d·n   v = of_c / -d·n
/// The line meets the closed triangle if no two of the three have opposite signs and not all are 0; the signs
/// are + for the front. An edge function is the orientation of the line and the edge, so two triangles that
/// share the edge have the same number with opposite signs. Decided exactly, they leave no gap.
///
/// Errors, with e = 2^-53, l the largest component of e1 and e2, m that of A and s that of d: A, e1 and e2
/// are right to e of their sizes. Then a component of a cross product is within 8e·l·l (or l·m), a triple
/// product within 40e·s·l·l, and of_a, a sum of three of them, within e·s·(52·l·l + 98·l·m). Products of
/// three floats neither overflow nor underflow a double.
struct EdgeFunctions {
    double of_a;
    double of_b;
    double of_c;
    /// -d·n, and -A·n.
    double sum;
    double numerator;
    /// Bounds of the errors of of_a to of_c, of the sum, and of the numerator.
    double edge_error;
    double sum_error;
    double numerator_error;
};
BROADSIDE_FORCE_INLINE EdgeFunctions edge_functions(const TriangleRay& ray, const Triangle& triangle) {
    const Vec3Double corner = widened(triangle.a);
    const Vec3Double a = corner - widened(ray.origin);
    const Vec3Double e1 = widened(triangle.b) - corner;
    const Vec3Double e2 = widened(triangle.c) - corner;
    const Vec3Double d = widened(ray.direction);
    const Vec3Double n = cross(e1, e2);
    const double sum = -dot(d, n);
    const double of_b = dot(d, cross(a, e2));
    const double of_c = dot(d, cross(e1, a));
    const double of_a = (sum - of_b) - of_c;
    const double edge = max_keep(largest_size(e1), largest_size(e2));
    const double distance = largest_size(a);
    const double speed = largest_size(d);
    return {of_a,
            of_b,
            of_c,
            sum,
            -dot(a, n),
            0x1p-46 * (speed * edge * (edge + distance)),
            0x1p-47 * (speed * edge * edge),
            0x1p-47 * (distance * edge * edge)};
}

/// The verdict of doubles on a ray and a triangle.
enum class Verdict : std::uint8_t { miss, hit, unsure };

/// An interval that certainly contains t.
struct HitTime {
    double min;
    double max;
};
struct TriangleVerdict {
    Verdict verdict;
    /// Only for a hit.
    HitTime t;
};

BROADSIDE_FORCE_INLINE TriangleVerdict judge(const TriangleRay& ray, const EdgeFunctions& edges) {
    const double smallest = min_keep(min_keep(edges.of_a, edges.of_b), edges.of_c);
    const double largest = max_keep(max_keep(edges.of_a, edges.of_b), edges.of_c);
    const double error = edges.edge_error;
    // Two of them certainly have opposite signs, or one is on the side that does not count.
    if (smallest < -error && (largest > error || ray.sides == Sides::front)) return {Verdict::miss, {}};
    const bool is_certain = smallest > error || largest < -error;
    if (!is_certain || !(absolute_double(edges.sum) > 2.0 * edges.sum_error)) return {Verdict::unsure, {}};
    const double inv_sum = 1.0 / edges.sum;
    const double t = edges.numerator * inv_sum;
    const double t_size = absolute_double(t);
    // At least half of the sum is certain, so 2 / |sum| bounds the inverse of the true sum.
    const double t_error =
        2.0 * absolute_double(inv_sum) * (edges.numerator_error + t_size * edges.sum_error) +
        t_size * 0x1p-51;
    const HitTime time = {t - t_error, t + t_error};
    const auto t_max = static_cast<double>(ray.t_max);
    if (time.max < 0.0 || time.min > t_max) return {Verdict::miss, {}};
    if (!(time.min >= 0.0 && time.max <= t_max)) return {Verdict::unsure, {}};
    return {Verdict::hit, time};
}

/// As above, but never unsure.
TriangleVerdict judge_exactly(const TriangleRay& ray, const Triangle& triangle) noexcept;
/// `edges` are those of the ray and the triangle.
BROADSIDE_FORCE_INLINE TriangleVerdict judge_surely(const TriangleRay& ray, const Triangle& triangle,
                                                    const EdgeFunctions& edges) {
    const TriangleVerdict verdict = judge(ray, edges);
    return verdict.verdict == Verdict::unsure ? judge_exactly(ray, triangle) : verdict;
}
BROADSIDE_FORCE_INLINE TriangleVerdict judge_surely(const TriangleRay& ray, const Triangle& triangle) {
    return judge_surely(ray, triangle, edge_functions(ray, triangle));
}
/// Negative if the ray hits `a` before `b`, 0 if both at once. It must hit both.
int compare_hit_times(const TriangleRay& ray, const Triangle& a, const Triangle& b) noexcept;
/// The result for a triangle that the ray hits.
RayTriangleHit rounded_hit(const TriangleRay& ray, const Triangle& triangle,
                           const EdgeFunctions& edges) noexcept;
BROADSIDE_FORCE_INLINE RayTriangleHit rounded_hit(const TriangleRay& ray, const Triangle& triangle) {
    return rounded_hit(ray, triangle, edge_functions(ray, triangle));
}

/// The crossing of a line and a triangle in front of a point: 1 if the line enters through the front, -1 if
/// it leaves through the back, else 0. Line and point are taken as lying a little aside, the same way for all
/// triangles, so that no line goes through an edge or a corner, or along a plane: a half-open rule.
///
/// The point is moved by (p, p², p³) and then the direction by (q, q², q³), with q far smaller than any power
/// of p that counts (H. Edelsbrunner and E. Mücke, "Simulation of Simplicity", ACM TOG 9, 1990). The edge
/// function of b and c is d·((c - o) × (b - o)). If it is 0, the first of the following that is not 0
/// decides: the components of (c - b) × d; then, for each axis, that of (c - o) × (b - o), and the two terms
/// of (c - b) × p at it. All of them change sign with the direction of the edge.
int crossing(Vec3 origin, Vec3 direction, const Triangle& triangle) noexcept;
/// The direction of rays that tell inside from outside by their crossings of a surface. Any would do; this
/// one is along no axis, face or diagonal that models are made of.
inline constexpr Vec3 kInsideDirection = {0.8125f, 0.3046875f, 0.40234375f};

/// Whether all corners are on one line, exactly. The triangle is finite.
bool is_degenerate(const Triangle& triangle) noexcept;

}  // namespace broadside::narrowphase
