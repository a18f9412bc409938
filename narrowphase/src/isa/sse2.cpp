// The narrowphase kernels of sse2: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "narrowphase/src/four_wide_table.hpp"
#include "narrowphase/src/kernel_table.hpp"

namespace broadside::narrowphase {

constinit const Kernels kKernelsSse2 = make_kernels<simd::Sse2>();
constinit const FourWideKernels kFourWideKernelsSse2 = make_four_wide_kernels<simd::Sse2>();

}  // namespace broadside::narrowphase
