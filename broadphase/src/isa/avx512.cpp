// The broadphase kernels of avx512: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

constinit const Kernels kKernelsAvx512 = make_kernels<simd::Avx512>();

}  // namespace broadside::broadphase
