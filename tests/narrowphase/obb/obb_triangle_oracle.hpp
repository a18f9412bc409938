// Textbook separating axes of oriented box against triangle in any number type, and the scenes of their
// tests.
#pragma once

#include "tests/support/generators.hpp"

#include <broadside/obb_triangle.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace broadside::test {

/// Three numbers of any type; double, long double and GMP integers serve.
template <class T>
struct V3 {
    T x, y, z;
};
template <class T>
V3<T> operator+(const V3<T>& a, const V3<T>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class T>
V3<T> operator-(const V3<T>& a, const V3<T>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class T>
V3<T> operator*(const V3<T>& a, const T& s) {
    return {a.x * s, a.y * s, a.z * s};
}
template <class T>
T dot_of(const V3<T>& a, const V3<T>& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class T>
V3<T> cross_of(const V3<T>& a, const V3<T>& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class T>
V3<T> as(const Vec3& v) {
    return {T(v.x), T(v.y), T(v.z)};
}

/// The test in the frame of the box: |x| <= h against corners a, b, c that travel by w. The axes of the Obb
/// are the exact numbers of their floats.
template <class T>
struct InBox {
    V3<T> h;
    std::array<V3<T>, 3> v;
    V3<T> w;
};
template <class T>
InBox<T> in_box(const Obb& obb, const Triangle& triangle, const V3<T>& motion_in_world) {
    const auto rotate = [&](const V3<T>& d) -> V3<T> {
        return {dot_of(as<T>(obb.axis_x), d), dot_of(as<T>(obb.axis_y), d), dot_of(as<T>(obb.axis_z), d)};
    };
    const V3<T> center = as<T>(obb.center);
    return {as<T>(obb.half_extent),
            {rotate(as<T>(triangle.a) - center), rotate(as<T>(triangle.b) - center),
             rotate(as<T>(triangle.c) - center)},
            rotate(motion_in_world)};
}

/// The 13 axes of Eberly: A0..2, N, Ai × E0, Ai × E1, Ai × E2 with E1 = U2 - U0, E2 = E1 - E0.
template <class T>
std::vector<V3<T>> thirteen_axes(const InBox<T>& q) {
    const T zero(0);
    const T one(1);
    const V3<T> e0 = q.v[1] - q.v[0];
    const V3<T> e1 = q.v[2] - q.v[0];
    const V3<T> e2 = e1 - e0;
    std::vector<V3<T>> axes = {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}, cross_of(e0, e1)};
    for (const V3<T>& e : {e0, e1, e2}) {
        for (int i = 0; i < 3; ++i) axes.push_back(cross_of(axes[static_cast<std::size_t>(i)], e));
    }
    return axes;
}
/// The seven that the sweep adds: W × E0..2, W × A0..2, W.
template <class T>
std::vector<V3<T>> seven_axes(const InBox<T>& q) {
    const std::vector<V3<T>> thirteen = thirteen_axes(q);
    const V3<T> e0 = q.v[1] - q.v[0];
    const V3<T> e1 = q.v[2] - q.v[0];
    std::vector<V3<T>> axes;
    for (const V3<T>& e : {e0, e1, e1 - e0, thirteen[0], thirteen[1], thirteen[2]})
        axes.push_back(cross_of(q.w, e));
    axes.push_back(q.w);
    return axes;
}

/// Projections on one axis.
template <class T>
struct Shadow {
    T min, max, radius, speed;
};
template <class T>
Shadow<T> shadow(const InBox<T>& q, const V3<T>& axis) {
    using std::abs;
    const T p0 = dot_of(axis, q.v[0]);
    const T p1 = dot_of(axis, q.v[1]);
    const T p2 = dot_of(axis, q.v[2]);
    T min = p0 < p1 ? p0 : p1;
    T max = p0 < p1 ? p1 : p0;
    if (p2 < min) min = p2;
    if (p2 > max) max = p2;
    return {min, max, abs(axis.x) * q.h.x + abs(axis.y) * q.h.y + abs(axis.z) * q.h.z, dot_of(axis, q.w)};
}

/// Closed static test; exact when T is.
template <class T>
bool overlap_textbook(const InBox<T>& q) {
    for (const V3<T>& axis : thirteen_axes(q)) {
        const Shadow<T> s = shadow(q, axis);
        if (s.min > s.radius || s.max < -s.radius) return false;
    }
    return true;
}

/// True if the swept extents along the axes overlap: the two-sided form of source_rules.md G9.
template <class T>
bool extents_overlap(const InBox<T>& q, const std::vector<V3<T>>& axes) {
    const T zero(0);
    for (const V3<T>& axis : axes) {
        const Shadow<T> s = shadow(q, axis);
        if (s.min + (s.speed < zero ? s.speed : zero) > s.radius) return false;
        if (s.max + (s.speed > zero ? s.speed : zero) < -s.radius) return false;
    }
    return true;
}

/// Exact time of contact by intervals of time along the 13 axes; negative if there is none.
template <class T>
T time_textbook(const InBox<T>& q) {
    T enter = 0;
    T leave = 1;
    for (const V3<T>& axis : thirteen_axes(q)) {
        const Shadow<T> s = shadow(q, axis);
        if (s.speed == 0) {
            if (s.min > s.radius || s.max < -s.radius) return -1;
            continue;
        }
        T t0 = (-s.radius - s.max) / s.speed;
        T t1 = (s.radius - s.min) / s.speed;
        if (t1 < t0) std::swap(t0, t1);
        if (t0 > enter) enter = t0;
        if (t1 < leave) leave = t1;
    }
    return enter <= leave ? enter : T(-1);
}

/// Their distance along the best of the 13 axes; negative, the least depth, if they overlap. In units of the
/// box. `out_axis` gets that axis, unit, pointing from the box to the triangle.
inline long double signed_gap(const InBox<long double>& q, V3<long double>* out_axis = nullptr) {
    long double best = -HUGE_VALL;
    for (const V3<long double>& axis : thirteen_axes(q)) {
        const long double length = std::sqrt(dot_of(axis, axis));
        // Products of 24-bit coordinates, as these are, cancel exactly or leave more than this.
        if (!(length > 0)) continue;
        const Shadow<long double> s = shadow(q, axis);
        const long double above = (s.min - s.radius) / length;
        const long double below = (-s.radius - s.max) / length;
        const long double gap = above > below ? above : below;
        if (gap > best) {
            best = gap;
            if (out_axis != nullptr) *out_axis = axis * ((above > below ? 1.0L : -1.0L) / length);
        }
    }
    return best;
}

/// The larger of box and triangle in the frame of the box: the measure of rounding.
inline long double operand_scale(const InBox<long double>& q) {
    long double scale = 0;
    for (const V3<long double>& p : {q.h, q.v[0], q.v[1], q.v[2], q.w}) {
        for (const long double number : {p.x, p.y, p.z}) {
            if (std::abs(number) > scale) scale = std::abs(number);
        }
    }
    return scale;
}

// Scenes.

inline Vec3 random_vec3(Random& random, float reach) {
    return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}
inline Vec3 random_direction(Random& random) {
    for (;;) {
        const Vec3 v = random_vec3(random, 1.0f);
        const float sq = length_sq(v);
        if (sq > 0.01f && sq <= 1.0f) return v * (1.0f / std::sqrt(sq));
    }
}

/// A box along the world's axes.
constexpr Obb world_box(Vec3 center, Vec3 half_extent) {
    return {center, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, half_extent};
}

/// Uniform random rotation from a unit quaternion, computed in double and rounded.
inline void set_random_axes(Random& random, Obb& obb) {
    double q[4];
    double sq = 0;
    do {
        sq = 0;
        for (double& part : q) {
            part = 2.0 * static_cast<double>(random.unit()) - 1.0;
            sq += part * part;
        }
    } while (sq < 0.01 || sq > 1.0);
    for (double& part : q) part /= std::sqrt(sq);
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    const auto axis = [](double a, double b, double c) {
        return Vec3{static_cast<float>(a), static_cast<float>(b), static_cast<float>(c)};
    };
    obb.axis_x = axis(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y));
    obb.axis_y = axis(2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x));
    obb.axis_z = axis(2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
}

/// Axes that are a signed permutation of the world's, so every rotation of a float is exact.
inline void set_grid_axes(Random& random, Obb& obb) {
    const Vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const std::uint32_t first = random.below(3);
    const std::uint32_t step = 1 + random.below(2);
    obb.axis_x = units[first] * (random.chance(2) ? -1.0f : 1.0f);
    obb.axis_y = units[(first + step) % 3] * (random.chance(2) ? -1.0f : 1.0f);
    obb.axis_z = units[(first + 2 * step) % 3] * (random.chance(2) ? -1.0f : 1.0f);
}

inline Obb random_obb(Random& random, float reach, float half_extent_max) {
    Obb obb;
    obb.center = random_vec3(random, reach);
    set_random_axes(random, obb);
    obb.half_extent = {random.uniform(0, half_extent_max), random.uniform(0, half_extent_max),
                       random.uniform(0, half_extent_max)};
    return obb;
}
inline Triangle random_triangle(Random& random, float reach, float size) {
    const Vec3 at = random_vec3(random, reach);
    return {at + random_vec3(random, size), at + random_vec3(random, size), at + random_vec3(random, size)};
}
inline Triangle moved(const Triangle& triangle, Vec3 by) {
    return {triangle.a + by, triangle.b + by, triangle.c + by};
}

/// Boxes and triangles on small integers (touching often), random ones, special numbers among either.
inline Obb adversarial_obb(Random& random) {
    Obb obb = random_obb(random, 2.0f, 2.0f);
    if (random.chance(2)) {
        set_grid_axes(random, obb);
        obb.center = {random.grid(-2, 2), random.grid(-2, 2), random.grid(-2, 2)};
        obb.half_extent = {random.grid(0, 2), random.grid(0, 2), random.grid(0, 2)};
    }
    float* const numbers[9] = {&obb.center.x, &obb.half_extent.x, &obb.half_extent.y,
                               &obb.axis_x.x, &obb.axis_y.y,      &obb.axis_z.z,
                               &obb.center.z, &obb.half_extent.z, &obb.axis_x.y};
    if (random.chance(8)) *numbers[random.below(9)] = special_float(random);
    return obb;
}
inline Triangle adversarial_triangle(Random& random) {
    Triangle t = random_triangle(random, 2.0f, 2.0f);
    if (random.chance(2)) {
        const auto corner = [&] { return Vec3{random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)}; };
        t = {corner(), corner(), corner()};
    }
    if (random.chance(8)) t.b = t.a;
    if (random.chance(8)) t.c = t.b;
    if (random.chance(8)) t.c = t.a + (t.b - t.a) * random.uniform(-2, 2);
    float* const numbers[9] = {&t.a.x, &t.a.y, &t.a.z, &t.b.x, &t.b.y, &t.b.z, &t.c.x, &t.c.y, &t.c.z};
    if (random.chance(6)) *numbers[random.below(9)] = special_float(random);
    if (random.chance(24)) *numbers[random.below(9)] = special_float(random);
    return t;
}
inline Vec3 adversarial_displacement(Random& random) {
    Vec3 d = random_vec3(random, 6.0f);
    if (random.chance(2)) d = {random.grid(-3, 3), random.grid(-3, 3), random.grid(-3, 3)};
    if (random.chance(8)) d = {};
    if (random.chance(8)) d.x = special_float(random);
    if (random.chance(8)) d.z = special_float(random);
    return d;
}

}  // namespace broadside::test
