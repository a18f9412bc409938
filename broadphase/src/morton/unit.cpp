// The kernel of the Morton algorithm, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/morton/kernels.hpp"
#include "broadphase/src/morton/leaf_join_kernel.hpp"

namespace broadside::broadphase {

constinit const LeafKernels LeafKernels::BROADSIDE_UNIT_ISA = {
    .join_rows = &join_rows_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
