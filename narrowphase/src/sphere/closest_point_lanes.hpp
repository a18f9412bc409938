// The closest point over lanes of doubles, one lane included. closest_point_scalar.hpp explains it, serves
// single calls and is the witness.
#pragma once

#include "narrowphase/src/batch/shape_sources.hpp"

namespace broadside::narrowphase {

template <class Arch>
struct ClosestDoubleW {
    simd::Vec3DoubleW<Arch> point;
    simd::DoubleW<Arch> distance_sq;
};

template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleW<Arch> clamped(simd::DoubleW<Arch> a, simd::DoubleW<Arch> min,
                                                   simd::DoubleW<Arch> max) {
    return min_keep(max_keep(a, min), max);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::Vec3DoubleW<Arch> clamped(simd::Vec3DoubleW<Arch> a, simd::Vec3DoubleW<Arch> min,
                                                       simd::Vec3DoubleW<Arch> max) {
    return {clamped(a.x, min.x, max.x), clamped(a.y, min.y, max.y), clamped(a.z, min.z, max.z)};
}

/// is_found ? closest : no_closest().
template <class Arch>
BROADSIDE_FORCE_INLINE ClosestDoubleW<Arch> closest_if(simd::DoubleMaskW<Arch> is_found,
                                                       const ClosestDoubleW<Arch>& closest) {
    const simd::DoubleW<Arch> zero = simd::broadcast_double<Arch>(0.0);
    return {select(is_found, closest.point, simd::Vec3DoubleW<Arch>{zero, zero, zero}),
            select(is_found, closest.distance_sq, simd::broadcast_double<Arch>(__builtin_inf()))};
}

template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleMaskW<Arch> is_valid(const BoxDoubleW<Arch>& box) {
    const simd::DoubleW<Arch> largest = simd::broadcast_double<Arch>(static_cast<double>(FLT_MAX));
    const simd::DoubleW<Arch> smallest = simd::broadcast_double<Arch>(-static_cast<double>(FLT_MAX));
    return (box.min.x <= box.max.x) & (box.min.y <= box.max.y) & (box.min.z <= box.max.z) &  //
           (box.min.x <= largest) & (box.min.y <= largest) & (box.min.z <= largest) &        //
           (box.max.x >= smallest) & (box.max.y >= smallest) & (box.max.z >= smallest);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleMaskW<Arch> is_valid(const ObbDoubleW<Arch>& obb) {
    const simd::DoubleW<Arch> zero = simd::broadcast_double<Arch>(0.0);
    return is_finite_float(obb.center) & is_finite_float(obb.axis_x) & is_finite_float(obb.axis_y) &
           is_finite_float(obb.axis_z) & is_finite_float(obb.half_extent) & (obb.half_extent.x >= zero) &
           (obb.half_extent.y >= zero) & (obb.half_extent.z >= zero);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleMaskW<Arch> is_valid(const SphereDoubleW<Arch>& sphere) {
    return is_finite_float(sphere.center) & (sphere.radius >= simd::broadcast_double<Arch>(0.0)) &
           is_finite_float(sphere.radius);
}

template <class Arch>
BROADSIDE_FORCE_INLINE ClosestDoubleW<Arch> closest_lanes(const BoxDoubleW<Arch>& box,
                                                          simd::Vec3DoubleW<Arch> p) {
    const simd::Vec3DoubleW<Arch> nearest = clamped(p, box.min, box.max);
    const simd::Vec3DoubleW<Arch> gap = p - nearest;
    return closest_if<Arch>(is_valid(box) & is_finite_float(p), {nearest, dot(gap, gap)});
}

template <class Arch>
BROADSIDE_FORCE_INLINE ClosestDoubleW<Arch> closest_lanes(const ObbDoubleW<Arch>& obb,
                                                          simd::Vec3DoubleW<Arch> p) {
    using namespace simd;
    const DoubleW<Arch> zero = broadcast_double<Arch>(0.0);
    const DoubleW<Arch> minus_one = broadcast_double<Arch>(-1.0);
    const Vec3DoubleW<Arch> h = obb.half_extent;
    const Vec3DoubleW<Arch> d = p - obb.center;
    const Vec3DoubleW<Arch> in_box = {dot(obb.axis_x, d), dot(obb.axis_y, d), dot(obb.axis_z, d)};
    const Vec3DoubleW<Arch> nearest = clamped(in_box, h * minus_one, h);
    const Vec3DoubleW<Arch> gap = in_box - nearest;
    const DoubleW<Arch> distance_sq = dot(gap, gap);
    const Vec3DoubleW<Arch> on_surface =
        ((obb.center + obb.axis_x * nearest.x) + obb.axis_y * nearest.y) + obb.axis_z * nearest.z;
    // if (distance_sq <= 0) the point itself
    return closest_if<Arch>(is_valid(obb) & is_finite_float(p),
                            {select(distance_sq <= zero, p, on_surface), distance_sq});
}

template <class Arch>
struct SegmentPointW {
    simd::DoubleW<Arch> t;
    simd::DoubleW<Arch> distance_sq;
};
template <class Arch>
BROADSIDE_FORCE_INLINE SegmentPointW<Arch> nearest_of_segment(simd::Vec3DoubleW<Arch> start,
                                                              simd::Vec3DoubleW<Arch> edge) {
    using namespace simd;
    const DoubleW<Arch> neg_along = dot(start, edge) * broadcast_double<Arch>(-1.0);
    const DoubleW<Arch> t =
        clamped(neg_along / dot(edge, edge), broadcast_double<Arch>(0.0), broadcast_double<Arch>(1.0));
    const Vec3DoubleW<Arch> gap = start + edge * t;
    return {t, dot(gap, gap)};
}

template <class Arch>
struct TrianglePointW {
    simd::DoubleW<Arch> b_weight;
    simd::DoubleW<Arch> c_weight;
    simd::DoubleW<Arch> distance_sq;
};
template <class Arch>
BROADSIDE_FORCE_INLINE TrianglePointW<Arch> select(simd::DoubleMaskW<Arch> mask,
                                                   const TrianglePointW<Arch>& if_true,
                                                   const TrianglePointW<Arch>& if_false) {
    return {select(mask, if_true.b_weight, if_false.b_weight),
            select(mask, if_true.c_weight, if_false.c_weight),
            select(mask, if_true.distance_sq, if_false.distance_sq)};
}

template <class Arch>
BROADSIDE_FORCE_INLINE ClosestDoubleW<Arch> closest_lanes(const TriangleDoubleW<Arch>& triangle,
                                                          simd::Vec3DoubleW<Arch> p) {
    using namespace simd;
    const DoubleW<Arch> zero = broadcast_double<Arch>(0.0);
    const DoubleW<Arch> one = broadcast_double<Arch>(1.0);
    const DoubleMaskW<Arch> is_legal = is_finite_float(triangle.a) & is_finite_float(triangle.b) &
                                       is_finite_float(triangle.c) & is_finite_float(p);
    const Vec3DoubleW<Arch> ab = triangle.b - triangle.a;
    const Vec3DoubleW<Arch> ac = triangle.c - triangle.a;
    const Vec3DoubleW<Arch> bc = triangle.c - triangle.b;
    const Vec3DoubleW<Arch> a = triangle.a - p;
    const Vec3DoubleW<Arch> b = triangle.b - p;

    const SegmentPointW<Arch> on_ab = nearest_of_segment(a, ab);
    TrianglePointW<Arch> nearest = {on_ab.t, zero, on_ab.distance_sq};
    const SegmentPointW<Arch> on_ac = nearest_of_segment(a, ac);
    // if (on_ac.distance_sq < nearest.distance_sq) nearest = on_ac
    nearest = select(on_ac.distance_sq < nearest.distance_sq,
                     TrianglePointW<Arch>{zero, on_ac.t, on_ac.distance_sq}, nearest);
    const SegmentPointW<Arch> on_bc = nearest_of_segment(b, bc);
    // if (on_bc.distance_sq < nearest.distance_sq) nearest = on_bc
    nearest = select(on_bc.distance_sq < nearest.distance_sq,
                     TrianglePointW<Arch>{one - on_bc.t, on_bc.t, on_bc.distance_sq}, nearest);

    const Vec3DoubleW<Arch> normal = cross(ab, ac);
    const DoubleW<Arch> normal_sq = dot(normal, normal);
    const DoubleW<Arch> b_area = dot(cross(ac, a), normal);
    const DoubleW<Arch> c_area = dot(cross(a, ab), normal);
    const DoubleW<Arch> a_area = (normal_sq - b_area) - c_area;
    const DoubleW<Arch> height = dot(a, normal);
    const DoubleW<Arch> face_distance_sq = height * height / normal_sq;
    // if (a_area >= 0 && b_area >= 0 && c_area >= 0 && face_distance_sq <= nearest.distance_sq) nearest =
    // foot
    const DoubleMaskW<Arch> is_foot_inside =
        (a_area >= zero) & (b_area >= zero) & (c_area >= zero) & (face_distance_sq <= nearest.distance_sq);
    nearest = select(is_foot_inside,
                     TrianglePointW<Arch>{b_area / normal_sq, c_area / normal_sq, face_distance_sq}, nearest);

    return closest_if<Arch>(
        is_legal, {(triangle.a + ab * nearest.b_weight) + ac * nearest.c_weight, nearest.distance_sq});
}

}  // namespace broadside::narrowphase
