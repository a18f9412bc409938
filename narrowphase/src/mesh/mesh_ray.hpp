// A ray made ready for the tree of a mesh: what nodes and leaves may be refused by in floats, safely.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"
#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"

namespace broadside::narrowphase {

/// Floats only ever refuse: a node or a triangle that the line certainly misses. What is left is judged by
/// `judge`, so no rounding in here shows in an answer.
///
/// The direction is scaled by a power of two to a largest component in [1/2, 1), and a ray from afar is begun
/// near the mesh, at `origin`, which is within `origin_error` of the line on every axis. Times of the walk are
/// (t - start) · scale then.
///
/// Nodes: slabs with the far planes padded as RaySettings::is_conservative does, and the origins moved outwards by
/// the error. With inverses of 1 or more no time underflows that its planes' distance does not.
///
/// Triangles: after S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013: seen
/// along the axis z of the largest component, corners are sheared to x - (dx/dz)·z and y - (dy/dz)·z, and the edge
/// functions are those of the plane. With u = 2^-24, M the largest coordinate of a corner and r the largest of a
/// sheared one, a sheared corner is within e = 6uM + 2·origin_error, and an edge function within
/// 4e·r + 2e² + 4u·r². As r is at most 2M that is below error_scale · (r + e), with error_scale = 4e + 8uM.
struct MeshRay {
    TriangleRay ray;
    nodes::SlabQuery slabs;
    Vec3 origin;
    /// Which coordinates are x, y and z.
    std::uint32_t axes[3];
    float shear_x;
    float shear_y;
    float error_scale;
    float error_floor;
    double scale;
    double start;
    /// False for numbers so large, or a direction so skewed, that the above might overflow or underflow.
    bool is_ordinary;
};

/// Coordinates up to here are ordinary: their squares are floats.
inline constexpr float kOrdinaryMax = 0x1p60f;
/// Keeps errors above those of products that underflow; what is that near its neighbours is judged.
inline constexpr float kLeastReach = 0x1p-50f;

BROADSIDE_FORCE_INLINE float coordinate(const Vec3& a, std::uint32_t axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
BROADSIDE_FORCE_INLINE float largest_size(const Vec3& a) {
    return max_keep(max_keep(absolute(a.x), absolute(a.y)), absolute(a.z));
}

/// The limit of a walk that looks for times up to `t`, rounded up by more than the times of nodes are rounded.
BROADSIDE_FORCE_INLINE float walk_limit(const MeshRay& ray, double t) {
    const double reach = t * ray.scale;
    const double walked = reach - ray.start;
    const double limit = walked + absolute_double(walked) * 0x1p-20 + (reach + ray.start) * 0x1p-48;
    return min_keep(next_up(static_cast<float>(min_keep(limit, static_cast<double>(FLT_MAX)))), FLT_MAX);
}

/// Where along the scaled direction a ray that begins far from the box is to be begun; 0 for one that begins near
/// it, or leaves it.
BROADSIDE_FORCE_INLINE double start_near(const Vec3Double& origin, const Vec3Double& direction,
                                         const Aabb& bounds) {
    const Vec3Double min = widened(bounds.min);
    const Vec3Double max = widened(bounds.max);
    const Vec3Double to_center = (min + max) * 0.5 - origin;
    const double reach = 2.0 * largest_size(max - min);
    if (!(largest_size(to_center) > 4.0 * reach)) return 0.0;
    const double start = dot(to_center, direction) / dot(direction, direction) - 2.0 * reach;
    return max_keep(start, 0.0);
}

BROADSIDE_FORCE_INLINE MeshRay mesh_ray(const Ray& ray_in, Sides sides, const Aabb& bounds) {
    MeshRay ray;
    ray.ray = triangle_ray(ray_in, sides);
    const auto largest = static_cast<double>(largest_size(ray_in.direction));
    if (!(largest > 0.0)) ray.ray.t_max = -1.0f;
    // A power of two and its inverse, from the exponent of the largest component.
    const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, largest) >> 52;
    const auto inv_scale = __builtin_bit_cast(double, (2045 - exponent) << 52);
    ray.scale = __builtin_bit_cast(double, (exponent + 1) << 52);
    const Vec3Double origin = widened(ray_in.origin);
    const Vec3Double direction = widened(ray_in.direction) * inv_scale;
    ray.start = start_near(origin, direction, bounds);

    const Vec3Double at_start = direction * ray.start;
    const Vec3Double begun = origin + at_start;
    ray.origin = {static_cast<float>(begun.x), static_cast<float>(begun.y), static_cast<float>(begun.z)};
    const float origin_error =
        ray.start > 0.0 ? static_cast<float>(largest_size(begun) * 0x1p-23 +
                                             (largest_size(origin) + largest_size(at_start)) * 0x1p-48)
                        : 0.0f;
    const Vec3 slope = narrowed(direction);
    const auto is_usable = [](float component) {
        return component == 0.0f || absolute(component) >= FLT_MIN;
    };
    // A product that underflows to 0 has lost its component, unless that was 0.
    ray.is_ordinary =
        is_usable(slope.x) && is_usable(slope.y) && is_usable(slope.z) &&
        (slope.x != 0.0f || ray_in.direction.x == 0.0f) && (slope.y != 0.0f || ray_in.direction.y == 0.0f) &&
        (slope.z != 0.0f || ray_in.direction.z == 0.0f) && largest_size(bounds.min) <= kOrdinaryMax &&
        largest_size(bounds.max) <= kOrdinaryMax && largest_size(ray.origin) <= kOrdinaryMax;
    if (!ray.is_ordinary) {
        // The walk is in doubles then, and in the ray's own times.
        ray.scale = 1.0;
        ray.start = 0.0;
    }

    const Vec3 inv = {1.0f / slope.x, 1.0f / slope.y, 1.0f / slope.z};
    const auto moved = [&](float place, bool is_up) {
        if (origin_error == 0.0f) return place;
        return is_up ? next_up(place + origin_error) : next_down(place - origin_error);
    };
    const bool down_x = has_sign_bit(slope.x);
    const bool down_y = has_sign_bit(slope.y);
    const bool down_z = has_sign_bit(slope.z);
    ray.slabs = nodes::slab_query(
        {moved(ray.origin.x, !down_x), moved(ray.origin.y, !down_y), moved(ray.origin.z, !down_z)},
        {moved(ray.origin.x, down_x), moved(ray.origin.y, down_y), moved(ray.origin.z, down_z)}, inv,
        inv * kFarPadding, ray.ray.t_max < 0.0f ? -1.0f : walk_limit(ray, static_cast<double>(ray.ray.t_max)),
        false);

    const Vec3 sizes = absolute(slope);
    ray.axes[2] = sizes.x >= sizes.y && sizes.x >= sizes.z ? 0u : sizes.y >= sizes.z ? 1u : 2u;
    ray.axes[0] = ray.axes[2] == 0 ? 1u : 0u;
    ray.axes[1] = ray.axes[2] == 2 ? 1u : 2u;
    const float along = coordinate(slope, ray.axes[2]);
    ray.shear_x = coordinate(slope, ray.axes[0]) / along;
    ray.shear_y = coordinate(slope, ray.axes[1]) / along;
    const float furthest =
        max_keep(largest_size(bounds.min - ray.origin), largest_size(bounds.max - ray.origin)) *
            (1.0f + 0x1p-20f) +
        kLeastReach;
    ray.error_floor = 0x1p-21f * furthest + 2.0f * origin_error;
    ray.error_scale = 4.0f * ray.error_floor + 0x1p-21f * furthest;
    return ray;
}

/// The box around a node, for rays that are not ordinary: in doubles, where nothing overflows or underflows, and
/// with the far planes a little further.
BROADSIDE_FORCE_INLINE nodes::KeyedTest test_in_doubles(const MeshRay& ray, const Aabb& box, float limit) {
    double enter = 0.0;
    double exit = __builtin_inf();
    bool is_met = box.min.x <= box.max.x;
    for (std::uint32_t axis = 0; axis < 3; ++axis) {
        const auto origin = static_cast<double>(coordinate(ray.ray.origin, axis));
        const auto direction = static_cast<double>(coordinate(ray.ray.direction, axis));
        const auto min = static_cast<double>(coordinate(box.min, axis));
        const auto max = static_cast<double>(coordinate(box.max, axis));
        if (direction == 0.0) {
            is_met = is_met && min <= origin && origin <= max;
            continue;
        }
        enter = max_keep(((direction > 0.0 ? min : max) - origin) / direction, enter);
        exit = min_keep(((direction > 0.0 ? max : min) - origin) / direction, exit);
    }
    const auto key = static_cast<float>(min_keep(enter * (1.0 - 0x1p-20), static_cast<double>(FLT_MAX)));
    return {key, is_met && enter <= exit * (1.0 + 0x1p-40) && key <= limit};
}

/// Whether the line certainly passes by a triangle.
BROADSIDE_FORCE_INLINE bool passes_by(const MeshRay& ray, const Triangle& triangle) {
    float x[3], y[3];
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    float reach = 0.0f;
    for (int i = 0; i < 3; ++i) {
        const Vec3 corner = corners[i] - ray.origin;
        const float z = coordinate(corner, ray.axes[2]);
        x[i] = coordinate(corner, ray.axes[0]) - ray.shear_x * z;
        y[i] = coordinate(corner, ray.axes[1]) - ray.shear_y * z;
        reach = max_keep(max_keep(absolute(x[i]), absolute(y[i])), reach);
    }
    const float of_a = x[2] * y[1] - y[2] * x[1];
    const float of_b = x[0] * y[2] - y[0] * x[2];
    const float of_c = x[1] * y[0] - y[1] * x[0];
    const float error = ray.error_scale * (reach + ray.error_floor);
    return max_keep(max_keep(of_a, of_b), of_c) > error && min_keep(min_keep(of_a, of_b), of_c) < -error;
}

}  // namespace broadside::narrowphase
