// Oriented box against triangle, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/obb_triangle.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_triangle_scalar.hpp"

#include <cmath>

namespace broadside {

using narrowphase::ObbFrame;

bool overlap(const Obb& obb, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(
        narrowphase::overlap_scalar(narrowphase::make_obb_frame(obb, {}), triangle));
}

TriangleImpact first_impact(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                            Vec3 triangle_displacement) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    const ObbFrame frame = narrowphase::make_obb_frame(obb, triangle_displacement - obb_displacement);
    return FloatEnvironment::result(narrowphase::impact_scalar(frame, triangle));
}

bool swept_overlap(const Obb& obb, Vec3 obb_displacement, const Triangle& triangle,
                   Vec3 triangle_displacement) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return FloatEnvironment::result(
        first_impact(obb, obb_displacement, triangle, triangle_displacement).toi <= 1.0f);
}

namespace {

Vec3 unit(Vec3 a) {
    const Vec3 scaled = a * inverse_power_of_two(largest_component(a));
    const float length = std::sqrt(length_sq(scaled));
    return length > 0.0f ? scaled * (1.0f / length) : Vec3{};
}

// The axis of the impact in the frame of the box, pointing away from the triangle.
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
    return FloatEnvironment::result(unit(frame.axis_x * n.x + frame.axis_y * n.y + frame.axis_z * n.z));
}

using narrowphase::BatchCall;
using narrowphase::ObbTriangleKernels;
using narrowphase::pointer_or_null;

BatchResult overlaps(const Obb& obb, const TriangleSoaView& triangles,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(triangles)
        .holds_bits(out_bits, triangles.count)
        .run<ObbTriangleKernels>(
            [&](const auto& kernels) { kernels.overlap(obb, triangles, out_bits.data()); });
}

BatchResult times_of_impact(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                            Vec3 triangle_displacement, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return BatchCall()
        .readable(triangles)
        .holds(out_toi, triangles.count)
        .holds_if_wanted(out_axis, triangles.count)
        .run<ObbTriangleKernels>([&](const auto& kernels) {
            kernels.impacts(obb, triangle_displacement - obb_displacement, triangles,
                            {out_toi.data(), pointer_or_null(out_axis)});
        });
}

BatchResult swept_overlaps(const Obb& obb, Vec3 obb_displacement, const TriangleSoaView& triangles,
                           Vec3 triangle_displacement, std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment(obb_displacement, triangle_displacement);
    return BatchCall()
        .readable(triangles)
        .holds_bits(out_bits, triangles.count)
        .run<ObbTriangleKernels>([&](const auto& kernels) {
            kernels.swept_overlap(obb, triangle_displacement - obb_displacement, triangles, out_bits.data());
        });
}

BatchResult overlaps(const ObbSoaView& obbs, const Triangle& triangle,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(obbs, "obbs: counts differ, or a column is null though the count is not 0")
        .holds_bits(out_bits, obbs.count())
        .run<ObbTriangleKernels>(
            [&](const auto& kernels) { kernels.overlap_obbs(obbs, triangle, out_bits.data()); });
}

BatchResult times_of_impact(const ObbSoaView& obbs, const Vec3SoaView& obb_displacements,
                            const Triangle& triangle, Vec3 triangle_displacement, std::span<float> out_toi,
                            std::span<ContactAxis> out_axis) noexcept {
    const FloatEnvironment environment(triangle_displacement);
    return BatchCall()
        .readable(obbs, "obbs: counts differ, or a column is null though the count is not 0")
        .readable(obb_displacements, "obb_displacements: a column is null though the count is not 0")
        .none_or_one_each(obb_displacements.count, obbs.count(),
                          "obb_displacements: neither none nor one per box")
        .holds(out_toi, obbs.count())
        .holds_if_wanted(out_axis, obbs.count())
        .run<ObbTriangleKernels>([&](const auto& kernels) {
            kernels.obb_impacts(obbs, obb_displacements, triangle, triangle_displacement,
                                {out_toi.data(), pointer_or_null(out_axis)});
        });
}

}  // namespace broadside
