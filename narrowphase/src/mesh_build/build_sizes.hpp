// Sizes of the parts in which a mesh is built. They are data so that tests can reach every part with few
// triangles: test programs define the function below themselves.
#pragma once

#include <cstdint>

namespace broadside::narrowphase {

struct MeshBuildSizes {
    /// Most triangles of a cell, unless all have one Morton code. A fast build has cells of one leaf.
    std::uint32_t triangles_of_cell = 32;
    /// Neighbours up to which a fast build cuts full leaves, whatever their codes.
    std::uint32_t triangles_of_row = 64;
    /// Cells with at most this many triangles together are replaced by the triangles.
    std::uint32_t opened_triangles_max = 128;
    /// Triangles per task that sorts them, and about as many in a slab of space. At most 16384.
    std::uint32_t triangles_of_task = 16384;
    /// Most triangles of a subtree, which a task makes; at least 16. With half as many, the top, which one
    /// thread builds, is a tenth of the whole.
    std::uint32_t triangles_of_subtree = 8192;
};

/// The shipped sizes are the defaults of the fields.
const MeshBuildSizes& mesh_build_sizes() noexcept;

}  // namespace broadside::narrowphase
