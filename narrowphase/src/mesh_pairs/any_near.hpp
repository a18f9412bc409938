// Decides whether meshes that do not meet are near each other.
#pragma once

#include <broadside/mesh_pairs.hpp>

namespace broadside::narrowphase {

/// Returns whether triangles of two meshes are within a distance of each other. The meshes are legal, and none of
/// their triangles meet. Adds the work to the counts.
bool is_any_near(const PlacedMesh& a, const PlacedMesh& b, float max_distance,
                 PairSearchCounts& state_counts) noexcept;

}  // namespace broadside::narrowphase
