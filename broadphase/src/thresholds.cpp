#include "broadphase/src/thresholds.hpp"

namespace broadside::broadphase {

// Weak: a program that defines it has its own (tests/support/thresholds.cpp).
__attribute__((weak)) const Thresholds& thresholds() noexcept {
    static constexpr Thresholds kShipped;
    return kShipped;
}

}  // namespace broadside::broadphase
