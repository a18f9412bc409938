// Spheres against shapes at rest, in batches. The specification is the distance of closest_point_scalar.hpp.
#pragma once

#include "core/src/geometry/sphere_box.hpp"
#include "narrowphase/src/sphere/closest_point_lanes.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "simd/src/groups.hpp"

namespace broadside::narrowphase {

template <class Arch, class Shape>
BROADSIDE_FORCE_INLINE simd::DoubleMaskW<Arch> sphere_overlap_lanes(const SphereDoubleW<Arch>& sphere,
                                                                    const Shape& shape) {
    // is_valid(sphere) && closest(shape, center).distance_sq <= radius * radius
    return is_valid(sphere) &
           (closest_lanes<Arch>(shape, sphere.center).distance_sq <= sphere.radius * sphere.radius);
}
template <class Arch>
BROADSIDE_FORCE_INLINE simd::DoubleMaskW<Arch> sphere_overlap_lanes(const SphereDoubleW<Arch>& a,
                                                                    const SphereDoubleW<Arch>& b) {
    const simd::DoubleW<Arch> radius_sum = a.radius + b.radius;
    const simd::Vec3DoubleW<Arch> gap = a.center - b.center;
    // is_valid(a) && is_valid(b) && distance_sq <= radius_sum * radius_sum
    return is_valid(a) & is_valid(b) & (dot(gap, gap) <= radius_sum * radius_sum);
}

/// Boxes whose distance is so close to the radius that rounding may decide are tested one by one.
template <class Arch, class Spheres, class Shapes>
BROADSIDE_FORCE_INLINE std::uint32_t sphere_overlap_bits(const Spheres& spheres, const Shapes& shapes,
                                                         std::size_t first, const SphereDoubleW<Arch>& sphere,
                                                         const BoxDoubleW<Arch>& box) {
    using namespace simd;
    const DoubleW<Arch> distance_sq = closest_lanes<Arch>(box, sphere.center).distance_sq;
    const DoubleW<Arch> radius_sq = sphere.radius * sphere.radius;
    const DoubleMaskW<Arch> is_legal = is_valid(sphere);
    // distance_sq <= square * (1 - kCertainShare)
    std::uint32_t hits =
        bits(is_legal & (distance_sq <= radius_sq * broadcast_double<Arch>(1.0 - geometry::kCertainShare)));
    std::uint32_t doubts =
        bits(is_legal & (distance_sq <= radius_sq * broadcast_double<Arch>(1.0 + geometry::kCertainShare))) &
        ~hits;
    for (; doubts != 0; doubts &= doubts - 1) {
        const auto lane = static_cast<std::size_t>(__builtin_ctz(doubts));
        if (geometry::sphere_box_overlap(spheres[first + lane], shapes[first + lane]))
            hits |= doubts & (0 - doubts);
    }
    return hits;
}
template <class Arch, class Spheres, class Shapes, class Shape>
BROADSIDE_FORCE_INLINE std::uint32_t sphere_overlap_bits(const Spheres&, const Shapes&, std::size_t,
                                                         const SphereDoubleW<Arch>& sphere,
                                                         const Shape& shape) {
    return bits(sphere_overlap_lanes<Arch>(sphere, shape));
}

/// One lane: does one sphere overlap one shape? Padding lanes hold NaN or the first shape; their bits are
/// dropped.
template <class Arch, class Spheres, class Shapes>
BROADSIDE_FORCE_INLINE void sphere_overlaps_over(const Spheres& spheres, const Shapes& shapes,
                                                 std::size_t count, std::uint64_t* out_bits) {
    simd::BitWriter writer(out_bits);
    // Always inlined, whatever GCC's estimate of its size: a call for each group takes 1.6 times as long
    // on avx512 (narrowphase/overlap_spheres/cube/1024).
    const auto write_group = [&](std::size_t first, auto group) BROADSIDE_FORCE_INLINE_LAMBDA {
        writer.write(
            first,
            sphere_overlap_bits<Arch>(spheres, shapes, first, spheres.template lanes<Arch>(first, group),
                                      shapes.template lanes<Arch>(first, group)),
            group.count);
    };
    simd::for_each_double_group<Arch>(count, write_group);
    writer.finish();
}

template <class Arch>
void overlap_spheres_kernel(const Sphere& sphere, const SphereSoaView& spheres, std::uint64_t* out_bits) {
    sphere_overlaps_over<Arch>(OneItem<Sphere>{sphere}, ManySpheres{spheres}, spheres.count, out_bits);
}
template <class Arch>
void overlap_sphere_boxes_kernel(const Sphere& sphere, const BoxSoaView& boxes, std::uint64_t* out_bits) {
    sphere_overlaps_over<Arch>(OneItem<Sphere>{sphere}, ManyBoxes{boxes}, boxes.count, out_bits);
}
template <class Arch>
void overlap_sphere_obbs_kernel(const Sphere& sphere, const Obb* obbs, std::size_t obb_count,
                                std::uint64_t* out_bits) {
    sphere_overlaps_over<Arch>(OneItem<Sphere>{sphere}, ManyObbs{obbs}, obb_count, out_bits);
}
template <class Arch>
void overlap_sphere_triangles_kernel(const Sphere& sphere, const TriangleSoaView& triangles,
                                     std::uint64_t* out_bits) {
    sphere_overlaps_over<Arch>(OneItem<Sphere>{sphere}, ManyTriangles{triangles}, triangles.count, out_bits);
}
template <class Arch, class Shape>
void overlap_shape_spheres_kernel(const Shape& shape, const SphereSoaView& spheres, std::uint64_t* out_bits) {
    sphere_overlaps_over<Arch>(ManySpheres{spheres}, OneItem<Shape>{shape}, spheres.count, out_bits);
}

}  // namespace broadside::narrowphase
