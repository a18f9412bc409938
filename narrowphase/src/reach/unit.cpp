// The kernel that finds the triangles a moving body may come near to, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "narrowphase/src/reach/kernels.hpp"
#include "narrowphase/src/reach/reach_kernel.hpp"

namespace broadside::narrowphase {

using simd::UnitArch;

constinit const ReachKernels ReachKernels::BROADSIDE_UNIT_ISA = {
    .near_bits = &near_bits_kernel<UnitArch>,
};

}  // namespace broadside::narrowphase
