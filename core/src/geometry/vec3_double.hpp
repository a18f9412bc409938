// Three doubles, for specifications that work in double precision.
#pragma once

#include <broadside/vec3.hpp>

namespace broadside {

struct Vec3Double {
    double x;
    double y;
    double z;
};

BROADSIDE_FORCE_INLINE Vec3Double widened(Vec3 a) {
    return {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
}
/// Rounded to the nearest float, even if the result is widened again at once. g++ 12 joins conversions of two
/// lanes and drops those to float and back. The empty assembly prevents it.
BROADSIDE_FORCE_INLINE float narrowed(double a) {
    auto nearest = static_cast<float>(a);
#if defined(__GNUC__) && !defined(__clang__) && defined(__SSE2__)
    __asm__("" : "+x"(nearest));
#elif defined(__GNUC__) && !defined(__clang__)
    __asm__("" : "+m"(nearest));
#endif
    return nearest;
}
BROADSIDE_FORCE_INLINE Vec3 narrowed(const Vec3Double& a) {
    return {narrowed(a.x), narrowed(a.y), narrowed(a.z)};
}
BROADSIDE_FORCE_INLINE Vec3Double operator+(const Vec3Double& a, const Vec3Double& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/// A difference of widened floats is exact unless their exponents are 29 or more apart.
BROADSIDE_FORCE_INLINE Vec3Double operator-(const Vec3Double& a, const Vec3Double& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
BROADSIDE_FORCE_INLINE Vec3Double operator*(const Vec3Double& a, double s) {
    return {a.x * s, a.y * s, a.z * s};
}
BROADSIDE_FORCE_INLINE double dot(const Vec3Double& a, const Vec3Double& b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
BROADSIDE_FORCE_INLINE Vec3Double cross(const Vec3Double& a, const Vec3Double& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace broadside
