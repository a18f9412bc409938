// The kernels of meshes, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/mesh/box_kernel.hpp"
#include "narrowphase/src/mesh/bundle_kernel.hpp"
#include "narrowphase/src/mesh/distance_kernel.hpp"
#include "narrowphase/src/mesh/kernels.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const MeshKernels MeshKernels::BROADSIDE_UNIT_ISA = {
    .closest = &closest_kernel<UnitArch>,
    .any = &any_kernel<UnitArch>,
    .all = &all_kernel<UnitArch>,
    .crossings = &crossings_kernel<UnitArch>,
    .closest_slots = &closest_slots_kernel<UnitArch>,
    .sphere_slots = &sphere_slots_kernel<UnitArch>,
    .leaves = &leaves_kernel<UnitArch>,
    .box_slots = &box_slots_kernel<UnitArch>,
    .cast = &cast_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
