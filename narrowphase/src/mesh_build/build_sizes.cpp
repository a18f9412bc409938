// The sizes that are shipped.
#include "narrowphase/src/mesh_build/build_sizes.hpp"

#include <broadside/compiler.hpp>

namespace broadside::narrowphase {

// Test programs have their own (tests/support/thresholds.cpp).
BROADSIDE_REPLACEABLE const MeshBuildSizes& mesh_build_sizes() noexcept {
    static constexpr MeshBuildSizes kShipped;
    return kShipped;
}

}  // namespace broadside::narrowphase
