// Shapes against triangles by other formulas than the library's: clipped in rational numbers, or measured in
// long double.
#pragma once

#include "tests/narrowphase/mesh/ray_oracle.hpp"

namespace broadside::test {

/// True if part of the triangle remains after clipping by the six planes of the box.
inline bool exact_overlap(const Aabb& box, const Triangle& triangle) {
    if (!is_valid(box)) return false;
    using Point = std::vector<mpq_class>;
    const auto point = [](Vec3 a) {
        return Point{mpq_class(static_cast<double>(a.x)), mpq_class(static_cast<double>(a.y)),
                     mpq_class(static_cast<double>(a.z))};
    };
    std::vector<Point> polygon = {point(triangle.a), point(triangle.b), point(triangle.c)};
    const float sides[2][3] = {{box.min.x, box.min.y, box.min.z}, {box.max.x, box.max.y, box.max.z}};
    for (int side = 0; side < 2; ++side) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (!is_finite(sides[side][axis])) continue;
            const mpq_class plane(static_cast<double>(sides[side][axis]));
            std::vector<Point> rest;
            for (std::size_t i = 0; i < polygon.size(); ++i) {
                const Point& from = polygon[i];
                const Point& to = polygon[(i + 1) % polygon.size()];
                const mpq_class in_from = side == 0 ? from[axis] - plane : plane - from[axis];
                const mpq_class in_to = side == 0 ? to[axis] - plane : plane - to[axis];
                if (in_from >= 0) rest.push_back(from);
                if ((in_from > 0 && in_to < 0) || (in_from < 0 && in_to > 0)) {
                    const mpq_class share = in_from / (in_from - in_to);
                    Point cut(3);
                    for (std::size_t k = 0; k < 3; ++k) cut[k] = from[k] + (to[k] - from[k]) * share;
                    rest.push_back(cut);
                }
            }
            polygon = std::move(rest);
        }
    }
    return !polygon.empty();
}

struct LongVector {
    long double x, y, z;
};
inline LongVector longer(Vec3 a) { return {a.x, a.y, a.z}; }
inline LongVector operator+(LongVector a, LongVector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline LongVector operator-(LongVector a, LongVector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline LongVector operator*(LongVector a, long double s) { return {a.x * s, a.y * s, a.z * s}; }
inline long double dot(LongVector a, LongVector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline long double length(LongVector a) { return std::sqrt(dot(a, a)); }

/// The minimum of a convex function between 0 and 1.
template <class Function>
long double smallest(Function&& function, int steps) {
    long double low = 0, high = 1;
    long double best = std::min(function(low), function(high));
    for (int i = 0; i < steps; ++i) {
        const long double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const long double at_a = function(a), at_b = function(b);
        best = std::min({best, at_a, at_b});
        (at_a <= at_b ? high : low) = at_a <= at_b ? b : a;
    }
    return best;
}
/// The distance of a point to a segment.
inline long double distance(LongVector p, LongVector a, LongVector b) {
    const LongVector along = b - a;
    const long double sq = dot(along, along);
    const long double t = sq > 0 ? std::min(1.0L, std::max(0.0L, dot(p - a, along) / sq)) : 0;
    return length(p - (a + along * t));
}
/// The walk through regions of C. Ericson, "Real-Time Collision Detection", section 5.1.5.
inline long double distance(LongVector p, const Triangle& triangle) {
    const LongVector a = longer(triangle.a), b = longer(triangle.b), c = longer(triangle.c);
    long double best = std::min({distance(p, a, b), distance(p, b, c), distance(p, c, a)});
    const LongVector ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    const long double d1 = dot(ab, ap), d2 = dot(ac, ap), d3 = dot(ab, bp), d4 = dot(ac, bp),
                      d5 = dot(ab, cp), d6 = dot(ac, cp);
    const long double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (va > 0 && vb > 0 && vc > 0) {
        const long double share = 1 / (va + vb + vc);
        best = std::min(best, length(p - (a + ab * (vb * share) + ac * (vc * share))));
    }
    return best;
}
/// The distance of a segment: convex along it.
inline long double distance(LongVector a, LongVector b, const Triangle& triangle) {
    const LongVector along = b - a;
    if (dot(along, along) == 0) return distance(a, triangle);
    return smallest([&](long double s) { return distance(a + along * s, triangle); }, 90);
}

}  // namespace broadside::test
