// The lane probe of neon64; the build gives this file that ISA's flags.
#include "tests/simd/lane_probe_kernel.hpp"

namespace broadside::test {

const LaneProbe* lane_probe_neon64() {
    static constexpr LaneProbe kProbe = LaneProbeKernel<simd::Neon64>::make("neon64");
    return &kProbe;
}

}  // namespace broadside::test
