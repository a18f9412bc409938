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
// 4. The width along a pair of edges: rounding adds u of half an edge's way, u of the product and of the sum of
//    two, of terms that sum up to S/4: less than 1u·S.
// 5. A normal is the cross product of two edges that are scaled, and is scaled by at most 1 itself: the products
//    are at most 4, so its components are off by 16u, and the gap by 16u·S/2 for each of b, h and r.
// 6. The doubles that decide are off by 2^-50·S.
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
/// A number for x, y and z, and one that counts for nothing: loops over them are one instruction each.
struct ObbFilterLanes {
    float at[4];
};
/// An edge with x, with y and with z. Of these axes two components count, in the cyclic order of ObbQuery.
struct ObbFilterEdges {
    ObbFilterLanes along[2];
    ObbFilterLanes size[2];
    ObbFilterLanes width;
};

struct ObbFilter {
    /// Around the oriented box, rounded outwards.
    Aabb around;
    Vec3 center;
    /// Twice the reach of the oriented box along x, y and z.
    Vec3 reach;
    ObbFilterAxis faces[kObbFaceCount];
    ObbFilterEdges edges[kObbFaceCount];
    /// The doubt of a gap but for the edges of the box; infinite where nothing is certain.
    float doubt;
};

namespace obb_filter {

using Lanes = ObbFilterLanes;
/// `operation(lane)` in every lane.
template <class Operation>
BROADSIDE_FORCE_INLINE Lanes lanes_of(Operation&& operation) {
    Lanes lanes;
    for (std::uint32_t i = 0; i < 4; ++i) lanes.at[i] = operation(i);
    return lanes;
}
BROADSIDE_FORCE_INLINE Lanes lanes_of(Vec3 a) { return {{a.x, a.y, a.z, 0.0f}}; }
BROADSIDE_FORCE_INLINE Vec3 vec3_of(const Lanes& a) { return {a.at[0], a.at[1], a.at[2]}; }
BROADSIDE_FORCE_INLINE Lanes scaled(const Lanes& a, float scale) {
    return lanes_of([&](std::uint32_t i) { return a.at[i] * scale; });
}
BROADSIDE_FORCE_INLINE Lanes absolute_of(const Lanes& a) {
    return lanes_of([&](std::uint32_t i) { return absolute(a.at[i]); });
}
/// What is one behind in the cyclic order.
BROADSIDE_FORCE_INLINE Lanes turned(const Lanes& a) { return {{a.at[1], a.at[2], a.at[0], a.at[3]}}; }
BROADSIDE_FORCE_INLINE float largest_of(Vec3 a) {
    return max_keep(absolute(a.x), max_keep(absolute(a.y), absolute(a.z)));
}

}  // namespace obb_filter

/// Of a valid box. An axis that vanishes separates nothing, as if the oriented box were without end along it.
inline ObbFilter obb_filter_of(const Obb& obb) {
    using namespace obb_filter;
    ObbFilter filter;
    const Vec3 axes[3] = {obb.axis_x, obb.axis_y, obb.axis_z};
    const float half[3] = {obb.half_extent.x, obb.half_extent.y, obb.half_extent.z};
    Lanes edges[3];
    // Up to the faces: as they are, one behind, and two behind in the cyclic order.
    Lanes to_face[3][3];
    Lanes edges_scaled[3];
    bool has_way[3];
    float largest_of_all = 0.0f;
    double reach[3] = {};
    for (std::uint32_t i = 0; i < 3; ++i) {
        edges[i] = lanes_of(axes[i]);
        to_face[i][0] = scaled(edges[i], half[i]);
        to_face[i][1] = turned(to_face[i][0]);
        to_face[i][2] = turned(to_face[i][1]);
        const float largest = largest_of(axes[i]);
        edges_scaled[i] = scaled(edges[i], inverse_power_of_two(largest));
        has_way[i] = largest != 0.0f;
        largest_of_all = max_keep(largest, largest_of_all);
        for (std::uint32_t component = 0; component < 3; ++component)
            reach[component] +=
                static_cast<double>(half[i]) * static_cast<double>(absolute(edges[i].at[component]));
    }
    const Lanes center = lanes_of(obb.center);
    float min[3];
    float max[3];
    double reach_sum = 0.0;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto middle = static_cast<double>(center.at[i]);
        const double slack = magnitude(middle) + reach[i];
        min[i] = padded_min(middle - reach[i], slack);
        max[i] = padded_max(middle + reach[i], slack);
        reach_sum += max_keep(static_cast<double>(max[i]) - middle, middle - static_cast<double>(min[i]));
    }
    filter.around = {{min[0], min[1], min[2]}, {max[0], max[1], max[2]}};
    filter.center = obb.center;
    filter.reach = {static_cast<float>(2.0 * reach[0]), static_cast<float>(2.0 * reach[1]),
                    static_cast<float>(2.0 * reach[2])};
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint32_t j = (i + 1) % 3;
        const std::uint32_t k = (i + 2) % 3;
        const Lanes a_u = turned(edges_scaled[j]);
        const Lanes a_v = turned(a_u);
        const Lanes b_u = turned(edges_scaled[k]);
        const Lanes b_v = turned(b_u);
        const Lanes normal = lanes_of(
            [&](std::uint32_t lane) { return a_u.at[lane] * b_v.at[lane] - a_v.at[lane] * b_u.at[lane]; });
        const float scale = min_keep(inverse_power_of_two(largest_of(vec3_of(normal))), 1.0f);
        const Vec3 along = vec3_of(scaled(normal, scale));
        const float face_width = 2.0f * absolute(dot(along, vec3_of(to_face[i][0])));
        filter.faces[i] = {along, absolute(along), has_way[j] && has_way[k] ? face_width : FLT_MAX};

        const Lanes u = turned(edges[i]);
        const Lanes v = turned(u);
        const Lanes scales = lanes_of([&](std::uint32_t lane) {
            return inverse_power_of_two(max_keep(absolute(u.at[lane]), absolute(v.at[lane])));
        });
        ObbFilterEdges& of_edge = filter.edges[i];
        of_edge.along[0] = lanes_of([&](std::uint32_t lane) { return -v.at[lane] * scales.at[lane]; });
        of_edge.along[1] = lanes_of([&](std::uint32_t lane) { return u.at[lane] * scales.at[lane]; });
        of_edge.size[0] = absolute_of(of_edge.along[0]);
        of_edge.size[1] = absolute_of(of_edge.along[1]);
        const auto radius = [&](const Lanes(&other)[3], std::uint32_t lane) {
            return absolute(of_edge.along[0].at[lane] * other[1].at[lane] +
                            of_edge.along[1].at[lane] * other[2].at[lane]);
        };
        of_edge.width = lanes_of([&](std::uint32_t lane) {
            const float width = 2.0f * (radius(to_face[j], lane) + radius(to_face[k], lane));
            const float size = max_keep(of_edge.size[0].at[lane], of_edge.size[1].at[lane]);
            return size == 0.0f ? FLT_MAX : width;
        });
    }
    constexpr auto kMax = static_cast<double>(kObbFilterMax);
    filter.doubt = reach_sum < kMax && largest_of_all < kObbFilterMax
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
    for (const ObbFilterEdges& axes : filter.edges) {
        for (std::uint32_t i = 0; i < 3; ++i) {
            const std::uint32_t u = (i + 1) % 3;
            const std::uint32_t v = (i + 2) % 3;
            const float between = absolute(axes.along[0].at[i] * way[u] + axes.along[1].at[i] * way[v]);
            const float within = axes.size[0].at[i] * edges[u] + axes.size[1].at[i] * edges[v];
            gap = max_keep((between - within) - axes.width.at[i], gap);
        }
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
