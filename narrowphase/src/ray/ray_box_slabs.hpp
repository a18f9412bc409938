// The slab test over lanes, shared by all ray kernels whatever their lane count. The specification and its
// explanation are in ray_box_scalar.hpp.
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

/// The planes of a box in the order in which the ray of the lane meets them.
template <class Arch>
struct PlanesW {
    simd::Vec3W<Arch> near_planes;
    simd::Vec3W<Arch> far_planes;
};

/// Orders planes by a blend per axis and side, for rays that differ from lane to lane. A kernel with one ray
/// picks the arrays it loads from instead, which costs nothing per box.
template <class Arch>
BROADSIDE_FORCE_INLINE PlanesW<Arch> order_planes(const RayW<Arch>& ray, const simd::BoxW<Arch>& box) {
    // from_max = has_sign_bit(inv_direction)
    const simd::MaskW<Arch> from_max_x = has_sign_bit(ray.inv_direction.x);
    const simd::MaskW<Arch> from_max_y = has_sign_bit(ray.inv_direction.y);
    const simd::MaskW<Arch> from_max_z = has_sign_bit(ray.inv_direction.z);
    return {{select(from_max_x, box.max.x, box.min.x), select(from_max_y, box.max.y, box.min.y),
             select(from_max_z, box.max.z, box.min.z)},
            {select(from_max_x, box.min.x, box.max.x), select(from_max_y, box.min.y, box.max.y),
             select(from_max_z, box.min.z, box.max.z)}};
}

/// What the three slabs leave of the line; `t_near` is kept for the face.
template <class Arch>
struct SlabsW {
    simd::FloatW<Arch> t_enter;
    simd::FloatW<Arch> t_exit;
    simd::Vec3W<Arch> t_near;
};

/// cut_to_slab for x, y and z: six subtractions, six multiplications, six min or max. The interval starts at
/// -FLT_MAX, or at 0 where that is all that is asked for.
template <bool kFromStart = false, class Arch>
BROADSIDE_FORCE_INLINE SlabsW<Arch> ray_box_slabs(const RayW<Arch>& ray, const PlanesW<Arch>& planes) {
    const simd::Vec3W<Arch> near_offset = planes.near_planes - ray.origin;
    const simd::Vec3W<Arch> far_offset = planes.far_planes - ray.origin;
    const simd::Vec3W<Arch> t_near = {near_offset.x * ray.inv_direction.x,
                                      near_offset.y * ray.inv_direction.y,
                                      near_offset.z * ray.inv_direction.z};
    const simd::Vec3W<Arch> t_far = {far_offset.x * ray.inv_direction_far.x,
                                     far_offset.y * ray.inv_direction_far.y,
                                     far_offset.z * ray.inv_direction_far.z};
    const simd::FloatW<Arch> start = simd::broadcast<Arch>(kFromStart ? 0.0f : -FLT_MAX);
    return {max_keep(t_near.z, max_keep(t_near.y, max_keep(t_near.x, start))),
            min_keep(t_far.z, min_keep(t_far.y, min_keep(t_far.x, ray.t_max))), t_near};
}

/// Whether an answer can be read off the part of the line from t = 0 on, which saves two of the three
/// comparisons of a hit: a start inside is a hit, and where times are asked for it is reported at 0.
BROADSIDE_FORCE_INLINE bool starts_at_zero(const PreparedRay& ray, bool has_times) {
    return ray.accept_floor < 0.0f && (!has_times || ray.report_floor == 0.0f);
}

/// Hit or not, for boxes that are not empty.
template <bool kFromStart = false, class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> has_hit(const RayW<Arch>& ray, const SlabsW<Arch>& slabs) {
    if constexpr (kFromStart) return slabs.t_enter <= slabs.t_exit;
    // t_enter <= t_exit && t_exit >= 0 && t_enter >= accept_floor
    return (slabs.t_enter <= slabs.t_exit) & (slabs.t_exit >= simd::broadcast<Arch>(0.0f)) &
           (slabs.t_enter >= ray.accept_floor);
}

/// !is_empty(box): refuses inverted and NaN boxes, and with them padding lanes, which hold NaN.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> has_points(const simd::BoxW<Arch>& box) {
    return (box.min.x <= box.max.x) & (box.min.y <= box.max.y) & (box.min.z <= box.max.z);
}

/// RayBoxHit::t_enter; adding +0 makes +0 of -0. An interval from the start on has no -0 and nothing before
/// 0.
template <bool kFromStart = false, class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> reported_t_enter(const RayW<Arch>& ray, const SlabsW<Arch>& slabs,
                                                           simd::MaskW<Arch> hit) {
    const simd::FloatW<Arch> miss = simd::broadcast<Arch>(kNoIntersection);
    if constexpr (kFromStart) return select(hit, slabs.t_enter, miss);
    const simd::FloatW<Arch> t = max_keep(slabs.t_enter, ray.report_floor) + simd::broadcast<Arch>(0.0f);
    return select(hit, t, miss);
}
/// RayBoxHit::t_exit.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> reported_t_exit(const SlabsW<Arch>& slabs, simd::MaskW<Arch> hit) {
    const simd::FloatW<Arch> t = slabs.t_exit + simd::broadcast<Arch>(0.0f);
    return select(hit, t, simd::broadcast<Arch>(kNoIntersection));
}

/// The number of the face that each axis enters by.
template <class Arch>
struct EntryFacesW {
    simd::IntW<Arch> x;
    simd::IntW<Arch> y;
    simd::IntW<Arch> z;
};
template <class Arch>
BROADSIDE_FORCE_INLINE EntryFacesW<Arch> entry_faces(const RayW<Arch>& ray) {
    // has_sign_bit(inv_direction) ? max face : min face
    const auto number = [](Face face) { return simd::broadcast_int<Arch>(static_cast<std::int32_t>(face)); };
    return {select(has_sign_bit(ray.inv_direction.x), number(Face::max_x), number(Face::min_x)),
            select(has_sign_bit(ray.inv_direction.y), number(Face::max_y), number(Face::min_y)),
            select(has_sign_bit(ray.inv_direction.z), number(Face::max_z), number(Face::min_z))};
}

/// RayBoxHit::face as a number.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> reported_face(const RayW<Arch>& ray, const SlabsW<Arch>& slabs,
                                                      const EntryFacesW<Arch>& faces, simd::MaskW<Arch> hit) {
    const simd::IntW<Arch> no_face = simd::broadcast_int<Arch>(static_cast<std::int32_t>(Face::none));
    const simd::FloatW<Arch> lowest = simd::broadcast<Arch>(-FLT_MAX);
    const simd::FloatW<Arch> t_enter_x = max_keep(slabs.t_near.x, lowest);
    const simd::FloatW<Arch> t_enter_y = max_keep(slabs.t_near.y, t_enter_x);
    // face = t_near > t_enter ? axis_face : face, axis after axis
    simd::IntW<Arch> face = select(slabs.t_near.x > lowest, faces.x, no_face);
    face = select(slabs.t_near.y > t_enter_x, faces.y, face);
    face = select(slabs.t_near.z > t_enter_y, faces.z, face);
    // t_enter >= report_floor ? face : none
    return select(hit & (slabs.t_enter >= ray.report_floor), face, no_face);
}

}  // namespace broadside::narrowphase
