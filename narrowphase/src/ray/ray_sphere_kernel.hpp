// Rays against many spheres over lanes of doubles, one lane included. ray_sphere_scalar.hpp explains the
// formula, serves single calls and is the witness.
#pragma once

#include "narrowphase/src/batch/shape_sources.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_sphere_scalar.hpp"
#include "narrowphase/src/sphere/closest_point_lanes.hpp"
#include "simd/src/groups.hpp"

namespace broadside::narrowphase {

template <class Arch>
struct SphereRayW {
    simd::Vec3DoubleW<Arch> origin;
    simd::Vec3DoubleW<Arch> direction;
    simd::DoubleW<Arch> direction_sq;
    simd::DoubleW<Arch> t_max;
    simd::DoubleW<Arch> accept_floor;
    simd::DoubleW<Arch> report_floor;
};
template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3DoubleW<Arch> broadcast_vector(const Vec3Double& a) {
    return {simd::broadcast_double<Arch>(a.x), simd::broadcast_double<Arch>(a.y),
            simd::broadcast_double<Arch>(a.z)};
}
template <class Arch>
BROADSIDE_FORCE_INLINE SphereRayW<Arch> broadcast_sphere_ray(const PreparedSphereRay& ray) {
    return {broadcast_vector<Arch>(ray.origin),
            broadcast_vector<Arch>(ray.direction),
            simd::broadcast_double<Arch>(ray.direction_sq),
            simd::broadcast_double<Arch>(ray.t_max),
            simd::broadcast_double<Arch>(ray.accept_floor),
            simd::broadcast_double<Arch>(ray.report_floor)};
}

/// RaySolidHit in doubles; without a hit the times are meaningless.
template <class Arch>
struct RaySphereHitW {
    simd::DoubleW<Arch> t_enter;
    simd::DoubleW<Arch> t_exit;
    simd::DoubleMaskW<Arch> has_hit;
};

/// One lane: ray_sphere_scalar. Padding lanes hold NaN spheres, which are invalid. The root and the
/// divisions, which cost most, are skipped if no lane can hit; so is an unwanted t_exit.
template <class Arch>
BROADSIDE_FORCE_INLINE RaySphereHitW<Arch> ray_sphere_lanes(const SphereRayW<Arch>& ray,
                                                            const SphereDoubleW<Arch>& sphere,
                                                            bool wants_exit) {
    using namespace simd;
    const DoubleW<Arch> zero = broadcast_double<Arch>(0.0);
    const Vec3DoubleW<Arch> o = ray.origin - sphere.center;
    const DoubleW<Arch> radius_sq = sphere.radius * sphere.radius;
    const DoubleW<Arch> beyond = dot(o, o) - radius_sq;
    const DoubleW<Arch> approach = dot(o, ray.direction) * broadcast_double<Arch>(-1.0);
    const Vec3DoubleW<Arch> across = cross(o, ray.direction);
    const DoubleW<Arch> discriminant = ray.direction_sq * radius_sq - dot(across, across);
    const DoubleMaskW<Arch> is_approaching = approach > zero;
    // starts_inside || (is_approaching && discriminant >= 0)
    const DoubleMaskW<Arch> can_hit =
        is_valid(sphere) & ((beyond <= zero) | (is_approaching & (discriminant >= zero)));
    if (bits(can_hit) == 0) return {zero, zero, can_hit};

    const DoubleW<Arch> root = square_root(max_keep(discriminant, zero));
    const DoubleW<Arch> q = select(is_approaching, approach + root, approach - root);
    const DoubleMaskW<Arch> has_roots = ray.direction_sq > zero;
    const DoubleW<Arch> lowest = broadcast_double<Arch>(static_cast<double>(-FLT_MAX));
    // has_roots ? (is_approaching ? beyond : q) / (is_approaching ? q : direction_sq) : lowest
    const DoubleW<Arch> t_enter = select(
        has_roots, select(is_approaching, beyond, q) / select(is_approaching, q, ray.direction_sq), lowest);
    // t_enter <= t_max && t_enter >= accept_floor && t_max >= 0
    const DoubleMaskW<Arch> has_hit =
        can_hit & (t_enter <= ray.t_max) & (t_enter >= ray.accept_floor) & (ray.t_max >= zero);
    const DoubleW<Arch> reported = max_keep(t_enter, ray.report_floor);
    if (!wants_exit) return {reported, zero, has_hit};
    const DoubleW<Arch> t_exit =
        select(is_approaching, q, beyond) / select(is_approaching, ray.direction_sq, q);
    const DoubleW<Arch> t_end = min_keep(select(has_roots, max_keep(t_exit, zero), ray.t_max), ray.t_max);
    return {reported, max_keep(t_end, reported), has_hit};
}

template <class Arch, class Group>
BROADSIDE_FORCE_INLINE void store_t(float* out_t, Group group, simd::DoubleW<Arch> t,
                                    simd::DoubleMaskW<Arch> has_hit) {
    using namespace simd;
    // Adding +0 turns -0 into +0.
    const DoubleW<Arch> rounded = round_to_float(t) + broadcast_double<Arch>(0.0);
    group.store(out_t,
                select(has_hit, rounded, broadcast_double<Arch>(static_cast<double>(kNoIntersection))));
}

template <class Arch>
void ray_spheres_kernel(const Ray& ray, const SphereSoaView& spheres, Inside inside,
                        const RaySphereTargets& out_results) {
    const RaySphereTargets targets = out_results;
    const PreparedSphereRay prepared = prepared_sphere_ray(ray, inside);
    simd::BitWriter writer(targets.hit_bits);
    const SphereRayW<Arch> ray_w = broadcast_sphere_ray<Arch>(prepared);
    simd::for_each_double_group<Arch>(spheres.count, [&](std::size_t first, auto group) {
        const RaySphereHitW<Arch> result = ray_sphere_lanes(
            ray_w, ManySpheres{spheres}.template lanes<Arch>(first, group), targets.t_exit != nullptr);
        if (targets.t_enter != nullptr)
            store_t(targets.t_enter + first, group, result.t_enter, result.has_hit);
        if (targets.t_exit != nullptr) store_t(targets.t_exit + first, group, result.t_exit, result.has_hit);
        if (targets.hit_bits != nullptr) writer.write(first, bits(result.has_hit), group.count);
    });
    if (targets.hit_bits != nullptr) writer.finish();
}

/// The index of the closest sphere; kNoBox if the ray hits none.
BROADSIDE_FORCE_INLINE std::uint32_t closest_sphere_scalar(const PreparedSphereRay& ray,
                                                           const SphereSoaView& spheres) {
    TreeHit closest = {kNoBox, __builtin_inff()};
    for (std::size_t i = 0; i < spheres.count; ++i) {
        const RaySolidHit result = ray_sphere_scalar(ray, spheres[i]);
        if (result.has_hit && result.t_enter < closest.t)
            closest = {static_cast<std::uint32_t>(i), result.t_enter};
    }
    return closest.target;
}

/// As above. Every lane keeps the closest of its own spheres, the first among equals; indices travel as
/// doubles, which hold them exactly.
template <class Arch>
BROADSIDE_FORCE_INLINE std::uint32_t closest_sphere_lanes(const PreparedSphereRay& ray,
                                                          const SphereSoaView& spheres) {
    using namespace simd;
    constexpr std::uint32_t kLanes = kDoubleLanes<Arch>;
    const SphereRayW<Arch> ray_w = broadcast_sphere_ray<Arch>(ray);
    const DoubleW<Arch> infinity = broadcast_double<Arch>(__builtin_inf());
    double lanes[kLanes];
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) lanes[lane] = static_cast<double>(lane);
    DoubleW<Arch> index = load_doubles_unaligned<Arch>(lanes);
    DoubleW<Arch> closest_t = infinity;
    DoubleW<Arch> closest_index = broadcast_double<Arch>(-1.0);
    for_each_double_group<Arch>(spheres.count, [&](std::size_t first, auto group) {
        const RaySphereHitW<Arch> result =
            ray_sphere_lanes(ray_w, ManySpheres{spheres}.template lanes<Arch>(first, group), false);
        // if (has_hit && t_enter < closest.t) closest = {t_enter, i}
        const DoubleW<Arch> t = select(result.has_hit, round_to_float(result.t_enter), infinity);
        closest_index = select(t < closest_t, index, closest_index);
        closest_t = min_keep(t, closest_t);
        index = index + broadcast_double<Arch>(static_cast<double>(kLanes));
    });

    double lane_t[kLanes];
    store_doubles_unaligned(lane_t, closest_t);
    store_doubles_unaligned(lanes, closest_index);
    double best_t = __builtin_inf();
    double best_index = -1.0;
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        if (lanes[lane] < 0.0) continue;
        if (lane_t[lane] < best_t || (lane_t[lane] == best_t && lanes[lane] < best_index)) {
            best_t = lane_t[lane];
            best_index = lanes[lane];
        }
    }
    return best_index < 0.0 ? kNoBox : static_cast<std::uint32_t>(best_index);
}

/// The closest sphere of every ray. Lanes find the index only; the specification computes the winner's t.
template <class Arch>
void closest_spheres_kernel(const Ray* rays, std::size_t ray_count, const SphereSoaView& spheres,
                            Inside inside, TreeHit* out_closest) {
    for (std::size_t r = 0; r < ray_count; ++r) {
        const PreparedSphereRay ray = prepared_sphere_ray(rays[r], inside);
        std::uint32_t index;
        if constexpr (simd::is_scalar<Arch>) {
            index = closest_sphere_scalar(ray, spheres);
        } else {
            index = closest_sphere_lanes<Arch>(ray, spheres);
        }
        out_closest[r] =
            index == kNoBox ? TreeHit{} : TreeHit{index, ray_sphere_scalar(ray, spheres[index]).t_enter};
    }
}

}  // namespace broadside::narrowphase
