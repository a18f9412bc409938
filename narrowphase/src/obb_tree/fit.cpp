// Axes from the spread of triangles by area, and the box along them.
#include "narrowphase/src/obb_tree/fit.hpp"

#include "core/src/geometry/vec3_double.hpp"

#include <initializer_list>

namespace broadside::narrowphase {
namespace {

// Sums over the list, relative to a point and in a unit that prevents overflow.
struct Spread {
    double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

    void add(const Vec3Double& a, double weight) {
        xx += a.x * a.x * weight;
        xy += a.x * a.y * weight;
        xz += a.x * a.z * weight;
        yy += a.y * a.y * weight;
        yz += a.y * a.z * weight;
        zz += a.z * a.z * weight;
    }
};

struct Unit {
    Vec3Double center;
    double inv_size;

    Vec3Double operator()(Vec3 point) const { return (widened(point) - center) * inv_size; }
};

double length(const Vec3Double& a) { return __builtin_sqrt(dot(a, a)); }

// The spread around the mean. Three corners and the center of each triangle represent its area; the center
// counts nine times as much. If there is no area, all corners count alike.
Spread spread_of(const IndexedTriangles& list, const Unit& unit, bool by_area, double& out_weight) {
    Vec3Double mean = {0, 0, 0};
    double total = 0;
    Spread sums;
    for (std::size_t i = 0; i < list.count; ++i) {
        const Vec3Double a = unit(list[i].a), b = unit(list[i].b), c = unit(list[i].c);
        const double weight = by_area ? length(cross(b - a, c - a)) : 1.0;
        const Vec3Double middle = (a + b + c) * (1.0 / 3.0);
        total += weight;
        mean = mean + middle * weight;
        sums.add(middle, weight * 0.75);
        for (const Vec3Double& corner : {a, b, c}) sums.add(corner, weight * (0.25 / 3.0));
    }
    out_weight = total;
    if (total > 0) {
        mean = mean * (1.0 / total);
        sums.add(mean, -total);
    }
    return sums;
}

// The eigenvectors of a symmetric matrix, by rotating pairs of axes until nothing is left off the diagonal
// (C. Jacobi, 1846).
struct Axes {
    Vec3Double x = {1, 0, 0};
    Vec3Double y = {0, 1, 0};
    Vec3Double z = {0, 0, 1};
};
void turn(double& state_p, double& state_q, double& state_pq, double& state_pr, double& state_qr,
          Vec3Double& state_axis_p, Vec3Double& state_axis_q) {
    if (state_pq == 0) return;
    const double theta = (state_q - state_p) / (2 * state_pq);
    const double t = (theta < 0 ? -1.0 : 1.0) / (__builtin_fabs(theta) + __builtin_sqrt(theta * theta + 1));
    const double cosine = 1 / __builtin_sqrt(t * t + 1);
    const double sine = t * cosine;
    state_p -= t * state_pq;
    state_q += t * state_pq;
    state_pq = 0;
    const double pr = state_pr;
    state_pr = cosine * pr - sine * state_qr;
    state_qr = sine * pr + cosine * state_qr;
    const Vec3Double p = state_axis_p;
    state_axis_p = p * cosine - state_axis_q * sine;
    state_axis_q = p * sine + state_axis_q * cosine;
}
Axes stretched_axes(Spread s) {
    Axes axes;
    // Each round squares the remainder; six exceed the precision of doubles.
    for (int round = 0; round < 6; ++round) {
        turn(s.xx, s.yy, s.xy, s.xz, s.yz, axes.x, axes.y);
        turn(s.xx, s.zz, s.xz, s.xy, s.yz, axes.x, axes.z);
        turn(s.yy, s.zz, s.yz, s.xy, s.xz, axes.y, axes.z);
    }
    return axes;
}

// The box along axes, which are rounded to floats first.
Obb box_along(const IndexedTriangles& list, const Axes& axes, const Vec3Double& origin) {
    const Vec3 axis[3] = {narrowed(axes.x), narrowed(axes.y), narrowed(axes.z)};
    const Vec3Double along[3] = {widened(axis[0]), widened(axis[1]), widened(axis[2])};
    double min[3], max[3];
    for (int k = 0; k < 3; ++k) min[k] = __builtin_inf(), max[k] = -__builtin_inf();
    for (std::size_t i = 0; i < list.count; ++i) {
        for (const Vec3 corner : {list[i].a, list[i].b, list[i].c}) {
            const Vec3Double offset = widened(corner) - origin;
            for (int k = 0; k < 3; ++k) {
                const double place = dot(along[k], offset);
                min[k] = min_keep(place, min[k]);
                max[k] = max_keep(place, max[k]);
            }
        }
    }
    Vec3Double center = origin;
    for (int k = 0; k < 3; ++k) center = center + along[k] * (0.5 * (min[k] + max[k]));
    const Vec3 rounded_center = narrowed(center);
    // Covers the rounding of the center, and axes that are not quite perpendicular: both are far below 2^-21
    // of the sum of extents and of the center's coordinates.
    double sum = 0;
    for (int k = 0; k < 3; ++k) sum += 0.5 * (max[k] - min[k]);
    const Vec3Double moved = widened(rounded_center) - center;
    const double pad = length(moved) + sum * 0x1p-21;
    const auto half = [&](int k) {
        const double size = 0.5 * (max[k] - min[k]) + pad;
        return sum == 0 && pad == 0 ? 0.0f : next_up(static_cast<float>(min_keep(size, 0x1.8p127)));
    };
    return {rounded_center, axis[0], axis[1], axis[2], {half(0), half(1), half(2)}};
}

double area_of(const Obb& obb) {
    const Vec3Double h = widened(obb.half_extent);
    return h.x * h.y + h.y * h.z + h.z * h.x;
}

}  // namespace

Obb fit_spread(const IndexedTriangles& list) noexcept {
    Aabb box = Aabb::empty();
    for (std::size_t i = 0; i < list.count; ++i) box = include(box, bounds(list[i]));
    const Vec3Double min = widened(box.min);
    const Vec3Double max = widened(box.max);
    const Vec3Double size = max - min;
    const double largest = max_keep(max_keep(size.x, size.y), size.z);
    const Unit unit = {(min + max) * 0.5, largest > 0 ? 1.0 / largest : 0.0};
    const Obb straight = box_along(list, {}, unit.center);
    double weight = 0;
    Spread spread = spread_of(list, unit, true, weight);
    if (!(weight > 0)) spread = spread_of(list, unit, false, weight);
    const Obb turned = box_along(list, stretched_axes(spread), unit.center);
    return area_of(turned) < area_of(straight) ? turned : straight;
}

}  // namespace broadside::narrowphase
