// The kernels of oriented boxes against listed triangles, compiled once for each ISA.
#include "narrowphase/src/obb/kernels.hpp"
#include "narrowphase/src/obb/obb_triangle_listed_kernel.hpp"
#include "simd/src/unit.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const ListedTriangleKernels ListedTriangleKernels::BROADSIDE_UNIT_ISA = {
    .overlap_indexed = &obb_triangle_overlap_indexed_kernel<UnitArch>,
    .overlap_pairs = &obb_triangle_overlap_pairs_kernel<UnitArch>,
    .impacts_indexed = &obb_triangle_impacts_indexed_kernel<UnitArch>,
    .impact_pairs = &obb_triangle_impact_pairs_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
