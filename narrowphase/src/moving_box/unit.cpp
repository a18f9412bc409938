// The kernels of moving boxes, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/moving_box/kernels.hpp"
#include "narrowphase/src/moving_box/moving_aabb_kernel.hpp"
#include "narrowphase/src/moving_box/one_mover_kernel.hpp"
#include "narrowphase/src/moving_box/rows_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const MovingAabbKernels MovingAabbKernels::BROADSIDE_UNIT_ISA = {
    .streams = &moving_aabb_streams_kernel<UnitArch>,
    .pairs = &moving_aabb_pairs_kernel<UnitArch>,
};

constinit const MovingAabbRowsKernels MovingAabbRowsKernels::BROADSIDE_UNIT_ISA = {
    .prepare_resting = &prepare_resting_rows_kernel<UnitArch>,
    .prepare_movers = &prepare_moving_rows_kernel<UnitArch>,
    .prepare_bodies = &prepare_body_rows_kernel<UnitArch>,
    .pairs = &row_pairs_kernel<UnitArch>,
    .body_pairs = &body_pairs_kernel<UnitArch>,
};

constinit const OneMoverKernels OneMoverKernels::BROADSIDE_UNIT_ISA = {
    .boxes = &one_mover_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
