// Whether meshes that do not meet come near each other.
#pragma once

#include <broadside/mesh_pairs.hpp>

namespace broadside::narrowphase {

/// Whether triangles of two meshes are within a distance of each other. For legal meshes, of which no triangles
/// meet. Adds the work to the counts.
bool is_any_near(const PlacedMesh& a, const PlacedMesh& b, float max_distance,
                 PairSearchCounts& state_counts) noexcept;

}  // namespace broadside::narrowphase
