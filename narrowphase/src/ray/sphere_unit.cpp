// The kernels of rays against spheres, compiled once for each ISA.
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_sphere_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const RaySphereKernels RaySphereKernels::BROADSIDE_UNIT_ISA = {
    .spheres = &ray_spheres_kernel<UnitArch>,
    .closest = &closest_spheres_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
