// The kernels of the sweep, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/sweep/kernels.hpp"
#include "broadphase/src/sweep/row_scan_kernel.hpp"

namespace broadside::broadphase {

constinit const ScanKernels ScanKernels::BROADSIDE_UNIT_ISA = {
    .sweep_rows = &sweep_rows_kernel<simd::UnitArch>,
    .test_rows = &test_rows_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
