// Box against triangle without any rounding.
#include "narrowphase/src/mesh/box_triangle_exact.hpp"

#include "core/src/geometry/vec3_double.hpp"
#include "narrowphase/src/exact/expansion.hpp"

namespace broadside::narrowphase {
namespace {

// Two coordinates of a point.
struct Place {
    float u;
    float v;
};

// The side of the line from p to q on which the point lies. In doubles, differences of floats are right to
// half a digit and products to three, so a sign is certain beyond 2^-50.
int side_of(Place p, Place q, Place point) {
    const auto wide = [](float a) { return static_cast<double>(a); };
    const double left = (wide(q.u) - wide(p.u)) * (wide(point.v) - wide(p.v));
    const double right = (wide(q.v) - wide(p.v)) * (wide(point.u) - wide(p.u));
    const double side = left - right;
    if (__builtin_fabs(side) > (__builtin_fabs(left) + __builtin_fabs(right)) * 0x1p-50) return sign_of(side);
    // Products of two floats are exact in double.
    Expansion<12> exact;
    exact.add(wide(q.u) * wide(point.v));
    exact.add(-wide(q.u) * wide(p.v));
    exact.add(-wide(p.u) * wide(point.v));
    exact.add(-wide(q.v) * wide(point.u));
    exact.add(wide(q.v) * wide(p.u));
    exact.add(wide(p.v) * wide(point.u));
    return exact.sign();
}

// The side of the plane of the triangle on which the point lies: positive along the normal ab × ac.
int side_of(const Triangle& triangle, Vec3 point) {
    const Vec3Double a = widened(triangle.a);
    const Vec3Double ab = widened(triangle.b) - a;
    const Vec3Double ac = widened(triangle.c) - a;
    const Vec3Double way = widened(point) - a;
    const auto size = [](double one, double other) { return __builtin_fabs(one) + __builtin_fabs(other); };
    const double side = dot(cross(ab, ac), way);
    const double sum = (size(ab.y * ac.z, ab.z * ac.y) * __builtin_fabs(way.x) +
                        size(ab.z * ac.x, ab.x * ac.z) * __builtin_fabs(way.y)) +
                       size(ab.x * ac.y, ab.y * ac.x) * __builtin_fabs(way.z);
    if (__builtin_fabs(side) > sum * 0x1p-48) return sign_of(side);
    // The determinant of four points, as products of three coordinates.
    Expansion<64> exact;
    const auto add = [&](Vec3 p, Vec3 q, Vec3 r, double sign) {
        const Vec3Double one = widened(p), two = widened(q), three = widened(r) * sign;
        exact.add_product(one.x, two.y, three.z);
        exact.add_product(one.y, two.z, three.x);
        exact.add_product(one.z, two.x, three.y);
        exact.add_product(-one.x, two.z, three.y);
        exact.add_product(-one.y, two.x, three.z);
        exact.add_product(-one.z, two.y, three.x);
    };
    add(triangle.b, triangle.c, point, 1.0);
    add(triangle.a, triangle.c, point, -1.0);
    add(triangle.a, triangle.b, point, 1.0);
    add(triangle.a, triangle.b, triangle.c, -1.0);
    return exact.sign();
}

// Whether the intervals meet along one axis.
bool meets(float min, float max, float a, float b, float c) {
    return !(a < min && b < min && c < min) && !(a > max && b > max && c > max);
}

// Whether the line through p and q, seen along an axis, separates the triangle from the rectangle.
bool parts(Place p, Place q, Place third, Place min, Place max) {
    const int side = side_of(p, q, third);
    // The corners that are furthest to the left and to the right of the line.
    const Place left = {q.v >= p.v ? min.u : max.u, q.u >= p.u ? max.v : min.v};
    const Place right = {q.v >= p.v ? max.u : min.u, q.u >= p.u ? min.v : max.v};
    return (side >= 0 && side_of(p, q, left) < 0) || (side <= 0 && side_of(p, q, right) > 0);
}
bool edges_part(const Place (&corners)[3], Place min, Place max) {
    return parts(corners[0], corners[1], corners[2], min, max) ||
           parts(corners[1], corners[2], corners[0], min, max) ||
           parts(corners[2], corners[0], corners[1], min, max);
}

bool plane_parts(const Triangle& triangle, const int (&normal)[3], const Aabb& box) {
    const Vec3 near = {normal[0] > 0 ? box.min.x : box.max.x, normal[1] > 0 ? box.min.y : box.max.y,
                       normal[2] > 0 ? box.min.z : box.max.z};
    const Vec3 far = {normal[0] > 0 ? box.max.x : box.min.x, normal[1] > 0 ? box.max.y : box.min.y,
                      normal[2] > 0 ? box.max.z : box.min.z};
    return side_of(triangle, near) > 0 || side_of(triangle, far) < 0;
}

}  // namespace

bool overlap_exact(const Aabb& whole_box, const Triangle& triangle) {
    const auto [a, b, c] = triangle;
    // A finite triangle can only meet the part of an infinite box that lies within floats.
    const Vec3 largest = {FLT_MAX, FLT_MAX, FLT_MAX};
    const Aabb box = {max_keep(whole_box.min, -largest), min_keep(whole_box.max, largest)};
    const Vec3 min = box.min;
    const Vec3 max = box.max;
    if (!(meets(min.x, max.x, a.x, b.x, c.x) && meets(min.y, max.y, a.y, b.y, c.y) &&
          meets(min.z, max.z, a.z, b.z, c.z)))
        return false;
    const Place yz[3] = {{a.y, a.z}, {b.y, b.z}, {c.y, c.z}};
    const Place zx[3] = {{a.z, a.x}, {b.z, b.x}, {c.z, c.x}};
    const Place xy[3] = {{a.x, a.y}, {b.x, b.y}, {c.x, c.y}};
    if (edges_part(yz, {min.y, min.z}, {max.y, max.z}) || edges_part(zx, {min.z, min.x}, {max.z, max.x}) ||
        edges_part(xy, {min.x, min.y}, {max.x, max.y}))
        return false;
    const int normal[3] = {side_of(yz[0], yz[1], yz[2]), side_of(zx[0], zx[1], zx[2]),
                           side_of(xy[0], xy[1], xy[2])};
    return !plane_parts(triangle, normal, box);
}

}  // namespace broadside::narrowphase
