// The narrowphase kernels of avx2: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "narrowphase/src/kernel_table.hpp"

namespace broadside::narrowphase {

constinit const Kernels kKernelsAvx2 = make_kernels<simd::Avx2>();

}  // namespace broadside::narrowphase
