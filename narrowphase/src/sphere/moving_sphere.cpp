// Time of impact of two moving spheres, and argument checks and dispatch of the batches.
#include <broadside/float_environment.hpp>
#include <broadside/moving_sphere.hpp>

#include "core/src/pair_check.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "narrowphase/src/sphere/moving_sphere_scalar.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {
namespace {

bool is_readable(const MovingSpheres& moving) noexcept {
    return moving.spheres.is_readable() && moving.displacements.is_readable() &&
           (moving.displacements.count == 0 || moving.displacements.count == moving.spheres.count);
}

}  // namespace

float time_of_impact(const Sphere& a, const Sphere& b, Vec3 displacement_a, Vec3 displacement_b) noexcept {
    const FloatEnvironment environment(displacement_a, displacement_b);
    return narrowphase::sphere_impact_scalar(a, b, displacement_a, displacement_b);
}

BatchResult times_of_impact(const Sphere& sphere, Vec3 displacement, const MovingSpheres& others,
                            std::span<float> out_toi) noexcept {
    const FloatEnvironment environment(displacement);
    if (!is_readable(others)) return {Status::invalid_argument};
    if (out_toi.size() < others.spheres.count) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::MovingSphereKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->one(sphere, displacement, others, out_toi.data());
    return {};
}

BatchResult times_of_impact(const MovingSpheres& a, const MovingSpheres& b,
                            std::span<float> out_toi) noexcept {
    const FloatEnvironment environment;
    if (!is_readable(a) || !is_readable(b) || a.spheres.count != b.spheres.count)
        return {Status::invalid_argument};
    if (out_toi.size() < a.spheres.count) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::MovingSphereKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->streams(a, b, out_toi.data());
    return {};
}

BatchResult times_of_impact_of_pairs(const MovingSpheres& a, const MovingSpheres& b,
                                     std::span<const IndexPair> pairs, std::span<float> out_toi) noexcept {
    const FloatEnvironment environment;
    if (!is_readable(a) || !is_readable(b)) return {Status::invalid_argument};
    if (out_toi.size() < pairs.size()) return {Status::capacity_exceeded};
    const std::size_t bad_index = find_pair_out_of_range(pairs, a.spheres.count, b.spheres.count);
    if (bad_index != kNoIndex) return {Status::invalid_argument, bad_index};
    const auto* kernels = simd::active_kernels<narrowphase::MovingSphereKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->pairs(a, b, pairs.data(), pairs.size(), out_toi.data());
    return {};
}

}  // namespace broadside
