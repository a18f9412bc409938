// The kernels of oriented boxes against triangles, compiled once for each ISA.
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_triangle_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const ObbTriangleKernels ObbTriangleKernels::BROADSIDE_UNIT_ISA = {
    .overlap = &obb_triangle_overlap_kernel<UnitArch>,
    .impacts = &obb_triangle_impacts_kernel<UnitArch>,
    .swept_overlap = &obb_triangle_swept_overlap_kernel<UnitArch>,
    .overlap_obbs = &obbs_triangle_overlap_kernel<UnitArch>,
    .obb_impacts = &obbs_triangle_impacts_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
