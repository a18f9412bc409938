// The kernel of the canonical order, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/lists/kernels.hpp"
#include "broadphase/src/lists/sort_rows_kernel.hpp"

namespace broadside::broadphase {

constinit const OrderKernels OrderKernels::BROADSIDE_UNIT_ISA = {
    .sort_rows = &sort_rows_kernel<simd::UnitArch>,
};

}  // namespace broadside::broadphase
