// Time of impact of two moving spheres.
#include <broadside/moving_sphere.hpp>

#include <cmath>

namespace broadside {
namespace {

struct Vec3Double {
    double x;
    double y;
    double z;
};

// A difference of floats, rounded to the 53 bits of a double: exact unless their exponents are 29 or more
// apart.
Vec3Double difference(Vec3 a, Vec3 b) {
    return {static_cast<double>(a.x) - static_cast<double>(b.x),
            static_cast<double>(a.y) - static_cast<double>(b.y),
            static_cast<double>(a.z) - static_cast<double>(b.z)};
}

double dot(const Vec3Double& a, const Vec3Double& b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }

Vec3Double cross(const Vec3Double& a, const Vec3Double& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

}  // namespace

// Sphere a is held still and b moves by d (rules.md B5). With e from b to a and r the sum of the radii, they
// touch when |e - t·d| = r, a quadratic in t whose smaller root is wanted (rules.md F). Two of its forms are
// replaced:
// - the root as (e·e - r²) / (e·d + √disc), which does not subtract two near numbers close to contact;
// - its discriminant (e·d)² - (d·d)(e·e - r²) as (d·d)r² - |e×d|², the same number by Lagrange's identity,
//   whose terms do not grow with the distance along the path.
// Squares and products of four floats stay between 1e-180 and 1e157, all ordinary doubles.
float time_of_impact(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) noexcept {
    if (!(is_valid(a) && is_valid(b) && is_finite(displacement_a) && is_finite(displacement_b)))
        return kNoIntersection;
    const Vec3Double e = difference(a.center, b.center);
    const Vec3Double d = difference(displacement_b, displacement_a);
    const double radius_sum = static_cast<double>(a.radius) + static_cast<double>(b.radius);

    const double beyond_touch = dot(e, e) - radius_sum * radius_sum;
    if (beyond_touch <= 0.0) return 0.0f;
    const double approach = dot(e, d);
    if (approach <= 0.0) return kNoIntersection;  // Parting, or at rest relative to each other.
    const Vec3Double across = cross(e, d);
    const double discriminant = dot(d, d) * (radius_sum * radius_sum) - dot(across, across);
    if (discriminant < 0.0) return kNoIntersection;
    const double t = beyond_touch / (approach + std::sqrt(discriminant));
    return t <= 1.0 ? static_cast<float>(t) : kNoIntersection;
}

}  // namespace broadside
