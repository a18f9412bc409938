// Oriented boxes against boxes in floats: decides what is certain without the doubles of obb_box_scalar.hpp.
// The tests themselves are in broadphase/src/tree/kernels/obb_kernel.hpp. No result depends on them.
#pragma once

#include "core/src/geometry/obb_box_scalar.hpp"

namespace broadside {

// Along an axis a, the gap between the two is (|a·b| - |a|·h - r) / 2. Here b is twice the vector between the
// centers, h the edges of the box, and r the width of the oriented box. The largest gap of all axes decides:
// if it is above zero the two are apart, if it is below zero they overlap.
//
// Error bound of a gap, with u = 2^-24:
// 1. Axes are scaled by powers of two, so that their components are at most 2.
// 2. A box that meets `around` has |b| <= 2R + h on each axis, where R is the reach of `around` from the center.
//    So all products of a gap sum up to at most S = 2·(sum of 2R + sum of h), and so does r.
// 3. Rounding adds to a product: u of the component, 3u of b and u of h (each of S), u of the product, 2u of the
//    sums; then u of r and 2u of the differences: less than 16u·S. Products that underflow add 2^-145 at most.
// 4. The width along a pair of edges: rounding adds u of half an edge's vector, u of the product and of the sum of
//    two, of terms that sum up to S/4: less than 1u·S.
// 5. A normal is the cross product of two scaled edges, and is scaled by at most 1 itself: the products
//    are at most 4, so its components are off by 16u, and the gap by 16u·S/2 for each of b, h and r.
// 6. The doubles that decide are off by 2^-50·S.
// The doubt is 64u·S = 2^-18·S plus FLT_MIN: gaps beyond it are certain. Nothing overflows below 2^100; the
// doubles decide larger boxes.
inline constexpr float kObbDoubtShare = 0x1p-17f;
inline constexpr float kObbFilterMax = 0x1p100f;

struct ObbFilterAxis {
    Vec3 along;
    /// Absolute values of `along`, for the edges of the box.
    Vec3 size;
    /// Width of the oriented box along the axis.
    float width;
};
/// Axes from the edges of the oriented box crossed with x, y and z, in the order of ObbQuery, padded to whole
/// registers of four. Two components each, in cyclic order.
inline constexpr std::uint32_t kObbFilterEdges = 12;
struct ObbFilterEdges {
    float along[2][kObbFilterEdges];
    /// Absolute values of `along`.
    float size[2][kObbFilterEdges];
    float width[kObbFilterEdges];
};

struct ObbFilter {
    /// Bounds of the oriented box, rounded outwards.
    Aabb around;
    Vec3 center;
    /// Twice the reach of the oriented box along x, y and z.
    Vec3 reach;
    ObbFilterAxis faces[kObbFaceCount];
    ObbFilterEdges edges;
    /// The doubt of a gap, without the share of the box's edges. Infinite if nothing is certain.
    float doubt;
};

namespace obb_filter {

inline float largest_of(Vec3 a) { return max_keep(absolute(a.x), max_keep(absolute(a.y), absolute(a.z))); }

/// Works in columns, so that compilers take four at a time.
inline void set_edges(const Vec3 (&axes)[3], const Vec3 (&to_face)[3], ObbFilterEdges& out_edges) {
    // Columns of the edge, and of the vectors from the center to the two other faces.
    float columns[3][2][kObbFilterEdges] = {};
    for (std::uint32_t i = 0; i < 3; ++i) {
        const auto set = [&](std::uint32_t column, Vec3 a) {
            const float u[3] = {a.y, a.z, a.x};
            const float v[3] = {a.z, a.x, a.y};
            for (std::uint32_t component = 0; component < 3; ++component) {
                columns[column][0][3 * i + component] = u[component];
                columns[column][1][3 * i + component] = v[component];
            }
        };
        set(0, axes[i]);
        set(1, to_face[(i + 1) % 3]);
        set(2, to_face[(i + 2) % 3]);
    }
    for (std::uint32_t i = 0; i < kObbFilterEdges; ++i) {
        const float u = columns[0][0][i];
        const float v = columns[0][1][i];
        const float largest = max_keep(absolute(u), absolute(v));
        const float scale = inverse_power_of_two(largest);
        const float along_u = -v * scale;
        const float along_v = u * scale;
        const float width = 2.0f * (absolute(along_u * columns[1][0][i] + along_v * columns[1][1][i]) +
                                    absolute(along_u * columns[2][0][i] + along_v * columns[2][1][i]));
        out_edges.along[0][i] = along_u;
        out_edges.along[1][i] = along_v;
        out_edges.size[0][i] = absolute(along_u);
        out_edges.size[1][i] = absolute(along_v);
        out_edges.width[i] = max_keep(largest > 0.0f ? 0.0f : FLT_MAX, width);
    }
}

/// The face between edges `j` and `k`.
inline ObbFilterAxis face_of(Vec3 edge_j, Vec3 edge_k, Vec3 to_face) {
    const float largest_j = largest_of(edge_j);
    const float largest_k = largest_of(edge_k);
    const Vec3 normal =
        cross(edge_j * inverse_power_of_two(largest_j), edge_k * inverse_power_of_two(largest_k));
    const Vec3 along = normal * min_keep(inverse_power_of_two(largest_of(normal)), 1.0f);
    const float width = 2.0f * absolute(dot(along, to_face));
    return {along, absolute(along), largest_j != 0.0f && largest_k != 0.0f ? width : FLT_MAX};
}

}  // namespace obb_filter

/// The filter of a valid box. An axis of length zero separates nothing, as if the oriented box were infinite
/// along it.
inline ObbFilter obb_filter_of(const Obb& obb) {
    using namespace obb_filter;
    ObbFilter filter;
    const Vec3 axes[3] = {obb.axis_x, obb.axis_y, obb.axis_z};
    const Vec3 to_face[3] = {obb.axis_x * obb.half_extent.x, obb.axis_y * obb.half_extent.y,
                             obb.axis_z * obb.half_extent.z};
    set_edges(axes, to_face, filter.edges);
    filter.faces[0] = face_of(obb.axis_y, obb.axis_z, to_face[0]);
    filter.faces[1] = face_of(obb.axis_z, obb.axis_x, to_face[1]);
    filter.faces[2] = face_of(obb.axis_x, obb.axis_y, to_face[2]);

    using obb_query::Column;
    const Column columns[3] = {obb_query::column(obb.axis_x), obb_query::column(obb.axis_y),
                               obb_query::column(obb.axis_z)};
    const Column half = obb_query::column(obb.half_extent);
    const Column center = obb_query::column(obb.center);
    float min[3];
    float max[3];
    float reach[3];
    double reach_sum = 0.0;
    for (std::uint32_t i = 0; i < 3; ++i) {
        const double extent = obb_query::reach(columns, half, i);
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
    const float largest =
        max_keep(largest_of(obb.axis_x), max_keep(largest_of(obb.axis_y), largest_of(obb.axis_z)));
    filter.doubt = reach_sum < static_cast<double>(kObbFilterMax) && largest < kObbFilterMax
                       ? static_cast<float>(2.0 * reach_sum) * kObbDoubtShare + FLT_MIN
                       : __builtin_inff();
    return filter;
}

}  // namespace broadside
