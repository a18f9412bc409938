// Neighbouring rays of similar direction on a MeshScene, which ask each instance together.
#pragma once

#include "stage/src/mesh_scene/queries.hpp"

namespace broadside::stage {

// Both take kSceneBundleWidth rays. They return the results of each ray alone; or false, with nothing written,
// if the rays do not go the same way.
bool closest_of_bundle(const MeshScene& scene, const Ray* rays, Sides sides, SceneHit* out_closest);
bool any_of_bundle(const MeshScene& scene, const Ray* rays, Sides sides, std::uint64_t& out_bits);

}  // namespace broadside::stage
