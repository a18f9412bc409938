// Rays that need care: from afar, or with numbers of unusual sizes.
#include "narrowphase/src/mesh/mesh_ray.hpp"

namespace broadside::narrowphase {
namespace {

// How far along the scaled direction a ray from afar is begun; 0 if it starts near or moves away.
double start_near(const Vec3Double& origin, const Vec3Double& direction, const Aabb& bounds) {
    const Vec3Double min = widened(bounds.min);
    const Vec3Double max = widened(bounds.max);
    const Vec3Double to_center = (min + max) * 0.5 - origin;
    const double reach = 2.0 * largest_size(max - min);
    if (!(largest_size(to_center) > 4.0 * reach)) return 0.0;
    const double start = dot(to_center, direction) / dot(direction, direction) - 2.0 * reach;
    return max_keep(start, 0.0);
}

}  // namespace

MeshRayStart begin_carefully(MeshRay& state_ray, const MeshExtent& extent) noexcept {
    const TriangleRay& whole = state_ray.ray;
    const auto largest = static_cast<double>(largest_size(whole.direction));
    // A power of two and its inverse, from the exponent of the largest component.
    const std::uint64_t exponent = __builtin_bit_cast(std::uint64_t, largest) >> 52;
    const auto inv_scale = __builtin_bit_cast(double, (2045 - exponent) << 52);
    state_ray.scale = __builtin_bit_cast(double, (exponent + 1) << 52);
    const Vec3Double origin = widened(whole.origin);
    const Vec3Double direction = widened(whole.direction) * inv_scale;
    state_ray.start = start_near(origin, direction, extent.bounds);

    const Vec3Double at_start = direction * state_ray.start;
    const Vec3Double begun = origin + at_start;
    MeshRayStart start = {narrowed(direction), narrowed(begun), 0.0f};
    // A product that underflows to 0 has lost its component, unless that was 0.
    const auto is_usable = [](float component, float given) {
        return given == 0.0f || absolute(component) >= FLT_MIN;
    };
    state_ray.is_ordinary = is_usable(start.slope.x, whole.direction.x) &&
                            is_usable(start.slope.y, whole.direction.y) &&
                            is_usable(start.slope.z, whole.direction.z) && extent.is_ordinary &&
                            largest_size(start.origin) <= kOrdinaryMax;
    if (state_ray.start > 0.0) {
        start.error = static_cast<float>(largest_size(begun) * 0x1p-23 +
                                         (largest_size(origin) + largest_size(at_start)) * 0x1p-48);
    }
    if (!state_ray.is_ordinary) {
        // The walk is then in doubles, and in the ray's own times.
        state_ray.scale = 1.0;
        state_ray.start = 0.0;
    }
    return start;
}

void move_origins(MeshRay& state_ray, const MeshRayStart& start) noexcept {
    const auto move = [&](float slope, float& state_near, float& state_far) {
        const bool is_down = has_sign_bit(slope);
        const float above = next_up(state_near + start.error);
        const float below = next_down(state_near - start.error);
        state_near = is_down ? below : above;
        state_far = is_down ? above : below;
    };
    move(start.slope.x, state_ray.near_origin.x, state_ray.far_origin.x);
    move(start.slope.y, state_ray.near_origin.y, state_ray.far_origin.y);
    move(start.slope.z, state_ray.near_origin.z, state_ray.far_origin.z);
}

bool is_closer(const MeshView& mesh, const TriangleRay& ray, std::uint32_t slot,
               std::uint32_t other_slot) noexcept {
    const Triangle triangle = mesh.triangle_at(slot);
    const Triangle other = mesh.triangle_at(other_slot);
    const HitTime t = judge_surely(ray, triangle).t;
    const HitTime other_t = judge_surely(ray, other).t;
    if (t.max < other_t.min) return true;
    if (t.min > other_t.max) return false;
    const int order = compare_hit_times(ray, triangle, other);
    return order < 0 || (order == 0 && mesh.index_at(slot) < mesh.index_at(other_slot));
}

}  // namespace broadside::narrowphase
