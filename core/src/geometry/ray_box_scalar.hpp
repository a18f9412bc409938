// The specification of ray against box: what every lane of every ray kernel must return.
#pragma once

#include "core/src/geometry/may_underflow.hpp"

#include <broadside/ray_hit.hpp>

namespace broadside {

/// The smallest entry t that is a hit, and the smallest that is reported: the inside policy as two numbers,
/// so that no kernel branches on it.
BROADSIDE_FORCE_INLINE float accept_floor(Inside inside) { return inside == Inside::miss ? 0.0f : -FLT_MAX; }
BROADSIDE_FORCE_INLINE float report_floor(Inside inside) {
    return inside == Inside::negative_t ? -FLT_MAX : 0.0f;
}

/// Factor for the far planes if no hit may be lost, after T. Ize, "Robust BVH ray traversal", Journal of
/// Computer Graphics Techniques 2(2), 2013. With u = 2^-24, a near time is at most (1 + u)^3 of the true one:
/// difference, reciprocal, product. A far time is at least (1 - u)^4 of it, the fourth for this very factor.
/// So 1 + 7u would do to first order; the next float is 1 + 8u.
inline constexpr float kFarPadding = 1.0f + 4 * FLT_EPSILON;
BROADSIDE_FORCE_INLINE float far_padding(const RaySettings& settings) {
    return settings.is_conservative ? kFarPadding : 1.0f;
}

/// Everything about a ray that does not depend on the box. An invalid ray gets a reach of -1: its exit t
/// starts below zero and can only fall, so no other code needs to handle it.
BROADSIDE_FORCE_INLINE PreparedRay prepared_ray(const Ray& ray, float padding, Inside inside) {
    const Vec3 inv = {1.0f / flush_denormal(ray.direction.x), 1.0f / flush_denormal(ray.direction.y),
                      1.0f / flush_denormal(ray.direction.z)};
    return {ray.origin,           inv,
            inv * padding,        is_valid(ray) ? min_keep(ray.t_max * padding, FLT_MAX) : -1.0f,
            accept_floor(inside), report_floor(inside)};
}
BROADSIDE_FORCE_INLINE PreparedRay prepared_ray(const Ray& ray, const RaySettings& settings) {
    return prepared_ray(ray, far_padding(settings), settings.inside);
}

/// True if some time of the ray may underflow, so that look_at_start has something to correct.
BROADSIDE_FORCE_INLINE bool may_underflow(const PreparedRay& ray) {
    return may_underflow(ray.origin.x, ray.inv_direction.x) ||
           may_underflow(ray.origin.y, ray.inv_direction.y) ||
           may_underflow(ray.origin.z, ray.inv_direction.z);
}

/// The planes of a box in the order in which the ray meets them. The sign bit decides, also for ±0.
struct BoxPlanes {
    Vec3 near_planes;
    Vec3 far_planes;
};
BROADSIDE_FORCE_INLINE BoxPlanes order_planes(const PreparedRay& ray, const Aabb& box) {
    const bool from_max_x = has_sign_bit(ray.inv_direction.x);
    const bool from_max_y = has_sign_bit(ray.inv_direction.y);
    const bool from_max_z = has_sign_bit(ray.inv_direction.z);
    return {{from_max_x ? box.max.x : box.min.x, from_max_y ? box.max.y : box.min.y,
             from_max_z ? box.max.z : box.min.z},
            {from_max_x ? box.min.x : box.max.x, from_max_y ? box.min.y : box.max.y,
             from_max_z ? box.min.z : box.max.z}};
}

/// The faces of the near planes.
struct EntryFaces {
    Face x, y, z;
};
BROADSIDE_FORCE_INLINE EntryFaces entry_faces(const PreparedRay& ray) {
    return {has_sign_bit(ray.inv_direction.x) ? Face::max_x : Face::min_x,
            has_sign_bit(ray.inv_direction.y) ? Face::max_y : Face::min_y,
            has_sign_bit(ray.inv_direction.z) ? Face::max_z : Face::min_z};
}

/// The part of the line within the slabs so far, and the face by which it enters.
struct SlabInterval {
    float t_enter;
    float t_exit;
    Face face;
};

/// Cuts the interval to one slab.
///
/// A parallel line has inv = ±infinity. Then both products are infinite, and their signs say "inside" (-inf,
/// +inf), "before" (+inf enters after everything) or "behind" (-inf leaves before everything). If the origin
/// lies exactly on a plane, 0·inf is NaN, which fails the comparisons and leaves that side unchanged. That is
/// the closed slab (source_rules.md D6, E4, G7).
BROADSIDE_FORCE_INLINE void cut_to_slab(float near_plane, float far_plane, float origin, float inv,
                                        float inv_far, Face face, SlabInterval& state) {
    const float t_near = (near_plane - origin) * inv;
    const float t_far = (far_plane - origin) * inv_far;
    // Strictly later, so that the first axis keeps the face of an edge or corner (source_rules.md E6).
    state.face = t_near > state.t_enter ? face : state.face;
    state.t_enter = max_keep(t_near, state.t_enter);
    state.t_exit = min_keep(t_far, state.t_exit);
}
BROADSIDE_FORCE_INLINE SlabInterval cut_to_slabs(const PreparedRay& ray, const BoxPlanes& planes,
                                                 const EntryFaces& faces) {
    const auto& [near, far] = planes;
    SlabInterval state = {-FLT_MAX, ray.t_max, Face::none};
    cut_to_slab(near.x, far.x, ray.origin.x, ray.inv_direction.x, ray.inv_direction_far.x, faces.x, state);
    cut_to_slab(near.y, far.y, ray.origin.y, ray.inv_direction.y, ray.inv_direction_far.y, faces.y, state);
    cut_to_slab(near.z, far.z, ray.origin.z, ray.inv_direction.z, ray.inv_direction_far.z, faces.z, state);
    return state;
}

/// True on a hit, for boxes that are not empty.
BROADSIDE_FORCE_INLINE bool has_hit(const PreparedRay& ray, const SlabInterval& state) {
    return state.t_enter <= state.t_exit && state.t_exit >= 0.0f && state.t_enter >= ray.accept_floor;
}

/// Corrects the interval at the start of the ray, on one axis. A t that underflows has lost its sign, so the
/// coordinates decide if the interval begins or ends at 0. A slab that the ray has left ends it before 0. A
/// slab that it has yet to enter, or touches, begins it at 0. If there is none, the start is inside.
BROADSIDE_FORCE_INLINE void look_at_start(float min, float max, float origin, float inv, Face face,
                                          SlabInterval& state) {
    const bool from_max = has_sign_bit(inv);
    const bool has_left = from_max ? origin < min : origin > max;
    if (has_left) state.t_exit = -FLT_TRUE_MIN;
    const bool is_ahead = is_finite(inv) && (from_max ? origin >= max : origin <= min);
    if (!is_ahead) return;
    state.t_enter = 0.0f;
    state.face = face;
}
BROADSIDE_FORCE_INLINE void look_at_start(const PreparedRay& ray, const Aabb& box, SlabInterval& state) {
    const EntryFaces faces = entry_faces(ray);
    if (state.t_enter == 0.0f) state.t_enter = -FLT_TRUE_MIN;
    // The first axis comes last, so that it names the face.
    look_at_start(box.min.z, box.max.z, ray.origin.z, ray.inv_direction.z, faces.z, state);
    look_at_start(box.min.y, box.max.y, ray.origin.y, ray.inv_direction.y, faces.y, state);
    look_at_start(box.min.x, box.max.x, ray.origin.x, ray.inv_direction.x, faces.x, state);
}

/// The three results of a hit. Adding +0 turns -0 into +0 and changes nothing else.
BROADSIDE_FORCE_INLINE float reported_t_enter(const PreparedRay& ray, const SlabInterval& state) {
    return max_keep(state.t_enter, ray.report_floor) + 0.0f;
}
BROADSIDE_FORCE_INLINE float reported_t_exit(const SlabInterval& state) { return state.t_exit + 0.0f; }
BROADSIDE_FORCE_INLINE Face reported_face(const PreparedRay& ray, const SlabInterval& state) {
    return state.t_enter >= ray.report_floor ? state.face : Face::none;
}

/// One ray against one box by slabs (Kay and Kajiya, "Ray tracing complex scenes", 1986; the NaN-neutral
/// ordering is Barnes, "Fast, branchless ray/bounding box intersections", part 3, 2022; source_rules.md D and
/// E). It is a hit if the interval stays non-empty and reaches t >= 0; the inside policy applies after that.
/// - Touching, zero extent, parallel within a face: hits. -0 counts as 0 everywhere.
/// - Infinite sides: -inf enters before everything, +inf leaves after everything.
/// - Inverted and NaN boxes: refused by is_empty, because rounding to equal t could let them through.
///   Boxes at infinity: an entry at +inf is beyond any t_max, an exit at -inf is behind any start.
BROADSIDE_FORCE_INLINE RaySolidHit ray_box_prepared(const PreparedRay& ray, const Aabb& box) {
    SlabInterval slabs = cut_to_slabs(ray, order_planes(ray, box), entry_faces(ray));
    if (is_empty(box) || !has_hit(ray, slabs)) return {};
    if (slabs.t_enter == 0.0f || slabs.t_exit == 0.0f) [[unlikely]] {
        look_at_start(ray, box, slabs);
        if (!has_hit(ray, slabs)) return {};
    }
    return {reported_t_enter(ray, slabs), reported_t_exit(slabs), true, reported_face(ray, slabs)};
}

}  // namespace broadside
