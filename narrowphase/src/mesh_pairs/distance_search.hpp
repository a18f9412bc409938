// The state of a search for the closest triangles of two meshes.
#pragma once

#include "core/src/geometry/node.hpp"
#include "narrowphase/src/mesh_pairs/placement.hpp"

#include <broadside/triangle.hpp>

namespace broadside::narrowphase {

/// A direction as a mesh has it: numbers along it are lengths in the world, relative to the mesh's
/// translation.
struct DirectionSide {
    /// The direction in the space of the mesh, as floats and before it was rounded.
    Vec3 in_mesh;
    Vec3 in_world;
    Vec3Double exact;
    /// The mesh's translation along the direction.
    double origin;
};

/// Two sides: 0 is mesh a, 1 is mesh b. Directions go from a side to the other one.
struct PairDistanceSearch {
    /// Measures two placed triangles that do not meet; false if not, and the direction is as before.
    bool (*measure)(PairDistanceSearch& self, const Triangle& a, const Triangle& b, std::uint32_t index_a,
                    std::uint32_t index_b);
    /// Returns true if two placed triangles meet, and keeps them then.
    bool (*meet)(PairDistanceSearch& self, const Triangle& a, const Triangle& b, std::uint32_t index_a,
                 std::uint32_t index_b);
    /// No pair further apart is of interest: an upper bound, with all errors.
    double reach = 0.0;
    /// The largest squared distance of boxes of interest, in the space of each mesh and in the world.
    float limits[3] = {};
    /// The number of times that the direction has changed; 0 means that there is none.
    std::uint32_t turn = 0;
    /// From a to b, of the length 1.
    Vec3 direction = {};
    DirectionSide sides[2] = {};
    /// Bound of the errors of two numbers along it, and of the rounding of placed vertices.
    double slack = 0.0;
    std::uint64_t box_tests = 0;
    std::uint64_t leaf_pairs = 0;
    std::uint64_t triangle_tests = 0;
};

}  // namespace broadside::narrowphase
