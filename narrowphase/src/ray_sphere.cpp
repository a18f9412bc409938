// Argument checks and dispatch of ray against sphere.
#include <broadside/ray_sphere.hpp>

#include "narrowphase/src/batch_outputs.hpp"
#include "narrowphase/src/kernel_table.hpp"

namespace broadside {

using narrowphase::has_room;
using narrowphase::pointer_or_null;

RaySphereHit ray_sphere(const Ray& ray, const Sphere& sphere, const RaySettings& settings) noexcept {
    return narrowphase::ray_sphere_scalar(narrowphase::prepared_sphere_ray(ray, settings.inside), sphere);
}

BatchResult ray_spheres(const Ray& ray, const SphereSoaView& spheres, const RaySettings& settings,
                        const RaySphereOutputs& out_results) noexcept {
    if (!spheres.is_readable()) return {Status::invalid_argument};
    if (!has_room(out_results.t_enter, spheres.count) || !has_room(out_results.t_exit, spheres.count) ||
        !has_room(out_results.hit_bits, bit_word_count(spheres.count)))
        return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->ray_sphere.spheres(ray, spheres, settings.inside,
                                {pointer_or_null(out_results.t_enter), pointer_or_null(out_results.t_exit),
                                 pointer_or_null(out_results.hit_bits)});
    return {};
}

BatchResult closest_spheres(std::span<const Ray> rays, const SphereSoaView& spheres,
                            const RaySettings& settings, std::span<ClosestSphere> out_closest) noexcept {
    if (!spheres.is_readable() || spheres.count >= kNoSphere) return {Status::invalid_argument};
    if (out_closest.size() < rays.size()) return {Status::capacity_exceeded};
    const narrowphase::Kernels* kernels = narrowphase::active_kernels();
    if (kernels == nullptr) return {Status::unsupported_isa};
    kernels->ray_sphere.closest(rays.data(), rays.size(), spheres, settings.inside, out_closest.data());
    return {};
}

}  // namespace broadside
