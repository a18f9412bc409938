// Single questions, argument checks and dispatch of oriented box against triangle.
#include <broadside/float_environment.hpp>
#include <broadside/obb_triangle.hpp>

#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_triangle_scalar.hpp"
#include "simd/src/dispatch.hpp"

#include <cmath>

namespace broadside {

using narrowphase::ObbFrame;

bool overlap(const Obb& obb, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return narrowphase::overlap_scalar(narrowphase::make_obb_frame(obb, {}), triangle);
}

TriangleImpact obb_triangle_impact(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                                   Vec3 triangle_displacement) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    const ObbFrame frame = narrowphase::make_obb_frame(obb, triangle_displacement - obb_displacement);
    return narrowphase::impact_scalar(frame, triangle);
}

bool swept_overlap(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                   Vec3 triangle_displacement) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return obb_triangle_impact(obb, obb_displacement, triangle, triangle_displacement).toi <= 1.0f;
}

namespace {

Vec3 unit(Vec3 a) {
    const Vec3 scaled = a * inverse_power_of_two(largest_component(a));
    const float length = std::sqrt(length_sq(scaled));
    return length > 0.0f ? scaled * (1.0f / length) : Vec3{};
}

// The axis of the impact in the frame of the box, pointing away from the triangle's side.
Vec3 normal_in_box(const ObbFrame& frame, const Triangle& triangle, ContactAxis axis) {
    const narrowphase::TriangleInBox t = narrowphase::triangle_in_box(frame, triangle);
    const auto index = static_cast<unsigned>(axis);
    Vec3 direction;
    if (axis == ContactAxis::triangle_normal) {
        direction = t.normal;
    } else if (index < 3) {
        direction = {index == 0 ? 1.0f : 0.0f, index == 1 ? 1.0f : 0.0f, index == 2 ? 1.0f : 0.0f};
    } else {
        const unsigned box_axis = (index - 4) % 3;
        const Vec3 edge = index < 7 ? t.ab : index < 10 ? t.bc : t.ca;
        // box axis × edge
        direction = box_axis == 0   ? Vec3{0.0f, -edge.z, edge.y}
                    : box_axis == 1 ? Vec3{edge.z, 0.0f, -edge.x}
                                    : Vec3{-edge.y, edge.x, 0.0f};
    }
    const narrowphase::Interval interval = narrowphase::interval_along(direction, t);
    return interval.min + interval.max > 0.0f ? -direction : direction;
}

}  // namespace

Vec3 contact_normal(const Obb& obb, const Triangle& triangle, ContactAxis axis) noexcept {
    const FloatEnvironment environment;
    if (axis == ContactAxis::initial || axis == ContactAxis::none) return {};
    const ObbFrame frame = narrowphase::make_obb_frame(obb, {});
    const Vec3 n = unit(normal_in_box(frame, triangle, axis));
    return unit(frame.axis_x * n.x + frame.axis_y * n.y + frame.axis_z * n.z);
}

BatchResult overlap_triangles(const Obb& obb, const TriangleSoaView& triangles,
                              std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (!triangles.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(triangles.count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap(obb, triangles, out_bits.data());
    return {};
}

BatchResult obb_triangle_impacts(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                                 Vec3 triangle_displacement, std::span<float> out_toi,
                                 std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    if (!triangles.is_readable()) return {Status::invalid_argument};
    if (narrowphase::is_too_short(triangles.count, out_toi, out_axis)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->impacts(obb, triangle_displacement - obb_displacement, triangles,
                     {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

BatchResult swept_overlap_triangles(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                                    Vec3 triangle_displacement, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    if (!triangles.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(triangles.count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->swept_overlap(obb, triangle_displacement - obb_displacement, triangles, out_bits.data());
    return {};
}

BatchResult overlap_obbs_triangle(const ObbSoaView& obbs, const Triangle& triangle,
                                  std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    if (!obbs.is_readable()) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(obbs.count())) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->overlap_obbs(obbs, triangle, out_bits.data());
    return {};
}

BatchResult obbs_triangle_impacts(const ObbSoaView& obbs, const Vec3SoaView& obb_displacements,
                                  const Triangle& triangle, Vec3 triangle_displacement,
                                  std::span<float> out_toi, std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    const bool fits = obb_displacements.count == 0 || obb_displacements.count == obbs.count();
    if (!obbs.is_readable() || !obb_displacements.is_readable() || !fits) return {Status::invalid_argument};
    if (narrowphase::is_too_short(obbs.count(), out_toi, out_axis)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::ObbTriangleKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->obb_impacts(obbs, obb_displacements, triangle, triangle_displacement,
                         {out_toi.data(), narrowphase::pointer_or_null(out_axis)});
    return {};
}

}  // namespace broadside
