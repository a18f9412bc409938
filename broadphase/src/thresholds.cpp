// The thresholds that are shipped.
#include "broadphase/src/thresholds.hpp"

#include <broadside/compiler.hpp>

namespace broadside::broadphase {

// Test programs have their own (tests/support/thresholds.cpp).
BROADSIDE_REPLACEABLE const Thresholds& thresholds() noexcept {
    static constexpr Thresholds kShipped;
    return kShipped;
}

}  // namespace broadside::broadphase
