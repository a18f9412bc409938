// Rolling terrain: a height field as a triangle mesh, and its height anywhere.
#pragma once

#include <broadside/scene_io/triangle_mesh.hpp>

#include <cstdint>
#include <vector>

namespace broadside::scenes {

struct TerrainSettings {
    /// Quads along x and along z; two triangles each. The default gives 32,768 triangles.
    std::uint32_t quad_count_per_side = 128;
    /// Edge of a quad, metres.
    float quad_size = 2.0f;
    /// Corner of the smallest x and z, metres.
    Vec3 min_corner;
};

/// Hills of four wave lengths over a square, heights within 6 of min_corner.y; y is up. The same bytes on
/// every platform.
class Terrain {
public:
    explicit Terrain(const TerrainSettings& settings);

    /// Triangles wound so that their normals point up.
    const scene_io::TriangleMesh& mesh() const noexcept { return mesh_; }

    /// Height at (x, z), bilinear between the corners of the quad (so up to a few centimetres off the
    /// triangles). Outside the square, the height at its border.
    float height(float x, float z) const noexcept;

private:
    TerrainSettings settings_;
    scene_io::TriangleMesh mesh_;
};

}  // namespace broadside::scenes
