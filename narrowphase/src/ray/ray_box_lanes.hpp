// Ray against box over lanes, shared by all ray kernels whatever their lane count: name by name and line by
// line ray_box_scalar.hpp, which explains it.
#pragma once

#include "narrowphase/src/batch/face_lanes.hpp"
#include "narrowphase/src/ray/ray_lanes.hpp"

namespace broadside::narrowphase {

template <class Arch>
struct BoxPlanesW {
    simd::Vec3W<Arch> near_planes;
    simd::Vec3W<Arch> far_planes;
};
/// Six blends, needed if rays differ from lane to lane. A kernel with one ray chooses the arrays to load from
/// instead, which costs nothing per box.
template <class Arch>
BROADSIDE_FORCE_INLINE BoxPlanesW<Arch> order_planes(const RayW<Arch>& ray, const simd::BoxW<Arch>& box) {
    // from_max = has_sign_bit(inv_direction)
    const simd::MaskW<Arch> from_max_x = has_sign_bit(ray.inv_direction.x);
    const simd::MaskW<Arch> from_max_y = has_sign_bit(ray.inv_direction.y);
    const simd::MaskW<Arch> from_max_z = has_sign_bit(ray.inv_direction.z);
    return {{select(from_max_x, box.max.x, box.min.x), select(from_max_y, box.max.y, box.min.y),
             select(from_max_z, box.max.z, box.min.z)},
            {select(from_max_x, box.min.x, box.max.x), select(from_max_y, box.min.y, box.max.y),
             select(from_max_z, box.min.z, box.max.z)}};
}

template <class Arch>
struct EntryFacesW {
    simd::IntW<Arch> x, y, z;
};
template <class Arch>
BROADSIDE_FORCE_INLINE EntryFacesW<Arch> entry_faces(const RayW<Arch>& ray) {
    const auto face = [](simd::FloatW<Arch> inv, Face max_face, Face min_face) {
        // has_sign_bit(inv) ? max_face : min_face
        return select(has_sign_bit(inv), broadcast_face<Arch>(max_face), broadcast_face<Arch>(min_face));
    };
    return {face(ray.inv_direction.x, Face::max_x, Face::min_x),
            face(ray.inv_direction.y, Face::max_y, Face::min_y),
            face(ray.inv_direction.z, Face::max_z, Face::min_z)};
}

/// The beginning of the interval. `at_start` covers only the part from the start of the ray on: a hit is then
/// one comparison instead of three, and a start inside is reported at 0 as it is. It needs a policy that
/// accepts starts inside and reports them at 0, or a query without times. Faces must not be requested,
/// because they may belong to the part before the start. No time before 0 may underflow to 0.
enum class Begin : bool { anywhere, at_start };
BROADSIDE_FORCE_INLINE Begin begin_of(const PreparedRay& ray, bool has_times) {
    const bool takes_inside = ray.accept_floor < 0.0f && (!has_times || ray.report_floor == 0.0f);
    return takes_inside && !may_underflow(ray) ? Begin::at_start : Begin::anywhere;
}

template <class Arch>
struct SlabIntervalW {
    simd::FloatW<Arch> t_enter;
    simd::FloatW<Arch> t_exit;
    simd::IntW<Arch> face;
};

/// Two subtractions, two multiplications, a min and a max; a comparison and a blend for the face.
template <bool kWithFace, class Arch>
BROADSIDE_FORCE_INLINE void cut_to_slab(simd::FloatW<Arch> near_plane, simd::FloatW<Arch> far_plane,
                                        simd::FloatW<Arch> origin, simd::FloatW<Arch> inv,
                                        simd::FloatW<Arch> inv_far, simd::IntW<Arch> face,
                                        SlabIntervalW<Arch>& state) {
    const simd::FloatW<Arch> t_near = (near_plane - origin) * inv;
    const simd::FloatW<Arch> t_far = (far_plane - origin) * inv_far;
    // state.face = t_near > state.t_enter ? face : state.face
    if constexpr (kWithFace) state.face = select(t_near > state.t_enter, face, state.face);
    state.t_enter = max_keep(t_near, state.t_enter);
    state.t_exit = min_keep(t_far, state.t_exit);
}
template <Begin kBegin, bool kWithFace, class Arch>
BROADSIDE_FORCE_INLINE SlabIntervalW<Arch> cut_to_slabs(const RayW<Arch>& ray, const BoxPlanesW<Arch>& planes,
                                                        const EntryFacesW<Arch>& faces) {
    const auto& [near, far] = planes;
    const auto& [origin, inv, inv_far, t_max, accept_floor, report_floor] = ray;
    // state = {-FLT_MAX, ray.t_max, Face::none}
    SlabIntervalW<Arch> state = {simd::broadcast<Arch>(kBegin == Begin::at_start ? 0.0f : -FLT_MAX), t_max,
                                 broadcast_face<Arch>(Face::none)};
    cut_to_slab<kWithFace>(near.x, far.x, origin.x, inv.x, inv_far.x, faces.x, state);
    cut_to_slab<kWithFace>(near.y, far.y, origin.y, inv.y, inv_far.y, faces.y, state);
    cut_to_slab<kWithFace>(near.z, far.z, origin.z, inv.z, inv_far.z, faces.z, state);
    return state;
}

template <Begin kBegin, class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> has_hit(const RayW<Arch>& ray, const SlabIntervalW<Arch>& state) {
    if constexpr (kBegin == Begin::at_start) return state.t_enter <= state.t_exit;
    // t_enter <= t_exit && t_exit >= 0 && t_enter >= accept_floor
    return (state.t_enter <= state.t_exit) & (state.t_exit >= simd::broadcast<Arch>(0.0f)) &
           (state.t_enter >= ray.accept_floor);
}

template <bool kWithFace, class Arch>
BROADSIDE_FORCE_INLINE void look_at_start(simd::FloatW<Arch> near_plane, simd::FloatW<Arch> far_plane,
                                          simd::FloatW<Arch> origin, simd::FloatW<Arch> inv,
                                          simd::IntW<Arch> face, SlabIntervalW<Arch>& state) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    // has_left = from_max ? origin < min : origin > max
    const MaskW<Arch> has_left = flip_sign(far_plane - origin, inv) < zero;
    // is_ahead = is_finite(inv) && (from_max ? origin >= max : origin <= min)
    const MaskW<Arch> is_ahead = is_finite(inv) & (flip_sign(near_plane - origin, inv) >= zero);
    // if (has_left) t_exit = -FLT_TRUE_MIN
    state.t_exit = select(has_left, broadcast<Arch>(-FLT_TRUE_MIN), state.t_exit);
    // if (is_ahead) t_enter = 0, face
    state.t_enter = select(is_ahead, zero, state.t_enter);
    if constexpr (kWithFace) state.face = select(is_ahead, face, state.face);
}
/// Only in the lanes of `is_at_start`.
template <bool kWithFace, class Arch>
BROADSIDE_FORCE_INLINE void look_at_start(const RayW<Arch>& ray, const BoxPlanesW<Arch>& planes,
                                          const EntryFacesW<Arch>& faces, simd::MaskW<Arch> is_at_start,
                                          SlabIntervalW<Arch>& state) {
    const auto& [near, far] = planes;
    const auto& [origin, inv, inv_far, t_max, accept_floor, report_floor] = ray;
    SlabIntervalW<Arch> looked = state;
    // if (t_enter == 0) t_enter = -FLT_TRUE_MIN
    looked.t_enter = select(state.t_enter == simd::broadcast<Arch>(0.0f),
                            simd::broadcast<Arch>(-FLT_TRUE_MIN), state.t_enter);
    look_at_start<kWithFace>(near.z, far.z, origin.z, inv.z, faces.z, looked);
    look_at_start<kWithFace>(near.y, far.y, origin.y, inv.y, faces.y, looked);
    look_at_start<kWithFace>(near.x, far.x, origin.x, inv.x, faces.x, looked);
    state.t_enter = select(is_at_start, looked.t_enter, state.t_enter);
    state.t_exit = select(is_at_start, looked.t_exit, state.t_exit);
    if constexpr (kWithFace) state.face = select(is_at_start, looked.face, state.face);
}

/// RaySolidHit::t_enter in the lanes of `hit`; an interval from the start has no -0 and nothing before 0.
template <Begin kBegin, class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> reported_t_enter(const RayW<Arch>& ray,
                                                           const SlabIntervalW<Arch>& state,
                                                           simd::MaskW<Arch> hit) {
    const simd::FloatW<Arch> miss = simd::broadcast<Arch>(kNoIntersection);
    if constexpr (kBegin == Begin::at_start) return select(hit, state.t_enter, miss);
    // max_keep(t_enter, report_floor) + 0
    return select(hit, max_keep(state.t_enter, ray.report_floor) + simd::broadcast<Arch>(0.0f), miss);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::FloatW<Arch> reported_t_exit(const SlabIntervalW<Arch>& state,
                                                          simd::MaskW<Arch> hit) {
    // t_exit + 0
    return select(hit, state.t_exit + simd::broadcast<Arch>(0.0f), simd::broadcast<Arch>(kNoIntersection));
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::IntW<Arch> reported_face(const RayW<Arch>& ray, const SlabIntervalW<Arch>& state,
                                                      simd::MaskW<Arch> hit) {
    // t_enter >= report_floor ? face : none
    return select(hit & (state.t_enter >= ray.report_floor), state.face, broadcast_face<Arch>(Face::none));
}

/// !is_empty(box): refuses inverted and NaN boxes, and with them padding lanes, which hold NaN.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> has_points(const simd::BoxW<Arch>& box) {
    return (box.min.x <= box.max.x) & (box.min.y <= box.max.y) & (box.min.z <= box.max.z);
}

/// The interval that the slabs leave of the line, and the lanes in which it is a hit if the box is not empty.
template <class Arch>
struct SlabHitsW {
    SlabIntervalW<Arch> slabs;
    simd::MaskW<Arch> meets;
};
/// See ray_box_prepared.
template <Begin kBegin, bool kWithFace, class Arch>
BROADSIDE_FORCE_INLINE SlabHitsW<Arch> ray_box_slabs(const RayW<Arch>& ray, const BoxPlanesW<Arch>& planes,
                                                     const EntryFacesW<Arch>& faces = {}) {
    using namespace simd;
    SlabIntervalW<Arch> slabs = cut_to_slabs<kBegin, kWithFace>(ray, planes, faces);
    MaskW<Arch> meets = has_hit<kBegin>(ray, slabs);
    if constexpr (kBegin == Begin::anywhere) {
        // if (t_enter == 0 || t_exit == 0) look at the start
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        const MaskW<Arch> is_at_start = meets & ((slabs.t_enter == zero) | (slabs.t_exit == zero));
        if (bits(is_at_start) != 0) [[unlikely]] {
            look_at_start<kWithFace>(ray, planes, faces, is_at_start, slabs);
            meets = has_hit<kBegin>(ray, slabs);
        }
    }
    return {slabs, meets};
}

}  // namespace broadside::narrowphase
