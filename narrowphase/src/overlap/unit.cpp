// The kernels of box overlap, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/overlap/kernels.hpp"
#include "narrowphase/src/overlap/overlap_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const OverlapKernels OverlapKernels::BROADSIDE_UNIT_ISA = {
    .boxes = &overlap_boxes_kernel<UnitArch>,
    .pairs = &overlap_pairs_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
