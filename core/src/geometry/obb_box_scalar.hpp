// Oriented boxes against the boxes of a tree: the deciding test. obb_box_filter.hpp decides most boxes before
// it.
#pragma once

#include "core/src/geometry/box_distance.hpp"

#include <broadside/obb.hpp>

namespace broadside {

// The separating axes of two boxes: three faces of the tree's box, three of the oriented one, nine pairs of
// edges (S. Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996; source_rules.md B34). We differ in three ways.
// - All is in double precision, and the face normals of the oriented box are cross products of its axes: the body
//   is exactly the one that its floats define, even if they are not quite orthonormal. Components and their
//   pairwise products are exact; the rounding is 2^-50 of the size of a term.
// - The tree's box is an interval along each axis, not a center and a radius: infinite sides are ordinary.
// - No axis is normalised and none needs a threshold: an axis of length zero separates nothing.

/// An infinite side as a number that outweighs every product of floats, and whose own products stay finite.
inline constexpr double kBeyondFloats = 1e200;

/// Sides of a box as seen from the oriented box's center: min x, y, z, max x, y, z.
inline constexpr std::uint32_t kSideCount = 6;

/// An axis, and half the width of the oriented box along it.
struct ObbQueryAxis {
    double along[3];
    double radius;
    /// Index of the side that each component takes for the low end of the interval, and for the high end.
    std::uint32_t low_side[3];
    std::uint32_t high_side[3];
};

/// Axes: faces of the oriented box, and its edges with those of boxes, which have two components only.
inline constexpr std::uint32_t kObbFaceCount = 3;
inline constexpr std::uint32_t kObbEdgeCount = 9;

struct ObbQuery {
    double center[3];
    /// Half the width along x, y and z.
    double reach[3];
    ObbQueryAxis faces[kObbFaceCount];
    ObbQueryAxis edges[kObbEdgeCount];
    /// False if it is not a valid box; the other fields are then undefined.
    bool is_legal;
};

inline double double_of(float value) { return static_cast<double>(value); }

namespace obb_query {

struct Column {
    double at[3];
};
inline Column column(Vec3 axis) { return {{double_of(axis.x), double_of(axis.y), double_of(axis.z)}}; }

inline double dot(const double* a, const double* b) { return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]; }

/// Half the width of the oriented box along the coordinate axis i.
inline double reach(const Column (&axes)[3], const Column& half, std::uint32_t i) {
    return (half.at[0] * magnitude(axes[0].at[i]) + half.at[1] * magnitude(axes[1].at[i])) +
           half.at[2] * magnitude(axes[2].at[i]);
}

inline void set_sides(ObbQueryAxis& state_axis, std::uint32_t index, std::uint32_t component) {
    const bool is_rising = state_axis.along[index] > 0.0;
    state_axis.low_side[index] = is_rising ? component : component + 3;
    state_axis.high_side[index] = is_rising ? component + 3 : component;
}

/// The normal of the face spanned by `edge_1` and `edge_2`.
inline ObbQueryAxis face_axis(const Column& edge_1, const Column& edge_2, const Column& across, double half) {
    const double* a = edge_1.at;
    const double* b = edge_2.at;
    ObbQueryAxis axis = {};
    axis.along[0] = a[1] * b[2] - a[2] * b[1];
    axis.along[1] = a[2] * b[0] - a[0] * b[2];
    axis.along[2] = a[0] * b[1] - a[1] * b[0];
    axis.radius = half * magnitude(dot(axis.along, across.at));
    for (std::uint32_t i = 0; i < 3; ++i) set_sides(axis, i, i);
    return axis;
}

/// The coordinate axis `component` crossed with `edge`: two components, in cyclic order behind it.
inline ObbQueryAxis edge_axis(std::uint32_t component, const Column& edge, const Column& other_1,
                              double half_1, const Column& other_2, double half_2) {
    const std::uint32_t u = (component + 1) % 3;
    const std::uint32_t v = (component + 2) % 3;
    ObbQueryAxis axis = {};
    axis.along[0] = -edge.at[v];
    axis.along[1] = edge.at[u];
    const auto width = [&](const Column& other) {
        return magnitude(axis.along[0] * other.at[u] + axis.along[1] * other.at[v]);
    };
    axis.radius = half_1 * width(other_1) + half_2 * width(other_2);
    set_sides(axis, 0, u);
    set_sides(axis, 1, v);
    return axis;
}

}  // namespace obb_query

inline ObbQuery obb_query_of(const Obb& obb) {
    using namespace obb_query;
    ObbQuery query = {};
    query.is_legal = is_valid(obb);
    if (!query.is_legal) return query;
    const Column axes[3] = {column(obb.axis_x), column(obb.axis_y), column(obb.axis_z)};
    const Column half = column(obb.half_extent);
    const Column center = column(obb.center);
    for (std::uint32_t i = 0; i < 3; ++i) {
        query.center[i] = center.at[i];
        query.reach[i] = obb_query::reach(axes, half, i);
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
        const std::uint32_t j = (i + 1) % 3;
        const std::uint32_t k = (i + 2) % 3;
        query.faces[i] = face_axis(axes[j], axes[k], axes[i], half.at[i]);
        for (std::uint32_t component = 0; component < 3; ++component) {
            query.edges[3 * i + component] =
                edge_axis(component, axes[i], axes[j], half.at[j], axes[k], half.at[k]);
        }
    }
    return query;
}

/// The sides of a box, minus the center. The first side of an empty box is +infinity, which is refused.
inline void measure_sides(const ObbQuery& query, const Aabb& box, double* out_sides) {
    const float min[3] = {box.min.x, box.min.y, box.min.z};
    const float max[3] = {box.max.x, box.max.y, box.max.z};
    for (std::uint32_t i = 0; i < 3; ++i) {
        out_sides[i] = max_keep(static_cast<double>(min[i]) - query.center[i], -kBeyondFloats);
        out_sides[i + 3] = min_keep(static_cast<double>(max[i]) - query.center[i], kBeyondFloats);
    }
}

inline bool meets_face(const ObbQueryAxis& axis, const double* sides) {
    const double low = (axis.along[0] * sides[axis.low_side[0]] + axis.along[1] * sides[axis.low_side[1]]) +
                       axis.along[2] * sides[axis.low_side[2]];
    const double high =
        (axis.along[0] * sides[axis.high_side[0]] + axis.along[1] * sides[axis.high_side[1]]) +
        axis.along[2] * sides[axis.high_side[2]];
    return low <= axis.radius && -axis.radius <= high;
}
inline bool meets_edge(const ObbQueryAxis& axis, const double* sides) {
    const double low = axis.along[0] * sides[axis.low_side[0]] + axis.along[1] * sides[axis.low_side[1]];
    const double high = axis.along[0] * sides[axis.high_side[0]] + axis.along[1] * sides[axis.high_side[1]];
    return low <= axis.radius && -axis.radius <= high;
}

/// True if they share a point. The query is legal, the box valid or Aabb::empty().
inline bool meets(const ObbQuery& query, const Aabb& box) {
    double sides[kSideCount];
    measure_sides(query, box, sides);
    bool is_met = true;
    for (std::uint32_t i = 0; i < 3; ++i) {
        is_met = is_met && sides[i] <= query.reach[i] && -query.reach[i] <= sides[i + 3];
    }
    for (const ObbQueryAxis& axis : query.faces) is_met = is_met && meets_face(axis, sides);
    for (const ObbQueryAxis& axis : query.edges) is_met = is_met && meets_edge(axis, sides);
    return is_met;
}

}  // namespace broadside
