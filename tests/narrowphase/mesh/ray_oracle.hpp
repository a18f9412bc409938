// Rays and triangles in rational numbers: the promises of ray_triangle, without the doubles of its formulas.
#pragma once

#include "tests/support/exact_squares.hpp"

#include <broadside/mesh.hpp>

#include <gmpxx.h>

#include <cmath>
#include <vector>

namespace broadside::test {

/// A vector of integer multiples of 2^-149.
struct WholeVector {
    mpz_class x, y, z;

    explicit WholeVector(Vec3 a) : x(in_units(a.x)), y(in_units(a.y)), z(in_units(a.z)) {}
    WholeVector(mpz_class x_in, mpz_class y_in, mpz_class z_in)
        : x(std::move(x_in)), y(std::move(y_in)), z(std::move(z_in)) {}
};
inline WholeVector operator-(const WholeVector& a, const WholeVector& b) {
    return {mpz_class(a.x - b.x), mpz_class(a.y - b.y), mpz_class(a.z - b.z)};
}
inline WholeVector cross(const WholeVector& a, const WholeVector& b) {
    return {mpz_class(a.y * b.z - a.z * b.y), mpz_class(a.z * b.x - a.x * b.z),
            mpz_class(a.x * b.y - a.y * b.x)};
}
inline mpz_class dot(const WholeVector& a, const WholeVector& b) {
    return mpz_class(a.x * b.x + a.y * b.y + a.z * b.z);
}

/// The nearest float to a non-negative number within their range; of two the even one.
inline float nearest_float(const mpq_class& value) {
    auto guess = static_cast<float>(value.get_d());
    float best = guess;
    mpq_class best_error = abs(mpq_class(static_cast<double>(guess)) - value);
    for (const float other : {next_down(guess), next_up(guess)}) {
        if (!is_finite(other)) continue;
        const mpq_class error = abs(mpq_class(static_cast<double>(other)) - value);
        const bool is_even = (bits_of(other) & 1) == 0;
        if (error < best_error || (error == best_error && is_even)) {
            best = other;
            best_error = error;
        }
    }
    return best + 0.0f;
}

/// A hit without rounding, in barycentric coordinates of the point in the plane: a solution of o + t·d = a +
/// u·(b - a) + v·(c - a) by Cramer's rule.
struct ExactHit {
    bool has_hit = false;
    bool is_front = false;
    mpq_class t, u, v;
};
/// Components below FLT_MIN are zero.
inline WholeVector exact_direction(const Ray& ray) {
    const auto counted = [](float a) { return std::fabs(a) < FLT_MIN ? 0.0f : a; };
    return WholeVector(Vec3{counted(ray.direction.x), counted(ray.direction.y), counted(ray.direction.z)});
}
inline ExactHit exact_hit(const Ray& ray, const Triangle& triangle, Sides sides = Sides::both) {
    if (!is_valid(ray)) return {};
    const WholeVector a(triangle.a);
    const WholeVector e1 = WholeVector(triangle.b) - a;
    const WholeVector e2 = WholeVector(triangle.c) - a;
    const WholeVector d = exact_direction(ray);
    const WholeVector from_a = WholeVector(ray.origin) - a;
    const WholeVector normal = cross(e1, e2);
    const mpz_class along = -dot(d, normal);
    if (along == 0 || (sides == Sides::front && along < 0)) return {};
    ExactHit hit;
    hit.t = mpq_class(dot(from_a, normal), along);
    const WholeVector q = cross(from_a, d);
    hit.u = mpq_class(dot(e2, q), along);
    hit.v = mpq_class(-dot(e1, q), along);
    for (mpq_class* number : {&hit.t, &hit.u, &hit.v}) number->canonicalize();
    const mpq_class t_max(static_cast<double>(min_keep(ray.t_max, FLT_MAX)));
    hit.has_hit = hit.u >= 0 && hit.v >= 0 && hit.u + hit.v <= 1 && hit.t >= 0 && hit.t <= t_max;
    hit.is_front = along > 0;
    return hit;
}
inline RayTriangleHit rounded(const ExactHit& hit) {
    if (!hit.has_hit) return {};
    return {nearest_float(hit.t), nearest_float(hit.u), nearest_float(hit.v), true, hit.is_front};
}

/// A point of the triangle: inside, on an edge or a corner, as near as floats allow.
inline Vec3 point_of(Random& random, const Triangle& triangle) {
    float u = random.unit();
    float v = random.unit() * (1 - u);
    switch (random.below(5)) {
        case 0:
            return random.chance(3) ? triangle.a : random.chance(2) ? triangle.b : triangle.c;
        case 1:
            v = 0;
            break;
        case 2:
            v = 1 - u;
            break;
        case 3:
            u = 0;
            break;
        default:
            break;
    }
    return triangle.a * (1 - u - v) + triangle.b * u + triangle.c * v;
}

/// A ray that is hard to decide: at an edge or a corner, from near or from 10^5 times as far, along an axis,
/// within the plane, with an origin on the triangle, ending on it.
inline Ray adversarial_ray(Random& random, const Triangle& triangle, float reach) {
    const Vec3 target = point_of(random, triangle);
    Ray ray;
    const float away = random.chance(4) ? reach * 1e5f : reach * 2;
    ray.origin = random.chance(3) ? grid_vector(random, 4) * (reach * 0.25f) : random_vector(random, away);
    switch (random.below(8)) {
        case 0: {
            // Along an axis, exactly through the point.
            const std::uint32_t axis = random.below(3);
            const float sign = random.chance(2) ? 1.0f : -1.0f;
            ray.origin = target;
            (axis == 0 ? ray.origin.x : axis == 1 ? ray.origin.y : ray.origin.z) -= sign * away;
            ray.direction = {axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f};
            break;
        }
        case 1:
            // Within the plane, or nearly.
            ray.origin = triangle.a + (triangle.b - triangle.a) * random.grid(-3, 3);
            ray.direction = target - ray.origin;
            break;
        case 2:
            // From a point of the triangle.
            ray.origin = point_of(random, triangle);
            ray.direction = random.chance(2) ? grid_vector(random, 2) : target - ray.origin;
            break;
        default:
            ray.direction = target - ray.origin;
            break;
    }
    if (random.chance(6)) ray.direction = ray.direction * 0.25f;
    if (random.chance(6)) ray.direction = {ray.direction.x * 1e-30f, ray.direction.y, ray.direction.z};
    if (random.chance(8))
        ray.direction = ray.direction * std::ldexp(1.0f, static_cast<int>(random.below(200)) - 100);
    if (random.chance(4)) ray.t_max = random.chance(2) ? 1.0f : random.unit() * 2;
    if (random.chance(16)) ray.t_max = kInfinity;
    return ray;
}

/// Fat ones and needles, on a grid or anywhere, sometimes degenerate.
inline Triangle adversarial_triangle(Random& random, float reach) {
    const bool is_grid = random.chance(3);
    const auto corner = [&] {
        return is_grid ? grid_vector(random, 3) * (reach * 0.25f) : random_vector(random, reach);
    };
    Triangle triangle = {corner(), corner(), corner()};
    if (random.chance(4)) {
        const Vec3 along = triangle.a * 0.5f + triangle.b * 0.5f;
        triangle.c =
            along + random_vector(random, reach * std::ldexp(1.0f, -static_cast<int>(random.below(30))));
    }
    if (random.chance(24)) triangle.c = random.chance(2) ? triangle.a : triangle.a * 0.5f + triangle.b * 0.5f;
    return triangle;
}

}  // namespace broadside::test
