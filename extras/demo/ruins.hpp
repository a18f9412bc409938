// Objects on the terrain of the street scene: platforms with steps all around, and walls.
#pragma once

#include <broadside/scene_io/triangle_mesh.hpp>

#include <cstdint>

namespace broadside::demo {

/// Adds them to a terrain whose y is up, where its ground is flattest. The same bytes on every platform.
void append_ruins(std::uint64_t seed, scene_io::TriangleMesh& state_terrain);

}  // namespace broadside::demo
