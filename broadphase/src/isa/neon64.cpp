// The broadphase kernels of neon64: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

constinit const Kernels kKernelsNeon64 = make_kernels<simd::Neon64>();

}  // namespace broadside::broadphase
