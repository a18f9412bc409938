// Makes boxes into prepared rows, one box per lane.
#pragma once

#include "narrowphase/src/moving_box/moving_aabb_kernel.hpp"
#include "narrowphase/src/moving_box/rows_scalar.hpp"
#include "simd/src/int_ops.hpp"
#include "simd/src/transpose.hpp"

namespace broadside::narrowphase {

template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> select(simd::MaskW<Arch> mask, const simd::Vec3W<Arch>& if_true,
                                                const simd::Vec3W<Arch>& if_false) {
    return {select(mask, if_true.x, if_false.x), select(mask, if_true.y, if_false.y),
            select(mask, if_true.z, if_false.z)};
}
template <class Arch, int kStride, class Row>
BROADSIDE_FORCE_INLINE void store_vectors(Row* out_rows, int float_offset, const simd::Vec3W<Arch>& first,
                                          simd::FloatW<Arch> first_w, const simd::Vec3W<Arch>& second,
                                          simd::FloatW<Arch> second_w) {
    static_assert(sizeof(Row) == kStride * sizeof(float));
    simd::store_rows_aligned<Arch, kStride>(reinterpret_cast<float*>(out_rows) + float_offset, first.x,
                                            first.y, first.z, first_w, second.x, second.y, second.z,
                                            second_w);
}
template <class Arch, class Group>
BROADSIDE_FORCE_INLINE simd::Vec3W<Arch> load_displacements(const MovingBoxes& moving, std::size_t first,
                                                            Group group) {
    return moving.displacements.count == 0 ? simd::broadcast<Arch>(Vec3{})
                                           : simd::load_vectors<Arch>(moving.displacements, first, group);
}

/// resting_row, one box per lane.
template <class Arch>
void prepare_resting_rows_kernel(const BoxSoaView& boxes, RestingBoxRow* out_rows) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < boxes.count; ++i) out_rows[i] = resting_row(boxes[i]);
    } else {
        using namespace simd;
        const Vec3W<Arch> no_corner = broadcast<Arch>(corner_of_none());
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        for_each_group<Arch>(boxes.count, [&](std::size_t first, auto group) {
            const BoxW<Arch> box = load_boxes<Arch>(boxes, first, group);
            const MaskW<Arch> is_legal = is_valid(box);
            store_vectors<Arch, 8>(out_rows + first, 0, select(is_legal, box.min, no_corner), zero,
                                   select(is_legal, box.max, no_corner), zero);
        });
    }
}

/// mover_side over lanes.
template <class Arch>
struct MoverSideW {
    simd::FloatW<Arch> min;
    simd::FloatW<Arch> max;
    simd::FloatW<Arch> inv_displacement;
    simd::FloatW<Arch> direction_code;
};
template <class Arch>
BROADSIDE_FORCE_INLINE MoverSideW<Arch> mover_side(simd::FloatW<Arch> min, simd::FloatW<Arch> max,
                                                   simd::FloatW<Arch> displacement, float code,
                                                   simd::MaskW<Arch> is_closed) {
    using namespace simd;
    const FloatW<Arch> zero = broadcast<Arch>(0.0f);
    const MaskW<Arch> rests = absolute(displacement) < broadcast<Arch>(FLT_MIN);
    const MaskW<Arch> is_grown = rests & is_closed;
    const FloatW<Arch> way = select(rests, zero, displacement);
    return {select(is_grown, next_down(min), min), select(is_grown, next_up(max), max),
            broadcast<Arch>(1.0f) / way, select_by_sign(way, broadcast<Arch>(code), zero)};
}

/// may_underflow over lanes.
template <class Arch>
BROADSIDE_FORCE_INLINE simd::MaskW<Arch> may_underflow(const MoverSideW<Arch>& side) {
    using namespace simd;
    const FloatW<Arch> inv_size = absolute(side.inv_displacement);
    const FloatW<Arch> least = broadcast<Arch>(0x1p-123f);
    return (inv_size < broadcast<Arch>(1.0f)) &
           ((absolute(side.min) * inv_size < least) | (absolute(side.max) * inv_size < least));
}

/// moving_row, one box per lane.
template <class Arch>
void prepare_moving_rows_kernel(const MovingBoxes& movers, Touch touch, MovingBoxRow* out_rows) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < movers.shapes.count; ++i) {
            out_rows[i] = moving_row(movers.shapes[i], displacement_at(movers, i), touch);
        }
    } else {
        using namespace simd;
        const Vec3W<Arch> no_corner = broadcast<Arch>(corner_of_none());
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        const FloatW<Arch> one = broadcast<Arch>(1.0f);
        const MaskW<Arch> is_closed = broadcast_mask<Arch>(touch == Touch::closed);
        for_each_group<Arch>(movers.shapes.count, [&](std::size_t first, auto group) {
            const BoxW<Arch> box = load_boxes<Arch>(movers.shapes, first, group);
            const Vec3W<Arch> d = load_displacements<Arch>(movers, first, group);
            const MaskW<Arch> is_legal = is_valid(box) & is_finite(d);
            const MoverSideW<Arch> x = mover_side(box.min.x, box.max.x, d.x, -1.0f, is_closed);
            const MoverSideW<Arch> y = mover_side(box.min.y, box.max.y, d.y, -2.0f, is_closed);
            const MoverSideW<Arch> z = mover_side(box.min.z, box.max.z, d.z, -4.0f, is_closed);
            const Vec3W<Arch> inv = {x.inv_displacement, y.inv_displacement, z.inv_displacement};
            const FloatW<Arch> code = (x.direction_code + y.direction_code) + z.direction_code;
            const MaskW<Arch> is_tiny = may_underflow(x) | may_underflow(y) | may_underflow(z);
            store_vectors<Arch, 16>(out_rows + first, 0,
                                    select(is_legal, Vec3W<Arch>{x.max, y.max, z.max}, no_corner),
                                    select(is_tiny, code - broadcast<Arch>(8.0f), code),
                                    select(is_legal, Vec3W<Arch>{x.min, y.min, z.min}, no_corner), zero);
            store_vectors<Arch, 16>(out_rows + first, 8, inv, one, inv, one);
        });
    }
}

/// body_row, one box per lane.
template <class Arch>
void prepare_body_rows_kernel(const MovingBoxes& bodies, BodyBoxRow* out_rows) {
    if constexpr (simd::is_scalar<Arch>) {
        for (std::size_t i = 0; i < bodies.shapes.count; ++i) {
            out_rows[i] = body_row(bodies.shapes[i], displacement_at(bodies, i));
        }
    } else {
        using namespace simd;
        const Vec3W<Arch> no_corner = broadcast<Arch>(corner_of_none());
        const FloatW<Arch> zero = broadcast<Arch>(0.0f);
        for_each_group<Arch>(bodies.shapes.count, [&](std::size_t first, auto group) {
            const BoxW<Arch> box = load_boxes<Arch>(bodies.shapes, first, group);
            const Vec3W<Arch> d = load_displacements<Arch>(bodies, first, group);
            const MaskW<Arch> is_legal = is_valid(box) & is_finite(d);
            store_vectors<Arch, 16>(out_rows + first, 0, select(is_legal, box.min, no_corner), zero,
                                    select(is_legal, box.max, no_corner), zero);
            store_vectors<Arch, 16>(out_rows + first, 8, d, zero, {zero, zero, zero}, zero);
        });
    }
}

}  // namespace broadside::narrowphase
