// Closest points in batches: many points of one shape, or one point on many shapes.
#pragma once

#include "narrowphase/src/sphere/closest_point_lanes.hpp"
#include "narrowphase/src/sphere/kernels.hpp"

namespace broadside::narrowphase {

/// Rounds and stores; see rounded().
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_closest(const ClosestPointTargets& out, std::size_t first, Group group,
                                          const ClosestDoubleW<Arch>& closest) {
    using namespace simd;
    const DoubleW<Arch> zero = broadcast_double<Arch>(0.0);
    const DoubleW<Arch> infinity = broadcast_double<Arch>(__builtin_inf());
    const DoubleW<Arch> largest = broadcast_double<Arch>(static_cast<double>(FLT_MAX));
    if (out.x != nullptr) group.store(out.x + first, round_to_float(closest.point.x) + zero);
    if (out.y != nullptr) group.store(out.y + first, round_to_float(closest.point.y) + zero);
    if (out.z != nullptr) group.store(out.z + first, round_to_float(closest.point.z) + zero);
    if (out.distance_sq != nullptr) {
        // is_found ? min_keep(distance_sq, FLT_MAX) : distance_sq
        const DoubleW<Arch> d = closest.distance_sq;
        group.store(out.distance_sq + first, select(d < infinity, min_keep(d, largest), d));
    }
}

/// One lane: the closest point of one shape and one point. Source, edge rules: closest_point_scalar.hpp.
/// Padding lanes hold NaN points or shapes, or repeat the first, and are not stored.
template <class Arch, class Shapes, class Points>
BROADSIDE_FORCE_INLINE void closest_points_over(const Shapes& shapes, const Points& points, std::size_t count,
                                                const ClosestPointTargets& targets) {
    const ClosestPointTargets out = targets;
    simd::for_each_double_group<Arch>(count, [&](std::size_t first, auto group) {
        store_closest(out, first, group,
                      closest_lanes<Arch>(shapes.template lanes<Arch>(first, group),
                                          points.template lanes<Arch>(first, group)));
    });
}

template <class Arch, class Shape>
void closest_points_of_kernel(const Shape& shape, const Vec3SoaView& points, const ClosestPointTargets& out) {
    closest_points_over<Arch>(OneItem<Shape>{shape}, ManyPoints{points}, points.count, out);
}
template <class Arch>
void closest_points_on_boxes_kernel(Vec3 point, const BoxSoaView& boxes, const ClosestPointTargets& out) {
    closest_points_over<Arch>(ManyBoxes{boxes}, OneItem<Vec3>{point}, boxes.count, out);
}
template <class Arch>
void closest_points_on_obbs_kernel(Vec3 point, const Obb* obbs, std::size_t obb_count,
                                   const ClosestPointTargets& out) {
    closest_points_over<Arch>(ManyObbs{obbs}, OneItem<Vec3>{point}, obb_count, out);
}
template <class Arch>
void closest_points_on_triangles_kernel(Vec3 point, const TriangleSoaView& triangles,
                                        const ClosestPointTargets& out) {
    closest_points_over<Arch>(ManyTriangles{triangles}, OneItem<Vec3>{point}, triangles.count, out);
}

}  // namespace broadside::narrowphase
