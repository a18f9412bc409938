// The thresholds of test programs, which replace the default ones.
#include "tests/support/drawn_thresholds.hpp"

namespace broadside {

broadphase::Thresholds& test::tested_thresholds() {
    static constinit broadphase::Thresholds thresholds;
    return thresholds;
}

const broadphase::Thresholds& broadphase::thresholds() noexcept { return test::tested_thresholds(); }

}  // namespace broadside
