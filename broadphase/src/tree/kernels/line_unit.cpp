// The kernels of rays and moving boxes, compiled once for each ISA.
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/all_kernel.hpp"
#include "broadphase/src/tree/kernels/first_kernel.hpp"
#include "broadphase/src/tree/kernels/packet_kernel.hpp"
#include "broadphase/src/tree/kernels/prepare_kernel.hpp"
#include "broadphase/src/tree/kernels/visit_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::broadphase {

using simd::UnitArch;

constinit const TreeLineKernels TreeLineKernels::BROADSIDE_UNIT_ISA = {
    .all_slabs = &all_slabs_kernel<UnitArch>,
    .any_slab = &any_slab_kernel<UnitArch>,
    .prepare_rays = &prepare_rays_kernel<UnitArch>,
    .any_slabs = &any_slabs_kernel<UnitArch>,
    .first_slab = &first_slab_kernel<UnitArch>,
    .first_slabs = &first_slabs_kernel<UnitArch>,
    .first_slabs_packet = &first_slabs_packet_kernel<UnitArch>,
    .visit_slabs_packet = &visit_slabs_packet_kernel<UnitArch>,
    .visit_slabs = &visit_kernel<UnitArch, SlabShape, SlabQuery, true>,
};

}  // namespace broadside::broadphase
