// The kernels of spheres, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/sphere/kernels.hpp"
#include "narrowphase/src/sphere/moving_sphere_kernel.hpp"
#include "narrowphase/src/sphere/sphere_overlap_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const SphereOverlapKernels SphereOverlapKernels::BROADSIDE_UNIT_ISA = {
    .spheres = &overlap_spheres_kernel<UnitArch>,
    .boxes = &overlap_sphere_boxes_kernel<UnitArch>,
    .obbs = &overlap_sphere_obbs_kernel<UnitArch>,
    .triangles = &overlap_sphere_triangles_kernel<UnitArch>,
    .of_box = &overlap_shape_spheres_kernel<UnitArch, Aabb>,
    .of_obb = &overlap_shape_spheres_kernel<UnitArch, Obb>,
    .of_triangle = &overlap_shape_spheres_kernel<UnitArch, Triangle>,
};

constinit const MovingSphereKernels MovingSphereKernels::BROADSIDE_UNIT_ISA = {
    .one = &sphere_impacts_of_one_kernel<UnitArch>,
    .streams = &sphere_impacts_kernel<UnitArch>,
    .pairs = &sphere_impacts_of_pairs_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
