// The kernels of a kept list of candidates, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/candidates/kernels.hpp"
#include "broadphase/src/candidates/pair_cache_kernel.hpp"

namespace broadside::broadphase {

constinit const PairCacheKernels PairCacheKernels::BROADSIDE_UNIT_ISA = {
    .refresh = &refresh_kernel<simd::UnitArch>,
    .refresh_rows = &refresh_rows_kernel<simd::UnitArch>,
    .find_meeting = &find_meeting_kernel<simd::UnitArch>,
    .keep_overlapping = &keep_overlapping_kernel<simd::UnitArch>,
    .mark_overlapping = &mark_overlapping_kernel<simd::UnitArch>,
    .keep_marked = &keep_marked_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
