// Poses in which exactly one of the 13 axes keeps a box and a triangle apart.
#pragma once

#include "tests/narrowphase/obb/obb_triangle_oracle.hpp"

#include <doctest/doctest.h>

namespace broadside::test {

/// The index of an axis in the oracle's list, with E0 = ab, E1 = ac and E2 = bc.
inline std::size_t textbook_index(ContactAxis axis) {
    const auto index = static_cast<std::size_t>(axis);
    if (index < 7) return index;
    return index < 10 ? index + 3 : index - 3;
}

/// The gap along `axis` is 0.02; along all others they overlap by 0.02 at least, and still do after the
/// triangle has moved by `towards_box`, 0.04 along the axis.
struct SoleSeparator {
    Obb obb;
    Triangle triangle;
    Vec3 towards_box;
};

inline SoleSeparator make_sole_separator(Random& random, ContactAxis axis) {
    constexpr double kGap = 0.02;
    for (int attempt = 0; attempt < 200000; ++attempt) {
        SoleSeparator s = {random_obb(random, 1.0f, 1.0f), random_triangle(random, 1.0f, 1.0f), {}};
        const auto axis_in_world = [&](bool is_box_side_positive) {
            const V3<double> along =
                thirteen_axes(in_box<double>(s.obb, s.triangle, {}))[textbook_index(axis)];
            const double length = std::sqrt(dot_of(along, along)) * (is_box_side_positive ? -1.0 : 1.0);
            const Vec3 unit = {static_cast<float>(along.x / length), static_cast<float>(along.y / length),
                               static_cast<float>(along.z / length)};
            return s.obb.axis_x * unit.x + s.obb.axis_y * unit.y + s.obb.axis_z * unit.z;
        };
        const auto overlaps_elsewhere = [&] {
            const InBox<double> q = in_box<double>(s.obb, s.triangle, {});
            const std::vector<V3<double>> axes = thirteen_axes(q);
            for (std::size_t i = 0; i < axes.size(); ++i) {
                const double length = std::sqrt(dot_of(axes[i], axes[i]));
                const Shadow<double> p = shadow(q, axes[i]);
                if (i == textbook_index(axis)) continue;
                if (std::max(p.min - p.radius, -p.radius - p.max) > -kGap * length) return false;
            }
            return true;
        };
        const InBox<double> q = in_box<double>(s.obb, s.triangle, {});
        const V3<double> along = thirteen_axes(q)[textbook_index(axis)];
        const double length = std::sqrt(dot_of(along, along));
        if (length < 0.05) continue;
        const Shadow<double> p = shadow(q, along);
        const bool is_above = random.chance(2);
        // The distance to move the triangle outwards for a gap of kGap.
        const double gap = is_above ? (p.min - p.radius) / length : (-p.radius - p.max) / length;
        const Vec3 outwards = axis_in_world(!is_above);
        s.triangle = moved(s.triangle, outwards * static_cast<float>(kGap - gap));
        if (!overlaps_elsewhere()) continue;
        s.towards_box = outwards * static_cast<float>(-2 * kGap);
        const Triangle outside = s.triangle;
        s.triangle = moved(outside, s.towards_box);
        if (!overlaps_elsewhere()) continue;
        s.triangle = outside;
        return s;
    }
    FAIL("no pose found for axis " << static_cast<int>(axis));
    return {};
}

}  // namespace broadside::test
