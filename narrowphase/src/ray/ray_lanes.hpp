// Prepared rays in lanes: the same ray in all of them, or one per lane.
#pragma once

#include <broadside/ray_box.hpp>

#include "core/src/geometry/ray_box_scalar.hpp"
#include "simd/src/geometry.hpp"

namespace broadside::narrowphase {

/// A prepared ray per lane.
template <class Arch>
struct RayW {
    simd::Vec3W<Arch> origin;
    simd::Vec3W<Arch> inv_direction;
    simd::Vec3W<Arch> inv_direction_far;
    simd::FloatW<Arch> t_max;
    simd::FloatW<Arch> accept_floor;
    simd::FloatW<Arch> report_floor;
};

/// The same ray in every lane.
template <class Arch>
BROADSIDE_FORCE_INLINE RayW<Arch> broadcast_ray(const PreparedRay& ray) {
    return {simd::broadcast<Arch>(ray.origin),
            simd::broadcast<Arch>(ray.inv_direction),
            simd::broadcast<Arch>(ray.inv_direction_far),
            simd::broadcast<Arch>(ray.t_max),
            simd::broadcast<Arch>(ray.accept_floor),
            simd::broadcast<Arch>(ray.report_floor)};
}

/// Lane i holds rays[indices[i]], prepared there: prepared_ray in lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE RayW<Arch> prepare_rays_indexed(const Ray* rays, const std::uint32_t* indices,
                                                       const RaySettings& settings) {
    using namespace simd;
    alignas(64) float lanes[7][Arch::kLanes];
    for (std::uint32_t lane = 0; lane < Arch::kLanes; ++lane) {
        const Ray& ray = rays[indices[lane]];
        lanes[0][lane] = ray.origin.x;
        lanes[1][lane] = ray.origin.y;
        lanes[2][lane] = ray.origin.z;
        lanes[3][lane] = ray.direction.x;
        lanes[4][lane] = ray.direction.y;
        lanes[5][lane] = ray.direction.z;
        lanes[6][lane] = ray.t_max;
    }
    const Vec3W<Arch> origin = {load_aligned<Arch>(lanes[0]), load_aligned<Arch>(lanes[1]),
                                load_aligned<Arch>(lanes[2])};
    const Vec3W<Arch> direction = {load_aligned<Arch>(lanes[3]), load_aligned<Arch>(lanes[4]),
                                   load_aligned<Arch>(lanes[5])};
    const FloatW<Arch> t_max = load_aligned<Arch>(lanes[6]);
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const FloatW<Arch> one = broadcast<Arch>(1.0f);
    const FloatW<Arch> largest = broadcast<Arch>(FLT_MAX);
    // is_finite(origin) && is_finite(direction) && t_max >= 0
    const Vec3W<Arch> origin_size = absolute(origin);
    const Vec3W<Arch> direction_size = absolute(direction);
    const MaskW<Arch> is_valid_ray = (origin_size.x <= largest) & (origin_size.y <= largest) &
                                     (origin_size.z <= largest) & (direction_size.x <= largest) &
                                     (direction_size.y <= largest) & (direction_size.z <= largest) &
                                     (t_max >= zero);
    // flush_denormal: |d| < FLT_MIN ? d * 0 : d
    const FloatW<Arch> normal = broadcast<Arch>(FLT_MIN);
    const Vec3W<Arch> flushed = {select(direction_size.x < normal, direction.x * zero, direction.x),
                                 select(direction_size.y < normal, direction.y * zero, direction.y),
                                 select(direction_size.z < normal, direction.z * zero, direction.z)};
    const FloatW<Arch> padding = broadcast<Arch>(far_padding(settings));
    const Vec3W<Arch> inv = {one / flushed.x, one / flushed.y, one / flushed.z};
    return {origin,
            inv,
            {inv.x * padding, inv.y * padding, inv.z * padding},
            select(is_valid_ray, min_keep(t_max * padding, largest), broadcast<Arch>(-1.0f)),
            broadcast<Arch>(accept_floor(settings.inside)),
            broadcast<Arch>(report_floor(settings.inside))};
}

}  // namespace broadside::narrowphase
