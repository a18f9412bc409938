// The narrowphase kernels of neon64: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "narrowphase/src/four_wide_table.hpp"
#include "narrowphase/src/kernel_table.hpp"

namespace broadside::narrowphase {

constinit const Kernels kKernelsNeon64 = make_kernels<simd::Neon64>();
constinit const FourWideKernels kFourWideKernelsNeon64 = make_four_wide_kernels<simd::Neon64>();

}  // namespace broadside::narrowphase
