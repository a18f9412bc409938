#include "broadphase/src/thresholds.hpp"

namespace broadside::broadphase {

// Shipped values are the defaults of the fields.
constinit Thresholds thresholds;

}  // namespace broadside::broadphase
