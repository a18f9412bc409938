// The lane probe of sse2; the build gives this file that ISA's flags.
#include "tests/simd/lane_probe_kernel.hpp"

namespace broadside::test {

const LaneProbe* lane_probe_sse2() {
    static constexpr LaneProbe kProbe = LaneProbeKernel<simd::Sse2>::make("sse2");
    return &kProbe;
}

}  // namespace broadside::test
