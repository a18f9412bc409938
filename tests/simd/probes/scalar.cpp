// The lane probe of scalar; the build gives this file that ISA's flags.
#include "tests/simd/lane_probe_kernel.hpp"

namespace broadside::test {

const LaneProbe* lane_probe_scalar() {
    static constexpr LaneProbe kProbe = LaneProbeKernel<simd::Scalar>::make("scalar");
    return &kProbe;
}

}  // namespace broadside::test
