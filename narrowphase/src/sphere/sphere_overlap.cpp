// Spheres against shapes at rest, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/sphere_overlap.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "narrowphase/src/sphere/sphere_overlap_scalar.hpp"

namespace broadside {
using narrowphase::BatchCall;
using narrowphase::SphereOverlapKernels;

bool overlap(const Sphere& sphere, const Aabb& box) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(narrowphase::sphere_overlap_scalar(sphere, box));
}
bool overlap(const Sphere& sphere, const Obb& obb) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(narrowphase::sphere_overlap_scalar(sphere, obb));
}
bool overlap(const Sphere& sphere, const Triangle& triangle) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(narrowphase::sphere_overlap_scalar(sphere, triangle));
}

BatchResult overlaps(const Sphere& sphere, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .holds_bits(out_bits, spheres.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.spheres(sphere, spheres, out_bits.data()); });
}
BatchResult overlaps(const Sphere& sphere, const BoxSoaView& boxes,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(boxes, "boxes: a column is null though the count is not 0")
        .holds_bits(out_bits, boxes.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.boxes(sphere, boxes, out_bits.data()); });
}
BatchResult overlaps(const Sphere& sphere, std::span<const Obb> obbs,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(obbs)
        .holds_bits(out_bits, obbs.size())
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.obbs(sphere, obbs.data(), obbs.size(), out_bits.data()); });
}
BatchResult overlaps(const Sphere& sphere, const TriangleSoaView& triangles,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(triangles)
        .holds_bits(out_bits, triangles.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.triangles(sphere, triangles, out_bits.data()); });
}

BatchResult overlaps(const Aabb& box, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .holds_bits(out_bits, spheres.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.of_box(box, spheres, out_bits.data()); });
}
BatchResult overlaps(const Obb& obb, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .holds_bits(out_bits, spheres.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.of_obb(obb, spheres, out_bits.data()); });
}
BatchResult overlaps(const Triangle& triangle, const SphereSoaView& spheres,
                     std::span<std::uint64_t> out_bits) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .holds_bits(out_bits, spheres.count)
        .run<SphereOverlapKernels>(
            [&](const auto& kernels) { kernels.of_triangle(triangle, spheres, out_bits.data()); });
}

}  // namespace broadside
