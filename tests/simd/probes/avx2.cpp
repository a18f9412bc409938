// The lane probe of avx2; the build gives this file that ISA's flags.
#include "tests/simd/lane_probe_kernel.hpp"

namespace broadside::test {

const LaneProbe* lane_probe_avx2() {
    static constexpr LaneProbe kProbe = LaneProbeKernel<simd::Avx2>::make("avx2");
    return &kProbe;
}

}  // namespace broadside::test
