// A ray prepared for the tree of a mesh: bounds by which floats can safely refuse nodes and leaves.
#pragma once

#include "core/src/geometry/node_shapes_scalar.hpp"
#include "narrowphase/src/mesh/layout.hpp"
#include "narrowphase/src/mesh/ray_triangle_scalar.hpp"

namespace broadside::narrowphase {

/// The numbers of a ray that nodes and leaves use: 24 in a row, so that many rays can be prepared at once.
struct alignas(32) MeshRayNumbers {
    /// Origins for the planes that are met first, and for the others. Inverses are negative, because planes
    /// are subtracted from origins: memory can be subtracted from a register, not the other way round.
    Vec3 near_origin;
    Vec3 far_origin;
    Vec3 minus_inv;
    Vec3 minus_inv_far;
    /// The rows of a node with the planes that the line meets first, and with the others.
    std::uint32_t near_row[3];
    std::uint32_t far_row[3];
    /// The limit of the walk; below zero for an invalid ray.
    float limit;
    float shear_x;
    float shear_y;
    float error_scale;
    float error_floor;
    /// The coordinate that is z.
    std::uint32_t along;
};
static_assert(sizeof(MeshRayNumbers) == 24 * sizeof(float));
BROADSIDE_FORCE_INLINE std::uint32_t x_axis(std::uint32_t along) { return along == 0 ? 1u : 0u; }
BROADSIDE_FORCE_INLINE std::uint32_t y_axis(std::uint32_t along) { return along == 2 ? 1u : 2u; }

/// A ray whose times are (t - start) · scale in the walk.
struct TimedRay {
    TriangleRay ray;
    double scale;
    double start;
};

/// Floats only ever refuse: a node or a triangle that the line certainly misses. The rest is decided by
/// `judge`, so no rounding in here shows in a result.
///
/// The direction is scaled by a power of two to a largest component in [1/2, 1). A ray from afar is begun
/// near the mesh, at `origin`, which is within `origin_error` of the line on every axis. Times of the walk
/// are then (t - start) · scale.
///
/// Nodes: slabs with the far planes padded as in RaySettings::is_conservative, and the origins moved outwards
/// by the error. With inverses of 1 or more, a time underflows only if the distance of its plane does.
///
/// Triangles: after S. Woop, C. Benthin and I. Wald, "Watertight Ray/Triangle Intersection", JCGT 2(1), 2013.
/// Seen along the axis z of the largest component, corners are sheared to x - (dx/dz)·z and y - (dy/dz)·z,
/// and the edge functions are those of the plane. Let u = 2^-24, M the largest coordinate of a corner and r
/// the largest of a sheared one. A sheared corner is within e = 6uM + 2·origin_error, and an edge function
/// within 4e·r + 2e² + 4u·r². As r is at most 2M, that is below error_scale · (r + e), with error_scale = 4e
/// + 8uM.
struct MeshRay : MeshRayNumbers, TimedRay {
    Vec3 origin;
    /// Floats may accept a triangle as hit if all of it is before this time; below zero if they may not.
    float sure_limit;
    /// How much earlier than floats say a triangle may be met, because the ray is begun elsewhere.
    float key_error;
    /// False for numbers so large, or a direction so skewed, that the above might overflow or underflow.
    bool is_ordinary;
};

/// Whether the ray, which hits both, hits the first earlier, or at the same time and its index is lower.
bool is_closer(const MeshView& mesh, const TriangleRay& ray, std::uint32_t slot,
               std::uint32_t other_slot) noexcept;

/// Coordinates up to this are ordinary: their squares are floats.
inline constexpr float kOrdinaryMax = 0x1p60f;
/// Keeps error bounds above errors of underflow; triangles that close to the line are left to `judge`.
inline constexpr float kLeastReach = 0x1p-50f;

BROADSIDE_FORCE_INLINE float coordinate(const Vec3& a, std::uint32_t axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}
BROADSIDE_FORCE_INLINE float largest_size(const Vec3& a) {
    return max_keep(max_keep(absolute(a.x), absolute(a.y)), absolute(a.z));
}

/// The limit of a walk for times up to `t`, rounded up by more than the times of nodes are rounded.
BROADSIDE_FORCE_INLINE float walk_limit(const TimedRay& ray, double t) {
    const double reach = t * ray.scale;
    const double walked = reach - ray.start;
    const double limit = walked + absolute_double(walked) * 0x1p-20 + (reach + ray.start) * 0x1p-48;
    return min_keep(next_up(static_cast<float>(min_keep(limit, static_cast<double>(FLT_MAX)))), FLT_MAX);
}

/// Factor of a float limit for a ray that is begun at its own origin: more than three roundings.
inline constexpr float kLimitSlack = 1.0f + 0x1p-20f;

/// Factor of a key: lowers it by more than three roundings, and by more than a limit exceeds its time.
inline constexpr float kKeySlack = 1.0f - 0x1p-20f;
/// Before this time a hit is before the limit, too, with all roundings.
inline constexpr float kSureFactor = 1.0f - 0x1p-18f;
inline constexpr float kSureMargin = 2.0f * FLT_MIN;
BROADSIDE_FORCE_INLINE float sure_limit_of(float limit, Sides sides) {
    return sides == Sides::both ? limit * kSureFactor - kSureMargin : -1.0f;
}

/// The box of a mesh in the form that rays need.
struct MeshExtent {
    Aabb bounds;
    Vec3 center;
    /// No corner of the box is further from the center on any axis.
    float half_size;
    /// Rays that begin within this distance of the center on every axis need no care.
    float near_size;
    bool is_ordinary;

    explicit BROADSIDE_FORCE_INLINE MeshExtent(const Aabb& box)
        : bounds(box),
          center(box.min * 0.5f + box.max * 0.5f),
          half_size(max_keep(largest_size(box.max - center), largest_size(box.min - center)) *
                    (1.0f + 0x1p-20f)),
          is_ordinary(max_keep(largest_size(box.min), largest_size(box.max)) <= kOrdinaryMax) {
        const bool is_usual =
            max_keep(largest_size(box.min), largest_size(box.max)) <= kOrdinaryMax * 0x1p-5f;
        near_size = is_usual ? half_size * 14.0f : -1.0f;
    }
};

/// The scaled direction, the point at which a ray is begun, and how far that is from its line.
struct MeshRayStart {
    Vec3 slope;
    Vec3 origin;
    float error;
};

/// Begins rays from afar, and rays that may not be ordinary: the steps before those of all rays.
MeshRayStart begin_carefully(MeshRay& state_ray, const MeshExtent& extent) noexcept;
/// Moves the origins apart by the error.
void move_origins(MeshRay& state_ray, const MeshRayStart& start) noexcept;

BROADSIDE_FORCE_INLINE void begin(MeshRay& out_ray, const Ray& ray_in, Sides sides,
                                  const MeshExtent& extent) {
    MeshRay& ray = out_ray;
    // Member by member: a copy of the whole would wait for its parts to be stored.
    const Vec3 direction = flushed(ray_in.direction);
    ray.ray.origin = ray_in.origin;
    ray.ray.direction = direction;
    ray.ray.t_max = is_valid(ray_in) ? min_keep(ray_in.t_max, FLT_MAX) : -1.0f;
    ray.ray.sides = sides;
    const float largest = largest_size(direction);
    if (!(largest > 0.0f)) ray.ray.t_max = -1.0f;
    // The steps of begin_carefully. Most rays begin within a few sizes of the mesh and have usual numbers.
    const std::uint32_t exponent = __builtin_bit_cast(std::uint32_t, largest) >> 23;
    const auto inv_scale = __builtin_bit_cast(float, (253u - exponent) << 23);
    MeshRayStart start = {direction * inv_scale, ray_in.origin, 0.0f};
    ray.scale = static_cast<double>(__builtin_bit_cast(float, (exponent + 1) << 23));
    ray.start = 0.0;
    ray.is_ordinary = true;
    const Vec3 sizes = absolute(start.slope);
    const auto is_usable = [](float size, float given) { return (size >= FLT_MIN) | (given == 0.0f); };
    float distance = largest_size(extent.center - ray_in.origin);
    const bool is_usual = (exponent - 32u < 190u) & is_usable(sizes.x, direction.x) &
                          is_usable(sizes.y, direction.y) & is_usable(sizes.z, direction.z) &
                          (distance <= extent.near_size);
    if (!is_usual) {
        start = begin_carefully(ray, extent);
        distance = largest_size(extent.center - start.origin);
    }
    ray.origin = start.origin;
    ray.near_origin = start.origin;
    ray.far_origin = start.origin;

    const Vec3 slope = start.slope;
    const Vec3 inv = {1.0f / slope.x, 1.0f / slope.y, 1.0f / slope.z};
    ray.minus_inv = -inv;
    ray.minus_inv_far = inv * -kFarPadding;
    const auto set_rows = [&](std::uint32_t axis, float component) {
        const std::uint32_t down = has_sign_bit(component) ? 3u : 0u;
        ray.near_row[axis] = (axis + down) * kNodeWidth;
        ray.far_row[axis] = (axis + 3 - down) * kNodeWidth;
    };
    set_rows(0, slope.x);
    set_rows(1, slope.y);
    set_rows(2, slope.z);
    if (start.error != 0.0f) move_origins(ray, start);
    ray.limit = ray.ray.t_max < 0.0f ? -1.0f : walk_limit(ray, static_cast<double>(ray.ray.t_max));
    ray.sure_limit = ray.start > 0.0 || ray.limit < 0.0f ? -1.0f : sure_limit_of(ray.limit, sides);
    // The slope along z is at least a half.
    ray.key_error = 4.0f * start.error;

    const Vec3 size = absolute(slope);
    ray.along = size.x >= size.y && size.x >= size.z ? 0u : size.y >= size.z ? 1u : 2u;
    const float along = coordinate(slope, ray.along);
    ray.shear_x = coordinate(slope, x_axis(ray.along)) / along;
    ray.shear_y = coordinate(slope, y_axis(ray.along)) / along;
    const float furthest = (distance + extent.half_size) * (1.0f + 0x1p-20f) + kLeastReach;
    ray.error_floor = 0x1p-21f * furthest + 2.0f * start.error;
    ray.error_scale = 4.0f * ray.error_floor + 0x1p-21f * furthest;
}

/// The box around a node. The key is the time from which the ray may be in it.
BROADSIDE_FORCE_INLINE nodes::KeyedTest test(const MeshRay& ray, const Aabb& box, float limit) {
    const float corners[6] = {box.min.x, box.min.y, box.min.z, box.max.x, box.max.y, box.max.z};
    const auto plane_t = [&](std::uint32_t row, float origin, float minus_inv) {
        return (origin - corners[row / kNodeWidth]) * minus_inv;
    };
    const float near_x = plane_t(ray.near_row[0], ray.near_origin.x, ray.minus_inv.x);
    const float near_y = plane_t(ray.near_row[1], ray.near_origin.y, ray.minus_inv.y);
    const float near_z = plane_t(ray.near_row[2], ray.near_origin.z, ray.minus_inv.z);
    const float far_x = plane_t(ray.far_row[0], ray.far_origin.x, ray.minus_inv_far.x);
    const float far_y = plane_t(ray.far_row[1], ray.far_origin.y, ray.minus_inv_far.y);
    const float far_z = plane_t(ray.far_row[2], ray.far_origin.z, ray.minus_inv_far.z);
    const float t_enter = max_keep(near_z, max_keep(near_y, max_keep(near_x, 0.0f)));
    const float t_exit = min_keep(far_z, min_keep(far_y, min_keep(far_x, limit)));
    return {t_enter, t_enter <= t_exit};
}

/// The box around a node against a ray that is not ordinary: in doubles, in which nothing overflows or
/// underflows, and with the far planes a little further.
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

/// The verdict of floats on a triangle: whether the line certainly misses it, or the ray certainly hits it.
/// No hit of it comes before `key`, a time of the walk.
///
/// The time of a hit is a mean of the times of the planes through the corners. These have the signs of their
/// operands, and an error below 2^-21 of themselves.
struct QuickVerdict {
    bool passes_by;
    bool is_hit;
    float key;
};

BROADSIDE_FORCE_INLINE QuickVerdict judge_quickly(const MeshRay& ray, const Triangle& triangle) {
    const float minus_inv = coordinate(ray.minus_inv, ray.along);
    float x[3], y[3], t[3];
    const Vec3 corners[3] = {triangle.a, triangle.b, triangle.c};
    float reach = 0.0f;
    for (int i = 0; i < 3; ++i) {
        const Vec3 corner = ray.origin - corners[i];
        const float z = coordinate(corner, ray.along);
        x[i] = coordinate(corner, x_axis(ray.along)) - ray.shear_x * z;
        y[i] = coordinate(corner, y_axis(ray.along)) - ray.shear_y * z;
        t[i] = z * minus_inv;
        reach = max_keep(max_keep(absolute(x[i]), absolute(y[i])), reach);
    }
    const float of_a = x[2] * y[1] - y[2] * x[1];
    const float of_b = x[0] * y[2] - y[0] * x[2];
    const float of_c = x[1] * y[0] - y[1] * x[0];
    const float error = ray.error_scale * (reach + ray.error_floor);
    const float largest = max_keep(max_keep(of_a, of_b), of_c);
    const float smallest = min_keep(min_keep(of_a, of_b), of_c);
    const float first = min_keep(min_keep(t[0], t[1]), t[2]);
    const float last = max_keep(max_keep(t[0], t[1]), t[2]);
    const float key = max_keep(first * kKeySlack - ray.key_error, 0.0f);
    const bool is_on_line = smallest > error || largest < -error;
    return {largest > error && smallest < -error, is_on_line && first > 0.0f && last <= ray.sure_limit, key};
}

}  // namespace broadside::narrowphase
