// Ray against sphere, single and in batches.
#include <broadside/float_environment.hpp>
#include <broadside/ray_sphere.hpp>

#include "narrowphase/src/batch/call.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_sphere_scalar.hpp"

#include <algorithm>

namespace broadside {

using narrowphase::BatchCall;
using narrowphase::pointer_or_null;
using narrowphase::RaySphereKernels;

RaySolidHit ray_sphere(const Ray& ray, const Sphere& sphere, const RaySettings& settings) noexcept {
    const FloatEnvironment environment;
    return FloatEnvironment::result(
        narrowphase::ray_sphere_scalar(narrowphase::prepared_sphere_ray(ray, settings.inside), sphere));
}

BatchResult ray_spheres(const Ray& ray, const SphereSoaView& spheres, const RaySettings& settings,
                        const RayOutputs& out_results) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .policy(settings.inside)
        .holds_if_wanted(out_results.t_enter, spheres.count)
        .holds_if_wanted(out_results.t_exit, spheres.count)
        .holds_if_wanted(out_results.face, spheres.count)
        .holds_if_wanted(out_results.hit_bits, bit_word_count(spheres.count))
        .run<RaySphereKernels>([&](const auto& kernels) {
            if (!out_results.face.empty()) std::fill_n(out_results.face.data(), spheres.count, Face::none);
            kernels.spheres(ray, spheres, settings.inside,
                            {pointer_or_null(out_results.t_enter), pointer_or_null(out_results.t_exit),
                             pointer_or_null(out_results.hit_bits)});
        });
}

BatchResult closest_hits(std::span<const Ray> rays, const SphereSoaView& spheres, const RaySettings& settings,
                         std::span<TreeHit> out_closest) noexcept {
    const FloatEnvironment environment;
    return BatchCall()
        .readable(spheres, "spheres: a column is null though the count is not 0")
        .readable(rays)
        .policy(settings.inside)
        .legal(spheres.count < kNoBox, "spheres: as many as kNoBox, or more")
        .holds(out_closest, rays.size())
        .run<RaySphereKernels>([&](const auto& kernels) {
            kernels.closest(rays.data(), rays.size(), spheres, settings.inside, out_closest.data());
        });
}

}  // namespace broadside
