// Argument checks and dispatch of ray against sphere.
#include <broadside/float_environment.hpp>
#include <broadside/ray_sphere.hpp>

#include "narrowphase/src/batch/outputs.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_sphere_scalar.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside {

using narrowphase::has_room;
using narrowphase::pointer_or_null;

RaySphereHit ray_sphere(const Ray& ray, const Sphere& sphere, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return narrowphase::ray_sphere_scalar(narrowphase::prepared_sphere_ray(ray, settings.inside), sphere);
}

BatchResult ray_spheres(const Ray& ray, const SphereSoaView& spheres, const RaySettings& settings,
                        const RaySphereOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    if (!spheres.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results.t_enter, spheres.count) || !has_room(out_results.t_exit, spheres.count) ||
        !has_room(out_results.hit_bits, bit_word_count(spheres.count)))
        return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RaySphereKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->spheres(ray, spheres, settings.inside,
                     {pointer_or_null(out_results.t_enter), pointer_or_null(out_results.t_exit),
                      pointer_or_null(out_results.hit_bits)});
    return {};
}

BatchResult closest_spheres(std::span<const Ray> rays, const SphereSoaView& spheres,
                            const RaySettings& settings, std::span<ClosestSphere> out_closest) noexcept {
    const FloatEnvironment environment;
    if (!spheres.is_readable() || spheres.count >= kNoSphere) return {Status::invalid_argument};
    if (out_closest.size() < rays.size()) return {Status::capacity_exceeded};
    const auto* kernels = simd::active_kernels<narrowphase::RaySphereKernels>();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->closest(rays.data(), rays.size(), spheres, settings.inside, out_closest.data());
    return {};
}

}  // namespace broadside
