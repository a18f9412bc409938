// The broadphase kernels of sse2: the build gives this file that ISA's flags, and nothing else may live here.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

constinit const Kernels kKernelsSse2 = make_kernels<simd::Sse2>();

}  // namespace broadside::broadphase
