// The narrowphase kernels of scalar: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "narrowphase/src/four_wide_table.hpp"
#include "narrowphase/src/kernel_table.hpp"

namespace broadside::narrowphase {

constinit const Kernels kKernelsScalar = make_kernels<simd::Scalar>();
constinit const FourWideKernels kFourWideKernelsScalar = make_four_wide_kernels<simd::Scalar>();

}  // namespace broadside::narrowphase
