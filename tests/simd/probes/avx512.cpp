// The lane probe of avx512; the build gives this file that ISA's flags.
#include "tests/simd/lane_probe_kernel.hpp"

namespace broadside::test {

const LaneProbe* lane_probe_avx512() {
    static constexpr LaneProbe kProbe = LaneProbeKernel<simd::Avx512>::make("avx512");
    return &kProbe;
}

}  // namespace broadside::test
