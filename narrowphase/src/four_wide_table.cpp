// The set of the four-wide tables that this build has.
#include "narrowphase/src/four_wide_table.hpp"

namespace broadside::narrowphase {

const FourWideKernels* active_four_wide_kernels() noexcept {
    static constexpr simd::TableSet<FourWideKernels> kTables = {{
        &kFourWideKernelsScalar,
        BROADSIDE_TABLE_SSE2(&kFourWideKernelsSse2),
        BROADSIDE_TABLE_AVX2(&kFourWideKernelsSse2),
        BROADSIDE_TABLE_AVX512(&kFourWideKernelsSse2),
        BROADSIDE_TABLE_NEON64(&kFourWideKernelsNeon64),
    }};
    return simd::active_table(kTables);
}

}  // namespace broadside::narrowphase
