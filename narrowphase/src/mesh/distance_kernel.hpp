// Finds the triangle of a mesh that is closest to a point, and the triangles that a sphere overlaps.
#pragma once

#include "narrowphase/src/mesh/kernels.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"
#include "narrowphase/src/mesh/walk_kernel.hpp"
#include "narrowphase/src/sphere/closest_point_lanes.hpp"

namespace broadside::narrowphase {

/// The largest squared distance of a box that may hold a triangle whose distance, as closest_scalar computes
/// it, is `distance`. The computed distance may be short of the true one by 2^-32 of the size of the triangle
/// and its distance.
BROADSIDE_FORCE_INLINE float distance_limit(double distance, const MeshView& mesh, Vec3 point) {
    const Vec3Double p = widened(point);
    const double extent = largest_size(widened(mesh.bounds.max) - widened(mesh.bounds.min)) +
                          largest_size(widened(mesh.bounds.min) - p) + distance;
    const double padded = distance + extent * 0x1p-28;
    return min_keep(next_up(static_cast<float>(min_keep(padded * padded, static_cast<double>(FLT_MAX)))),
                    FLT_MAX);
}

/// The squared distances of all lanes of a leaf: closest_scalar(triangle, point).distance_sq.
template <class Arch>
BROADSIDE_FORCE_INLINE void leaf_distances(const MeshLeaf& leaf, Vec3 point, double* out_distances_sq) {
    using namespace simd;
    const Vec3DoubleW<Arch> p = broadcast_double<Arch>(point);
    for (std::uint32_t first = 0; first < kNodeWidth; first += kDoubleLanes<Arch>) {
        const auto corner = [&](std::uint32_t row) {
            return Vec3DoubleW<Arch>{load_widened<Arch>(leaf.corners[row] + first),
                                     load_widened<Arch>(leaf.corners[row + 1] + first),
                                     load_widened<Arch>(leaf.corners[row + 2] + first)};
        };
        const TriangleDoubleW<Arch> triangle = {corner(0), corner(3), corner(6)};
        store_doubles_unaligned(out_distances_sq + first, closest_lanes<Arch>(triangle, p).distance_sq);
    }
}

template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t closest_slot(const MeshView& mesh, Vec3 point, double max_distance) {
    const nodes::DistanceShape<Arch> shape(nodes::DistanceQuery{point});
    double best = max_distance * max_distance;
    std::uint32_t slot = kNoMeshSlot;
    MeshWalk<Arch> walk;
    walk.begin(mesh, distance_limit(max_distance, mesh, point));
    for (bool is_on = true; is_on;) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, by_keys<Arch>(shape)) || walk.next(mesh);
            continue;
        }
        const std::uint32_t index = leaf_index(walk.child);
        double distances_sq[kNodeWidth];
        leaf_distances<Arch>(mesh.leaves[index], point, distances_sq);
        for (std::uint32_t lane = 0; lane < leaf_count(walk.child); ++lane) {
            const std::uint32_t other = index * kNodeWidth + lane;
            if (!(distances_sq[lane] <= best)) continue;
            if (distances_sq[lane] == best && slot != kNoMeshSlot &&
                mesh.index_at(other) > mesh.index_at(slot))
                continue;
            best = distances_sq[lane];
            slot = other;
            walk.limit = distance_limit(__builtin_sqrt(best), mesh, point);
        }
        is_on = walk.next(mesh);
    }
    return slot;
}

template <class Arch>
void closest_slots_kernel(const MeshView& mesh, const Vec3* points, std::size_t count, double max_distance,
                          std::uint32_t* out_slots) {
    for (std::size_t i = 0; i < count; ++i) out_slots[i] = closest_slot<Arch>(mesh, points[i], max_distance);
}

/// The slots of the triangles that a sphere overlaps, decided by sphere_overlap_scalar.
template <class Arch>
void sphere_slots_kernel(const MeshView& mesh, const Sphere& sphere, SlotSink& state_sink) {
    const nodes::DistanceShape<Arch> shape(nodes::DistanceQuery{sphere.center});
    const double radius = static_cast<double>(sphere.radius);
    MeshWalk<Arch> walk;
    walk.begin(mesh, distance_limit(radius, mesh, sphere.center));
    for (bool is_on = true; is_on;) {
        if (!walk.is_at_leaf()) {
            is_on = walk.go_down(mesh, by_keys<Arch>(shape)) || walk.next(mesh);
            continue;
        }
        const std::uint32_t index = leaf_index(walk.child);
        double distances_sq[kNodeWidth];
        leaf_distances<Arch>(mesh.leaves[index], sphere.center, distances_sq);
        for (std::uint32_t lane = 0; lane < leaf_count(walk.child); ++lane) {
            if (!(distances_sq[lane] <= radius * radius)) continue;
            if (!take(state_sink, index * kNodeWidth + lane)) return;
        }
        is_on = walk.next(mesh);
    }
}

}  // namespace broadside::narrowphase
