// The kernels of four rays or four boxes, compiled once for each ISA of four lanes.
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_box4_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const RayBox4Kernels RayBox4Kernels::BROADSIDE_UNIT_ISA = {
    .nodes = &ray_box4_nodes_kernel<UnitArch>,
    .packet = &ray4_boxes_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
