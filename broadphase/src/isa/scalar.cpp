// The broadphase kernels of scalar: the build gives this file that ISA's flags, and nothing else may live
// here.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

constinit const Kernels kKernelsScalar = make_kernels<simd::Scalar>();

}  // namespace broadside::broadphase
