// The rounding of boxes, compiled once for each ISA.
#include "simd/src/unit.hpp"
#include "broadphase/src/exact/kernels.hpp"
#include "broadphase/src/exact/rounding_kernel.hpp"

namespace broadside::broadphase {

constinit const RoundingKernels RoundingKernels::BROADSIDE_UNIT_ISA = {
    {&round_sides_kernel<simd::UnitArch, float>},
    {&round_sides_kernel<simd::UnitArch, double>},
    {&round_sides_kernel<simd::UnitArch, std::int32_t>},
    {&round_sides_kernel<simd::UnitArch, std::int64_t>},
};

}  // namespace broadside::broadphase
