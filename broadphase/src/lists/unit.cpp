// The kernel of the canonical order, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/lists/kernels.hpp"
#include "broadphase/src/lists/rank_pairs_kernel.hpp"

namespace broadside::broadphase {

constinit const OrderKernels OrderKernels::BROADSIDE_UNIT_ISA = {
    .rank_pairs = &rank_pairs_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
