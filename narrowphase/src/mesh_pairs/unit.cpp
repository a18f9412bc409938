// The kernels of mesh against mesh, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/mesh_pairs/distance_walk_kernel.hpp"
#include "narrowphase/src/mesh_pairs/kernels.hpp"
#include "narrowphase/src/mesh_pairs/pair_walk_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const MeshPairKernels MeshPairKernels::BROADSIDE_UNIT_ISA = {
    .walk = &pair_walk_kernel<UnitArch>,
    .leaves = &leaves_kernel<UnitArch>,
    .closest = &distance_walk_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
