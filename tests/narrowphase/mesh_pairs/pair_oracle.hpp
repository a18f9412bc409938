// Triangles against triangles in rational numbers, by cutting one with the other: no orientations of edges.
#pragma once

#include "tests/narrowphase/mesh/ray_oracle.hpp"

#include <broadside/triangle_pair.hpp>

#include <algorithm>

namespace broadside::test {

struct RationalVector {
    mpq_class x, y, z;
};
inline RationalVector rational(const WholeVector& a) {
    return {mpq_class(a.x), mpq_class(a.y), mpq_class(a.z)};
}
inline RationalVector operator-(const RationalVector& a, const RationalVector& b) {
    return {mpq_class(a.x - b.x), mpq_class(a.y - b.y), mpq_class(a.z - b.z)};
}
inline RationalVector operator+(const RationalVector& a, const RationalVector& b) {
    return {mpq_class(a.x + b.x), mpq_class(a.y + b.y), mpq_class(a.z + b.z)};
}
inline RationalVector operator*(const RationalVector& a, const mpq_class& s) {
    return {mpq_class(a.x * s), mpq_class(a.y * s), mpq_class(a.z * s)};
}
inline mpq_class dot(const RationalVector& a, const RationalVector& b) {
    return mpq_class(a.x * b.x + a.y * b.y + a.z * b.z);
}
inline RationalVector cross(const RationalVector& a, const RationalVector& b) {
    return {mpq_class(a.y * b.z - a.z * b.y), mpq_class(a.z * b.x - a.x * b.z),
            mpq_class(a.x * b.y - a.y * b.x)};
}
inline bool is_zero(const RationalVector& a) { return a.x == 0 && a.y == 0 && a.z == 0; }

struct RationalTriangle {
    std::vector<RationalVector> corners;
    RationalVector normal;

    explicit RationalTriangle(const Triangle& t)
        : corners{rational(WholeVector(t.a)), rational(WholeVector(t.b)), rational(WholeVector(t.c))},
          normal(cross(corners[1] - corners[0], corners[2] - corners[0])) {}
    bool is_degenerate() const { return is_zero(normal); }
    mpq_class side(const RationalVector& point) const { return dot(normal, point - corners[0]); }
    /// The depth inside an edge, in the plane.
    mpq_class within(int edge, const RationalVector& point) const {
        const RationalVector& from = corners[static_cast<std::size_t>(edge)];
        const RationalVector& to = corners[static_cast<std::size_t>((edge + 1) % 3)];
        return dot(cross(normal, to - from), point - from);
    }
};

/// The part of a convex figure (a polygon, a segment, a point) on the side of its plane where `side` is not
/// negative.
template <class Side>
std::vector<RationalVector> cut(const std::vector<RationalVector>& figure, Side&& side) {
    std::vector<RationalVector> kept;
    for (std::size_t i = 0; i < figure.size(); ++i) {
        const RationalVector& from = figure[i];
        const RationalVector& to = figure[(i + 1) % figure.size()];
        const mpq_class of_from = side(from);
        const mpq_class of_to = side(to);
        if (of_from >= 0) kept.push_back(from);
        if ((of_from > 0 && of_to < 0) || (of_from < 0 && of_to > 0))
            kept.push_back(from + (to - from) * mpq_class(of_from / (of_from - of_to)));
    }
    return kept;
}
inline bool is_one_point(const std::vector<RationalVector>& figure) {
    return std::all_of(figure.begin(), figure.end(),
                       [&](const RationalVector& point) { return is_zero(point - figure[0]); });
}
inline bool has_area(const std::vector<RationalVector>& figure) {
    for (std::size_t i = 2; i < figure.size(); ++i) {
        if (!is_zero(cross(figure[i - 1] - figure[0], figure[i] - figure[0]))) return true;
    }
    return false;
}

/// The part of a figure within a triangle that is not degenerate.
inline std::vector<RationalVector> common_part(std::vector<RationalVector> figure,
                                               const RationalTriangle& t) {
    figure = cut(figure, [&](const RationalVector& p) { return t.side(p); });
    figure = cut(figure, [&](const RationalVector& p) { return mpq_class(-t.side(p)); });
    for (int edge = 0; edge < 3; ++edge)
        figure = cut(figure, [&](const RationalVector& p) { return t.within(edge, p); });
    return figure;
}
/// For two degenerate ones: cut by planes through the line of the second, and across its ends.
inline bool lines_meet(const RationalTriangle& a, const RationalTriangle& b) {
    std::vector<RationalVector> figure = a.corners;
    for (int i = 0; i < 3; ++i) {
        const RationalVector& from = b.corners[static_cast<std::size_t>(i)];
        const RationalVector along = b.corners[static_cast<std::size_t>((i + 1) % 3)] - from;
        const RationalVector unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        for (const RationalVector& axis : unit) {
            const RationalVector normal = cross(along, axis);
            figure = cut(figure, [&](const RationalVector& p) { return dot(normal, p - from); });
            figure = cut(figure, [&](const RationalVector& p) { return dot(normal, from - p); });
        }
    }
    // Within the box of the other.
    for (int axis = 0; axis < 3; ++axis) {
        const auto at = [&](const RationalVector& p) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; };
        mpq_class min = at(b.corners[0]), max = min;
        for (const RationalVector& corner : b.corners) {
            min = std::min(min, mpq_class(at(corner)));
            max = std::max(max, mpq_class(at(corner)));
        }
        figure = cut(figure, [&](const RationalVector& p) { return mpq_class(at(p) - min); });
        figure = cut(figure, [&](const RationalVector& p) { return mpq_class(max - at(p)); });
    }
    return !figure.empty();
}

inline TrianglePairKind exact_pair(const Triangle& first, const Triangle& second) {
    RationalTriangle a(first), b(second);
    if (b.is_degenerate()) std::swap(a, b);
    if (b.is_degenerate()) return lines_meet(a, b) ? TrianglePairKind::touching : TrianglePairKind::disjoint;
    const std::vector<RationalVector> common = common_part(a.corners, b);
    if (common.empty()) return TrianglePairKind::disjoint;
    if (a.is_degenerate()) return TrianglePairKind::touching;
    if (is_zero(cross(a.normal, b.normal)))
        return has_area(common) ? TrianglePairKind::coplanar : TrianglePairKind::touching;
    if (is_one_point(common)) return TrianglePairKind::touching;
    // A segment: is its middle inside both? Its points are in both planes.
    const RationalVector* far = &common[0];
    for (const RationalVector& point : common) {
        if (!is_zero(point - common[0])) far = &point;
    }
    const RationalVector middle = (common[0] + *far) * mpq_class(1, 2);
    for (int edge = 0; edge < 3; ++edge) {
        if (a.within(edge, middle) <= 0 || b.within(edge, middle) <= 0) return TrianglePairKind::touching;
    }
    return TrianglePairKind::intersecting;
}

inline Triangle scaled(const Triangle& t, float scale) { return {t.a * scale, t.b * scale, t.c * scale}; }
inline Triangle shifted(const Triangle& t, Vec3 by) { return {t.a + by, t.b + by, t.c + by}; }

/// Two triangles that are hard to decide.
inline std::pair<Triangle, Triangle> adversarial_triangles(Random& random) {
    const auto any = [&] {
        return random.chance(2)
                   ? adversarial_triangle(random, 1.0f)
                   : Triangle{grid_vector(random, 3), grid_vector(random, 3), grid_vector(random, 3)};
    };
    const Triangle a = any();
    Triangle b = any();
    const auto corner = [&](Triangle& t) -> Vec3& {
        return random.chance(3) ? t.a : random.chance(2) ? t.b : t.c;
    };
    // Corners on the other: on its face, its edges and its corners, as near as floats allow.
    for (std::uint32_t i = random.below(4); i > 0; --i) corner(b) = point_of(random, a);
    if (random.chance(6)) corner(b) = b.a * 2.0f - point_of(random, a);
    // In one plane.
    if (random.chance(6)) {
        const auto in_plane = [&] {
            return a.a + (a.b - a.a) * random.grid(-2, 2) + (a.c - a.a) * random.grid(-2, 2);
        };
        b = {in_plane(), in_plane(), in_plane()};
    }
    if (random.chance(10)) b.b = b.a;
    if (random.chance(30)) b.c = b.b;
    return {a, b};
}

}  // namespace broadside::test
