// The broadphase kernels of avx2: the build gives this file that ISA's flags, and nothing else may live here.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

constinit const Kernels kKernelsAvx2 = make_kernels<simd::Avx2>();

}  // namespace broadside::broadphase
