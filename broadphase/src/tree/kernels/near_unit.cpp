// The kernels of distances, compiled once for each ISA.
#include "broadphase/src/tree/kernels.hpp"
#include "broadphase/src/tree/kernels/close_pairs_kernel.hpp"
#include "broadphase/src/tree/kernels/visit_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::broadphase {

using simd::UnitArch;

constinit const TreeNearKernels TreeNearKernels::BROADSIDE_UNIT_ISA = {
    .visit_close = &visit_kernel<UnitArch, DistanceShape, DistanceQuery, false>,
    .close_pairs = &close_pairs_kernel<UnitArch>,
};

}  // namespace broadside::broadphase
