// The kernels of bounds and fits, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/bounds/bounds_kernel.hpp"
#include "narrowphase/src/bounds/fit_kernel.hpp"
#include "narrowphase/src/bounds/kernels.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const BoundsKernels BoundsKernels::BROADSIDE_UNIT_ISA = {
    .spheres = &sphere_bounds_kernel<UnitArch>,
    .obbs = &obb_bounds_kernel<UnitArch>,
    .boxes = &transformed_boxes_kernel<UnitArch>,
    .boxes_each = &transformed_boxes_each_kernel<UnitArch>,
};

constinit const FitKernels FitKernels::BROADSIDE_UNIT_ISA = {
    .extents = &frame_extents_kernel<UnitArch>,
    .farthest = &farthest_point_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
