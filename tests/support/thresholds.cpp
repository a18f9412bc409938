// The thresholds of test programs, which replace the default ones.
#include "tests/support/drawn_thresholds.hpp"

namespace broadside {

broadphase::Thresholds& test::tested_thresholds() {
    static constinit broadphase::Thresholds thresholds;
    return thresholds;
}

const broadphase::Thresholds& broadphase::thresholds() noexcept { return test::tested_thresholds(); }

narrowphase::MeshBuildSizes& test::tested_mesh_build_sizes() {
    static constinit narrowphase::MeshBuildSizes sizes;
    return sizes;
}

const narrowphase::MeshBuildSizes& narrowphase::mesh_build_sizes() noexcept {
    return test::tested_mesh_build_sizes();
}

}  // namespace broadside
