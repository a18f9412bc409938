// The kernels of other shapes than boxes, compiled once for each ISA.
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/all_kernel.hpp"
#include "broadphase/src/tree/kernels/obb_kernel.hpp"
#include "broadphase/src/tree/kernels/visit_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::broadphase {

using simd::UnitArch;

constinit const TreeShapeKernels TreeShapeKernels::BROADSIDE_UNIT_ISA = {
    .all_planes = &all_kernel<UnitArch, PlanesShape, PlanesQuery>,
    .all_obbs = &all_obbs_kernel<UnitArch>,
    .all_spheres = &all_spheres_kernel<UnitArch>,
    .all_within = &all_within_kernel<UnitArch>,
    .visit_spheres = &visit_kernel<UnitArch, SphereShape, SphereQuery, true>,
};

}  // namespace broadside::broadphase
