// The kernels of rays against boxes, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/ray/kernels.hpp"
#include "narrowphase/src/ray/ray_box_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const RayBoxKernels RayBoxKernels::BROADSIDE_UNIT_ISA = {
    .hits = &ray_hits_kernel<UnitArch>,
    .boxes = &ray_boxes_kernel<UnitArch, false>,
    .boxes_with_face = &ray_boxes_kernel<UnitArch, true>,
    .pairs = &ray_box_pairs_kernel<UnitArch>,
    .many_hits = &rays_hits_kernel<UnitArch>,
    .closest = &closest_hits_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
