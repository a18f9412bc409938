// Triangle against triangle if their planes do not separate them, and signs that doubles do not decide.
#include <broadside/float_environment.hpp>
#include <broadside/triangle_pair.hpp>

#include "narrowphase/src/exact/expansion.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/whole_numbers.hpp"
#include "narrowphase/src/mesh_pairs/triangle_pair_scalar.hpp"

#include <utility>

namespace broadside {
namespace narrowphase {
namespace {

constexpr TrianglePairKind kTouching = TrianglePairKind::touching;
constexpr TrianglePairKind kDisjoint = TrianglePairKind::disjoint;

TrianglePairKind touching_if(bool is_touching) { return is_touching ? kTouching : kDisjoint; }

int exact_orientation(Vec3 p, Vec3 q, Vec3 r, Vec3 s) {
    WholeUnit unit;
    for (const Vec3 point : {p, q, r, s}) unit.add(point);
    if (unit.fits()) {
        const WholeVec3 from = unit.in_units(p);
        return triple_product(unit.in_units(q) - from, unit.in_units(r) - from, unit.in_units(s) - from)
            .sign();
    }
    const Coordinates of_p(p), of_q(q), of_r(r), of_s(s);
    Sum sum;
    add_determinant(sum, 1.0, of_q, of_r, of_s);
    add_determinant(sum, -1.0, of_p, of_r, of_s);
    add_determinant(sum, -1.0, of_q, of_p, of_s);
    add_determinant(sum, -1.0, of_q, of_r, of_p);
    return sum.sign();
}

double coordinate(const Vec3Double& a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

// The sign of the area of o, x and y, seen along an axis. By reference: with values, g++ 12 takes this for a
// function of its arguments alone and drops stores of its callers' callers.
int area_sign(int axis, const Vec3& o, const Vec3& x, const Vec3& y) {
    const Vec3Double to_x = widened(x) - widened(o);
    const Vec3Double to_y = widened(y) - widened(o);
    const int j = (axis + 1) % 3;
    const int k = (axis + 2) % 3;
    const double one = coordinate(to_x, j) * coordinate(to_y, k);
    const double other = coordinate(to_x, k) * coordinate(to_y, j);
    const LikelySign likely =
        likely_sign(one - other, 0x1p-50 * (__builtin_fabs(one) + __builtin_fabs(other)));
    return likely.is_certain ? likely.sign
                             : exact_cross_sign(Coordinates(o), Coordinates(x), Coordinates(y), axis);
}

// An axis along which a triangle that is not degenerate keeps its area, or -1.
int seen_axis(const Triangle& triangle) {
    const Vec3Double n = plane_of(triangle).normal;
    const double x = __builtin_fabs(n.x), y = __builtin_fabs(n.y), z = __builtin_fabs(n.z);
    const int widest = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    for (int i = 0; i < 3; ++i) {
        const int axis = (widest + i) % 3;
        if (area_sign(axis, triangle.a, triangle.b, triangle.c) != 0) return axis;
    }
    return -1;
}

// How a line separates two bodies in one plane: not, with touches of the line (weak), or without (strict).
enum class Parting : std::uint8_t { none, weak, strict };
Parting joined(Parting a, Parting b) { return a > b ? a : b; }

// By the edges of a triangle: whether all points lie on the other side of one of them than the third corner.
Parting parted_by_edges(int axis, const Triangle& triangle, const Vec3* points, int count) {
    const Vec3 corners[4] = {triangle.a, triangle.b, triangle.c, triangle.a};
    const int inner = area_sign(axis, triangle.a, triangle.b, triangle.c);
    Parting parting = Parting::none;
    for (int edge = 0; edge < 3; ++edge) {
        int innermost = -1;
        for (int i = 0; i < count; ++i) {
            const int side = area_sign(axis, corners[edge], corners[edge + 1], points[i]) * inner;
            innermost = side > innermost ? side : innermost;
        }
        if (innermost < 0) return Parting::strict;
        if (innermost == 0) parting = Parting::weak;
    }
    return parting;
}

// Whether all points are on one side of the line through p and q, and none on it.
bool parted_by_line(int axis, Vec3 p, Vec3 q, const Vec3* points, int count) {
    const int first = area_sign(axis, p, q, points[0]);
    for (int i = 1; i < count; ++i) {
        if (area_sign(axis, p, q, points[i]) != first) return false;
    }
    return first != 0;
}

// Whether a segment in the plane of a triangle, which is not degenerate, meets it.
bool meets_in_plane(const Triangle& triangle, Vec3 p, Vec3 q) {
    const int axis = seen_axis(triangle);
    const Vec3 ends[2] = {p, q};
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    return parted_by_edges(axis, triangle, ends, 2) != Parting::strict &&
           !parted_by_line(axis, p, q, corners, 3);
}

TrianglePairKind judge_in_plane(const Triangle& a, const Triangle& b) {
    const int axis = seen_axis(a);
    const Vec3 of_a[3] = {a.a, a.b, a.c};
    const Vec3 of_b[3] = {b.a, b.b, b.c};
    switch (joined(parted_by_edges(axis, a, of_b, 3), parted_by_edges(axis, b, of_a, 3))) {
        case Parting::strict:
            return kDisjoint;
        case Parting::weak:
            return kTouching;
        case Parting::none:
            break;
    }
    return TrianglePairKind::coplanar;
}

// A triangle with corners on one side of a plane only: its corners on the plane against the triangle in it.
TrianglePairKind judge_resting(const Triangle& in_plane, const Triangle& triangle, const Sides3& sides) {
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    const int side[3] = {sides.a, sides.b, sides.c};
    Vec3 on_plane[3];
    int count = 0;
    for (int i = 0; i < 3; ++i) {
        if (side[i] == 0) on_plane[count++] = corners[i];
    }
    if (count == 0) return kDisjoint;
    return touching_if(meets_in_plane(in_plane, on_plane[0], on_plane[count - 1]));
}

// Rotates the corners so that the first is alone on its side, strictly. Returns that side.
int put_apex_first(Triangle& state_triangle, const Sides3& sides) {
    const auto is_alone = [](int side, int next, int last) {
        return side != 0 && next * side <= 0 && last * side <= 0;
    };
    if (is_alone(sides.a, sides.b, sides.c)) return sides.a;
    const Triangle t = state_triangle;
    if (is_alone(sides.b, sides.c, sides.a)) {
        state_triangle = {t.b, t.c, t.a};
        return sides.b;
    }
    state_triangle = {t.c, t.a, t.b};
    return sides.c;
}

// Both triangles cross the other's plane: whether their parts of the planes' common line meet.
TrianglePairKind judge_crossing(Triangle a, const Sides3& sides_of_a, Triangle b, const Sides3& sides_of_b) {
    const int side_of_a = put_apex_first(a, sides_of_a);
    const int side_of_b = put_apex_first(b, sides_of_b);
    if (side_of_a < 0) std::swap(b.b, b.c);
    if (side_of_b < 0) std::swap(a.b, a.c);
    const int first = orientation(a.a, a.b, b.a, b.b);
    if (first > 0) return kDisjoint;
    const int second = orientation(a.a, a.c, b.c, b.a);
    if (second > 0) return kDisjoint;
    return first < 0 && second < 0 ? TrianglePairKind::intersecting : kTouching;
}

// A degenerate triangle.
struct Segment {
    Vec3 p;
    Vec3 q;

    // From the first to the last of the corners, which lie on one line.
    explicit Segment(const Triangle& triangle) : p(triangle.a), q(triangle.a) {
        for (const Vec3 corner : {triangle.b, triangle.c}) {
            if (is_before(corner, p)) p = corner;
            if (is_before(q, corner)) q = corner;
        }
    }

private:
    static bool is_before(Vec3 a, Vec3 b) {
        return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
    }
};

bool meets(const Segment& segment, const Triangle& triangle) {
    const int of_p = orientation(triangle.a, triangle.b, triangle.c, segment.p);
    const int of_q = orientation(triangle.a, triangle.b, triangle.c, segment.q);
    if (of_p * of_q > 0) return false;
    if (of_p == 0 && of_q == 0) return meets_in_plane(triangle, segment.p, segment.q);
    const int ab = orientation(segment.p, segment.q, triangle.a, triangle.b);
    const int bc = orientation(segment.p, segment.q, triangle.b, triangle.c);
    const int ca = orientation(segment.p, segment.q, triangle.c, triangle.a);
    return (ab >= 0 && bc >= 0 && ca >= 0) || (ab <= 0 && bc <= 0 && ca <= 0);
}

bool meets(const Segment& a, const Segment& b) {
    if (!overlap(bounds(Triangle{a.p, a.q, a.q}), bounds(Triangle{b.p, b.q, b.q}))) return false;
    if (orientation(a.p, a.q, b.p, b.q) != 0) return false;
    const Vec3 of_a[2] = {a.p, a.q};
    const Vec3 of_b[2] = {b.p, b.q};
    for (int axis = 0; axis < 3; ++axis) {
        if (parted_by_line(axis, a.p, a.q, of_b, 2) || parted_by_line(axis, b.p, b.q, of_a, 2)) return false;
    }
    return true;
}

}  // namespace

int orientation(Vec3 p, Vec3 q, Vec3 r, Vec3 s) noexcept {
    const Vec3Double from = widened(p);
    const Vec3Double a = widened(q) - from;
    const Vec3Double b = widened(r) - from;
    const Vec3Double c = widened(s) - from;
    const LikelySign likely = likely_sign(dot(a, cross(b, c)), 0x1p-49 * dot(sizes(a), cross_sizes(b, c)));
    return likely.is_certain ? likely.sign : exact_orientation(p, q, r, s);
}

TrianglePairKind judge_meeting(const Triangle& a, const Sides3& sides_of_a, const Triangle& b,
                               const Sides3& sides_of_b) noexcept {
    // Every point lies in the plane of a degenerate triangle.
    if (sides_of_a.are_zero() || sides_of_b.are_zero()) {
        const bool is_a_flat = is_degenerate(a);
        const bool is_b_flat = is_degenerate(b);
        if (is_a_flat && is_b_flat) return touching_if(meets(Segment(a), Segment(b)));
        if (is_a_flat) return touching_if(meets(Segment(a), b));
        if (is_b_flat) return touching_if(meets(Segment(b), a));
        return judge_in_plane(a, b);
    }
    if (!sides_of_b.are_both()) return judge_resting(a, b, sides_of_b);
    if (!sides_of_a.are_both()) return judge_resting(b, a, sides_of_a);
    return judge_crossing(a, sides_of_a, b, sides_of_b);
}

}  // namespace narrowphase

TrianglePairKind triangle_pair(const Triangle& a, const Triangle& b) noexcept {
    const FloatEnvironment environment;
    const auto is_finite_triangle = [](const Triangle& t) {
        return is_finite(t.a) && is_finite(t.b) && is_finite(t.c);
    };
    if (!is_finite_triangle(a) || !is_finite_triangle(b)) return TrianglePairKind::disjoint;
    return FloatEnvironment::result(narrowphase::judge_pair(a, b));
}

}  // namespace broadside
