// The kernels that are four lanes wide on every ISA, because their answer is a Mask4.
#pragma once

#include "narrowphase/src/ray/ray_box4_kernel.hpp"
#include "simd/src/dispatch.hpp"

namespace broadside::narrowphase {

struct FourWideKernels {
    RayBox4Kernels ray_box4;
};

template <class Arch>
constexpr FourWideKernels make_four_wide_kernels() {
    return {make_ray_box4_kernels<Arch>()};
}

// One per unit in isa/ whose registers have four lanes, and the scalar one. The AVX units have none: their
// 128-bit code would be that of sse2, which their table entries point to.
extern const FourWideKernels kFourWideKernelsScalar;
extern const FourWideKernels kFourWideKernelsSse2;
extern const FourWideKernels kFourWideKernelsNeon64;

/// The kernels of the active ISA, or null when none is active.
const FourWideKernels* active_four_wide_kernels() noexcept;

}  // namespace broadside::narrowphase
