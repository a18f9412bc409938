// The set of the tables that this build has.
#include "broadphase/src/kernel_table.hpp"

namespace broadside::broadphase {

const Kernels* active_kernels() noexcept {
    static constexpr simd::TableSet<Kernels> kTables = {{
        &kKernelsScalar,
        BROADSIDE_TABLE_SSE2(&kKernelsSse2),
        BROADSIDE_TABLE_AVX2(&kKernelsAvx2),
        BROADSIDE_TABLE_AVX512(&kKernelsAvx512),
        BROADSIDE_TABLE_NEON64(&kKernelsNeon64),
    }};
    return simd::active_table(kTables);
}

}  // namespace broadside::broadphase
