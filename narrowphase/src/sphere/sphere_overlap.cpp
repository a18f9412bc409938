// Single questions, argument checks and dispatch of spheres against shapes at rest.
#include <broadside/float_environment.hpp>
#include <broadside/sphere_overlap.hpp>

#include "narrowphase/src/sphere/kernels.hpp"
#include "narrowphase/src/sphere/sphere_overlap_scalar.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

// The checks of every batch; `call(kernels)` runs when they pass.
template <class Call>
BatchResult run_batch(bool is_readable, std::size_t count, std::span<std::uint64_t> out_bits,
                      Call&& call) noexcept {
    if (!is_readable) return {Status::invalid_argument};
    if (out_bits.size() < bit_word_count(count)) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::SphereOverlapKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    call(*kernels);
    return {};
}

}  // namespace

bool overlap(const Sphere& sphere, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    return narrowphase::sphere_overlap_scalar(sphere, box);
}
bool overlap(const Sphere& sphere, const Obb& obb) noexcept {
    const FloatEnvironment environment;
    return narrowphase::sphere_overlap_scalar(sphere, obb);
}
bool overlap(const Sphere& sphere, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return narrowphase::sphere_overlap_scalar(sphere, triangle);
}

BatchResult overlap_spheres(const Sphere& sphere, const SphereSoaView& spheres,
                            std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(spheres.is_readable(), spheres.count, out_bits,
                     [&](const auto& kernels) { kernels.spheres(sphere, spheres, out_bits.data()); });
}
BatchResult overlap_sphere_boxes(const Sphere& sphere, const BoxSoaView& boxes,
                                 std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(boxes.is_readable(), boxes.count, out_bits,
                     [&](const auto& kernels) { kernels.boxes(sphere, boxes, out_bits.data()); });
}
BatchResult overlap_sphere_obbs(const Sphere& sphere, std::span<const Obb> obbs,
                                std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(true, obbs.size(), out_bits, [&](const auto& kernels) {
        kernels.obbs(sphere, obbs.data(), obbs.size(), out_bits.data());
    });
}
BatchResult overlap_sphere_triangles(const Sphere& sphere, const TriangleSoaView& triangles,
                                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(triangles.is_readable(), triangles.count, out_bits,
                     [&](const auto& kernels) { kernels.triangles(sphere, triangles, out_bits.data()); });
}

BatchResult overlap_box_spheres(const Aabb& box, const SphereSoaView& spheres,
                                std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(spheres.is_readable(), spheres.count, out_bits,
                     [&](const auto& kernels) { kernels.of_box(box, spheres, out_bits.data()); });
}
BatchResult overlap_obb_spheres(const Obb& obb, const SphereSoaView& spheres,
                                std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(spheres.is_readable(), spheres.count, out_bits,
                     [&](const auto& kernels) { kernels.of_obb(obb, spheres, out_bits.data()); });
}
BatchResult overlap_triangle_spheres(const Triangle& triangle, const SphereSoaView& spheres,
                                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return run_batch(spheres.is_readable(), spheres.count, out_bits,
                     [&](const auto& kernels) { kernels.of_triangle(triangle, spheres, out_bits.data()); });
}

}  // namespace broadside
