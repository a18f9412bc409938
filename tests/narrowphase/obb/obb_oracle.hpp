// Oriented box against oriented box in any number type: 15 axes from the exact numbers that the floats are.
#pragma once

#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"

#include <broadside/obb_obb.hpp>

namespace broadside::test {

/// Two boxes in the world: axes, half extents, the vector from a's center to b's, and the motion of b
/// relative to a.
template <class T>
struct TwoBoxes {
    std::array<V3<T>, 3> a;
    std::array<V3<T>, 3> b;
    std::array<T, 3> half_extent_a;
    std::array<T, 3> half_extent_b;
    V3<T> between;
    V3<T> motion;
};
template <class T>
TwoBoxes<T> two_boxes(const Obb& a, const Obb& b, const V3<T>& motion) {
    return {{as<T>(a.axis_x), as<T>(a.axis_y), as<T>(a.axis_z)},
            {as<T>(b.axis_x), as<T>(b.axis_y), as<T>(b.axis_z)},
            {T(a.half_extent.x), T(a.half_extent.y), T(a.half_extent.z)},
            {T(b.half_extent.x), T(b.half_extent.y), T(b.half_extent.z)},
            as<T>(b.center) - as<T>(a.center),
            motion};
}

/// In the order of ObbAxis.
template <class T>
std::array<V3<T>, 15> fifteen_axes(const TwoBoxes<T>& q) {
    std::array<V3<T>, 15> axes;
    for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = q.a[i];
        axes[3 + i] = q.b[i];
        for (std::size_t j = 0; j < 3; ++j) axes[6 + 3 * j + i] = cross_of(q.a[i], q.b[j]);
    }
    return axes;
}

/// Projections on one axis: the sum of the half widths, the center of b, its speed.
template <class T>
struct BoxShadow {
    T radius, center, speed;
};
template <class T>
BoxShadow<T> shadow(const TwoBoxes<T>& q, const V3<T>& axis) {
    using std::abs;
    T radius(0);
    for (std::size_t i = 0; i < 3; ++i) {
        radius += q.half_extent_a[i] * abs(dot_of(axis, q.a[i]));
        radius += q.half_extent_b[i] * abs(dot_of(axis, q.b[i]));
    }
    return {radius, dot_of(axis, q.between), dot_of(axis, q.motion)};
}

/// Gaps along the 15 axes in units of length at time t, negative if they overlap. Axes of parallel edges,
/// whose direction floats cannot tell, give an infinite depth.
inline std::array<long double, 15> gaps_at(const TwoBoxes<long double>& q, long double t,
                                           long double least_length = 1e-13L) {
    const std::array<V3<long double>, 15> axes = fifteen_axes(q);
    std::array<long double, 15> gaps;
    for (std::size_t k = 0; k < 15; ++k) {
        const BoxShadow<long double> s = shadow(q, axes[k]);
        const long double length = std::sqrt(dot_of(axes[k], axes[k]));
        gaps[k] = length < least_length ? -HUGE_VALL : (std::abs(s.center + s.speed * t) - s.radius) / length;
    }
    return gaps;
}
inline long double largest_gap(const TwoBoxes<long double>& q, long double t = 0) {
    const std::array<long double, 15> gaps = gaps_at(q, t);
    return *std::max_element(gaps.begin(), gaps.end());
}

/// The measure of rounding: the boxes, their distance and their path.
inline long double size_of(const TwoBoxes<long double>& q) {
    long double size = 0;
    for (std::size_t i = 0; i < 3; ++i) size = std::max({size, q.half_extent_a[i], q.half_extent_b[i]});
    for (const V3<long double>& v : {q.between, q.motion}) {
        size = std::max({size, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
    }
    return size;
}

/// Time of first contact by intervals along the 15 axes; negative if there is none.
inline long double time_of_contact(const TwoBoxes<long double>& q) {
    long double enter = 0;
    long double leave = 1;
    for (const V3<long double>& axis : fifteen_axes(q)) {
        const BoxShadow<long double> s = shadow(q, axis);
        if (s.speed == 0) {
            if (std::abs(s.center) > s.radius) return -1;
            continue;
        }
        const long double t0 = (-s.radius - s.center) / s.speed;
        const long double t1 = (s.radius - s.center) / s.speed;
        enter = std::max(enter, std::min(t0, t1));
        leave = std::min(leave, std::max(t0, t1));
    }
    return enter <= leave ? enter : -1;
}

/// b turned by a small angle about a random direction: nearly parallel to before.
inline Obb turned_slightly(Random& random, const Obb& obb, float angle) {
    Obb turned = obb;
    const Vec3 about = random_direction(random) * angle;
    turned.axis_x = obb.axis_x + cross(about, obb.axis_x);
    turned.axis_y = obb.axis_y + cross(about, obb.axis_y);
    turned.axis_z = obb.axis_z + cross(about, obb.axis_z);
    return turned;
}

/// Moves b along the axis of the largest gap until that is `gap`, as nearly as floats allow.
inline void set_gap(const Obb& a, Obb& b, long double gap) {
    const TwoBoxes<long double> q = two_boxes<long double>(a, b, {});
    const std::array<long double, 15> gaps = gaps_at(q, 0);
    const auto best = static_cast<std::size_t>(std::max_element(gaps.begin(), gaps.end()) - gaps.begin());
    const V3<long double> axis = fifteen_axes(q)[best];
    const long double length = std::sqrt(dot_of(axis, axis));
    const long double side = dot_of(axis, q.between) < 0 ? -1.0L : 1.0L;
    const V3<long double> by = axis * (side * (gap - gaps[best]) / length);
    b.center = b.center + Vec3{static_cast<float>(by.x), static_cast<float>(by.y), static_cast<float>(by.z)};
}

inline Obb scaled_obb(const Obb& obb, float scale) {
    Obb scaled = obb;
    scaled.center = obb.center * scale;
    scaled.half_extent = obb.half_extent * scale;
    return scaled;
}

}  // namespace broadside::test
