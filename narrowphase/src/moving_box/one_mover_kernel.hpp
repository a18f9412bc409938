// One moving box against many at rest, over lanes: what does not depend on the other box is worked out once.
#pragma once

#include "narrowphase/src/moving_box/moving_aabb_kernel.hpp"
#include "narrowphase/src/moving_box/rows_scalar.hpp"

namespace broadside::narrowphase {

/// One axis of the mover: with its direction known, near and far are a choice of arrays.
struct MoverAxis {
    const float* near_planes;
    const float* far_planes;
    /// The mover's own planes that meet them.
    float near_side;
    float far_side;
    float inv_displacement;
    Face face;
};
BROADSIDE_FORCE_INLINE MoverAxis mover_axis(const float* planes_min, const float* planes_max,
                                            const MoverSide& side, Face min_face) {
    if (side.direction_code == 0.0f) {
        return {planes_min, planes_max, side.max, side.min, side.inv_displacement, min_face};
    }
    const auto max_face = static_cast<Face>(static_cast<int>(min_face) + 1);
    return {planes_max, planes_min, side.min, side.max, side.inv_displacement, max_face};
}

/// The near and far times of one axis over lanes.
template <class Arch>
struct AxisTimesW {
    simd::FloatW<Arch> t_near;
    simd::FloatW<Arch> t_far;
};
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE AxisTimesW<Arch> axis_times(const MoverAxis& axis, std::size_t first, Group group) {
    using namespace simd;
    constexpr float kNoPlane = __builtin_nanf("");
    const FloatW<Arch> inv = broadcast<Arch>(axis.inv_displacement);
    return {(group.load(axis.near_planes + first, kNoPlane) - broadcast<Arch>(axis.near_side)) * inv,
            (group.load(axis.far_planes + first, kNoPlane) - broadcast<Arch>(axis.far_side)) * inv};
}

/// One lane: the impact of the mover with one box at rest. As impact_of_rows, the mover being a row in
/// registers: a NaN time is no impact, and can come of a mover only that rests on an axis or has a side at
/// infinity. Boxes are refused by comparisons that know nothing of the direction; padding lanes hold NaN. A
/// group costs 6 subtractions, 6 multiplications, 6 min and max, 4 comparisons or 7.
template <class Arch, bool kIsOpen, bool kWithFaces, bool kMayBeNan>
BROADSIDE_FORCE_INLINE void one_mover_lanes(const MoverAxis (&axes)[3], const BoxSoaView& resting,
                                            float* out_toi, Face* out_faces) {
    using namespace simd;
    const MoverAxis axis_x = axes[0];
    const MoverAxis axis_y = axes[1];
    const MoverAxis axis_z = axes[2];
    const BoxSoaView boxes = resting;
    for_each_group_to<Arch>(out_toi, boxes.count, [&](std::size_t first, auto group) {
        const AxisTimesW<Arch> x = axis_times<Arch>(axis_x, first, group);
        const AxisTimesW<Arch> y = axis_times<Arch>(axis_y, first, group);
        const AxisTimesW<Arch> z = axis_times<Arch>(axis_z, first, group);
        const FloatW<Arch> t_enter =
            max_keep(max_keep(max_keep(z.t_near, y.t_near), x.t_near), broadcast<Arch>(0.0f));
        const FloatW<Arch> t_leave =
            min_keep(min_keep(min_keep(z.t_far, y.t_far), x.t_far), broadcast<Arch>(1.0f));
        const BoxW<Arch> box = load_boxes<Arch>(boxes, first, group);
        const MaskW<Arch> meets = kIsOpen ? t_enter < t_leave : t_enter <= t_leave;
        MaskW<Arch> has_impact =
            ((box.min.x <= box.max.x) & (box.min.y <= box.max.y)) & (box.min.z <= box.max.z) & meets;
        if constexpr (kMayBeNan) {
            has_impact = has_impact & (x.t_near <= x.t_far) & (y.t_near <= y.t_far) & (z.t_near <= z.t_far);
        }
        group.store(out_toi + first, select(has_impact, t_enter, broadcast<Arch>(kNoIntersection)));
        if constexpr (kWithFaces) {
            // if (x.t_near == t_enter) face of x; else y; else z; else none
            const IntW<Arch> none = broadcast_face<Arch>(Face::none);
            const IntW<Arch> if_z = select(z.t_near == t_enter, broadcast_face<Arch>(axis_z.face), none);
            const IntW<Arch> if_y = select(y.t_near == t_enter, broadcast_face<Arch>(axis_y.face), if_z);
            const IntW<Arch> if_x = select(x.t_near == t_enter, broadcast_face<Arch>(axis_x.face), if_y);
            store_faces(out_faces + first, group.count, select(has_impact, if_x, none));
        }
    });
}

template <class Arch>
void one_mover_kernel(const Aabb& mover, Vec3 displacement, const BoxSoaView& resting, Touch touch,
                      float* out_toi, Face* out_faces) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < resting.count; ++i) {
            const Impact impact = first_impact_scalar(resting[i], mover, displacement, touch);
            out_toi[i] = impact.toi;
            if (out_faces != nullptr) out_faces[i] = impact.face;
        }
    } else {
        // No impact for a mover that has none with anything: a box of NaN.
        const bool is_legal = is_valid(mover) && is_finite(displacement);
        const Aabb m = is_legal ? mover : Aabb{kNoCorner, kNoCorner};
        const auto side = [&](float min, float max, float way) {
            return mover_side(min, max, way, 1.0f, touch == Touch::closed);
        };
        const MoverAxis axes[3] = {
            mover_axis(resting.min_x, resting.max_x, side(m.min.x, m.max.x, displacement.x), Face::min_x),
            mover_axis(resting.min_y, resting.max_y, side(m.min.y, m.max.y, displacement.y), Face::min_y),
            mover_axis(resting.min_z, resting.max_z, side(m.min.z, m.max.z, displacement.z), Face::min_z)};
        const float sizes[] = {m.min.x,
                               m.min.y,
                               m.min.z,
                               m.max.x,
                               m.max.y,
                               m.max.z,
                               axes[0].inv_displacement,
                               axes[1].inv_displacement,
                               axes[2].inv_displacement};
        bool may_be_nan = false;
        for (const float size : sizes) may_be_nan |= !is_finite(size);
        const auto run = [&](auto is_open, auto has_faces) {
            if (may_be_nan)
                one_mover_lanes<Arch, is_open.value, has_faces.value, true>(axes, resting, out_toi,
                                                                            out_faces);
            else
                one_mover_lanes<Arch, is_open.value, has_faces.value, false>(axes, resting, out_toi,
                                                                             out_faces);
        };
        if (touch == Touch::open) {
            if (out_faces == nullptr)
                run(Known<true>{}, Known<false>{});
            else
                run(Known<true>{}, Known<true>{});
        } else {
            if (out_faces == nullptr)
                run(Known<false>{}, Known<false>{});
            else
                run(Known<false>{}, Known<true>{});
        }
    }
}

}  // namespace broadside::narrowphase
