// The range check of pairs, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/batch/kernels.hpp"
#include "narrowphase/src/batch/pair_range_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const PairRangeKernels PairRangeKernels::BROADSIDE_UNIT_ISA = {
    .are_in_range = &pairs_in_range_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
