// Oriented boxes against boxes in floats: what is certain without the doubles of obb_box_scalar.hpp. The
// specification of the lanes in broadphase/src/tree/obb_kernel.hpp; no answer depends on it.
#pragma once

#include "core/src/geometry/obb_box_scalar.hpp"

namespace broadside {

// Along an axis a the gap between the two is (|a·b| - |a|·h - r) / 2, b being twice the way between the
// centers, h the edges of the box, and r the width of the oriented box. The largest gap of all axes decides:
// above zero there is none in common, below zero on every axis there is.
//
// How wrong a gap can be, with u = 2^-24:
// 1. Axes are scaled by powers of two, so that their components are at most 2.
// 2. A box that meets `around` has |b| <= 2R + h on each axis, R being the reach of `around` from the center.
//    So all products of a gap sum up to at most S = 2·(sum of 2R + sum of h), and so does r.
// 3. Rounding adds to a product: u of the component, 3u of b and u of h (each of S), u of the product, 2u of the
//    sums; then u of r and 2u of the differences: less than 16u·S. Products that underflow add 2^-145 at most.
// 4. The doubles that decide are off by 2^-50·S.
// Taken is 64u·S = 2^-18·S and FLT_MIN: gaps beyond it are certain. Nothing overflows below 2^100, and larger
// boxes are left to the doubles.
inline constexpr float kObbDoubtShare = 0x1p-17f;
inline constexpr float kObbFilterMax = 0x1p100f;

struct ObbFilterAxis {
    Vec3 along;
    /// Without signs, for the edges of the box.
    Vec3 size;
    /// The width of the oriented box along it.
    float width;
};
/// A pair of edges: two components, in the cyclic order of ObbQuery.
struct ObbFilterEdge {
    float along[2];
    float size[2];
    float width;
};

struct ObbFilter {
    /// Around the oriented box, rounded outwards.
    Aabb around;
    Vec3 center;
    /// Twice the reach of the oriented box along x, y and z.
    Vec3 reach;
    ObbFilterAxis faces[kObbFaceCount];
    ObbFilterEdge edges[kObbEdgeCount];
    /// The doubt of a gap but for the edges of the box; infinite where nothing is certain.
    float doubt;
};

namespace obb_filter {

/// What takes a number into [1, 2).
inline double scale_of(double largest) {
    return static_cast<double>(inverse_power_of_two(static_cast<float>(largest)));
}
/// An axis that vanishes separates nothing, as if the oriented box were without end along it.
inline float width_of(double radius, double scale, double largest) {
    return largest == 0.0 ? FLT_MAX : static_cast<float>(radius * (2.0 * scale));
}
inline float scaled(double value, double scale) { return static_cast<float>(value * scale); }

}  // namespace obb_filter

/// Of a valid box. The numbers are those of obb_query_of, the widths along edges as components of face normals.
inline ObbFilter obb_filter_of(const Obb& obb) {
    using namespace obb_filter;
    using obb_query::Column;
    ObbFilter filter;
    const Column axes[3] = {obb_query::column(obb.axis_x), obb_query::column(obb.axis_y),
                            obb_query::column(obb.axis_z)};
    const Column half = obb_query::column(obb.half_extent);
    const Column center = obb_query::column(obb.center);
    float min[3];
    float max[3];
    float reach[3];
    double reach_sum = 0.0;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const double extent = obb_query::reach(axes, half, i);
        const double slack = magnitude(center.at[i]) + extent;
        reach[i] = static_cast<float>(2.0 * extent);
        min[i] = padded_min(center.at[i] - extent, slack);
        max[i] = padded_max(center.at[i] + extent, slack);
        reach_sum +=
            max_keep(static_cast<double>(max[i]) - center.at[i], center.at[i] - static_cast<double>(min[i]));
    }
    filter.around = {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
    filter.center = obb.center;
    filter.reach = {reach[0], reach[1], reach[2]};

    double normals[3][3];
    double largest_of_all = 0.0;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const double* a = axes[(i + 1) % 3].at;
        const double* b = axes[(i + 2) % 3].at;
        double* const normal = normals[i];
        normal[0] = a[1] * b[2] - a[2] * b[1];
        normal[1] = a[2] * b[0] - a[0] * b[2];
        normal[2] = a[0] * b[1] - a[1] * b[0];
        const double largest =
            max_keep(magnitude(normal[0]), max_keep(magnitude(normal[1]), magnitude(normal[2])));
        const double scale = scale_of(largest);
        const double radius = half.at[i] * magnitude(obb_query::dot(normal, axes[i].at));
        const Vec3 along = {scaled(normal[0], scale), scaled(normal[1], scale), scaled(normal[2], scale)};
        filter.faces[i] = {along, absolute(along), width_of(radius, scale, largest)};
        largest_of_all = max_keep(largest, largest_of_all);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint32_t j = (i + 1) % 3;
        const std::uint32_t k = (i + 2) % 3;
        const double* edge = axes[i].at;
        for (std::uint32_t component = 0; component < 3; ++component) {
            const double u = edge[(component + 1) % 3];
            const double v = edge[(component + 2) % 3];
            const double largest = max_keep(magnitude(u), magnitude(v));
            const double scale = scale_of(largest);
            const double radius =
                half.at[j] * magnitude(normals[k][component]) + half.at[k] * magnitude(normals[j][component]);
            const float along[2] = {scaled(-v, scale), scaled(u, scale)};
            filter.edges[3 * i + component] = {{along[0], along[1]},
                                               {absolute(along[0]), absolute(along[1])},
                                               width_of(radius, scale, largest)};
            largest_of_all = max_keep(largest, largest_of_all);
        }
    }
    constexpr auto kMax = static_cast<double>(kObbFilterMax);
    filter.doubt = reach_sum < kMax && largest_of_all < kMax
                       ? static_cast<float>(2.0 * reach_sum) * kObbDoubtShare + FLT_MIN
                       : __builtin_inff();
    return filter;
}

/// The box, as seen from the oriented one.
struct ObbFilterBox {
    /// Twice the way from its center.
    Vec3 way;
    Vec3 edges;
    /// How far a gap is to be from zero to be certain.
    float doubt;
};
BROADSIDE_FORCE_INLINE ObbFilterBox filter_box(const ObbFilter& filter, const Aabb& box) {
    const Vec3 way = (box.max - filter.center) + (box.min - filter.center);
    const Vec3 edges = box.max - box.min;
    const float edge_sum = (edges.x + edges.y) + edges.z;
    const float doubt =
        edge_sum < kObbFilterMax ? edge_sum * kObbDoubtShare + filter.doubt : __builtin_inff();
    return {way, edges, doubt};
}
/// The largest gap of the faces of the oriented box.
BROADSIDE_FORCE_INLINE float face_gap(const ObbFilter& filter, const ObbFilterBox& box) {
    float gap = -FLT_MAX;
    for (const ObbFilterAxis& axis : filter.faces) {
        const float apart = absolute(dot(axis.along, box.way)) - dot(axis.size, box.edges);
        gap = max_keep(apart - axis.width, gap);
    }
    return gap;
}
/// Of the faces of the box, and of the pairs of edges.
BROADSIDE_FORCE_INLINE float other_gap(const ObbFilter& filter, const ObbFilterBox& box) {
    const Vec3 apart = (absolute(box.way) - box.edges) - filter.reach;
    float gap = max_keep(apart.z, max_keep(apart.y, apart.x));
    const float way[3] = {box.way.x, box.way.y, box.way.z};
    const float edges[3] = {box.edges.x, box.edges.y, box.edges.z};
    for (std::uint32_t i = 0; i < kObbEdgeCount; ++i) {
        const ObbFilterEdge& axis = filter.edges[i];
        const std::uint32_t u = (i + 1) % 3;
        const std::uint32_t v = (i + 2) % 3;
        const float between = absolute(axis.along[0] * way[u] + axis.along[1] * way[v]);
        const float within = axis.size[0] * edges[u] + axis.size[1] * edges[v];
        gap = max_keep((between - within) - axis.width, gap);
    }
    return gap;
}

/// Whether no face tells the two apart for certain, the box meeting `around`: enough for nodes.
BROADSIDE_FORCE_INLINE bool may_meet(const ObbFilter& filter, const Aabb& box) {
    const ObbFilterBox seen = filter_box(filter, box);
    return !(face_gap(filter, seen) > seen.doubt);
}

/// What is certain of a box that meets `around`: nothing where both are false.
struct ObbCertainty {
    bool is_apart;
    bool is_met;
};
BROADSIDE_FORCE_INLINE ObbCertainty certainty(const ObbFilter& filter, const Aabb& box) {
    const ObbFilterBox seen = filter_box(filter, box);
    const float gap = max_keep(other_gap(filter, seen), face_gap(filter, seen));
    return {gap > seen.doubt, gap < -seen.doubt};
}

}  // namespace broadside
