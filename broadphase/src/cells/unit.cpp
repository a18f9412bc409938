// The kernels of the cells algorithm, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/cells/kernels.hpp"
#include "broadphase/src/cells/query_kernel.hpp"
#include "broadphase/src/cells/scan_kernel.hpp"
#include "broadphase/src/cells/scatter_kernel.hpp"
#include "broadphase/src/cells/sort_kernel.hpp"

namespace broadside::broadphase {

constinit const CellsKernels CellsKernels::BROADSIDE_UNIT_ISA = {
    .scatter = &scatter_kernel<simd::UnitArch>,
    .sort_cell = &sort_cell_kernel<simd::UnitArch>,
    .scan_cell = &scan_cell_kernel<simd::UnitArch>,
    .query_cell = &query_cell_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
